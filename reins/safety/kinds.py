"""Which part moves which kind of robot: the one place in this room where the kind decides."""

from typing import Any

from reins.hardware.profile import RobotProfile
from reins.hardware.profile_base import Profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.safety.arm import ArmMover
from reins.safety.constraints import ConstraintSet
from reins.safety.legged.mover import LeggedMover
from reins.safety.legged.settings import LeggedSettings
from reins.safety.motion import FilterMaker
from reins.safety.mover import Mover
from reins.safety.settings import SafetySettings


def make_mover(
    profile: Profile,
    settings: SafetySettings,
    constraints: ConstraintSet,
    make_filter: FilterMaker,
    legged: LeggedSettings,
) -> Mover[Any, Any, Any]:
    """The mover of a robot.

    Args:
        profile: the robot.
        settings: the monitor's.
        constraints: those in force.
        make_filter: makes an arm's filter.
        legged: parameters of a legged robot's.

    Raises:
        ReinsError: the robot's model cannot be loaded, or the rule for people makes no sense.
    """
    if isinstance(profile, QuadrupedProfile):
        return LeggedMover(profile, settings, legged, constraints)
    assert isinstance(profile, RobotProfile), f"{profile.name} is of an unknown kind"
    return ArmMover(profile, settings, constraints, make_filter)
