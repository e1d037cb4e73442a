"""How an arm behind ros2_control is driven: which controller takes the setpoints, and where joint states come from."""

from enum import Enum
from typing import Annotated

from pydantic import Field

from reins.hardware.profile_base import Finite, Part, Positive

RosName = Annotated[str, Field(pattern=r"^[A-Za-z/][A-Za-z0-9_/]*$")]


class Controls(str, Enum):
    """What the controller takes."""

    TRAJECTORY = "trajectory"
    """trajectory_msgs/JointTrajectory: joint_trajectory_controller."""

    POSITION = "position"
    """std_msgs/Float64MultiArray of positions: JointGroupPositionController, forward_command_controller."""

    VELOCITY = "velocity"
    """std_msgs/Float64MultiArray of velocities: JointGroupVelocityController, forward_command_controller."""


class GripperControls(str, Enum):
    """What the gripper's controller takes."""

    ACTION = "action"
    """control_msgs/action/GripperCommand: GripperActionController."""

    POSITION = "position"
    """std_msgs/Float64MultiArray of one position: JointGroupPositionController, forward_command_controller."""


class GripperController(Part):
    """A gripper of one driven joint.

    Attributes:
        controller: name of its controller.
        controls: what it takes.
        joint: whose position joint states tell.
        closed, open: that position with the fingers together, and as far apart as the profile's `max_width`.
    """

    controller: RosName
    controls: GripperControls = GripperControls.ACTION
    joint: str
    closed: Finite
    open: Finite


class Ros2ControlDrive(Part):
    """Names are ROS names: with a slash in front they are absolute, else relative to the root namespace.

    Attributes:
        controller: name of the controller that takes the setpoints.
        controls: what it takes.
        controller_manager: name of the controller manager.
        joint_states: topic of the joint state broadcaster.
        prefix: stands before the profile's joint names in ros2_control.
        rate: setpoints a second [Hz].
        horizon: how far ahead a trajectory's point is [s]; the arm is behind the setpoints by about as much. Longer
            than a period of the setpoints, or the controller is at the end of each one before the next comes.
        gain: of the way between setpoint and joint, for a controller of velocities, which has no position [1/s].
        following: a joint that is farther from its setpoint is a fault [rad].
        gripper: none if it is driven by something else.
    """

    controller: RosName = "joint_trajectory_controller"
    controls: Controls = Controls.TRAJECTORY
    controller_manager: RosName = "controller_manager"
    joint_states: RosName = "joint_states"
    prefix: str = ""
    rate: Positive = 200.0
    horizon: Positive = 0.04
    gain: Positive = 8.0
    following: Positive = 0.15
    gripper: GripperController | None = None
