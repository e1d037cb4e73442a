"""Whether a plan waits for an operator before it runs, what they may answer, and what their answers leave behind.

A planner's own question waits in the same way, and is answered in words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.actions import Ask
from reins.planning.risk import Circumstances, risks_of
from reins.planning.rules import TaskRules
from reins.planning.tracing.trace import Trace, plan_entry

ApprovalMode = Literal["always", "risky", "ask"]
"""Which plans run unasked: "always" all of them, "risky" those that no rule of `risk.py` is about, "ask" none."""

MODES: Final[tuple[str, ...]] = get_args(ApprovalMode)

MOST_REPLY: Final = 200
"""Characters of an answer in words; a longer one is not cut, because a cut could drop its exceptions."""


@dataclass(frozen=True, slots=True)
class Approve:
    """Do it."""

    by: str = "operator"


@dataclass(frozen=True, slots=True)
class Edit:
    """Do this instead. It is verified as any plan is."""

    plan: Plan
    by: str = "operator"


@dataclass(frozen=True, slots=True)
class Reword:
    """Forget the instruction; this is what was meant. It is planned anew."""

    instruction: str
    by: str = "operator"


@dataclass(frozen=True, slots=True)
class Reject:
    """Do not do it. With a reason another plan is made; without one the task is over."""

    reason: str = ""
    by: str = "operator"


@dataclass(frozen=True, slots=True)
class Reply:
    """What the planner asked for, in words: "the left one". The task goes on with it; "never mind" ends it."""

    text: str
    by: str = "operator"


@dataclass(frozen=True, slots=True)
class Leave:
    """Nobody is here who answers questions; the task ends with the one that it has."""

    by: str = "operator"


Answer = Approve | Edit | Reword | Reject | Reply | Leave


class Approvals:
    """The approvals of one task.

    Args:
        mode: which plans run unasked.
        most: plans that may be turned down with a reason.
        trace: takes questions and answers.

    Attributes:
        open: the question that waits for an answer, or None.
    """

    def __init__(self, mode: ApprovalMode, most: int, trace: Trace) -> None:
        self.open: Ask | None = None
        self._mode, self._most, self._trace = mode, most, trace
        self._number = 0
        self._rejections = 0  # plans that were turned down, the same one again included
        self._turned_down: list[tuple[Plan, str]] = []

    @property
    def exhausted(self) -> str:
        """What to ask when too many plans were turned down; empty while there may be another one."""
        if self._rejections <= self._most:
            return ""
        reason = self._turned_down[-1][1]
        return f"I have no other plan than what you turned down (“{reason}”); what is to be done instead?"

    def reasons_to_ask(self, plan: Plan, circumstances: Circumstances) -> tuple[str, ...] | None:
        """The risks of a plan that has to wait for an answer, which may be none; None if it need not wait."""
        if self._mode == "always":
            return None
        risks = risks_of(plan, circumstances)
        return risks if risks or self._mode == "ask" else None

    def consider(self, plan: Plan, circumstances: Circumstances, t: float) -> Ask | None:
        """The question that a plan has to wait for, open from robot time `t` [s] on; None if the plan may run."""
        risks = self.reasons_to_ask(plan, circumstances)
        if risks is None:
            return None
        self._number += 1
        self.open = Ask(self._number, plan, risks)
        self._trace.write("ask", t=t, number=self._number, risks=risks)
        return self.open

    def ask_back(self, plan: Plan, t: float) -> Ask:
        """The planner's own question, open from robot time `t` [s] on."""
        self._number += 1
        self.open = Ask(self._number, plan, ())
        self._trace.write("ask", t=t, number=self._number, risks=(), question=self.open.question)
        return self.open

    def answered(self, answer: Answer, rules: TaskRules, scene: Scene | None, t: float) -> Plan:
        """The open question has its answer: the plan that it was about, or the operator's own in place of it.

        After any answer but "do it" all later plans are shown, for the instruction alone did not say what is wanted.
        After a reply they are not: it says what the planner asked for.

        Raises:
            ReinsError: nothing is open, or the answer cannot be taken; says why. The question stays open then.
        """
        ask = self.open
        if ask is None:
            raise ReinsError("no plan waits for an answer")
        _check_kind(answer, ask)
        if isinstance(answer, Edit):
            _check(answer.plan, rules, scene)
        elif isinstance(answer, Reword):
            if not answer.instruction.strip():
                raise ReinsError("the new instruction is empty; say what to do")
            self._rejections = 0
            self._turned_down.clear()
        elif isinstance(answer, Reply):
            self._rejections = 0
        elif isinstance(answer, Reject):
            self._rejections += 1
            self._turned_down.append((ask.plan, answer.reason))
        if not isinstance(answer, Approve | Reply):
            self._mode = "ask"
        self.open = None
        self._trace.write("answer", t=t, number=ask.number, **_entry(answer))
        return answer.plan if isinstance(answer, Edit) else ask.plan

    def withdraw(self, why: str) -> None:
        """Nobody needs to answer any more."""
        if self.open is not None:
            self._trace.write("answer", number=self.open.number, verdict="none", text=why)
            self.open = None

    def unwanted(self, plan: Plan) -> list[str]:
        """Why a plan is not even shown: an operator has turned down one that does the same. That counts again."""
        if not plan.steps:
            return []
        reasons = [reason for other, reason in self._turned_down if _does(other) == _does(plan)]
        self._rejections += bool(reasons)
        return [f"the operator has turned down this very plan: {reason}" for reason in reasons[:1]]


