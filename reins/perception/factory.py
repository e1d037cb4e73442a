"""Perception backends by name."""

from typing import Final

from reins.contracts.errors import UnknownName
from reins.hardware.profile import RobotProfile
from reins.perception.geometric import GeometricPerception, GeometricSettings
from reins.perception.state import StatePerception
from reins.perception.tracker import TrackerSettings

BACKENDS: Final = ("geometric", "state")
"""Names of the backends: from camera images, or from a simulator's truth (baselines only)."""


def make_perception(
    name: str, profile: RobotProfile, tracker: TrackerSettings | None = None, frozen_after: float = 0.0
) -> GeometricPerception | StatePerception:
    """The perception backend of that name.

    `geometric` takes images (`update`), `state` a simulator's world state (`update_from_truth`).

    Args:
        name: one of BACKENDS.
        profile: the robot.
        tracker: when objects appear and disappear; only `geometric` uses it.
        frozen_after: see GeometricSettings; only `geometric` uses it.

    Raises:
        UnknownName: no such backend; lists those that exist.
    """
    if name == "geometric":
        return GeometricPerception(profile, GeometricSettings(tracker or TrackerSettings(), frozen_after=frozen_after))
    if name == "state":
        return StatePerception()
    raise UnknownName("perception backend", name, BACKENDS)
