"""Footprints on the table plane: discs and rectangles, and how far apart they are."""

from dataclasses import dataclass
from math import cos, hypot, pi, sin
from typing import Final

from reins.contracts.footprints import yaw_of
from reins.contracts.scene import SceneObject


@dataclass(frozen=True, slots=True)
class Disc:
    """A disc: centre (x, y) [m], radius [m]."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle: centre (x, y) [m], half extents along its own axes [m], rotation about +z [rad]."""

    x: float
    y: float
    half_length: float
    half_width: float
    yaw: float

    @property
    def radius(self) -> float:
        """Radius of the smallest circle around it [m]."""
        return hypot(self.half_length, self.half_width)

    def reach(self, direction: float) -> float:
        """Half of its extent along a direction, given as an angle about +z [rad] [m]."""
        turn = direction - self.yaw
        return self.half_length * abs(cos(turn)) + self.half_width * abs(sin(turn))

    def corners(self) -> list[tuple[float, float]]:
        """Its four corners (x, y) [m]."""
        c, s = cos(self.yaw), sin(self.yaw)
        ways = [(self.half_length * i, self.half_width * j) for i, j in ((1, 1), (1, -1), (-1, -1), (-1, 1))]
        return [(self.x + c * u - s * v, self.y + s * u + c * v) for u, v in ways]


Footprint = Disc | Rectangle

NEAR: Final = 0.05
"""From this distance on, the distance between the circles around two footprints is good enough [m]."""


def gap(a: Footprint, b: Footprint) -> float:
    """Free distance between two footprints [m]; negative where they overlap. Never more than the true distance.

    Source: separating axis theorem; between two rectangles, only their own axes are tried.
    """
    dx, dy = b.x - a.x, b.y - a.y
    between_circles = hypot(dx, dy) - a.radius - b.radius
    if between_circles > NEAR or (isinstance(a, Disc) and isinstance(b, Disc)):
        return between_circles
    if isinstance(a, Rectangle) and isinstance(b, Rectangle):
        return max(
            abs(dx * cos(angle) + dy * sin(angle)) - a.reach(angle) - b.reach(angle)
            for angle in (a.yaw, a.yaw + pi / 2, b.yaw, b.yaw + pi / 2)
        )
    disc, rectangle = (a, b) if isinstance(b, Rectangle) else (b, a)
    assert isinstance(rectangle, Rectangle)
    c, s = cos(rectangle.yaw), sin(rectangle.yaw)
    beyond_x = abs(dx * c + dy * s) - rectangle.half_length
    beyond_y = abs(dy * c - dx * s) - rectangle.half_width
    outside = hypot(max(beyond_x, 0.0), max(beyond_y, 0.0))
    return (outside if outside > 0.0 else max(beyond_x, beyond_y)) - disc.radius


def footprint_of(item: SceneObject) -> Footprint:
    """Footprint of an object: blocks are rectangles, everything else is round."""
    x, y, _ = item.position
    if item.label == "block":
        return Rectangle(x, y, item.size[0] / 2, item.size[1] / 2, yaw_of(item.orientation))
    return Disc(x, y, max(item.size[0], item.size[1]) / 2)


def wrapped(angle: float, period: float) -> float:
    """`angle` brought to [-period / 2, period / 2) by whole periods [rad]."""
    return (angle + period / 2) % period - period / 2
