"""The walls of the workspace: how far they are, and whether the arm can still stop in front of them."""

from typing import Final

import numpy as np

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.limits import braking_time

PATH_TOLERANCE: Final = 1e-3
"""The tool's path is looked at in points so close that it bends by less than this between them [m]; the walls that are
kept to stand inside the profile's by as much, so that the profile's are never crossed."""

_MAX_POINTS: Final = 16
"""Most points of a path that are looked at; only a motion far beyond every tool speed limit would need more."""

_OVERCORRECTION: Final = 1.1
"""How much more than it overshot an answer is pulled back, so that the next one does not miss by a rounding."""


class WorkspaceGuard:
    """An axis-aligned box for the tool point.

    Where the tool is outside already (the arm was parked there), the walls that it is beyond stand where it is: it can
    move inwards and along them, and never farther out.

    Walls are numbered -x, -y, -z, +x, +y, +z.

    Args:
        profile: the box.
        kinematics: of the same profile; used from the same thread.
    """

    def __init__(self, profile: RobotProfile, kinematics: Kinematics) -> None:
        self._kinematics = kinematics
        self._acceleration = profile.acceleration
        self._hold = profile.rates.stale_after
        lower, upper = np.array(profile.workspace.lower), np.array(profile.workspace.upper)
        self._walls = np.concatenate([-lower, upper]) - PATH_TOLERANCE
        self._reach = kinematics.tool_reach
        self._bend = float(np.sqrt(self._reach[0] / (8.0 * PATH_TOLERANCE)))
        self._room = np.zeros(6)
        self._nearest = 0.0
        self._overshot = np.zeros(6)

    def place(self, tool: FloatArray) -> FloatArray:
        """Say where the tool point is now, (3,) [m] in the base frame; the room to each wall (6,) [m], < 0
        beyond it."""
        self._room[:3] = self._walls[:3] + tool
        self._room[3:] = self._walls[3:] - tool
        self._nearest = float(self._room.min())
        return self._room

    def can_stop(self, position: FloatArray, velocity: FloatArray, tool: FloatArray) -> bool:
        """Whether the tool stays inside when the arm keeps `velocity` as long as it may and then brakes along it.

        That path is a straight line in joint space, and the path of every later braking is a part of it.

        Args:
            position: (n,) reference now [rad].
            velocity: (n,) joint velocity [rad/s].
            tool: (3,) where `place` was told that the tool is [m].
        """
        way = velocity * self._horizon(velocity)
        angles = np.abs(way)
        if float(self._reach @ angles) <= self._nearest:
            return True
        points = min(_MAX_POINTS, int(float(angles.sum()) * self._bend) + 1)
        lowest, highest = np.zeros(3), np.zeros(3)
        for index in range(1, points + 1):
            went = self._kinematics.tool_pose(position + way * (index / points)).position - tool
            np.minimum(lowest, went, out=lowest)
            np.maximum(highest, went, out=highest)
        self._overshot = np.maximum(np.concatenate([-lowest, highest]) - np.maximum(self._room, 0.0), 0.0)
        return not self._overshot.any()

    def excess(self, velocity: FloatArray) -> FloatArray:
        """(6,) by how much `velocity`, which `can_stop` refused last, was too fast towards each wall [m/s]."""
        return self._overshot * (_OVERCORRECTION / self._horizon(velocity))

    def _horizon(self, velocity: FloatArray) -> float:
        """Time at `velocity` that goes as far as keeping it for the hold time and then braking [s]."""
        return self._hold + 0.5 * braking_time(velocity, self._acceleration)
