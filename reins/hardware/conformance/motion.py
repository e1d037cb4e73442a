"""Small, smooth motions of a robot under test, and the bound on how far they take it."""

from dataclasses import dataclass
from math import cos, sin
from typing import Final

import numpy as np

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray

TRAVEL: Final = 0.03
"""No point of the robot moves farther than this from where the suite found it, by intent [m]."""

LARGEST: Final = 0.15
"""No joint moves farther than this, near the tool as it may be [rad]."""

FASTEST: Final = 0.25
"""Share of a joint's speed limit that is not exceeded."""


@dataclass(frozen=True, slots=True, eq=False)
class Nudge:
    """A motion by `distance` (n,) [rad] in `duration` [s] that begins and ends at rest without a jump of acceleration.

    Source: cycloidal motion, s(t) = t/T - sin(2π t/T)/2π.
    """

    distance: FloatArray
    duration: float

    def offset(self, t: float) -> FloatArray:
        """(n,) how far it has come at time `t` [rad]."""
        share = min(max(t / self.duration, 0.0), 1.0)
        return self.distance * (share - sin(2.0 * np.pi * share) / (2.0 * np.pi))

    def velocity(self, t: float) -> FloatArray:
        """(n,) at time `t` [rad/s]."""
        share = min(max(t / self.duration, 0.0), 1.0)
        return self.distance / self.duration * (1.0 - cos(2.0 * np.pi * share))

    def reversed(self) -> "Nudge":
        """The way back."""
        return Nudge(-self.distance, self.duration)


def joint_budget(profile: RobotProfile) -> FloatArray:
    """(n,) how far each joint alone may move so that no point of the robot moves farther than `TRAVEL` [rad]."""
    return np.minimum(TRAVEL / Kinematics(profile).tool_reach, LARGEST)


def one_joint(profile: RobotProfile, index: int, position: FloatArray) -> Nudge:
    """A motion of one joint alone, away from its nearer limit."""
    distance = np.zeros(len(profile.joints))
    distance[index] = joint_budget(profile)[index] * _inwards(profile, position)[index]
    return _timed(profile, distance)


def all_joints(profile: RobotProfile, position: FloatArray) -> Nudge:
    """A motion of every joint at once, each with its share of the travel, away from its nearer limit."""
    budget = joint_budget(profile)
    return _timed(profile, budget / len(budget) * _inwards(profile, position))


def _inwards(profile: RobotProfile, position: FloatArray) -> FloatArray:
    """(n,) sign of the direction in which each joint has more room."""
    return np.where(profile.upper - position > position - profile.lower, 1.0, -1.0)


def _timed(profile: RobotProfile, distance: FloatArray) -> Nudge:
    """With a duration that keeps to speed and acceleration limits; a cycloid's peaks are 2 d/T and 2π d/T²."""
    size = np.abs(distance)
    by_speed = float(np.max(2.0 * size / (FASTEST * profile.velocity)))
    by_acceleration = float(np.max(np.sqrt(2.0 * np.pi * size / (FASTEST * profile.acceleration))))
    return Nudge(distance, max(by_speed, by_acceleration, 0.6))
