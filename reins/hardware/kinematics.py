"""Forward kinematics and Jacobians of a profile's tool, by pinocchio from the profile's URDF."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import pinocchio as pin

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray

_ALIGNED: Final = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
"""Velocities of a frame in the axes of the base frame."""


@dataclass(slots=True, eq=False)  # made in every control period, where freezing costs a microsecond
class ToolPose:
    """Pose of the tool in the base frame: position (3,) [m], rotation matrix (3, 3)."""

    position: FloatArray
    rotation: FloatArray


class Kinematics:
    """Kinematics of one arm. Holds scratch memory: one instance per thread.

    Args:
        profile: the robot.

    Raises:
        ReinsError: the URDF lacks a joint or the tool link that the profile names.
    """

    def __init__(self, profile: RobotProfile) -> None:
        full = pin.buildModelFromUrdf(str(profile.model.path(profile.model.urdf)))
        wanted = [joint.model_name for joint in profile.joints]
        missing = [name for name in wanted if not full.existJointName(name)]
        if missing:
            raise ReinsError(f"the URDF of '{profile.name}' has no joint {', '.join(missing)}")
        locked = [full.getJointId(name) for name in full.names[1:] if name not in wanted]
        self.model = pin.buildReducedModel(full, locked, pin.neutral(full)) if locked else full
        if list(self.model.names[1:]) != wanted:
            raise ReinsError(
                f"the joint order of profile '{profile.name}' differs from its URDF: {list(full.names[1:])}"
            )
        if not self.model.existFrame(profile.tool.link):
            raise ReinsError(f"the URDF of '{profile.name}' has no link '{profile.tool.link}'")
        parent = self.model.frames[self.model.getFrameId(profile.tool.link)]
        offset = pin.SE3(pin.rpy.rpyToMatrix(*profile.tool.rpy), np.array(profile.tool.xyz))
        self._tool = self.model.addFrame(
            pin.Frame("reins_tool", parent.parentJoint, parent.placement * offset, pin.FrameType.OP_FRAME)
        )
        self._data = self.model.createData()
        placement = self._data.oMf[self._tool]
        self._origin, self._axes = placement.translation, placement.rotation  # views, written at every update
        elbow = profile.elbow.joint if profile.elbow else profile.joint_names[0]
        self._elbow = profile.joint_names.index(elbow) + 1

    @property
    def data(self) -> pin.Data:
        """pinocchio's data of the position that was asked for last."""
        return self._data

    @property
    def joint_jacobians(self) -> FloatArray:
        """(6, n) velocity [m/s, rad/s] of a body at the base's origin per speed of each joint, base frame; of the
        position that `tool_jacobian` was asked for last. A joint moves only what comes after it."""
        return np.asarray(self._data.J)

    def elbow_jacobian(self) -> FloatArray:
        """(3, n) Jacobian of the elbow's linear velocity [m/s], base frame's axes, where `tool_jacobian` was asked for
        last; of the first joint without an elbow."""
        return np.asarray(pin.getJointJacobian(self.model, self._data, self._elbow, _ALIGNED))[:3]

    @property
    def tool_in_last_joint(self) -> pin.SE3:
        """The tool's frame in that of the last joint."""
        return self.model.frames[self._tool].placement

    @cached_property
    def tool_reach(self) -> FloatArray:
        """(n,) how far the tool can be from each joint's axis at most [m]; times an angle it bounds the tool's way."""
        lengths = [float(np.linalg.norm(placement.translation)) for placement in self.model.jointPlacements[2:]]
        lengths.append(float(np.linalg.norm(self.model.frames[self._tool].placement.translation)))
        return np.cumsum(lengths[::-1])[::-1].copy()

    def tool_pose(self, position: FloatArray) -> ToolPose:
        """Pose of the tool at joint `position` (n,) [rad]."""
        pin.forwardKinematics(self.model, self._data, position)
        pin.updateFramePlacement(self.model, self._data, self._tool)
        return ToolPose(self._origin.copy(), self._axes.copy())

    def tool_jacobian(self, position: FloatArray) -> tuple[ToolPose, FloatArray]:
        """Tool pose and (6, n) Jacobian at joint `position` (n,) [rad].

        Rows: linear velocity of the tool [m/s], then angular [rad/s], both in the base frame's axes.
        """
        pin.computeJointJacobians(self.model, self._data, position)
        pin.updateFramePlacement(self.model, self._data, self._tool)
        jacobian: FloatArray = pin.getFrameJacobian(self.model, self._data, self._tool, _ALIGNED)
        return ToolPose(self._origin.copy(), self._axes.copy()), jacobian
