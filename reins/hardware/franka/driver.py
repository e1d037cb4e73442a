"""The driver of a Franka arm with its hand, over libfranka."""

from reins.contracts.errors import ReinsError
from reins.hardware.franka.gripper import franka_hand
from reins.hardware.franka.library import load_franky
from reins.hardware.franka.session import FrankaSession
from reins.hardware.profile import RobotProfile
from reins.hardware.streaming.robot import StreamingRobot


def franka_robot(profile: RobotProfile, address: str) -> StreamingRobot:
    """The driver, not yet connected.

    Args:
        profile: the robot, with its part `franka`.
        address: host name or IP address of the control box.

    Raises:
        ReinsError: the profile is not a Franka's, there is no address, or franky-control is not installed.
    """
    if profile.franka is None:
        raise ReinsError(f"profile '{profile.name}' has no part 'franka', and the driver 'franka' drives no other arm")
    if not address:
        raise ReinsError("the driver 'franka' needs the address of the robot's control box: robot_ip")
    franky = load_franky()
    return StreamingRobot(
        profile,
        f"the Franka arm at {address}",
        lambda: FrankaSession(franky, address, profile),
        lambda: franka_hand(franky, address, profile.gripper),
    )
