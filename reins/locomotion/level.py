"""The level frame: z is up, and x is where the body's x axis points on the ground."""

import numpy as np

from reins.hardware.robot import FloatArray


def tilt_of(up: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(n,) roll and pitch [rad] of bodies in whose frame `up` (n, 3) is up."""
    return np.arctan2(up[:, 1], up[:, 2]), np.arcsin(np.clip(-up[:, 0], -1.0, 1.0))


def levelling(roll: FloatArray, pitch: FloatArray) -> FloatArray:
    """(n, 3, 3) from the body frame to the level one."""
    cp, sp, cr, sr = np.cos(pitch), np.sin(pitch), np.cos(roll), np.sin(roll)
    turn = np.zeros((len(roll), 3, 3))
    turn[:, 0, 0], turn[:, 0, 1], turn[:, 0, 2] = cp, sp * sr, sp * cr
    turn[:, 1, 1], turn[:, 1, 2] = cr, -sr
    turn[:, 2, 0], turn[:, 2, 1], turn[:, 2, 2] = -sp, cp * sr, cp * cr
    return turn
