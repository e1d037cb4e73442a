"""What skills do to facts: preconditions checked and effects applied, from the registry's declarations alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from typing_extensions import Self

from reins.contracts.facts import Fact, Facts, facts_of, with_derived
from reins.contracts.plan import ArgumentValue, SkillCall
from reins.contracts.scene import Scene
from reins.planning.words import fact_text
from reins.skills.registry import ANY, HELD, Condition, SkillSpec

Arguments = Mapping[str, ArgumentValue]


def bind(condition: Condition, arguments: Arguments, held: str | None) -> Condition:
    """The condition with arguments in place of parameter names, and the held object in place of HELD."""
    values = {name: value for name, value in arguments.items() if isinstance(value, str)}
    if held is not None:
        values[HELD] = held
    return Condition(tuple(values.get(part, part) for part in condition.fact), condition.negated)


def matches(pattern: Fact, fact: Fact) -> bool:
    """Whether `fact` is what `pattern` says, ANY standing for anything."""
    if len(pattern) != len(fact):
        return False
    for want, got in zip(pattern, fact, strict=True):  # noqa: SIM110  a generator costs the search a third of its time
        if want not in (got, ANY):
            return False
    return True


def known(pattern: Fact, facts: Facts) -> bool:
    """Whether some fact is what `pattern` says."""
    return pattern in facts if ANY not in pattern else any(matches(pattern, fact) for fact in facts)


@dataclass(frozen=True, slots=True)
class SymbolicState:
    """Facts at one time.

    Attributes:
        facts: all that holds, derived facts included.
        labels: label of every object, by id.
    """

    facts: Facts
    labels: Mapping[str, str]

    @classmethod
    def of(cls, scene: Scene, before: Scene | None = None) -> Self:
        """The state that `scene` shows; with an earlier scene also what moved since."""
        return cls(facts_of(scene, before), {item.id: item.label for item in scene.objects.values()})

    @property
    def held(self) -> str | None:
        """Id of the object in the gripper, or None."""
        return next((fact[1] for fact in self.facts if fact[0] == "holding"), None)

    def unmet(self, spec: SkillSpec, arguments: Arguments) -> list[Condition]:
        """The bound preconditions of a skill that do not hold."""
        bound = [bind(condition, arguments, self.held) for condition in spec.preconditions]
        return [condition for condition in bound if known(condition.fact, self.facts) == condition.negated]

    def after(self, spec: SkillSpec, arguments: Arguments) -> Self:
        """The state after the skill succeeded. Effects on a held object are left out when nothing is held."""
        bound = [bind(condition, arguments, self.held) for condition in spec.effects]
        gone = [condition.fact for condition in bound if condition.negated]
        facts = {fact for fact in self.facts if not any(matches(pattern, fact) for pattern in gone)}
        facts.update(added(bound))
        return type(self)(with_derived(facts, self.labels), self.labels)


def added(effects: Iterable[Condition]) -> Facts:
    """The facts that bound effects add."""
    return frozenset(effect.fact for effect in effects if not effect.negated and HELD not in effect.fact)


def expected_facts(spec: SkillSpec, arguments: Arguments, held: str | None) -> Facts:
    """The facts that a scene shows after a skill succeeded that started with `held` in the gripper."""
    return added(bind(effect, arguments, held) for effect in spec.effects)


def net_effects(steps: Sequence[tuple[SkillCall, str | None]], registry: Mapping[str, SkillSpec]) -> Facts:
    """The facts that a sequence of skills leaves behind: added by one of them and not undone by a later one.

    Args:
        steps: what ran, with what was held when it started.
        registry: the skills' declarations.
    """
    facts: set[Fact] = set()
    for call, held in steps:
        spec = registry[call.skill]
        bound = [bind(effect, spec.with_defaults(call.arguments), held) for effect in spec.effects]
        gone = [effect.fact for effect in bound if effect.negated]
        facts = {fact for fact in facts if not any(matches(pattern, fact) for pattern in gone)} | added(bound)
    return frozenset(facts)


def condition_text(condition: Condition) -> str:
    """A condition as a clause."""
    if condition.fact == ("holding", ANY):
        return "nothing is held" if condition.negated else "something is held"
    return fact_text(condition.fact, condition.negated)
