"""Limits of a walking body as small pure functions: no state, no clock.

Body velocities are (3,): forward, left [m/s], yaw rate [rad/s]. `reins/safety/limits.py` has what joints and bodies
have in common: ramps, braking and stopping speeds.
"""

import math

import numpy as np

from reins.hardware.quadruped import BodySpeed
from reins.hardware.robot import FloatArray


def tilt_of(orientation: FloatArray) -> float:
    """Angle between the body's z axis and the vertical.

    Args:
        orientation: (4,) quaternion x y z w of the base, of length 1.

    Returns:
        The angle [rad], 0 … π: 0 upright, π on its back.

    Source: tan(α/2) = √(x² + y²) / √(z² + w²), from the rotation of z by the quaternion; exact near 0, unlike arccos.
    """
    x, y, z, w = orientation.tolist()
    return 2.0 * math.atan2(math.hypot(x, y), math.hypot(z, w))


def yaw_of(orientation: FloatArray) -> float:
    """Heading of the body's x axis on the ground [rad], -π … π, of a quaternion (4,) x y z w.

    Source: REP 103, fixed-axis roll, pitch, yaw; atan2 of the x axis' horizontal components.
    """
    x, y, z, w = orientation.tolist()
    return math.atan2(2.0 * (x * y + w * z), w * w + x * x - y * y - z * z)


def share_left(value: float, slow: float, stop: float, least: float) -> float:
    """Share of the speed limits that a quantity leaves on its way to where it stops the robot.

    Args:
        value: what is measured; any unit.
        slow: from here on slower; nothing is taken on the safe side of it.
        stop: here `least` is left, and the stop itself is another rule's; below or above `slow`, never equal.
        least: what is left at and past `stop`, 0 … 1.

    Returns:
        1 … `least`, even between `slow` and `stop`.
    """
    way = min(max((value - slow) / (stop - slow), 0.0), 1.0)
    return 1.0 - way * (1.0 - least)


def speed_use(velocity: FloatArray, limits: BodySpeed) -> float:
    """How much of the speed limits a body velocity uses; more than 1 is too fast.

    Steps that are long forward leave little room for steps to the side, so forward and sideways share one ellipse,
    whose back half ends at `backward`; turning has a limit of its own.

    Args:
        velocity: (3,) [m/s, m/s, rad/s].
        limits: of the robot's profile.

    Returns:
        The larger of √((vx / forward)² + (vy / sideways)²) and |yaw rate| / turn; twice that of half the velocity.
    """
    along, sideways, turn = (float(part) for part in velocity)
    farthest = limits.forward if along >= 0.0 else limits.backward
    return max(math.hypot(along / farthest, sideways / limits.sideways), abs(turn) / limits.turn)


def deceleration_along(directions: FloatArray, acceleration: FloatArray) -> FloatArray:
    """Braking that a body can give straight against its motion.

    Args:
        directions: (m, 2) unit vectors in the body frame.
        acceleration: (2,) or longer: limits along x and y [m/s²].

    Returns:
        (m,) the largest a [m/s²] for which a · direction is within both limits.
    """
    used: FloatArray = np.abs(directions) / acceleration[:2]
    largest: FloatArray = 1.0 / used.max(axis=1)
    return largest
