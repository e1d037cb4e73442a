"""Random grounds with something to do on each: what stands where, what is asked for, and where that ends.

Everything stands so far apart that a robot which keeps its distances has a way between any two things: where a task
fails, it fails by what the robot does.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np

from reins.bench.navigation.words import (
    COLOURS,
    DIRECTIONS,
    DISTANCES,
    GO_TO,
    LANGUAGES,
    SIDES,
    Words,
    called,
    degrees,
    metres,
    say,
)
from reins.contracts.errors import ReinsError
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.sim.legged.ground import GroundSpec, Thing
from reins.sim.legged.outlook import named

FIELD: Final = (1.9, 5.5)
"""How far from the robot's place the middles of things are [m]."""

GAP: Final = 0.7
"""Free ground between two things beyond the robot's width: its margins on both sides, and room to choose [m]."""

SIZES: Final[Mapping[str, tuple[float, float, float]]] = {
    "door": (0.06, 0.9, 2.0),
    "person": (0.45, 0.45, 1.75),
    "marker": (0.3, 0.3, 0.01),
}
"""Extents of what has no random ones [m]."""

_TRIES: Final = 100


@dataclass(frozen=True, slots=True)
class Goal:
    """How a task is to end. What is not asked for is left open.

    Attributes:
        thing: name of what the robot is to stand at, or on, if it is a marker; empty for none.
        ahead: (x, y) from where it begins, in the base frame of then [m]; None for none.
        turned: how far it is to have turned since it began, to the left [rad]; None if that does not matter.
        sits: whether it is to sit.
    """

    thing: str = ""
    ahead: tuple[float, float] | None = None
    turned: float | None = None
    sits: bool = False


@dataclass(frozen=True, slots=True)
class NavigationTask:
    """One task.

    Attributes:
        seed: that it was drawn from, and that draws the direction in which the robot begins.
        family: what kind of task it is.
        ground: what it walks on, and what stands there.
        language: in which it is asked for.
        instruction: what is asked for.
        goal: how it is to end.
        distance: asked to be kept away from the person [m]; 0 if nobody asked.
    """

    seed: int
    family: str
    ground: GroundSpec
    language: str
    instruction: str
    goal: Goal
    distance: float


def draw_task(seed: int, number: int, profile: QuadrupedProfile, language: str = LANGUAGES[0]) -> NavigationTask:
    """One task; the families take turns.

    Args:
        seed: of the suite.
        number: of the task in it; the same two give the same task.
        profile: of the robot, whose width counts.
        language: one of LANGUAGES; ground and goal are the same in each.

    Raises:
        ReinsError: the things found no room, which one in many thousand seeds may have.
    """
    random = Random(f"navigation/{seed}/{number}")
    family = list(FAMILIES)[number % len(FAMILIES)]
    distance = random.choice(tuple(DISTANCES)) if family == "past" or random.random() < 0.6 else 0.0
    for _ in range(_TRIES):
        doors, boxes = random.sample(COLOURS, 2), random.sample(COLOURS, 2)
        things = _things(random, profile, distance, family, doors, boxes)
        if things is None:
            continue
        ground = GroundSpec(name=f"navigation_{seed}_{number}", title="A random ground", things=things)
        names = Names(f"{doors[0]}_door", f"{boxes[0]}_box", tuple(name for name, _ in named(ground)))
        said, goal = FAMILIES[family](random, names)
        if not _has_room(goal, things, profile, distance):
            continue
        if distance:
            said = say("distance", said=said, distance=DISTANCES[distance])
        return NavigationTask(1000 * seed + number, family, ground, language, said[language], goal, distance)
    raise ReinsError(f"task {number} of seed {seed}: things found no room in {_TRIES} tries; take another seed")


def _things(
    random: Random,
    profile: QuadrupedProfile,
    distance: float,
    family: str,
    doors: Sequence[str],
    boxes: Sequence[str],
) -> tuple[Thing, ...] | None:
    """What stands on the ground of a task; None where something found no room.

    A person, boxes and doors of two colours each, and a marker. For "around" the first box, and for "past" the person,
    stands between the robot and the first door; for "course" there is a person and a box only, and room where it goes.
    """
    kinds = [("person", "orange"), ("box", boxes[1]), ("door", doors[1]), ("marker", random.choice(COLOURS))]
    placed: list[Thing] = []
    course, tilt = random.uniform(-math.pi, math.pi), random.uniform(-0.5, 0.5)
    if family == "around":
        far = random.uniform(4.6, FIELD[1])
        box = _at("box", boxes[0], _box(random), course, random.uniform(0.45, 0.55) * far, random.uniform(-3.0, 3.0))
        placed = [box, _at("door", doors[0], SIZES["door"], course, far, course + tilt)]
    elif family == "past":
        kinds = [*kinds[1:], ("box", boxes[0])]
        person = _at("person", "orange", SIZES["person"], course, 0.0, 0.0)
        door = _at("door", doors[0], SIZES["door"], course, 0.0, course + tilt)
        near = _radius(person) + profile.body.footprint + distance + GAP + 0.05
        far = near + _between(person, door, profile, distance) + 0.05
        placed = [_moved(person, course + random.uniform(-0.1, 0.1), near), _moved(door, course, far)]
    elif family == "course":
        kinds = kinds[:2]
    else:
        kinds += [("box", boxes[0]), ("door", doors[0])]
    for label, colour in kinds:
        thing = _placed(random, label, colour, placed, profile, distance)
        if thing is None:
            return None
        placed.append(thing)
    random.shuffle(placed)
    return tuple(placed)


