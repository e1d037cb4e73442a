"""Headings and turns on the ground, in the odometry frame: z up, headings from the x axis to the left."""

import math

import numpy as np

from reins.hardware.robot import FloatArray


def heading_of(orientation: FloatArray) -> float:
    """Where the x axis of a body points on the ground [rad], -π … π, of its quaternion (4,) x y z w.

    Source: the first column of the quaternion's rotation matrix.
    """
    x, y, z, w = orientation.tolist()
    return math.atan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z))


def turned(vectors: FloatArray, angle: float) -> FloatArray:
    """(…, 2) vectors turned to the left by `angle` [rad]."""
    cos, sin = math.cos(angle), math.sin(angle)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)


def bearing(place: FloatArray, point: FloatArray) -> float:
    """Direction from (2,) to (2,) [rad], -π … π."""
    x, y = (point - place).tolist()
    return math.atan2(y, x)


def wrapped(angle: float) -> float:
    """The same direction as an angle in -π … π [rad]."""
    return math.remainder(angle, 2.0 * math.pi)
