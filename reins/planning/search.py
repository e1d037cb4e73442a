"""Finds the shortest sequence of skills that makes goal facts true: A* over grounded skills, from the registry alone.

The heuristic counts what any solution must still bring about, one action each: unmet goals (once for those that one
action brings about together), facts that every way to an unmet goal needs first, and the objects that have to be taken
off others for that. It never overestimates, so the plan is shortest.
"""

import heapq
from collections.abc import Sequence
from typing import Final

from reins.contracts.facts import DERIVED, Fact, Facts
from reins.contracts.plan import SkillCall
from reins.planning.grounding import Action, Problem, ground
from reins.skills.registry import ANY

MAX_EXPANSIONS: Final = 20_000
"""States that are looked at before the search gives up; an ordinary instruction needs fewer than a hundred."""


def search(problem: Problem, effort: int = MAX_EXPANSIONS) -> list[SkillCall] | None:
    """The shortest plan, or None if there is none, or none within `effort` states."""
    actions = ground(problem)
    start, labels = problem.start(), problem.state.labels
    goals = frozenset(problem.goals)
    estimate = Landmarks(goals, actions)
    cost = {start: 0}
    came: dict[Facts, tuple[Facts, SkillCall]] = {}
    frontier = [(estimate(start), 0, 0, start)]  # deepest first among equals, then the one found first
    pushed = 0
    for _ in range(effort):
        if not frontier:
            return None
        _, depth, _, facts = heapq.heappop(frontier)
        if goals <= facts:
            return _path(came, facts)
        if -depth > cost[facts]:
            continue
        for action in actions:
            if not action.possible(facts):
                continue
            after, steps = action.apply(facts, labels), cost[facts] + 1
            if after not in cost or steps < cost[after]:
                cost[after], came[after] = steps, (facts, action.call)
                pushed += 1
                heapq.heappush(frontier, (steps + estimate(after), -steps, pushed, after))
    return None


class Landmarks:
    """A lower bound on the number of actions from a state to the goals.

    Args:
        goals: the goal facts.
        actions: all that may be done.
    """

    def __init__(self, goals: Facts, actions: Sequence[Action]) -> None:
        self._goals = goals
        self._needs: dict[Fact, frozenset[Fact]] = {}
        self._key: dict[Fact, Fact] = {goal: goal for goal in sorted(goals)}
        for action in actions:
            for fact in action.adds:
                self._needs[fact] = self._needs[fact] & action.needs if fact in self._needs else action.needs
            together = sorted(action.adds & goals)
            for goal in together[1:]:
                self._join(together[0], goal)
        covered = [len({self._key_of(fact) for fact in (*(action.adds & goals), *action.grasps)}) for action in actions]
        self._at_once = max(covered, default=1) or 1

    def __call__(self, facts: Facts) -> int:
        """At least this many actions from `facts` to the goals."""
        required: set[Fact] = set()
        for goal in self._goals - facts:
            self._require(goal, facts, required)
        return -(-len({self._key_of(fact) for fact in required}) // self._at_once)

    def _require(self, fact: Fact, facts: Facts, required: set[Fact]) -> None:
        """Add `fact`, which has to be brought about, and all that has to be brought about first."""
        if fact in facts or fact in required:
            return
        required.add(fact)
        for need in self._needs.get(fact, ()):
            if need[0] in ("clear", "room"):
                if need not in facts:
                    load = [other[1] for other in facts if other[0] in ("on", "in") and other[2] == need[1]]
                    for burden in load if need[0] == "clear" or len(load) == 1 else ():
                        self._require(("holding", burden), facts, required)
            elif need[0] not in DERIVED and ANY not in need:
                self._require(need, facts, required)

    def _key_of(self, fact: Fact) -> Fact:
        return self._key.get(fact, fact)

    def _join(self, goal: Fact, other: Fact) -> None:
        """Goals that one action brings about together count once."""
        old, new = self._key[other], self._key[goal]
        self._key.update({fact: new for fact, key in self._key.items() if key == old})


def _path(came: dict[Facts, tuple[Facts, SkillCall]], end: Facts) -> list[SkillCall]:
    steps = []
    while end in came:
        end, call = came[end]
        steps.append(call)
    return steps[::-1]
