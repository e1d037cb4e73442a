"""What a step of a plan is for: the later step that needs what it brings about, or the goal itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reins.contracts.facts import Fact, Facts
from reins.contracts.plan import SkillCall
from reins.contracts.scene import TABLE
from reins.planning.simulation import SymbolicState, bind, expected_facts, known
from reins.skills.registry import SkillSpec


@dataclass(frozen=True, slots=True)
class Purpose:
    """Why a step is in a plan.

    Attributes:
        facts: that it brings about; empty if it declares none that last.
        needed_by: the later step that needs them; None if they are what the plan is for.
    """

    facts: tuple[Fact, ...]
    needed_by: SkillCall | None = None


def purpose(steps: Sequence[SkillCall], index: int, begin: SymbolicState, registry: Mapping[str, SkillSpec]) -> Purpose:
    """Why a step is in a plan, by what the skills declare.

    Args:
        steps: of the plan.
        index: of the step.
        begin: what holds before the first step.
        registry: the skills' declarations.
    """
    states = [begin]
    for step in steps:
        spec = registry[step.skill]
        states.append(states[-1].after(spec, spec.with_defaults(step.arguments)))
    new = states[index + 1].facts - states[index].facts
    for later in range(index + 1, len(steps)):
        if needed := _needed(steps[later], states[later], new, registry):
            return Purpose(tuple(needed), steps[later])
    spec = registry[steps[index].skill]
    wanted = expected_facts(spec, spec.with_defaults(steps[index].arguments), states[index].held)
    lasting = {fact for fact in wanted & states[-1].facts if fact[0] != "side"}
    return Purpose(tuple(sorted(lasting & new or lasting)))


def seen(call: SkillCall, state: SymbolicState) -> list[Fact]:
    """What was seen of the objects that a call names, and of what is held."""
    names = {value for value in call.arguments.values() if value in state.labels}
    facts = [fact for fact in state.facts if fact[0] in ("in", "on") and names & {fact[1], fact[2]}]
    return sorted([*facts, ("holding", state.held)] if state.held is not None else facts)


def _needed(step: SkillCall, state: SymbolicState, new: Facts, registry: Mapping[str, SkillSpec]) -> list[Fact]:
    """Which of the new facts a later step asks for."""
    spec = registry[step.skill]
    bound = [bind(condition, spec.with_defaults(step.arguments), state.held) for condition in spec.preconditions]
    asked = [condition.fact for condition in bound if not condition.negated]
    told = [fact for fact in new if TABLE not in fact[:2]]
    return sorted(fact for fact in told if any(known(pattern, frozenset({fact})) for pattern in asked))
