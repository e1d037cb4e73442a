"""Skills with their arguments filled in: what could be done about given goals in a given scene.

Only what can matter is made. An object may be moved if a goal is about it, if it is held, or if it stands on one of the
blocks that the goals name; nobody asked for the others. Of two actions that differ only in what they add beyond the
wanted facts, the one that needs less is kept: an object that has to go somewhere for a while goes onto the table.
"""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final

from reins.contracts.facts import CAPACITY, DERIVED, Fact, Facts, with_derived
from reins.contracts.plan import ArgumentValue, SkillCall
from reins.contracts.scene import TABLE, Scene
from reins.planning.simulation import SymbolicState, added, bind, known, matches
from reins.planning.verifier import touched
from reins.skills.registry import ANY, HELD, Parameter, SkillSpec

_ALWAYS: Final[Fact] = ("room", TABLE)


@dataclass(frozen=True)
class Problem:
    """What the search is to solve.

    Attributes:
        scene: for the objects and their labels.
        state: the facts to start from.
        goals: facts that are to hold, each once; among plans of the same length the first are worked on first.
        registry: the skills.
        avoid: ids of the objects that must not be touched.
        anything: any object may be moved, and any touched; to find out why there is no plan otherwise.
    """

    scene: Scene
    state: SymbolicState
    goals: tuple[Fact, ...]
    registry: Mapping[str, SkillSpec]
    avoid: frozenset[str] = frozenset()
    anything: bool = False

    @cached_property
    def movable(self) -> frozenset[str]:
        """Ids of the objects that may be moved."""
        if self.anything:
            return frozenset(self.scene.objects)
        movable = {goal[1] for goal in self.goals if len(goal) > 1}
        if self.state.held is not None:
            movable.add(self.state.held)
        named = movable | {goal[2] for goal in self.goals if len(goal) > 2}
        crowded = [name for name in named if self.state.labels.get(name) not in (None, *CAPACITY)]
        while crowded:
            below = crowded.pop()
            above = {fact[1] for fact in self.state.facts if fact[0] == "on" and fact[2] == below} - movable
            movable |= above
            crowded.extend(above)
        return frozenset(movable)

    def start(self) -> Facts:
        """The facts to start from, without those that no skill and no goal asks about."""
        asked = {"in", "on", "holding", *DERIVED, *(goal[0] for goal in self.goals)}
        return frozenset(fact for fact in self.state.facts if fact[0] in asked)


@dataclass(frozen=True)
class Action:
    """A skill with its arguments, and with the object that is held when it starts.

    Attributes:
        call: the skill call.
        needs: facts, or patterns with ANY, that must hold.
        forbids: patterns that must not.
        removes: patterns of facts that no longer hold.
        adds: facts that hold afterwards.
    """

    call: SkillCall
    needs: frozenset[Fact]
    forbids: tuple[Fact, ...]
    removes: tuple[Fact, ...]
    adds: Facts

    @cached_property
    def grasps(self) -> Facts:
        """("holding", x) for every object x that it takes off its place."""
        return frozenset(("holding", pattern[1]) for pattern in self.removes if pattern[::2] == (ANY, ANY))

    def possible(self, facts: Facts) -> bool:
        """Whether the preconditions hold."""
        return all(known(fact, facts) for fact in self.needs) and not any(known(fact, facts) for fact in self.forbids)

    def apply(self, facts: Facts, labels: Mapping[str, str]) -> Facts:
        """The facts afterwards; `labels` of all objects, by id."""
        left = {fact for fact in facts if not any(matches(pattern, fact) for pattern in self.removes)}
        return with_derived(left | self.adds, labels)


def ground(problem: Problem) -> list[Action]:
    """Every action that can matter, those for the first goals first."""
    every = [action for spec in problem.registry.values() if spec.effects for action in _instances(spec, problem)]
    wanted = {*problem.goals} | {fact for action in every for fact in action.needs}
    kept: list[Action] = []
    for action in sorted(every, key=lambda action: len(action.needs - {_ALWAYS}) + len(action.forbids)):
        if not any(_as_good(other, action, wanted) for other in kept):
            kept.append(action)
    rank: dict[str, int] = {}
    for goal in problem.goals:
        rank.setdefault(goal[-1] if len(goal) == 1 else goal[1], len(rank))
    return sorted(kept, key=lambda action: min((rank.get(fact[1], len(rank)) for fact in action.adds), default=0))


def _as_good(one: Action, other: Action, wanted: AbstractSet[Fact]) -> bool:
    """Whether `one` does all that `other` does for the wanted facts, and needs no more."""
    return (
        one.removes == other.removes
        and other.adds & wanted <= one.adds
        and one.needs - {_ALWAYS} <= other.needs
        and set(one.forbids) <= set(other.forbids)
    )


def _instances(spec: SkillSpec, problem: Problem) -> Iterator[Action]:
    """The spec with every choice of arguments, and of what is held where that matters."""
    uses_held = any(HELD in condition.fact for condition in (*spec.preconditions, *spec.effects))
    choices = [_choices(parameter, problem) for parameter in spec.parameters]
    for values in product(*choices):
        arguments = dict(zip((parameter.name for parameter in spec.parameters), values, strict=True))
        if not problem.anything and touched(spec, arguments, problem.avoid):
            continue
        for held in sorted(problem.movable) if uses_held else (None,):
            action = _action(spec, arguments, held)
            if {fact[1] for fact in action.adds} <= problem.movable:
                yield action


def _choices(parameter: Parameter, problem: Problem) -> list[ArgumentValue]:
    """The values of a parameter that can matter: words that the goals name, and defaults."""
    if parameter.kind == "object":
        fitting = (name for name, label in problem.state.labels.items() if label in (parameter.labels or (label,)))
        return [*sorted(fitting), *parameter.also]
    default = () if parameter.default is None else (parameter.default,)
    if parameter.kind == "number":
        return [*default]
    named = {part for goal in problem.goals for part in goal}
    return [word for word in parameter.words if word in named or word in default]


def _action(spec: SkillSpec, arguments: dict[str, ArgumentValue], held: str | None) -> Action:
    before = [bind(condition, arguments, held) for condition in spec.preconditions]
    effects = [bind(condition, arguments, held) for condition in spec.effects]
    said = {
        parameter.name: arguments[parameter.name]
        for parameter in spec.parameters
        if arguments[parameter.name] != parameter.default
    }
    return Action(
        call=SkillCall(skill=spec.name, arguments=said),
        needs=frozenset(condition.fact for condition in before if not condition.negated)
        | ({("holding", held)} if held is not None else frozenset()),
        forbids=tuple(condition.fact for condition in before if condition.negated and condition.fact[1] != TABLE),
        removes=tuple(effect.fact for effect in effects if effect.negated),
        adds=added(effects),
    )
