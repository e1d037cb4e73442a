"""Why there is no plan, in a sentence."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.facts import Fact, capacity
from reins.contracts.plan import SkillCall
from reins.planning.grounding import Problem
from reins.planning.search import search
from reins.planning.simulation import Arguments, matches
from reins.planning.verifier import touched
from reins.planning.words import fact_text, listed
from reins.skills.registry import HELD, SkillSpec

EFFORT: Final = 2_000
"""States that are looked at to find a reason; past it the reason is just that no way was found."""


def why_not(problem: Problem) -> str:
    """The reason why `search` found no plan for the problem."""
    goals = [goal for goal in problem.goals if goal not in problem.state.facts]
    for goal in goals:
        if reason := _misfit(goal, problem):
            return reason
    if (way := search(replace(problem, avoid=frozenset()), EFFORT)) is not None:
        names = {name for call in way for name in _touches(call, problem)}
        return f"that takes touching {listed(sorted(names & problem.avoid))}, which must not be touched"
    if reason := _crowd(problem):
        return reason
    if len(goals) > 1 and all(search(_only(problem, goal), EFFORT) is not None for goal in goals):
        return f"it cannot be so at one time that {listed(fact_text(goal) for goal in goals)}"
    for goal in goals:
        if reason := _obstacle(goal, problem):
            return f"it cannot be brought about that {fact_text(goal)}: {reason}"
    return f"I find no way to bring about that {listed(fact_text(goal) for goal in goals)}"


def _only(problem: Problem, goal: Fact) -> Problem:
    return replace(problem, goals=(goal,))


def _touches(call: SkillCall, problem: Problem) -> list[str]:
    spec = problem.registry[call.skill]
    return touched(spec, spec.complete(call, problem.scene), problem.scene.objects)


def _ways(goal: Fact, problem: Problem) -> Iterator[tuple[SkillSpec, Arguments, str | None]]:
    """The skills that would bring a goal about: with the arguments that it fixes, and what would have to be held."""
    for spec in problem.registry.values():
        names = {parameter.name: parameter for parameter in spec.parameters}
        for effect in spec.effects:
            if effect.negated or len(effect.fact) != len(goal):
                continue
            pairs = list(zip(effect.fact, goal, strict=True))
            if all(
                part in (value, HELD) or (part in names and value in (names[part].words or (value,)))
                for part, value in pairs
            ):
                yield (
                    spec,
                    {part: value for part, value in pairs if part in names},
                    next((value for part, value in pairs if part == HELD), None),
                )


def _misfit(goal: Fact, problem: Problem) -> str:
    """Why no skill is for things of that kind; empty if one is."""
    reasons = []
    for spec, arguments, held in _ways(goal, problem):
        try:
            for parameter in spec.parameters:
                if parameter.name in arguments:
                    parameter.check(arguments[parameter.name], problem.scene)
        except ReinsError as error:
            reasons.append(f"I cannot {spec.name.replace('_', ' ')} that: {error}")
            continue
        reason = _misfit(("holding", held), problem) if held is not None else ""
        if not reason:
            return ""
        reasons.append(reason)
    return reasons[0] if reasons else f"no skill brings about that {fact_text(goal)}"


def _crowd(problem: Problem) -> str:
    """Which place is to take more than fits; empty if none is."""
    places = Counter(goal[2] for goal in problem.goals if goal[0] in ("in", "on") and goal[2] in problem.state.labels)
    for name, wanted in places.items():
        if wanted > (most := capacity(problem.state.labels[name])):
            return f"{name} has room for {most}, not for {wanted}"
    return ""


def _obstacle(goal: Fact, problem: Problem) -> str:
    """What stands in the way of the skills for a goal, and has nothing to do with the hand; empty if nothing does."""
    for spec, arguments, _ in _ways(goal, problem):
        facts = problem.state.facts
        reasons: list[str] = []
        for condition in problem.state.unmet(spec, arguments):
            if condition.fact[0] in ("holding", "hand_empty"):
                continue
            if condition.negated:
                reasons += [fact_text(fact) for fact in sorted(facts) if matches(condition.fact, fact)]
            else:
                reasons.append(fact_text(condition.fact, negated=True))
        if reasons:
            return listed(reasons)
    return ""
