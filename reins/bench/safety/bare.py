"""What a filter cannot do without, called directly: kinematics, all distances, the nearest as rows of one QP."""

from collections.abc import Sequence
from typing import Final

import coal
import daqp
import numpy as np
import pinocchio as pin

from reins.hardware.collision_model import link_shapes
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray

NEAREST: Final = 8
"""Distances that the QP knows of, as many as the filter's."""


class Bare:
    """Of one arm and boxes around it.

    Args:
        profile: the robot.
        boxes: centre (3,) and full extents (3,) of each [m].
    """

    def __init__(self, profile: RobotProfile, boxes: Sequence[tuple[FloatArray, FloatArray]]) -> None:
        kinematics = Kinematics(profile)
        self._model, self._data = kinematics.model, kinematics.model.createData()
        self._tool = self._model.getFrameId("reins_tool")
        self._geometry = pin.GeometryModel()
        links = link_shapes(profile)
        for link in links:
            self._add(link.name, link.joint, link.to_coal(), pin.SE3.Identity())
        for number, (centre, size) in enumerate(boxes):
            self._add(f"box {number}", 0, coal.Box(*map(float, size)), pin.SE3(np.eye(3), centre))
        if profile.table is not None:
            self._add("table", 0, coal.Halfspace(np.array([0.0, 0.0, 1.0]), profile.table), pin.SE3.Identity())
        for first in range(self._geometry.ngeoms):
            for second, link in enumerate(links):
                apart = first >= len(links) and link.joint > 0
                if apart or (first < len(links) and link.joint - links[first].joint > 1):
                    self._geometry.addCollisionPair(pin.CollisionPair(first, second))
        self._distances = self._geometry.createData()
        n = len(profile.joints)
        self._results = self._distances.distanceResults
        self._rows = np.zeros((3 + NEAREST, n))
        self._high = np.concatenate([profile.velocity, np.full(3 + NEAREST, profile.workspace.tool_speed)])
        self._low = -self._high
        self._low[n + 3 :] = -1e30
        self._regular = 1e-4 * np.eye(n)
        self._solver = daqp.Model()
        self._solver.setup(np.eye(n), np.zeros(n), self._rows, self._high, -self._high)

    def run(self, position: FloatArray, wanted: FloatArray) -> None:
        """Once, for `position` (n,) [rad] and `wanted` (n,) [rad/s]."""
        pin.computeJointJacobians(self._model, self._data, position)
        pin.updateFramePlacement(self._model, self._data, self._tool)
        aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        jacobian = pin.getFrameJacobian(self._model, self._data, self._tool, aligned)
        pin.updateGeometryPlacements(self._model, self._data, self._geometry, self._distances)
        pin.computeDistances(self._geometry, self._distances)
        gaps = np.array([result.min_distance for result in self._results])
        self._rows[:3] = jacobian[:3]
        whole, n = self._data.J, len(wanted)
        for row, number in enumerate(np.argpartition(gaps, NEAREST)[:NEAREST].tolist(), start=3):
            result = self._results[number]
            normal, point = result.normal, result.getNearestPoint2()
            x, y, z = point
            arm = np.array(
                [y * normal[2] - z * normal[1], z * normal[0] - x * normal[2], x * normal[1] - y * normal[0]]
            )
            self._rows[row] = -(normal @ whole[:3] + arm @ whole[3:])
            self._high[n + row] = max(gaps[number], 0.0)
        metric = jacobian.T @ jacobian + self._regular
        self._solver.update(H=metric, f=-(metric @ wanted), A=self._rows, bupper=self._high, blower=self._low)
        self._solver.solve()

    def _add(self, name: str, joint: int, shape: coal.CollisionGeometry, placement: pin.SE3) -> None:
        self._geometry.addGeometryObject(pin.GeometryObject(name, joint, placement, shape))