def is_within(plan: Plan, left: Sequence[SkillCall], constraints: Sequence[Constraint]) -> bool:
    """Whether a plan does nothing beyond steps that may run already, in their order, and is held to as much.

    Args:
        plan: the new one.
        left: the steps that are left of the old one.
        constraints: of the old one.
    """
    if plan.steps is None or not set(constraints) <= set(plan.constraints):
        return False
    old = iter(left)
    return all(step in old for step in plan.steps)


def said_to(ask: Ask, answer: Answer) -> Answer:
    """What an answer is to this question: a planner's question that is turned down with a reason is answered by it."""
    if ask.question and isinstance(answer, Reject) and answer.reason.strip():
        return Reply(answer.reason, answer.by)
    return answer


def _check_kind(answer: Answer, ask: Ask) -> None:
    """Raise ReinsError, saying why, unless a question of this kind has answers of that kind."""
    if ask.question and isinstance(answer, Approve):
        raise ReinsError(
            f"question {ask.number} is not about a plan, so there is nothing to approve; answer it in words"
        )
    if not ask.question and isinstance(answer, Reply | Leave):
        raise ReinsError(f"plan {ask.number} waits for yes or no; approve it, turn it down, edit it or reword it")
    if isinstance(answer, Reply):
        if not answer.text.strip():
            raise ReinsError("the answer is empty; say what the planner asks for")
        if len(answer.text) > MOST_REPLY:
            raise ReinsError(f"the answer is longer than {MOST_REPLY} characters; say it in fewer words")


def _check(plan: Plan, rules: TaskRules, scene: Scene | None) -> None:
    """Raise ReinsError, saying why, unless a plan that an operator wrote may run from `scene` on."""
    if not plan.steps:
        raise ReinsError("the edited plan has no steps; to stop here, turn the plan down instead")
    if scene is None:
        raise ReinsError("there is no scene to check the edited plan against")
    if problems := rules.verify(plan, scene):
        raise ReinsError(f"the edited plan is not accepted: {'; '.join(problems)}")


def _does(plan: Plan) -> tuple[object, ...]:
    return plan.steps, frozenset(plan.constraints)


def _entry(answer: Answer) -> dict[str, Any]:
    """An answer as plain data, for the trace."""
    match answer:
        case Edit(plan, by):
            return {"verdict": "edit", "by": by, "plan": plan_entry(plan)}
        case Reword(instruction, by):
            return {"verdict": "reword", "by": by, "text": instruction}
        case Reject(reason, by):
            return {"verdict": "reject", "by": by, "text": reason}
        case Reply(text, by):
            return {"verdict": "reply", "by": by, "text": text}
        case Leave(by):
            return {"verdict": "leave", "by": by}
        case Approve(by):
            return {"verdict": "approve", "by": by}
