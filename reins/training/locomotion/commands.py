"""Which velocities are commanded where legs are trained and measured."""

from typing import Final

import numpy as np

from reins.hardware.quadruped import BodySpeed
from reins.hardware.robot import FloatArray
from reins.safety.legged.limits import speed_use

STANDING_SHARE: Final = 0.1
"""Share of the commands that are to stand still."""


def draw_velocity(limits: BodySpeed, random: np.random.Generator) -> FloatArray:
    """(3,) a velocity within the speed limits [m/s, m/s, rad/s], or standing still."""
    if random.uniform() < STANDING_SHARE:
        return np.zeros(3)
    low = np.array([-limits.backward, -limits.sideways, -limits.turn])
    high = np.array([limits.forward, limits.sideways, limits.turn])
    while True:
        command = random.uniform(low, high)
        if speed_use(command, limits) <= 1.0:
            return command
