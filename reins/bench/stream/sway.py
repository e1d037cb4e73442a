"""A small endless motion of every joint, from where the arm is and back."""

from dataclasses import dataclass
from math import cos, pi, sin
from typing import Final

import numpy as np

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray

AMPLITUDE: Final = 0.04
"""How far each joint goes [rad]."""

LAP: Final = 4.0
"""There and back [s]; slow enough for every arm's reduced speed."""


@dataclass(frozen=True, slots=True, eq=False)
class Sway:
    """Begins at rest at `start` (n,) [rad]; `way` (n,) is where it turns round, relative to that [rad]."""

    start: FloatArray
    way: FloatArray

    def position(self, t: float) -> FloatArray:
        """(n,) at time `t` [rad]."""
        return self.start + 0.5 * self.way * (1.0 - cos(2.0 * pi * t / LAP))

    def velocity(self, t: float) -> FloatArray:
        """(n,) at time `t` [rad/s]."""
        return self.way * (pi / LAP) * sin(2.0 * pi * t / LAP)


def sway_from(profile: RobotProfile, position: FloatArray) -> Sway:
    """One that takes every joint towards where it has more room."""
    inwards = np.where(profile.upper - position > position - profile.lower, 1.0, -1.0)
    return Sway(position.copy(), AMPLITUDE * inwards)
