"""A task's talk with its operator: what they are asked, and what their answers change."""

from typing import Final

from reins.contracts.plan import Plan
from reins.contracts.scene import Scene
from reins.planning.actions import Ask, Outcome
from reins.planning.approval import (
    Answer,
    Approvals,
    Approve,
    Edit,
    Leave,
    Reply,
    Reword,
    is_within,
    said_to,
)
from reins.planning.clarify import lets_be
from reins.planning.course import Course
from reins.planning.planner import Exchange, History

Ending = tuple[Outcome, str]
"""How a task ends, and why."""


class Dialogue:
    """Puts plans and questions to an operator.

    Args:
        course: of the task.
        approvals: which plans wait, and what was answered.
        questions: of the planner that may be answered.
    """

    def __init__(self, course: Course, approvals: Approvals, questions: int) -> None:
        self._course: Final = course
        self._approvals: Final = approvals
        self._questions: Final = questions

    def consider(self, plan: Plan, history: History, scene: Scene, t: float) -> Ask | None:
        """Follow a plan, or ask first. What may run already is not asked about again, unless something failed."""
        course = self._course
        may_run = course.trouble is None and is_within(plan, history.left, course.rules.plan)
        ask = None if may_run else self._approvals.consider(plan, course.rules.circumstances(scene), t)
        if ask is None:
            course.follow(plan)
        return ask

    def ask_back(self, question: str, history: History, t: float) -> Ask | None:
        """The planner's question, which is the plan from now on; None if no more of them may be asked."""
        if len(history.exchanges) >= self._questions:
            return None
        plan = self._course.plan = Plan(question=question)
        return self._approvals.ask_back(plan, t)

    def answer(self, answer: Answer, scene: Scene | None, t: float) -> Ending | None:
        """Take an operator's answer to what is open, and how the task ends with it, if it does.

        Raises:
            ReinsError: nothing is asked, or the answer cannot be taken; says why. The question stays open then.
        """
        course = self._course
        if (ask := self._approvals.open) is not None:
            answer = said_to(ask, answer)
        plan = self._approvals.answered(answer, course.rules, scene, t)
        if isinstance(answer, Approve | Edit):
            course.is_operators = isinstance(answer, Edit)
            course.follow(plan)
            return None
        course.leave(None)
        if isinstance(answer, Reword):
            course.start_over(answer.instruction)
            return None
        if isinstance(answer, Reply):
            return self._hear(plan.question or "", " ".join(answer.text.split()), scene)
        if isinstance(answer, Leave):
            return "question", plan.question or ""
        return self._turn_down(answer.reason.strip())

    def unanswered(self, limit: float) -> Ending:
        """How a task ends that nobody answers within `limit` [s]: a plan is turned down, a question is its end."""
        if (ask := self._approvals.open) is not None and ask.question:
            return "question", f"{ask.question} (nobody answered within {limit:g} s)"
        return "cancelled", f"nobody approved the plan within {limit:g} s, which counts as turned down"

    def _hear(self, question: str, answer: str, scene: Scene | None) -> Ending | None:
        """The operator has answered a question: go on with it, under all that either sentence forbids."""
        course = self._course
        if lets_be(answer):
            return "cancelled", f"the operator took it back: “{answer}”"
        assert course.history is not None
        seen = scene or course.history.initial
        course.rules.say(course.instruction, course.history.initial)
        course.rules.say(answer, seen)
        course.history = course.history.told(Exchange(question, answer, seen))
        return None

    def _turn_down(self, reason: str) -> Ending | None:
        """The operator does not want this plan: make another one with the reason in mind, or end."""
        course = self._course
        if not reason:
            return "cancelled", "the operator turned the plan down"
        assert course.history is not None
        course.rules.say(reason, course.history.initial)
        course.history = course.history.rejected([f"the operator turned it down: {reason}"])
        return None
