"""When a robot that turns over after a fall has done so, by what it measures."""

import math
from typing import Final

import numpy as np

from reins.hardware.legged import LeggedState
from reins.hardware.legs import up_of
from reins.hardware.quadruped import QuadrupedProfile

AT_REST: Final = 0.5
"""Measured speed of the joints below which legs are at rest [rad/s]."""

SETTLED: Final = 0.5
"""How long a robot has to lie on its belly, legs at rest, before it counts [s]."""


class OnBelly:
    """Of one robot, for one turning over.

    Args:
        profile: the robot.
    """

    def __init__(self, profile: QuadrupedProfile) -> None:
        self._upright = math.cos(profile.tilt.slow)
        self._since = math.inf

    def see(self, state: LeggedState) -> bool:
        """Whether it has lain on its belly for a while, as of this state; to be asked with every one."""
        upright = up_of(state.orientation)[2] >= self._upright
        rests = upright and float(np.abs(state.velocity).max()) < AT_REST
        self._since = min(self._since, state.stamp) if rests else math.inf
        return state.stamp - self._since >= SETTLED
