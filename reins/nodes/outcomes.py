"""What a graph answers to its client, as plain data."""

from dataclasses import dataclass

from reins.contracts.plan import Plan


@dataclass(frozen=True, slots=True)
class Reply:
    """What a service said: whether it did it, and why not."""

    accepted: bool
    message: str


@dataclass(frozen=True, slots=True)
class SkillProgress:
    """Feedback of a skill: phase, and progress 0 … 1."""

    phase: str
    progress: float


@dataclass(frozen=True, slots=True)
class SkillOutcome:
    """Result of a skill: `reason` says why it failed; `duration` is robot time [s]."""

    success: bool
    reason: str
    duration: float


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """Feedback of a task. `plan` is None before there is one; `step` is an index into its steps."""

    stage: str
    plan: Plan | None
    step: int
    step_text: str
    phase: str
    progress: float


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """A plan that waits for an answer; or a question of the planner, which is the plan's then.

    Attributes:
        number: of the question in its task.
        instruction: what the plan is for.
        plan: what would be done.
        risks: why a person should look at it.
        limit: without an answer for so long it counts as turned down, or the task ends with the question [s].
    """

    number: int
    instruction: str
    plan: Plan
    risks: tuple[str, ...]
    limit: float


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """Result of a task.

    Attributes:
        success: the task says that its goal holds in the scene.
        outcome: succeeded, failed, refused, question, cancelled or answered.
        reason: one sentence.
        plan: the last plan.
        replans: how often it planned again.
        duration: robot time it took [s].
    """

    success: bool
    outcome: str
    reason: str
    plan: Plan
    replans: int
    duration: float


@dataclass(frozen=True, slots=True)
class SkillEntry:
    """A skill that the graph can run, and by which controller."""

    name: str
    description: str
    controller: str
