"""The driver of a UR arm with a Robotiq gripper, over RTDE."""

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.streaming.robot import StreamingRobot
from reins.hardware.ur.gripper import robotiq_hand
from reins.hardware.ur.library import load_ur_rtde
from reins.hardware.ur.session import URSession


def ur_robot(profile: RobotProfile, address: str) -> StreamingRobot:
    """The driver, not yet connected.

    Args:
        profile: the robot, with its part `ur`.
        address: host name or IP address of the control box.

    Raises:
        ReinsError: the profile is not a UR's, there is no address, or ur-rtde is not installed.
    """
    drive = profile.ur
    if drive is None:
        raise ReinsError(
            f"profile '{profile.name}' has no part 'ur', and the driver 'ur' drives no other arm; "
            "give the profile ur5e or ur10e"
        )
    if not address:
        raise ReinsError("the driver 'ur' needs the address of the robot's control box: robot_ip")
    library = load_ur_rtde()
    return StreamingRobot(
        profile,
        f"the UR arm at {address}",
        lambda: URSession(library, address, drive),
        lambda: robotiq_hand(address, profile.gripper),
    )
