"""From a task to the steps that are left of it, by search; how a task is understood is somebody else's business.

The `symbolic` planner reads tasks from sentences. Who knows a task in another way, such as whoever makes up tasks for
training and benchmarks, gets the same plans here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reins.contracts.facts import Fact
from reins.contracts.plan import SkillCall
from reins.contracts.scene import Scene
from reins.planning.answers import CannotDo
from reins.planning.explanation import why_not
from reins.planning.goals import Goal, Stage, Task
from reins.planning.grounding import Problem
from reins.planning.planner import History, StepRecord
from reins.planning.search import MAX_EXPANSIONS, search
from reins.planning.simulation import SymbolicState, bind, expected_facts
from reins.planning.verifier import avoided, needs
from reins.planning.words import call_text, fact_text, listed
from reins.skills.registry import SkillSpec


@dataclass(frozen=True, slots=True)
class _Progress:
    """How far a task is: the stage that is worked on, and the scene in which it began."""

    stage: int
    before: Scene


def pursue(
    task: Task, scene: Scene, history: History, registry: Mapping[str, SkillSpec], effort: int = MAX_EXPANSIONS
) -> list[SkillCall]:
    """The shortest steps from `scene` to what is left of a task; none when it is done.

    Args:
        task: what is to be so.
        scene: what is seen now.
        history: the task so far.
        registry: the skills' declarations.
        effort: states that are looked at for each stage; with less than the usual ones, no reason is looked for either.

    Raises:
        CannotDo: nothing reaches it, or something that it is about is gone.
    """
    task, steps = _settle(task, history, registry, effort)
    if history.steps or scene is not history.initial:
        steps = _left(task, history, scene, registry, effort)
    return steps


def missing(
    task: Task, scene: Scene, history: History, registry: Mapping[str, SkillSpec], effort: int = MAX_EXPANSIONS
) -> list[str]:
    """What a task asks for and `scene` does not show, one clause each; the reason if nothing can reach it.

    Arguments as for `pursue`.
    """
    try:
        task, _ = _settle(task, history, registry, effort)
    except CannotDo as error:
        return [str(error)]
    progress = _progress(task, history, scene)
    stage = _upkeep(task) if progress.stage == len(task.stages) else task.stages[progress.stage]
    if stage.act is not None:
        return [f"{call_text(stage.act)} is not done"]
    return [fact_text(goal.fact, negated=True) for goal in stage.unmet(progress.before, scene)]


def left_of(task: Task, scene: Scene, history: History) -> Task:
    """What is left of a task: the stages that were not reached yet, or what is to last if all were.

    Args:
        task: what is to be so.
        scene: what is seen now.
        history: the task so far.
    """
    progress = _progress(task, history, scene)
    return replace(task, stages=task.stages[progress.stage :] or (_upkeep(task),))


def _settle(
    task: Task, history: History, registry: Mapping[str, SkillSpec], effort: int
) -> tuple[Task, list[SkillCall]]:
    """The task with its goals made to agree, and the steps from the initial scene.

    Goals of earlier stages that a later one has to undo are not kept for that one.

    Raises:
        CannotDo: nothing reaches it from there.
    """
    work = _Work(registry, history.initial, avoided(task.constraints) | history.forbidden, effort)
    stages = []
    for stage in task.stages:
        try:
            work.reach(stage)
        except CannotDo:
            if not stage.kept:
                raise
            stage = replace(stage, kept=())
            work.reach(stage)
        stages.append(stage)
    return replace(task, stages=tuple(stages)), work.steps


def _left(
    task: Task, history: History, scene: Scene, registry: Mapping[str, SkillSpec], effort: int
) -> list[SkillCall]:
    """The steps that are left from `scene` on."""
    if gone := sorted(task.objects(registry) - set(scene.objects)):
        raise CannotDo(f"I no longer see {listed(gone)}; I see {listed(scene.objects)}")
    progress = _progress(task, history, scene)
    work = _Work(registry, scene, avoided(task.constraints) | history.forbidden, effort, progress.before)
    left = task.stages[progress.stage :]
    for stage in left or (_upkeep(task),):
        work.reach(stage)
    return work.steps


class _Work:
    """Steps found so far, and the state that they lead to."""

    def __init__(
        self,
        registry: Mapping[str, SkillSpec],
        scene: Scene,
        avoid: frozenset[str],
        effort: int,
        before: Scene | None = None,
    ) -> None:
        self.steps: list[SkillCall] = []
        self._registry = registry
        self._scene = scene
        self._avoid = avoid
        self._effort = effort
        self._before = before or scene
        self._state = SymbolicState.of(scene)

    def reach(self, stage: Stage) -> None:
        """Add the steps to a stage; the state is left as it is if there are none.

        Raises:
            CannotDo: nothing reaches it.
        """
        goals = (*stage.goals, *stage.kept)
        facts = [goal.fact for goal in goals]
        done = {goal.fact for goal in goals if goal.holds(self._before, self._scene)} if not self.steps else set()
        state = self._with_moves(done)
        if stage.act is None:
            steps, state = self._search(state, facts)
        else:
            spec = self._registry[stage.act.skill]
            arguments = spec.complete(stage.act, self._scene)
            before = [bind(condition, arguments, None) for condition in spec.preconditions]
            facts += [condition.fact for condition in before if not condition.negated]
            steps, state = self._search(state, facts)
            if unmet := state.unmet(spec, arguments):
                raise CannotDo(f"{call_text(stage.act)} {needs(unmet)}")
            steps, state = [*steps, stage.act], state.after(spec, arguments)
        self.steps += [self._measured(step, goals) for step in steps]
        self._state = state

    def _search(self, state: SymbolicState, goals: Sequence[Fact]) -> tuple[list[SkillCall], SymbolicState]:
        problem = Problem(self._scene, state, tuple(dict.fromkeys(goals)), self._registry, self._avoid)
        steps = search(problem, self._effort)
        if steps is None:
            raise CannotDo(why_not(problem) if self._effort >= MAX_EXPANSIONS else "I find no way")
        for step in steps:
            spec = self._registry[step.skill]
            state = state.after(spec, spec.complete(step, self._scene))
        return steps, state

    def _with_moves(self, done: set[Fact]) -> SymbolicState:
        """The state at the start of a stage: of what has moved only what its goals count as done."""
        still = {fact for fact in self._state.facts if fact[0] != "moved"}
        return replace(self._state, facts=frozenset(still | {fact for fact in done if fact[0] == "moved"}))

    def _measured(self, step: SkillCall, goals: Sequence[Goal]) -> SkillCall:
        """The step with the numbers that its goal asks for, within what the skill takes."""
        spec = self._registry[step.skill]
        effects = expected_facts(spec, spec.with_defaults(step.arguments), None)
        before = self._scene if self.steps else self._before
        numbers = {
            parameter.name: min(max(float(value), parameter.lower), parameter.upper)
            for goal in goals
            if goal.fact in effects
            for parameter in spec.parameters
            if (value := goal.arguments(before, self._scene).get(parameter.name)) not in (None, parameter.default)
        }
        return step.model_copy(update={"arguments": {**step.arguments, **numbers}}) if numbers else step


def _progress(task: Task, history: History, scene: Scene) -> _Progress:
    """Replay the history over the stages: a stage that was once reached is done."""
    progress = _Progress(0, history.initial)
    for record in history.steps:
        progress = _advance(task, progress, record.after, record)
    return _advance(task, progress, scene, None)


def _advance(task: Task, progress: _Progress, now: Scene, record: StepRecord | None) -> _Progress:
    while progress.stage < len(task.stages):
        stage = task.stages[progress.stage]
        if stage.act is not None:
            if record is None or not record.success or record.call != stage.act:
                break
            record = None  # one step does one act
        elif stage.unmet(progress.before, now):
            break
        progress = _Progress(progress.stage + 1, now)
    return progress


def _upkeep(task: Task) -> Stage:
    """What is still to be so when every stage has been reached."""
    last = task.stages[-1]
    return Stage(goals=tuple(goal for goal in (*last.goals, *last.kept) if goal.lasting))
