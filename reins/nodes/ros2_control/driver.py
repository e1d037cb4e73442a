"""The driver of an arm behind ros2_control."""

from reins.hardware.profile import RobotProfile
from reins.hardware.streaming.robot import StreamingRobot
from reins.nodes.ros2_control.gripper import ros2_control_hand
from reins.nodes.ros2_control.session import Ros2ControlSession


def ros2_control_robot(profile: RobotProfile) -> StreamingRobot:
    """The driver, not yet connected; the profile's part `ros2_control` says how it is driven."""
    drive = profile.ros2_control
    gripper = drive.gripper
    return StreamingRobot(
        profile,
        f"the arm of {drive.joint_states}",
        lambda: Ros2ControlSession(drive, profile),
        None
        if gripper is None
        else lambda: ros2_control_hand(gripper, profile.gripper, drive.prefix, drive.joint_states),
    )
