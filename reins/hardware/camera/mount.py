"""Where a camera is mounted: the part `cameras` of a robot profile."""

from typing import Literal

import numpy as np
import pinocchio as pin
from pydantic import Field

from reins.hardware.profile_base import Part, Triple
from reins.hardware.robot import FloatArray


class CameraMount(Part):
    """Pose of a camera's optical frame (x right, y down, z forward) in the frame that it is fixed to.

    Attributes:
        name: of the camera, as in its topics.
        mount: "base": fixed beside the robot, in its base frame; "tool": carried by the hand, in the tool frame.
        xyz: position [m].
        rpy: roll, pitch, yaw [rad]: the fixed-axis angles of URDF.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    mount: Literal["base", "tool"]
    xyz: Triple
    rpy: Triple

    @property
    def pose(self) -> FloatArray:
        """(4, 4) in the frame of the mount."""
        return np.asarray(pin.SE3(pin.rpy.rpyToMatrix(*self.rpy), np.array(self.xyz)).homogeneous)


def mount_from_pose(name: str, mount: Literal["base", "tool"], pose: FloatArray) -> CameraMount:
    """A mount from its pose (4, 4), rounded to micrometres and microradians."""
    x, y, z = (round(float(value), 6) for value in pose[:3, 3])
    roll, pitch, yaw = (round(float(value), 6) for value in pin.rpy.matrixToRpy(pose[:3, :3]))
    return CameraMount(name=name, mount=mount, xyz=(x, y, z), rpy=(roll, pitch, yaw))
