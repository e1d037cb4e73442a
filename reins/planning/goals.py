"""What an instruction asks for: goals that are judged on scenes, in stages that follow one another."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from reins.contracts.facts import Fact, displacement, facts_of
from reins.contracts.plan import ArgumentValue, Constraint, SkillCall
from reins.contracts.scene import TABLE, Scene
from reins.planning.words import fact_text
from reins.skills.library import DIRECTIONS
from reins.skills.registry import SkillSpec

ENOUGH: Final = 0.5
"""Share of the distance asked for from which a push counts: blocks do not follow the fingers exactly."""


class Goal(Protocol):
    """One thing that is to be so."""

    @property
    def fact(self) -> Fact:
        """The fact that the search works towards."""
        ...

    @property
    def lasting(self) -> bool:
        """Whether it is to stay so while later stages are worked on."""
        ...

    def holds(self, before: Scene, now: Scene) -> bool:
        """Whether it is so in `now`, given the scene in which its stage began."""
        ...

    def arguments(self, before: Scene, now: Scene) -> Mapping[str, ArgumentValue]:
        """Numbers for the skill that brings it about, beyond what the fact says."""
        ...


@dataclass(frozen=True, slots=True)
class Reach:
    """A fact of the scene, e.g. ("in", "red_block", "blue_bowl")."""

    fact: Fact

    @property
    def lasting(self) -> bool:
        """Where things are is to stay."""
        return True

    def holds(self, before: Scene, now: Scene) -> bool:
        """Whether the scene shows the fact."""
        return self.fact in facts_of(now)

    def arguments(self, before: Scene, now: Scene) -> Mapping[str, ArgumentValue]:
        """None: the fact says it all."""
        return {}


@dataclass(frozen=True, slots=True)
class Displace:
    """An object moved some way along a direction since the stage began.

    Attributes:
        object: its id.
        direction: left, right, forward or back.
        distance: how far [m].
    """

    object: str
    direction: str
    distance: float

    @property
    def fact(self) -> Fact:
        """That it moved."""
        return ("moved", self.object, self.direction)

    @property
    def lasting(self) -> bool:
        """A push is over when it is done."""
        return False

    def holds(self, before: Scene, now: Scene) -> bool:
        """Whether it moved at least ENOUGH of the distance."""
        return self._moved(before, now) >= ENOUGH * self.distance

    def arguments(self, before: Scene, now: Scene) -> Mapping[str, ArgumentValue]:
        """The distance that is left."""
        return {"distance": round(self.distance - max(0.0, self._moved(before, now)), 3)}

    def _moved(self, before: Scene, now: Scene) -> float:
        if self.object not in before.objects or self.object not in now.objects:
            return 0.0
        return displacement(before.objects[self.object], now.objects[self.object], self.direction)


@dataclass(frozen=True, slots=True)
class Stage:
    """What has to be so at one time before the next stage begins: all of its goals, or one skill done.

    Attributes:
        goals: new goals; empty if the stage is an act.
        kept: lasting goals of earlier stages that are still to hold.
        act: a skill whose success is all that is asked for, e.g. home.
    """

    goals: tuple[Goal, ...] = ()
    kept: tuple[Goal, ...] = ()
    act: SkillCall | None = None

    def unmet(self, before: Scene, now: Scene) -> list[Goal]:
        """The goals that do not hold."""
        return [goal for goal in (*self.goals, *self.kept) if not goal.holds(before, now)]


@dataclass(frozen=True, slots=True)
class Wish:
    """What a clause asks for: goals, or a skill.

    Attributes:
        after: only after what was wished before.
        goals: all at one time; empty if it is an act.
        act: a skill for its own sake, e.g. home.
    """

    after: bool
    goals: tuple[Goal, ...] = ()
    act: SkillCall | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """What an instruction means in a scene.

    Attributes:
        stages: what is to be so, one after the other; at least one.
        constraints: what to avoid, how fast.
        summary: the above in a sentence.
    """

    stages: tuple[Stage, ...]
    constraints: tuple[Constraint, ...]
    summary: str

    def objects(self, registry: Mapping[str, SkillSpec]) -> frozenset[str]:
        """Ids of all objects that it is about, those that its acts name by the skills' declarations included."""
        goals = (goal for stage in self.stages for goal in (*stage.goals, *stage.kept))
        names = {name for goal in goals for name in goal.fact[1:]} - {TABLE, *DIRECTIONS}
        acts = (stage.act for stage in self.stages if stage.act is not None)
        named = {str(act.arguments[name]) for act in acts for name in _object_names(act, registry)} - {TABLE}
        return frozenset(names | named | {rule.object for rule in self.constraints if rule.object})


def _object_names(act: SkillCall, registry: Mapping[str, SkillSpec]) -> list[str]:
    """Names of an act's arguments that are ids of objects."""
    declared = registry[act.skill].parameters
    return [each.name for each in declared if each.kind == "object" and each.name in act.arguments]


def goal_text(goal: Goal) -> str:
    """A goal as a clause."""
    return fact_text(goal.fact)


def subject(goal: Goal) -> str:
    """The object whose place a goal decides."""
    return goal.fact[1]


def merge(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Give every stage the lasting goals of earlier ones, as long as no later goal is about the same object.

    What is held is to stay so as well, until a stage comes that needs the hand for its own goals.
    """
    merged: list[Stage] = []
    lasting: tuple[Goal, ...] = ()
    for stage in stages:
        about = {subject(goal) for goal in stage.goals}
        lasting = tuple(
            goal for goal in lasting if subject(goal) not in about and not (stage.goals and goal.fact[0] == "holding")
        )
        merged.append(Stage(stage.goals, lasting, stage.act))
        lasting += tuple(goal for goal in stage.goals if goal.lasting)
    return tuple(merged)


def staged(wishes: Iterable[Wish]) -> tuple[Stage, ...]:
    """What is wished together makes one stage, unless it cannot be so at one time or its order matters."""
    stages: list[Stage] = []
    for wish in wishes:
        last = stages[-1] if stages else None
        if wish.after or last is None or last.act is not None or wish.act is not None or _apart(last.goals, wish.goals):
            stages.append(Stage(goals=wish.goals, act=wish.act))
        else:
            stages[-1] = Stage(goals=(*last.goals, *wish.goals))
    return tuple(stages)


def _apart(one: Sequence[Goal], other: Sequence[Goal]) -> bool:
    """Whether goals have to be reached one after the other: what is held or pushed, or two about the same object."""
    passing = any(goal.fact[0] in ("holding", "moved") for goal in one) or any(
        goal.fact[0] == "moved" for goal in other
    )
    return passing or bool({subject(goal) for goal in one} & {subject(goal) for goal in other})
