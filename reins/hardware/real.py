"""The drivers of real arms by name. Nothing is imported before it is asked for."""

from collections.abc import Callable
from typing import Final

from reins.contracts.errors import look_up
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import Robot


def _franka(profile: RobotProfile, address: str) -> Robot:
    from reins.hardware.franka.driver import franka_robot

    return franka_robot(profile, address)


def _ur(profile: RobotProfile, address: str) -> Robot:
    from reins.hardware.ur.driver import ur_robot

    return ur_robot(profile, address)


REAL: Final[dict[str, Callable[[RobotProfile, str], Robot]]] = {"franka": _franka, "ur": _ur}
"""Driver's name → driver, not yet connected, from (profile, address of the robot)."""

OTHERS: Final = {"ur": "ur5e", "go2": "go2"}
"""Driver → profile, where that is not the first arm's."""


def usual_profile(driver: str) -> str:
    """Name of the profile that a driver, of whatever robot, is used with where none is named."""
    return OTHERS.get(driver, "franka")


def make_real(name: str, profile: RobotProfile, address: str) -> Robot:
    """The driver of a real arm, not yet connected.

    Raises:
        UnknownName: no such driver; lists those that exist.
        ReinsError: it is not installed, or the profile or the address does not fit; says what to do.
    """
    return look_up("driver", name, REAL)(profile, address)
