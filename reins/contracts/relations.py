"""What the spatial relations mean: pure geometry over centres and extents, shared by perception and by physics.

Left, right, behind and in front are meant as seen from the robot's base looking along +x: left is +y, behind is +x.
Every function is about things on a table: heights are above the base frame's origin, footprints are taken as circles.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from math import hypot
from typing import Final

from reins.contracts.errors import UnknownName
from reins.contracts.footprints import Footprint, Posed, Thing
from reins.contracts.scene import CONTAINERS, GRIPPER, SUPPORTS, TABLE, TOUCHING, Relation

IN_RADIUS: Final = 0.85
"""Inside: the centre lies within this share of the container's outer radius (the rest is wall and margin)."""

ON_GAP: Final = 0.012
"""On: the underside is this close to the support's top, above or below it (a plate's rim stands above its face) [m]."""

BESIDE_GAP: Final = 0.05
"""Beside: the free distance between two footprints is at most this [m]."""

TOUCH_GAP: Final = 0.005
"""Touching: footprints are at most this far apart, which is what cameras measure places to [m]."""

SIDE_MARGIN: Final = 0.03
"""Left of, behind, …: centres are at least this far apart along that direction [m]."""


def radius(thing: Thing) -> float:
    """Radius of the circle that stands for its footprint: half of the mean of its horizontal extents [m]."""
    return (thing.size[0] + thing.size[1]) / 4


def bottom(thing: Thing) -> float:
    """Height of its underside [m]."""
    return thing.position[2] - thing.size[2] / 2


def top(thing: Thing) -> float:
    """Height of its top [m]."""
    return thing.position[2] + thing.size[2] / 2


def distance(a: Thing, b: Thing) -> float:
    """Horizontal distance between centres [m]."""
    return hypot(a.position[0] - b.position[0], a.position[1] - b.position[1])


def is_in(a: Thing, b: Thing) -> bool:
    """`b` is a container; the centre of `a` is within IN_RADIUS of its radius, between its underside and its rim."""
    return b.label in CONTAINERS and distance(a, b) <= IN_RADIUS * radius(b) and bottom(b) < a.position[2] < top(b)


def is_on(a: Thing, b: Thing) -> bool:
    """`b` is a support, the centre of `a` is over it, and the underside of `a` is within ON_GAP of its top."""
    return b.label in SUPPORTS and distance(a, b) <= radius(b) and abs(bottom(a) - top(b)) <= ON_GAP


def is_on_table(a: Thing, others: Iterable[Thing]) -> bool:
    """The underside of `a` is within ON_GAP of the table top, and `a` is in or on none of `others`."""
    return abs(bottom(a)) <= ON_GAP and not any(is_in(a, b) or is_on(a, b) for b in others if b.id != a.id)


def is_beside(a: Thing, b: Thing) -> bool:
    """Next to each other at the same height: footprints at most BESIDE_GAP apart, undersides within ON_GAP, and none of
    them in or on the other."""
    return (
        distance(a, b) - radius(a) - radius(b) <= BESIDE_GAP
        and abs(bottom(a) - bottom(b)) <= ON_GAP
        and not (is_in(a, b) or is_in(b, a) or is_on(a, b) or is_on(b, a))
    )


def is_left_of(a: Thing, b: Thing) -> bool:
    """`a` is at least SIDE_MARGIN towards +y of `b`, and no farther along x than along y."""
    dx, dy = a.position[0] - b.position[0], a.position[1] - b.position[1]
    return dy >= max(SIDE_MARGIN, abs(dx))


def is_right_of(a: Thing, b: Thing) -> bool:
    """`b` is left of `a`."""
    return is_left_of(b, a)


def is_behind(a: Thing, b: Thing) -> bool:
    """`a` is at least SIDE_MARGIN towards +x of `b`, and no farther along y than along x."""
    dx, dy = a.position[0] - b.position[0], a.position[1] - b.position[1]
    return dx >= max(SIDE_MARGIN, abs(dy))


def is_in_front_of(a: Thing, b: Thing) -> bool:
    """`b` is behind `a`."""
    return is_behind(b, a)


SPATIAL: Final[Mapping[str, Callable[[Thing, Thing], bool]]] = {
    "in": is_in,
    "on": is_on,
    "beside": is_beside,
    "left_of": is_left_of,
    "right_of": is_right_of,
    "behind": is_behind,
    "in_front_of": is_in_front_of,
}
"""Relations between two things, by the names that scenes use; `on` the table and `held` need more than two things."""


def holds(predicate: str, a: Thing, b: Thing) -> bool:
    """Whether `a predicate b`.

    Raises:
        UnknownName: no such relation between two things.
    """
    try:
        return SPATIAL[predicate](a, b)
    except KeyError:
        raise UnknownName("relation", predicate, SPATIAL) from None


def relations_between(things: Iterable[Thing], held: str | None) -> frozenset[Relation]:
    """Every relation that holds between `things`, `on` the table included.

    Args:
        things: all that is known.
        held: id of the thing in the gripper, or None. It is `held` by the gripper and in no other relation, for it
            hangs in the air.
    """
    every = list(things)
    resting = [thing for thing in every if thing.id != held]
    found = {
        Relation(a.id, name, b.id)
        for a in resting
        for b in resting
        if a.id != b.id
        for name, test in SPATIAL.items()
        if test(a, b)
    }
    found.update(Relation(a.id, "on", TABLE) for a in resting if is_on_table(a, resting))
    if len(resting) < len(every) and held is not None:
        found.add(Relation(held, "held", GRIPPER))
    return frozenset(found)


def is_touching(a: Posed, b: Posed) -> bool:
    """Footprints are at most TOUCH_GAP apart, and heights meet within ON_GAP: side by side, on or in each other."""
    apart = max(bottom(a) - top(b), bottom(b) - top(a))
    return apart <= ON_GAP and Footprint(a).gap(Footprint(b)) <= TOUCH_GAP


def contacts_between(things: Iterable[Posed], held: str | None) -> frozenset[Relation]:
    """What touches what, either way round.

    Args:
        things: all that is known.
        held: id of the one in the gripper, or None; it hangs in the air and touches nothing.
    """
    pairs = combinations([thing for thing in things if thing.id != held], 2)
    found = [(a.id, b.id) for a, b in pairs if is_touching(a, b)]
    return frozenset(Relation(one, TOUCHING, other) for a, b in found for one, other in ((a, b), (b, a)))
