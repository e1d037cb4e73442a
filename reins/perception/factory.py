"""Perception backends by name."""

from typing import Final

from reins.contracts.errors import UnknownName
from reins.hardware.profile import RobotProfile
from reins.perception.geometric import GeometricPerception, GeometricSettings
from reins.perception.state import StatePerception

BACKENDS: Final = ("geometric", "state")
"""Names of the backends: from camera images, or from a simulator's truth (baselines only)."""


def make_perception(
    name: str, profile: RobotProfile, settings: GeometricSettings | None = None
) -> GeometricPerception | StatePerception:
    """The perception backend of that name.

    `geometric` takes images (`update`), `state` a simulator's world state (`update_from_truth`).

    Args:
        name: one of BACKENDS.
        profile: the robot.
        settings: of the geometric backend; `state` has none.

    Raises:
        UnknownName: no such backend; lists those that exist.
    """
    if name == "geometric":
        return GeometricPerception(profile, settings)
    if name == "state":
        return StatePerception()
    raise UnknownName("perception backend", name, BACKENDS)
