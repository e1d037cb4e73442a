"""Kinematics of four legs of three joints each, for any number of robots side by side.

Arrays have shape (…, 4, 3): legs in the order of `SIDES`; joints hip, thigh, calf [rad]; places of the feet's middles
[m], body frame.
"""

import numpy as np

from reins.hardware.quadruped_build import SIDES, Legs
from reins.hardware.robot import FloatArray


class LegKinematics:
    """Of one kind of robot.

    Args:
        legs: their lengths.

    Attributes:
        hips: (4, 3) where the axes of the hips are.
        shoulders: (4, 3) where the feet are straight below the thighs' axes, at the height of the hips.
    """

    def __init__(self, legs: Legs) -> None:
        sides = np.array(SIDES)
        self._thigh, self._calf = legs.thigh, legs.calf
        self._side = sides[:, 1] * legs.sideways
        self.hips = np.column_stack([sides[:, 0] * legs.along, sides[:, 1] * legs.across, np.zeros(4)])
        self.shoulders = self.hips + np.column_stack([np.zeros(4), self._side, np.zeros(4)])

    def feet(self, joints: FloatArray) -> FloatArray:
        """(…, 4, 3) places of the feet."""
        hip, (along, down) = joints[..., 0], self._plane(joints)
        cos, sin = np.cos(hip), np.sin(hip)
        side = self._side
        return self.hips + np.stack([along, cos * side - sin * down, sin * side + cos * down], axis=-1)

    def joints(self, feet: FloatArray) -> FloatArray:
        """(…, 4, 3) joints that put the feet there; where a leg is too short, it is stretched towards the place."""
        x, y, z = np.moveaxis(feet - self.hips, -1, 0)
        side, thigh, calf = self._side, self._thigh, self._calf
        down = -np.sqrt(np.maximum(y * y + z * z - side * side, 1e-8))
        hip = np.arctan2(z, y) - np.arctan2(down, side)
        hip = (hip + np.pi) % (2.0 * np.pi) - np.pi
        bend = (x * x + down * down - thigh**2 - calf**2) / (2.0 * thigh * calf)
        knee = -np.arccos(np.clip(bend, -1.0, 1.0))
        return np.stack(
            [hip, np.arctan2(-x, -down) - np.arctan2(calf * np.sin(knee), thigh + calf * np.cos(knee)), knee], axis=-1
        )

    def jacobians(self, joints: FloatArray) -> FloatArray:
        """(…, 4, 3, 3) of the feet's places [m/rad]: rows x y z, columns joints."""
        hip = joints[..., 0]
        along, down = self._plane(joints)
        cos, sin, side = np.cos(hip), np.sin(hip), self._side
        shank = joints[..., 1] + joints[..., 2]
        knee_along, knee_down = -self._calf * np.cos(shank), self._calf * np.sin(shank)
        zero = np.zeros_like(hip)
        rows = [
            [zero, down, knee_along],
            [-sin * side - cos * down, sin * along, -sin * knee_down],
            [cos * side - sin * down, -cos * along, cos * knee_down],
        ]
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)

    def _plane(self, joints: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(…, 4) where each foot is in the plane of its thigh: forward, and up."""
        thigh, shank = joints[..., 1], joints[..., 1] + joints[..., 2]
        along = -self._thigh * np.sin(thigh) - self._calf * np.sin(shank)
        down = -self._thigh * np.cos(thigh) - self._calf * np.cos(shank)
        return along, down
