"""How far apart the footprints of two things are: turned rectangles of blocks, circles of everything else."""

from collections.abc import Iterable, Sequence
from math import atan2, cos, hypot, inf, sin
from typing import Final, Protocol

from reins.contracts.scene import MOVABLE, Quaternion, Vector3

Point = tuple[float, float]


class Thing(Protocol):
    """Anything with a kind, a centre of its bounding box [m] and full extents [m]; a SceneObject is one."""

    @property
    def id(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def position(self) -> Vector3: ...
    @property
    def size(self) -> Vector3: ...


class Posed(Thing, Protocol):
    """With the orientation (x y z w) of its bounding box, too."""

    @property
    def orientation(self) -> Quaternion: ...


def yaw_of(orientation: Iterable[float]) -> float:
    """Where the x axis of a quaternion x y z w points on the ground [rad]."""
    x, y, z, w = map(float, orientation)
    return atan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z))


class Footprint:
    """The footprint of a thing: a rectangle, grown by a radius on all sides. A circle is a point that has grown.

    Args:
        thing: whose it is.
    """

    def __init__(self, thing: Posed) -> None:
        is_round = thing.label not in MOVABLE
        width, depth = (0.0, 0.0) if is_round else thing.size[:2]
        yaw = yaw_of(thing.orientation)
        self.grown: Final = (thing.size[0] + thing.size[1]) / 4 if is_round else 0.0
        self._centre: Final = thing.position[:2]
        self._axes: Final = ((cos(yaw), sin(yaw)), (-sin(yaw), cos(yaw)))
        self._half: Final = (width / 2, depth / 2)

    def gap(self, other: "Footprint") -> float:
        """Free distance between two footprints [m]; 0 where they overlap."""
        if self._overlaps(other) and other._overlaps(self):
            return 0.0
        apart = min(self._nearest(other._corners), other._nearest(self._corners))
        return max(apart - self.grown - other.grown, 0.0)

    @property
    def _corners(self) -> Sequence[Point]:
        (ax, ay), (bx, by) = self._axes
        (x, y), (a, b) = self._centre, self._half
        signs = ((1, 1), (1, -1), (-1, -1), (-1, 1))
        return [(x + i * a * ax + j * b * bx, y + i * a * ay + j * b * by) for i, j in signs]

    def _within(self, point: Point) -> Point:
        """A point along this rectangle's own axes, from its centre [m]."""
        dx, dy = point[0] - self._centre[0], point[1] - self._centre[1]
        (ax, ay), (bx, by) = self._axes
        return dx * ax + dy * ay, dx * bx + dy * by

    def _nearest(self, points: Sequence[Point]) -> float:
        """Distance of the nearest of some points from this rectangle, not grown [m]."""
        local = map(self._within, points)
        a, b = self._half
        return min((hypot(max(abs(u) - a, 0.0), max(abs(v) - b, 0.0)) for u, v in local), default=inf)

    def _overlaps(self, other: "Footprint") -> bool:
        """Whether no line along one of this rectangle's sides parts the two, both not grown."""
        local = [self._within(corner) for corner in other._corners]
        return all(
            min(point[axis] for point in local) <= half and max(point[axis] for point in local) >= -half
            for axis, half in enumerate(self._half)
        )
