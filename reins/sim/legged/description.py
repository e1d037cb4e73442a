"""The robot as a tree of links with simple shapes, from its profile: what both engines' models are made of."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from reins.hardware.profile_base import JointLimits
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.quadruped_build import SIDES, Mass, Motor

TRUNK: Final = "trunk"
"""The link that nothing carries."""

THIGH_RADIUS: Final = 0.022
CALF_RADIUS: Final = 0.014
HIP_RADIUS: Final = 0.046
"""Radii of the capsules that limbs collide as [m]; within a few millimetres of the meshes of Unitree's description."""

Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Shape:
    """What a link collides as, in its frame [m].

    Attributes:
        kind: "box", "capsule" or "ball".
        begin, end: of a capsule's axis; the middle of the others, twice.
        half: (3,) half extents of a box, else its radius, thrice.
    """

    kind: str
    begin: Vector
    end: Vector
    half: Vector


@dataclass(frozen=True, slots=True)
class Drive:
    """What moves a link: its joint about `axis`, the joint's limits and its motor."""

    axis: Vector
    limits: JointLimits
    motor: Motor


@dataclass(frozen=True, slots=True)
class Link:
    """One rigid body.

    Attributes:
        name: of it.
        parent: name of the link that carries it; empty for the trunk.
        place: of its frame in that of its parent [m].
        mass: of it, in its frame.
        drive: of the joint to its parent; None where it is fast to it, or free.
        shape: what it collides as.
        is_foot: whether it is made to stand on.
    """

    name: str
    parent: str
    place: Vector
    mass: Mass
    drive: Drive | None
    shape: Shape
    is_foot: bool = False


def links_of(profile: QuadrupedProfile) -> tuple[Link, ...]:
    """Every link, parents before children, legs in the profile's order."""
    build = profile.build
    origin = (0.0, 0.0, 0.0)
    trunk = Link(TRUNK, "", origin, build.trunk, None, Shape("box", origin, origin, build.box))
    return (trunk, *(link for number in range(len(SIDES)) for link in _leg(profile, number)))


def _leg(profile: QuadrupedProfile, number: int) -> Iterator[Link]:
    build, legs = profile.build, profile.build.legs
    foot, (x, y) = profile.feet[number], SIDES[number]
    limits = profile.joints[3 * number : 3 * number + 3]
    side = (0.0, y * legs.sideways, 0.0)
    hip, thigh, calf = (
        Drive(axis, limit, motor)
        for axis, limit, motor in zip(
            ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0)), limits, build.motors, strict=True
        )
    )
    place = (x * legs.along, y * legs.across, 0.0)
    middle, inner = (0.0, 0.6 * side[1], 0.0), (0.0, 0.4 * side[1], 0.0)
    yield Link(f"{foot}_hip", TRUNK, place, build.hip.mirrored(x, y), hip, _capsule(inner, middle, HIP_RADIUS))
    knee, ankle = (0.0, 0.0, -legs.thigh), (0.0, 0.0, -legs.calf)
    shape = _capsule((0.0, 0.0, 0.0), knee, THIGH_RADIUS)
    yield Link(f"{foot}_thigh", f"{foot}_hip", side, build.thigh.mirrored(1.0, y), thigh, shape)
    shape = _capsule((0.0, 0.0, 0.0), (0.0, 0.0, -legs.calf + 2.0 * legs.foot), CALF_RADIUS)
    yield Link(f"{foot}_calf", f"{foot}_thigh", knee, build.calf.mirrored(1.0, y), calf, shape)
    ball = Shape("ball", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (legs.foot,) * 3)
    yield Link(f"{foot}_foot", f"{foot}_calf", ankle, build.foot, None, ball, is_foot=True)


def _capsule(begin: Vector, end: Vector, radius: float) -> Shape:
    return Shape("capsule", begin, end, (radius,) * 3)
