"""Perception backends by name."""

from typing import Final

from reins.contracts.errors import UnknownName
from reins.hardware.profile import RobotProfile
from reins.perception.fused import FusedPerception
from reins.perception.geometric import GeometricPerception, GeometricSettings
from reins.perception.state import StatePerception
from reins.perception.tagged import NO_TAGS, TaggedObjects
from reins.perception.tags import TagPerception

BACKENDS: Final = ("geometric", "apriltag", "state")
"""Names of the backends: from colour and depth images, from colour images of objects that carry tags, or from a
simulator's truth (baselines only)."""

Seeing = GeometricPerception | TagPerception | FusedPerception
"""A backend that looks through cameras."""


def make_perception(
    name: str,
    profile: RobotProfile,
    settings: GeometricSettings | None = None,
    tagged: TaggedObjects = NO_TAGS,
) -> Seeing | StatePerception:
    """The perception backend of that name.

    `geometric` and `apriltag` take images (`update`), `state` a simulator's world state (`update_from_truth`).

    Args:
        name: one of BACKENDS.
        profile: the robot.
        settings: of the backends that look through cameras.
        tagged: which objects carry which tags; for `geometric` as well, which then finds them by their tags.

    Raises:
        UnknownName: no such backend; lists those that exist.
    """
    if name == "state":
        return StatePerception()
    if name == "apriltag":
        return TagPerception(profile, tagged, settings)
    if name != "geometric":
        raise UnknownName("perception backend", name, BACKENDS)
    geometric = GeometricPerception(profile, settings)
    return FusedPerception(geometric, TagPerception(profile, tagged, settings)) if tagged.objects else geometric
