"""The walls of the workspace: how fast the tool may approach them, and whether the arm can still stop
in front of them."""

from typing import Final

import numpy as np

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.limits import braking_time, stopping_speed
from reins.safety.settings import SafetySettings

PATH_TOLERANCE: Final = 1e-3
"""The tool's path is looked at in points so close that between them it bends by less than this [m]; the walls that the
guard keeps to stand inside the profile's by as much, so that the profile's are never crossed."""

_MAX_POINTS: Final = 16
"""Most points of a path that are looked at; only a motion far beyond every tool speed limit would need more."""

_OVERCORRECTION: Final = 1.1
"""How much farther than it overshot an answer is pulled back, so that the next one does not miss by a rounding."""


class WorkspaceGuard:
    """An axis-aligned box for the tool point.

    Where the tool is outside already (the arm was parked there), the walls that it is beyond stand where it is: it can
    move inwards and along them, and never farther out.

    Args:
        profile: the box.
        settings: with which deceleration walls are approached.
        kinematics: of the same profile; used from the same thread.
    """

    def __init__(self, profile: RobotProfile, settings: SafetySettings, kinematics: Kinematics) -> None:
        self._kinematics = kinematics
        self._acceleration = profile.acceleration
        self._hold = profile.rates.stale_after
        self._lower = np.array(profile.workspace.lower) + PATH_TOLERANCE
        self._upper = np.array(profile.workspace.upper) - PATH_TOLERANCE
        self._deceleration = np.full(3, settings.tool_deceleration)
        self._reach = kinematics.tool_reach
        self._bend = np.sqrt(float(self._reach[0]) / (8.0 * PATH_TOLERANCE))
        self._low, self._high, self._room = self._lower, self._upper, 0.0
        self._over_low = self._over_high = np.zeros(3)
        self.slowest = np.zeros(3)
        """(3,) lowest linear velocity of the tool that is allowed now [m/s], base frame."""
        self.fastest = np.zeros(3)
        """(3,) highest linear velocity of the tool that is allowed now [m/s], base frame."""

    def place(self, tool: FloatArray) -> None:
        """Say where the tool point is now, (3,) [m] in the base frame."""
        below, above = tool - self._lower, self._upper - tool
        self._low, self._high = np.minimum(self._lower, tool), np.maximum(self._upper, tool)
        self._room = float(min(below.min(), above.min()))
        self.slowest = -stopping_speed(below, self._deceleration, self._hold)
        self.fastest = stopping_speed(above, self._deceleration, self._hold)

    def allows(self, tool_velocity: FloatArray) -> bool:
        """Whether the tool may move with this linear velocity (3,) [m/s]."""
        return bool((tool_velocity >= self.slowest).all() and (tool_velocity <= self.fastest).all())

    def can_stop(self, position: FloatArray, velocity: FloatArray) -> bool:
        """Whether the tool stays inside when the arm keeps `velocity` as long as it may and then brakes along it.

        That path is a straight line in joint space, and so is the path of every later braking: a part of this one.

        Args:
            position: (n,) reference now [rad], where `place` was told that the tool is.
            velocity: (n,) joint velocity [rad/s].
        """
        way = velocity * self._horizon(velocity)
        angles = np.abs(way)
        if float(self._reach @ angles) <= self._room:
            return True
        points = min(_MAX_POINTS, int(float(angles.sum()) * self._bend) + 1)
        lowest, highest = self._low.copy(), self._high.copy()
        for index in range(1, points + 1):
            tool = self._kinematics.tool_pose(position + way * (index / points)).position
            np.minimum(lowest, tool, out=lowest)
            np.maximum(highest, tool, out=highest)
        self._over_low, self._over_high = self._low - lowest, highest - self._high
        return not (self._over_low.any() or self._over_high.any())

    def move_in(self, velocity: FloatArray) -> None:
        """Tighten the allowed tool velocity by what `velocity`, which `can_stop` refused last, overshot the
        walls by."""
        share = _OVERCORRECTION / self._horizon(velocity)
        self.slowest = self.slowest + self._over_low * share
        self.fastest = self.fastest - self._over_high * share

    def _horizon(self, velocity: FloatArray) -> float:
        """Time at `velocity` that goes as far as keeping it for the hold time and then braking [s]."""
        return self._hold + 0.5 * braking_time(velocity, self._acceleration)
