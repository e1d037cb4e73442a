"""Which arm it is, as far as the robot tells: its own URDF has the limits of its joints."""

import xml.etree.ElementTree as ElementTree
from typing import Final

from reins.hardware.profile import RobotProfile

SLACK: Final = 0.01
"""A profile's limit may be this far beyond the robot's own [rad]: descriptions are rounded."""


def objection(urdf: str, profile: RobotProfile) -> str:
    """Why a robot is not the profile's; empty if it may be, or does not tell.

    A Panda's joints go where a Research 3's cannot, and the other way round: a profile's range has to be within the
    robot's.

    Args:
        urdf: what the robot says of itself; perhaps nothing.
        profile: what it is taken for.
    """
    try:
        root = ElementTree.fromstring(urdf)
    except ElementTree.ParseError:
        return ""
    limits = [joint.find("limit") for joint in root.iter("joint") if joint.get("type") == "revolute"]
    ranges = [
        (float(limit.get("lower", "-inf")), float(limit.get("upper", "inf"))) for limit in limits if limit is not None
    ]
    if len(ranges) != len(profile.joints):
        return ""
    for joint, (lower, upper) in zip(profile.joints, ranges, strict=True):
        if joint.lower < lower - SLACK or joint.upper > upper + SLACK:
            return (
                f"it calls itself '{root.get('name')}', where {joint.name} goes from {lower:.3f} to {upper:.3f} rad, "
                f"and in profile '{profile.name}' from {joint.lower:.3f} to {joint.upper:.3f}: give this arm's profile"
            )
    return ""
