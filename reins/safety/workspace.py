"""The walls of the workspace: how far they are, and whether a path of the arm stays inside."""

from typing import Final

import numpy as np

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray

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

    def can_go(self, position: FloatArray, way: FloatArray, tool: FloatArray, jacobian: FloatArray) -> bool:
        """Whether the tool stays inside on a straight path in joint space.

        Args:
            position: (n,) reference now [rad].
            way: (n,) the path from there [rad].
            tool: (3,) where `place` was told that the tool is [m].
            jacobian: (6, n) of the tool there.
        """
        angles = np.abs(way)
        farthest, turn = float(self._reach @ angles), float(angles.sum())
        if farthest <= self._nearest:
            return True
        ahead = jacobian[:3] @ way
        bent = 0.5 * farthest * turn  # a path leaves its tangent by at most half of its second derivative
        if (np.maximum(np.concatenate([-ahead, ahead]), 0.0) + bent <= self._room).all():
            return True
        points = min(_MAX_POINTS, int(turn * self._bend) + 1)
        lowest, highest = np.zeros(3), np.zeros(3)
        for index in range(1, points + 1):
            went = self._kinematics.tool_pose(position + way * (index / points)).position - tool
            np.minimum(lowest, went, out=lowest)
            np.maximum(highest, went, out=highest)
        self._overshot = np.maximum(np.concatenate([-lowest, highest]) - np.maximum(self._room, 0.0), 0.0)
        return not self._overshot.any()

    @property
    def excess(self) -> FloatArray:
        """(6,) how much farther than each wall the path that `can_go` refused last would go, and a little more [m]."""
        return self._overshot * _OVERCORRECTION
