"""Footprints on the table plane: discs and rectangles, and how far apart they are."""

from dataclasses import dataclass
from math import atan2, cos, sin

import numpy as np

from reins.contracts.scene import Quaternion, SceneObject
from reins.hardware.robot import FloatArray


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

    def axes(self) -> FloatArray:
        """(2, 2) its two unit directions, one per row."""
        c, s = cos(self.yaw), sin(self.yaw)
        return np.array([[c, s], [-s, c]])

    def reach(self, directions: FloatArray) -> FloatArray:
        """(k,) half of its extent along each of the unit `directions` (k, 2) [m]."""
        along: FloatArray = np.abs(directions @ self.axes().T)
        extent: FloatArray = along @ np.array([self.half_length, self.half_width])
        return extent

    def corners(self) -> FloatArray:
        """(4, 2) its corners [m]."""
        signs = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]], dtype=np.float64)
        return np.array([self.x, self.y]) + (signs * [self.half_length, self.half_width]) @ self.axes()


Footprint = Disc | Rectangle


def gap(a: Footprint, b: Footprint) -> float:
    """Free distance between two footprints [m]; negative where they overlap. Never more than the true distance.

    Source: separating axis theorem; between two rectangles, only their own axes are tried.
    """
    if isinstance(a, Disc) and isinstance(b, Disc):
        return float(np.hypot(a.x - b.x, a.y - b.y)) - a.radius - b.radius
    if isinstance(a, Rectangle) and isinstance(b, Rectangle):
        directions = np.vstack((a.axes(), b.axes()))
        apart = np.abs(directions @ np.array([b.x - a.x, b.y - a.y]))
        return float(np.max(apart - a.reach(directions) - b.reach(directions)))
    disc, rectangle = (a, b) if isinstance(a, Disc) else (b, a)
    assert isinstance(disc, Disc) and isinstance(rectangle, Rectangle)
    inside = np.abs(rectangle.axes() @ np.array([disc.x - rectangle.x, disc.y - rectangle.y]))
    beyond = inside - [rectangle.half_length, rectangle.half_width]
    outside = float(np.linalg.norm(np.maximum(beyond, 0.0)))
    return (outside if outside > 0.0 else float(np.max(beyond))) - disc.radius


def footprint_of(item: SceneObject) -> Footprint:
    """Footprint of an object: blocks are rectangles, everything else is round."""
    x, y, _ = item.position
    if item.label == "block":
        return Rectangle(x, y, item.size[0] / 2, item.size[1] / 2, yaw_of(item.orientation))
    return Disc(x, y, max(item.size[0], item.size[1]) / 2)


def yaw_of(orientation: Quaternion) -> float:
    """Rotation about +z of a quaternion (x y z w) [rad]."""
    x, y, z, w = orientation
    return atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def wrapped(angle: float, period: float) -> float:
    """`angle` brought to [-period / 2, period / 2) by whole periods [rad]."""
    return (angle + period / 2) % period - period / 2
