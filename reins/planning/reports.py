"""A skill that ran, before its effects were seen: what is to be looked for, and what of a task was done in the end."""

from dataclasses import dataclass
from typing import Final

from typing_extensions import Self

from reins.contracts.facts import Fact, facts_of
from reins.contracts.plan import SkillCall
from reins.contracts.scene import TABLE, Scene
from reins.planning.planner import History, StepRecord
from reins.planning.simulation import expected_facts
from reins.planning.words import call_text, fact_text, listed
from reins.skills.registry import SkillSpec

CLEAR_VIEW: Final = SkillCall(skill="home")
"""What is done when the arm hides what has to be seen."""


@dataclass(frozen=True, slots=True)
class Report:
    """A skill that ran and whose effects are still to be seen.

    Attributes:
        call: what ran.
        success, reason: as the skill says.
        before: the scene when it started.
        ended: when it ended [s, robot time].
        expected: the facts that it should have brought about.
    """

    call: SkillCall
    success: bool
    reason: str
    before: Scene
    ended: float
    expected: frozenset[Fact]

    @classmethod
    def of(cls, call: SkillCall, spec: SkillSpec, success: bool, reason: str, before: Scene, ended: float) -> Self:
        """The report of a skill, with the facts that it declares."""
        expected = expected_facts(spec, spec.with_defaults(call.arguments), before.held())
        return cls(call, success, reason, before, ended, expected)

    def missing(self, scene: Scene) -> frozenset[Fact]:
        """The facts that it should have brought about and `scene` does not show."""
        return self.expected - facts_of(scene, self.before)

    def judged(self, scene: Scene) -> StepRecord:
        """How it went, by what it says and what `scene` shows."""
        missing = self.missing(scene)
        success = self.success and not missing
        reason = self.reason or f"{listed(fact_text(fact, negated=True) for fact in sorted(missing))} afterwards"
        return StepRecord(self.call, success, "" if success else reason, self.before, scene)


def is_hidden(facts: frozenset[Fact], scene: Scene, since: float) -> bool:
    """Whether some object that the facts are about has not been seen since then [s]."""
    names = {name for fact in facts if fact[0] not in ("holding", "moved") for name in fact[1:] if name != TABLE}
    names |= {fact[1] for fact in facts if fact[0] == "moved"}
    return any(name not in scene.objects or scene.objects[name].last_seen <= since for name in names)


def deeds(history: History) -> str:
    """What was done, for the result."""
    done = [call_text(record.call) for record in history.steps if record.success]
    return f"done: {listed(done)}" if done else "nothing to do: it is so already"
