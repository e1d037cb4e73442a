"""What the relations of a robot that walks mean: geometry on the ground, shared by perception and by physics.

Scenes are seen from its base, whose z is up, so the robot itself is at their origin.
"""

import math
from collections.abc import Iterable
from typing import Final

from reins.contracts.footprints import Posed, yaw_of
from reins.contracts.scene import FALLEN, PERSON, ROBOT, SITTING, STANDING, Relation, Vector3

AT: Final = 1.6
"""A robot whose footprint is no farther than this from the edge of something is at it [m]."""


def edge_distance(label: str, size: Vector3, yaw: float, x: float, y: float) -> float:
    """Distance of a point on the ground from the edge of something [m]; negative inside.

    Args:
        label: what it is; a person is round.
        size: its full extents [m].
        yaw: how it is turned [rad].
        x, y: the point, from its centre [m].
    """
    if label == PERSON:
        return math.hypot(x, y) - 0.5 * size[0]
    cos, sin = math.cos(yaw), math.sin(yaw)
    along, across = abs(cos * x + sin * y) - 0.5 * size[0], abs(cos * y - sin * x) - 0.5 * size[1]
    return math.hypot(max(along, 0.0), max(across, 0.0)) + min(max(along, across), 0.0)


def posture_relation(is_up: bool, has_fallen: bool) -> Relation:
    """On its legs, sitting, or lying on its side or back."""
    return Relation(ROBOT, "is", FALLEN if has_fallen else STANDING if is_up else SITTING)


def is_at(thing: Posed, footprint: float) -> bool:
    """Whether a robot of that footprint, a radius [m], is at something."""
    x, y, _ = thing.position
    return edge_distance(thing.label, thing.size, yaw_of(thing.orientation), -x, -y) - footprint <= AT


def nearness(things: Iterable[Posed], footprint: float) -> frozenset[Relation]:
    """What a robot of that footprint [m] is at."""
    return frozenset(Relation(ROBOT, "at", thing.id) for thing in things if is_at(thing, footprint))
