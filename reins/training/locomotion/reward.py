"""What walking is worth: velocity as commanded, an even body, little power, even actions; a fall costs."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from reins.hardware.legs import Flags
from reins.hardware.robot import FloatArray

LINEAR_WIDTH: Final = 0.04
TURN_WIDTH: Final = 0.06
"""Squared errors at which the worth of a velocity has fallen to 1/e [m²/s²], [rad²/s²]."""

TURN_SHARE: Final = 0.4
"""Of the worth of true velocities, what the yaw rate is worth."""

FALL: Final = 10.0
"""What a fall costs: as much as ten periods in which everything is right."""


@dataclass(frozen=True, slots=True, eq=False)
class Walked:
    """One period of n robots.

    Attributes:
        wanted: (n, 3) velocity, mean over the last stride [m/s, m/s, rad/s].
        went: (n, 3) velocity forward and left, and yaw rate; likewise.
        rise: (n,) velocity upwards [m/s].
        rates: (n, 3) turn rates, body frame [rad/s].
        up: (n, 3) the direction that is up, body frame.
        slope: (n, 2) roll and pitch of a body that lies parallel to the ground [rad].
        sunk: (n,) how much lower the body is than its gait has it [m].
        power: (n,) mechanical power of the joints [W].
        change, action: (n, k) change of the action, and the action.
        fell: (n,) whether it fell.
    """

    wanted: FloatArray
    went: FloatArray
    rise: FloatArray
    rates: FloatArray
    up: FloatArray
    slope: FloatArray
    sunk: FloatArray
    power: FloatArray
    change: FloatArray
    action: FloatArray
    fell: Flags


def rewards(walked: Walked) -> tuple[FloatArray, FloatArray]:
    """(n,) the reward of a period, about 1 where everything is right, and (n,) the part of it for true velocities."""
    error = (walked.went - walked.wanted) ** 2
    wrong, turned = error[:, :2].sum(axis=1), error[:, 2]
    tracking = (1.0 - TURN_SHARE) * np.exp(-wrong / LINEAR_WIDTH) + TURN_SHARE * np.exp(-turned / TURN_WIDTH)
    roll, pitch = np.arctan2(walked.up[:, 1], walked.up[:, 2]), np.arcsin(np.clip(-walked.up[:, 0], -1.0, 1.0))
    tilt = (roll - walked.slope[:, 0]) ** 2 + (pitch - walked.slope[:, 1]) ** 2
    cost = (
        2.0 * tilt
        + 10.0 * walked.sunk**2
        + 0.3 * walked.rise**2
        + 0.02 * (walked.rates[:, :2] ** 2).sum(axis=1)
        + 4e-4 * walked.power
        + 0.01 * (walked.change**2).sum(axis=1)
        + 0.005 * (walked.action**2).sum(axis=1)
    )
    return tracking - cost - FALL * walked.fell, tracking
