"""Which velocities and gaits are commanded where legs are trained, and which velocities where they are measured."""

from typing import Final

import numpy as np

from reins.hardware.legged import AS_USUAL
from reins.hardware.quadruped import BodySpeed
from reins.hardware.robot import FloatArray
from reins.safety.legged.limits import speed_use

STANDING_SHARE: Final = 0.1
"""Share of the commands that are to stand still."""


WINDOW: Final = 0.5
"""Velocities are compared as their means over this time, about one stride: within a stride a trunk sways [s]."""

USUAL_SHARE: Final = 0.5
"""Share of the gaits that are the usual one."""


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


def draw_gait(random: np.random.Generator) -> FloatArray:
    """(2,) height and style, -1 … 1 each, or as usual."""
    return AS_USUAL.numbers if random.uniform() < USUAL_SHARE else random.uniform(-1.0, 1.0, 2)
