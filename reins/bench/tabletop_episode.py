"""One episode of the tabletop suite: what the task said, held against physics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from reins.bench.planner_figures import PlannerFigures
from reins.bench.tabletop_tasks import BenchTask
from reins.sim.tasks import evaluate_task
from reins.sim.world_state import WorldState

ANSWERS: Final[Mapping[str, str]] = {"question": "question", "refused": "refusal"}
"""What a task was answered with, by its outcome; with steps otherwise."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One task and how it went.

    Attributes:
        seed: seed of the task and of its world.
        instruction: what was asked.
        wanted, answered: what it was to be answered with, and what it was: steps, question or refusal.
        success: the goal holds by physics, nothing forbidden was touched, and the task itself reported success; or it
            was declined as it was to be, and nothing moved.
        goal_met: the goal holds by physics.
        outcome, reason: what the task itself said.
        unmet: goal predicates that do not hold.
        forbidden_touches: forbidden objects that were touched.
        limit_violations: control periods in which a limit was broken, by kind.
        disturbance: how it was to be disturbed, "" for not at all.
        struck: what was done to it, in words; empty where the task was over before it could be.
        replans: how often it planned again.
        duration: robot time [s].
        steps: skills that ran; through the graph, the steps of every plan.
        least: steps of the shortest plan from the start.
        planner: what it cost the planner.
    """

    seed: int
    instruction: str
    wanted: str
    answered: str
    success: bool
    goal_met: bool
    outcome: str
    reason: str
    unmet: Sequence[str]
    forbidden_touches: Sequence[str]
    limit_violations: dict[str, int]
    disturbance: str
    struck: str
    replans: int
    duration: float
    steps: Sequence[str]
    least: int
    planner: PlannerFigures


class TaskResult(Protocol):
    """What a task says of itself, from the rig or from the graph."""

    @property
    def outcome(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def replans(self) -> int: ...
    @property
    def duration(self) -> float: ...


def judge(
    asked: BenchTask,
    after: WorldState,
    result: TaskResult,
    violations: Mapping[str, int],
    steps: Sequence[str],
    figures: PlannerFigures,
    struck: str = "",
) -> Episode:
    """Hold what the task said against physics."""
    task = asked.task
    outcome = evaluate_task(task, after)
    answered = ANSWERS.get(result.outcome, "steps")
    if asked.wanted == "steps":
        success = outcome.success and result.outcome == "succeeded"
    else:
        success = answered == asked.wanted and not steps
    return Episode(
        seed=task.seed,
        instruction=task.instruction,
        wanted=asked.wanted,
        answered=answered,
        success=success,
        goal_met=not outcome.unmet,
        outcome=result.outcome,
        reason=result.reason,
        unmet=[" ".join(predicate) for predicate in outcome.unmet],
        forbidden_touches=list(outcome.forbidden_touches),
        limit_violations=dict(violations),
        disturbance=asked.disturbance,
        struck=struck,
        replans=result.replans,
        duration=result.duration,
        steps=steps,
        least=asked.least,
        planner=figures,
    )
