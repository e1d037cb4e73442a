"""What a plan does beyond what was asked for, where every word of the instruction is known: before anything moves."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.goals import Displace, Goal, Task
from reins.planning.language.promise import ABOUT, falls_short
from reins.planning.simulation import SymbolicState, bind
from reins.planning.verifier import verify
from reins.skills.registry import SkillSpec


def goes_beyond(steps: Sequence[SkillCall], task: Task, scene: Scene, registry: Mapping[str, SkillSpec]) -> list[str]:
    """What the steps do that nobody asked for and that they can do without, one clause each.

    What is in the way may be moved: without that the other steps would not work. What moves nothing, such as going home
    or a look from above, is not counted.

    Args:
        steps: that can all be carried out.
        task: what is left of what is asked for.
        scene: that the steps begin in.
        registry: the skills' declarations.
    """
    work = _Work(steps, task, scene, registry)
    needless = work.needless()
    told = [f"{name} need not be moved" for name in needless]
    return told + [clause for name, clause in _pushed_too_far(steps, task, scene, registry) if name not in needless]


class _Work:
    """Steps, and what each of them moves."""

    def __init__(self, steps: Sequence[SkillCall], task: Task, scene: Scene, registry: Mapping[str, SkillSpec]) -> None:
        self._steps, self._task = steps, task
        self._scene, self._registry = scene, registry
        self._moved = list(self._moves())

    def needless(self) -> list[str]:
        """Ids of what is moved without need, in the order in which it is moved."""
        moved = dict.fromkeys(name for names in self._moved for name in sorted(names))
        spare = [name for name in moved if name not in self._asked()]
        if not spare:
            return []
        short = set(falls_short(self._steps, self._task, self._scene, self._registry))
        if self._does_without(spare, short):
            return spare
        without: list[str] = []
        for name in reversed(spare):  # what comes late may need what comes before it
            if self._does_without([*without, name], short):
                without.append(name)
        return without[::-1]

    def _asked(self) -> set[str]:
        """Ids of what is to be moved, and of what acts that are asked for move."""
        acts = (stage.act for stage in self._task.stages if stage.act is not None)
        by_acts = {name for act in acts for name in self._changed(act, None)}
        return by_acts | {goal.fact[1] for goal in _goals(self._task) if len(goal.fact) > 1}

    def _does_without(self, names: Collection[str], short: Collection[str]) -> bool:
        """Whether the steps that move none of these work, too, and leave no more undone than all of them."""
        left = [step for step, moved in zip(self._steps, self._moved, strict=True) if not moved & set(names)]
        if verify(Plan(thought="", steps=tuple(left)), self._scene, self._registry):
            return False
        return set(falls_short(left, self._task, self._scene, self._registry)) <= set(short)

    def _moves(self) -> Iterator[frozenset[str]]:
        """Ids of what each step moves."""
        state = SymbolicState.of(self._scene)
        for step in self._steps:
            yield self._changed(step, state.held)
            spec = self._registry[step.skill]
            state = state.after(spec, spec.complete(step, self._scene))

    def _changed(self, step: SkillCall, held: str | None) -> frozenset[str]:
        """Ids of the objects that a step's effects are about, with `held` in the gripper."""
        spec = self._registry[step.skill]
        arguments = spec.complete(step, self._scene)
        facts = [bind(effect, arguments, held).fact for effect in spec.effects]
        return frozenset(fact[1] for fact in facts if len(fact) > 1) & self._scene.objects.keys()


def _goals(task: Task) -> Iterator[Goal]:
    for stage in task.stages:
        yield from (*stage.goals, *stage.kept)


def _pushed_too_far(
    steps: Sequence[SkillCall], task: Task, scene: Scene, registry: Mapping[str, SkillSpec]
) -> Iterator[tuple[str, str]]:
    """Ids of what goes farther than asked for, all strokes one way together, or another way, each with a clause."""
    acts = [stage.act for stage in task.stages if stage.act is not None]
    asked = _strokes(acts, scene, registry)
    for stage in task.stages:
        for goal in stage.goals:
            if isinstance(goal, Displace):
                asked[goal.object, goal.direction] += goal.distance
    for (name, way), distance in _strokes(steps, scene, registry).items():
        if distance > asked[name, way] + ABOUT:
            yield name, f"{name} goes {distance:.3g} m {way}, not {asked[name, way]:.3g} m"


def _strokes(
    steps: Sequence[SkillCall], scene: Scene, registry: Mapping[str, SkillSpec]
) -> defaultdict[tuple[str, str], float]:
    """How far steps take an object in a direction, by both [m]."""
    far: defaultdict[tuple[str, str], float] = defaultdict(float)
    for step in steps:
        spec = registry[step.skill]
        arguments = spec.complete(step, scene)
        for parameter in spec.parameters:
            if parameter.along is not None:
                name, way = (str(arguments[part]) for part in parameter.along)
                far[name, way] += float(arguments[parameter.name])
    return far
