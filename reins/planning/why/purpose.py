"""What a step of a plan is for: the later step that needs what it brings about, or the goal itself."""

from collections.abc import Mapping, Sequence

from reins.contracts.facts import Fact, Facts
from reins.contracts.plan import SkillCall
from reins.contracts.scene import TABLE
from reins.planning.simulation import SymbolicState, bind, expected_facts, known
from reins.planning.words import call_text, fact_text, listed
from reins.skills.registry import SkillSpec


def purpose(steps: Sequence[SkillCall], index: int, begin: SymbolicState, registry: Mapping[str, SkillSpec]) -> str:
    """Why a step is in a plan, as a clause that follows what it does; empty where nothing declared says so.

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
            what = listed(fact_text(fact) for fact in needed)
            return f"so that {what}, which {call_text(steps[later])} needs"
    spec, arguments = registry[steps[index].skill], registry[steps[index].skill].with_defaults(steps[index].arguments)
    wanted = expected_facts(spec, arguments, states[index].held)
    lasting = {fact for fact in wanted & states[-1].facts if fact[0] != "side"}
    if told := sorted(lasting & new or lasting):
        return f"so that {listed(fact_text(fact) for fact in told)}, as the plan was to bring about"
    return "for its own sake: nothing else in the plan depends on it" if not spec.effects else ""


def seen(call: SkillCall, state: SymbolicState) -> str:
    """What was seen of the objects that a call names, and of what is held: "red_block is on table"."""
    names = {value for value in call.arguments.values() if value in state.labels}
    facts = [fact for fact in state.facts if fact[0] in ("in", "on") and fact[1] in names]
    facts += [fact for fact in state.facts if fact[0] in ("in", "on") and fact[2] in names and fact[1] not in names]
    facts += [("holding", state.held)] if state.held is not None else []
    return listed(fact_text(fact) for fact in sorted(facts)) if facts else ""


def _needed(step: SkillCall, state: SymbolicState, new: Facts, registry: Mapping[str, SkillSpec]) -> list[Fact]:
    """Which of the new facts a later step asks for."""
    spec = registry[step.skill]
    bound = [bind(condition, spec.with_defaults(step.arguments), state.held) for condition in spec.preconditions]
    asked = [condition.fact for condition in bound if not condition.negated]
    return sorted(
        fact for fact in new if TABLE not in fact[:2] and any(known(pattern, frozenset({fact})) for pattern in asked)
    )
