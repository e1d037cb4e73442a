"""What a task asks of whoever carries it out, and how it ends."""

from dataclasses import dataclass
from typing import Literal

from reins.contracts.plan import Constraint, Plan, SkillCall

Outcome = Literal["succeeded", "failed", "refused", "question", "cancelled"]
Stage = Literal["looking", "planning", "asking", "acting", "checking", "paused"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a task.

    Attributes:
        steps: how many skills may run, so that a planner that goes round in circles comes to an end.
        replans: how often it may plan again.
        same_failures: how often the same call may fail.
        rejections: how many plans an operator may turn down with a reason before the task ends with a question.
        questions: how many questions of the planner an operator may answer; the next one ends the task. None where
            nobody is there to answer.
        look: how long to wait for a scene [s].
        settle: how long to look again before an effect that is not seen counts as missing [s].
    """

    steps: int = 64
    replans: int = 5
    same_failures: int = 3
    rejections: int = 3
    questions: int = 0
    look: float = 10.0
    settle: float = 1.5


@dataclass(frozen=True, slots=True)
class RunSkill:
    """Run this skill now, under these constraints, then call `skill_finished`."""

    call: SkillCall
    constraints: tuple[Constraint, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """Ask again when there is a scene whose stamp is later than `newer_than` [s], or after a while without one."""

    newer_than: float


@dataclass(frozen=True, slots=True)
class Ask:
    """Show this plan to an operator; then call `answer`, or `unanswered` after a while. Nothing moves meanwhile.

    Attributes:
        number: of the question in the task, from 1.
        plan: what is to be done from now on; or it has a question of its own, to be answered in words.
        risks: why a person should look at it, a sentence each; empty if no rule says so.
    """

    number: int
    plan: Plan
    risks: tuple[str, ...]

    @property
    def question(self) -> str:
        """What the planner wants to know; empty where it is only whether the plan may run."""
        return self.plan.question or ""


@dataclass(frozen=True, slots=True)
class Done:
    """The task is over.

    Attributes:
        outcome: how it ended.
        reason: one sentence: what was done, why it failed, the question, the refusal.
        plan: the last plan, or None if there never was one.
    """

    outcome: Outcome
    reason: str
    plan: Plan | None


Action = RunSkill | Look | Ask | Done
