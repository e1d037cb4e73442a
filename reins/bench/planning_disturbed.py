"""A task carried out without physics while things go wrong: steps fail, and somebody else moves things."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Final, Protocol

from reins.contracts.errors import ReinsError
from reins.contracts.facts import facts_of
from reins.contracts.plan import Plan
from reins.contracts.scene import Scene
from reins.planning.actions import Done, RunSkill
from reins.planning.executor import TaskExecutor
from reins.planning.planner import History, Planner, StepRecord
from reins.planning.pursuit import missing
from reins.planning.verifier import avoided
from reins.skills.library import SKILLS
from reins.training.planner.example import Example
from reins.training.planner.examples import Examples, touched_by
from reins.training.planner.histories import REASONS, carry_out, expected, stir
from reins.training.planner.table import Table

LOOK: Final = 0.5
"""Time between two scenes [s]."""

MOST_TURNS: Final = 400
"""A task that takes more turns does not end."""

MOST_TROUBLE: Final = 2
"""How often something goes wrong in a task."""

TROUBLE: Final = 0.4
"""Share of steps at which something goes wrong, until it has gone wrong so often."""

SUITES: Final = ("single", "multi", "spatial", "references")
"""Suites that the tasks are drawn from."""


class Timed(Protocol):
    """A planner whose times are kept."""

    @property
    def planner(self) -> Planner: ...
    def plan(self, instruction: str, scene: Scene, history: History) -> tuple[Plan | None, str]: ...


@dataclass(frozen=True, slots=True)
class DisturbedRun:
    """How a task went.

    Attributes:
        example: the task.
        outcome: what the task itself said in the end.
        reason: why it counts as failed; empty if it is done, and nothing forbidden was touched.
        steps: skills that ran.
        replans: how often it planned again because the world disagreed.
    """

    example: Example
    outcome: str
    reason: str
    steps: int
    replans: int


def disturbed(asked: Timed, examples: Examples, language: str) -> DisturbedRun:
    """Draw a task and carry it out."""
    example = _task(examples, language)
    rng = Random(example.instruction)
    world = _World(example, rng)
    executor = TaskExecutor(_Relay(asked), SKILLS, example.instruction)
    done = _drive(executor, world)
    reason = world.touched_forbidden() or _unmet(example, world) if done.outcome == "succeeded" else done.reason
    return DisturbedRun(example, done.outcome, reason, len(world.history.steps), executor.replans)


class _Relay:
    """The planner as the executor sees it, with its times kept."""

    def __init__(self, asked: Timed) -> None:
        self._asked = asked
        self.name = asked.planner.name
        self.quick = asked.planner.quick

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        plan, trouble = self._asked.plan(instruction, scene, history)
        if plan is None:
            raise ReinsError(trouble)
        return plan

    def unmet(self, instruction: str, scene: Scene, history: History) -> list[str]:
        return self._asked.planner.unmet(instruction, scene, history)


class _World:
    """A table on which some steps fail and others move things.

    Args:
        example: the task.
        rng: of what goes wrong.
    """

    def __init__(self, example: Example, rng: Random) -> None:
        self.table = Table(example.scene)
        self.history = History(example.scene, forbidden=example.history.forbidden)
        self._avoid = avoided(example.plan.constraints)
        self._rng = rng
        self._trouble = 0
        self._touched: list[str] = []

    def run(self, action: RunSkill) -> tuple[bool, str]:
        """Carry out a skill: whether it says that it succeeded, and why not."""
        before = self.table.scene()
        self._touched += touched_by(action.call, sorted(self._avoid), SKILLS)
        reason = ""
        if self._trouble < MOST_TROUBLE and self._rng.random() < TROUBLE:
            self._trouble += 1
            reason = self._go_wrong(action)
        else:
            self.table.do(action.call)
        after = self.table.scene()
        if not reason and not expected(action.call, before, SKILLS) <= facts_of(after, before):
            reason = "its effects are not seen"
        self.history = self.history.then(StepRecord(action.call, not reason, reason, before, after))
        return not reason, reason

    def touched_forbidden(self) -> str:
        """What was touched and must not be, as a clause; empty if nothing."""
        return f"touched {self._touched[0]}" if self._touched else ""

    def _go_wrong(self, action: RunSkill) -> str:
        """The step fails, perhaps losing what is held; or it works, and meanwhile a block is moved."""
        ways: list[Callable[[], str]] = [lambda: self._fail(action), lambda: self._moved(action)]
        return self._rng.choice(ways)()

    def _fail(self, action: RunSkill) -> str:
        reason = self._rng.choice(REASONS)
        carry_out(action.call, self.table, reason, self._rng)
        return reason

    def _moved(self, action: RunSkill) -> str:
        self.table.do(action.call)
        stir(self.table, self._rng)
        return ""


def _drive(executor: TaskExecutor, world: _World) -> Done:
    """Let an executor work until it is done."""
    for _ in range(MOST_TURNS):
        action = executor.next(world.table.scene(), world.table.stamp)
        if isinstance(action, Done):
            return action
        if isinstance(action, RunSkill):
            success, reason = world.run(action)
            executor.skill_finished(success, reason, world.table.stamp)
        world.table.stamp += LOOK
    return Done("failed", f"no end after {MOST_TURNS} turns", executor.plan)


def _task(examples: Examples, language: str) -> Example:
    """A task with something to do, from its beginning."""
    while True:
        example = examples.draw(examples.pick(SUITES), language)
        fresh = not example.history.steps and not example.history.problems and not example.history.forbidden
        if fresh and example.plan.steps and not example.untricked:
            return replace(example, history=History(example.scene))


def _unmet(example: Example, world: _World) -> str:
    """What was asked for and is not so, as a clause; empty if all of it is."""
    scene = world.table.scene()
    unmet = [missing(task, scene, world.history, SKILLS) for task in example.meaning.tasks()]
    return "" if not all(unmet) else unmet[0][0]