def _placed(
    random: Random, label: str, colour: str, others: list[Thing], profile: QuadrupedProfile, distance: float
) -> Thing | None:
    """A thing somewhere in the field, with room around it; None where there is none left."""
    size = SIZES[label] if label in SIZES else _box(random)
    for _ in range(_TRIES):
        course, far = random.uniform(-math.pi, math.pi), random.uniform(*FIELD)
        thing = _at(label, colour, size, course, far, random.uniform(-math.pi, math.pi))
        if _fits(thing, others, profile, distance):
            return thing
    return None


def _at(label: str, colour: str, size: tuple[float, float, float], course: float, far: float, yaw: float) -> Thing:
    return Thing.model_validate(
        {
            "label": label,
            "colour": colour,
            "size": size,
            "at": (far * math.cos(course), far * math.sin(course)),
            "yaw": yaw,
        }
    )


def _moved(thing: Thing, course: float, far: float) -> Thing:
    return thing.model_copy(update={"at": (far * math.cos(course), far * math.sin(course))})


def _box(random: Random) -> tuple[float, float, float]:
    return (random.uniform(0.3, 0.6), random.uniform(0.3, 0.6), random.uniform(0.3, 0.6))


def _radius(thing: Thing) -> float:
    return 0.5 * math.hypot(*thing.size[:2])


def _keeps(thing: Thing, distance: float) -> float:
    """What is kept from a person beyond what is kept from things [m]."""
    return max(distance, 1.0) if thing.label == "person" else 0.0


def _fits(thing: Thing, placed: list[Thing], profile: QuadrupedProfile, distance: float) -> bool:
    """Whether a robot gets through between it and everything else, and between it and where the robot begins."""
    if math.hypot(*thing.at) < _radius(thing) + profile.body.footprint + _keeps(thing, distance) + GAP:
        return False
    return all(math.dist(thing.at, other.at) > _between(thing, other, profile, distance) for other in placed)


def _between(one: Thing, other: Thing, profile: QuadrupedProfile, distance: float) -> float:
    """How far apart their middles have to be for a robot to get through [m]."""
    keeps = max(_keeps(one, distance), _keeps(other, distance))
    return _radius(one) + _radius(other) + 2.0 * profile.body.footprint + keeps + GAP


def _has_room(goal: Goal, things: tuple[Thing, ...], profile: QuadrupedProfile, distance: float) -> bool:
    """Whether there is room round a place that is asked for, wherever the robot looks when it begins."""
    if goal.ahead is None:
        return True
    far = math.hypot(*goal.ahead)
    needs = profile.body.footprint + GAP
    return all(abs(math.hypot(*thing.at) - far) > _radius(thing) + needs + _keeps(thing, distance) for thing in things)


def goal_place(goal: Goal, place: FloatArray, heading: float) -> FloatArray | None:
    """(2,) where the robot is to end if a place is asked for, of one that begins at (2,) with this heading [rad]."""
    if goal.ahead is None:
        return None
    x, y = goal.ahead
    cos, sin = math.cos(heading), math.sin(heading)
    point: FloatArray = place + np.array([cos * x - sin * y, sin * x + cos * y])
    return point


@dataclass(frozen=True, slots=True)
class Names:
    """What can be spoken of.

    Attributes:
        door, box: the first ones; in some families something stands before the door, or the box is what does.
        every: all that there is.
    """

    door: str
    box: str
    every: tuple[str, ...]


Said = tuple[Words, Goal]
"""An instruction in every language, and how it is to end."""


def _around(random: Random, names: Names) -> Said:
    return say("around", box=called(names.box), door=called(names.door)), Goal(thing=names.door, sits=True)


def _past(random: Random, names: Names) -> Said:
    return say("past", door=called(names.door)), Goal(thing=names.door, sits=True)


def _door(random: Random, names: Names) -> Said:
    return say("door", verb=random.choice(GO_TO), door=called(names.door)), Goal(thing=names.door)


def _tour(random: Random, names: Names) -> Said:
    first, last = random.sample([name for name in names.every if name != "person"], 2)
    return say("tour", first=called(first), last=called(last)), Goal(thing=last, sits=True)


def _marker(random: Random, names: Names) -> Said:
    marker = next(name for name in names.every if name.endswith("_marker"))
    return say("marker", marker=called(marker)), Goal(thing=marker)


def _course(random: Random, names: Names) -> Said:
    direction = random.choice(tuple(DIRECTIONS))
    far = random.choice((1.0, 1.5, 2.0, 3.0))
    x, y = {"forward": (1, 0), "back": (-1, 0), "left": (0, 1), "right": (0, -1)}[direction]
    return say("course", far=metres(far), direction=DIRECTIONS[direction]), Goal(ahead=(far * x, far * y))


def _turn(random: Random, names: Names) -> Said:
    turned = random.choice((45, 90, 135, 180))
    side = random.choice(tuple(SIDES))
    angle = math.radians(turned) * (1.0 if side == "left" else -1.0)
    said = say("turn", side=SIDES[side], angle=degrees(turned))
    return said, Goal(ahead=(0.0, 0.0), turned=angle, sits=True)


FAMILIES: Final[Mapping[str, Callable[[Random, Names], Said]]] = {
    "around": _around,
    "past": _past,
    "door": _door,
    "tour": _tour,
    "marker": _marker,
    "course": _course,
    "turn": _turn,
}
"""What kinds of task there are."""
