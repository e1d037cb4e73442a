"""The shape of a planner: what it is told, what it answers, and how a task is judged.

A planner is a function of what it is told: the instruction, the newest scene, and the history of the task. It keeps
nothing between calls, so it can plan again at any time, and two tasks never mix. Success is judged on scenes alone: a
planner that understands the instruction (`symbolic`) checks its goals; one that cannot say in facts what it means (a
language model) checks that what its steps were for is so: `unmet_effects`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from typing_extensions import Self

from reins.contracts.facts import facts_of
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene
from reins.language_models.model import Cancel
from reins.planning.simulation import net_effects
from reins.planning.words import fact_text
from reins.skills.registry import SkillSpec


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One skill that ran.

    Attributes:
        call: what was asked.
        success: it reported success, and its effects were seen.
        reason: why not, one sentence; empty on success.
        before: the scene when it started.
        after: the first scene from which its outcome was judged.
    """

    call: SkillCall
    success: bool
    reason: str
    before: Scene
    after: Scene


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question of the planner, and what the operator answered.

    Attributes:
        question, answer: in words.
        scene: what was seen when it was answered; references like "the left one" mean that.
    """

    question: str
    answer: str
    scene: Scene


@dataclass(frozen=True, slots=True)
class History:
    """A task so far.

    Attributes:
        initial: the scene in which the instruction was given; references like "the left block" mean that one.
        steps: the skills that ran, in order.
        problems: what the verifier found wrong with the plan that was proposed last; empty if it was fine.
        forbidden: ids of the objects that others than the planner have said must not be touched.
        agreed: the constraints of every plan of the task that was followed so far; a later plan may only add to them.
        left: the steps of the plan at hand that are left and still can be done; empty if there is no such plan.
        exchanges: the questions that were answered, in order; the instruction is meant as the answers say.
    """

    initial: Scene
    steps: tuple[StepRecord, ...] = ()
    problems: tuple[str, ...] = ()
    forbidden: frozenset[str] = frozenset()
    agreed: tuple[Constraint, ...] = ()
    left: tuple[SkillCall, ...] = ()
    exchanges: tuple[Exchange, ...] = ()

    def then(self, record: StepRecord) -> Self:
        """The history with one more step."""
        return replace(self, steps=(*self.steps, record), problems=())

    def rejected(self, problems: list[str]) -> Self:
        """The history after a plan was turned down by the verifier."""
        return replace(self, problems=tuple(problems))

    @property
    def newest_answer(self) -> str:
        """What the operator answered last, in a clause; empty if nothing was asked."""
        return f"the operator answered “{self.exchanges[-1].answer}”" if self.exchanges else ""

    def told(self, exchange: Exchange) -> Self:
        """The history after the operator answered a question."""
        return replace(self, exchanges=(*self.exchanges, exchange), problems=())


class Planner(Protocol):
    """Turns an instruction into a plan. Pure: the same input gives the same answer, nothing is kept between calls."""

    @property
    def name(self) -> str:
        """The name it is chosen by."""
        ...

    @property
    def quick(self) -> bool:
        """Whether `plan` takes so little time that it may be asked after every step for a shorter way."""
        ...

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        """What to do from `scene` on; no steps when nothing is left to do.

        Raises:
            ReinsError: the backend failed (no model, no answer in time, …); says what to do.
        """
        ...

    def unmet(self, instruction: str, scene: Scene, history: History) -> list[str]:
        """What the instruction asks for and `scene` does not show, one clause each; empty when the task is done."""
        ...


@runtime_checkable
class Cancellable(Protocol):
    """A planner whose `plan` may take long, and that holds something."""

    def warm_up(self) -> None:
        """Do what the first plan would have to wait for. Takes long; what goes wrong is reported, not raised."""
        ...

    def until(self, cancel: Cancel) -> Planner:
        """The same planner for one task: once `cancel` is given, its `plan` ends soon, with a ReinsError.

        It does so whenever that is: while a plan is made, before, or between two of them.
        """
        ...

    def close(self) -> None:
        """Give back what it holds. It is not used again."""
        ...


@runtime_checkable
class Remembering(Protocol):
    """A planner that keeps plans, and gives them again when the same is asked and things stand the same."""

    @property
    def memory(self) -> tuple[int, int]:
        """Questions that were answered from memory so far, and those that were not."""
        ...


def memory_of(planner: Planner) -> tuple[int, int]:
    """Questions that a planner has answered from memory so far, and those that it has not; (0, 0) without one."""
    return planner.memory if isinstance(planner, Remembering) else (0, 0)


def unmet_effects(scene: Scene, history: History, registry: Mapping[str, SkillSpec]) -> list[str]:
    """Which lasting effects of the steps that succeeded `scene` does not show: the goal check without goals."""
    done = [(record.call, record.before.held()) for record in history.steps if record.success]
    missing = net_effects(done, registry) - facts_of(scene, history.initial)
    return [fact_text(fact, negated=True) for fact in sorted(missing)]
