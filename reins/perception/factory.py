"""Perception backends by name."""

from functools import partial
from typing import Final

from reins.contracts.errors import ReinsError, UnknownName, look_up
from reins.hardware.profile import RobotProfile
from reins.hardware.profile_base import Profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.perception.fused import FusedPerception
from reins.perception.geometric import GeometricPerception, GeometricSettings
from reins.perception.legs.geometric import GeometricOnLegs
from reins.perception.seeing import Seeing
from reins.perception.state import StatePerception, setting_of
from reins.perception.tagged import NO_TAGS, TaggedObjects
from reins.perception.tags import TagPerception
from reins.perception.vision_language.asking import VisionModel
from reins.perception.vision_language.doors import DOORS
from reins.perception.vision_language.hybrid import HybridPerception
from reins.perception.vision_language.settings import NO_MODEL, TINY, VisionSettings
from reins.perception.vision_language.vlm import VlmPerception

BACKENDS: Final = ("geometric", "apriltag", "hybrid", "vlm", "tiny_vlm", "state")
"""Names of the backends: from colour and depth images; from colour images of objects that carry tags; numbers from
these and words from a vision-language model; what such a model names; what our own small one names; or from a
simulator's truth (for baselines). With a model, `apriltag` has its words, too. Robots that walk have `geometric` and
`state`."""


def make_perception(
    name: str,
    profile: Profile,
    settings: GeometricSettings | None = None,
    tagged: TaggedObjects = NO_TAGS,
    vision: VisionSettings | None = None,
) -> Seeing | StatePerception:
    """The perception backend of that name.

    All but `state` take images (`update`), `state` a simulator's world state (`update_from_truth`). `hybrid` without a
    model is `geometric`. A model is not loaded yet.

    Args:
        name: one of BACKENDS.
        profile: the robot.
        settings: of the backends that look through cameras.
        tagged: which objects carry which tags; `geometric` and `hybrid` find them by these, too.
        vision: the vision-language model.

    Raises:
        UnknownName: no such backend; lists those that exist.
        ReinsError: `vlm` without a model, or a backend that looks at tables for a robot that stands at none.
    """
    vision = vision or VisionSettings()
    if name not in BACKENDS:
        raise UnknownName("perception backend", name, BACKENDS)
    if name == "state":
        return StatePerception(setting_of(profile))
    if isinstance(profile, QuadrupedProfile) and name == "geometric":
        return GeometricOnLegs(profile, settings)
    if not isinstance(profile, RobotProfile):
        raise ReinsError(
            f"the {name} backend looks at tables, and '{profile.name}' is a {profile.kind}; geometric serves those "
            "that walk, and state, for simulations"
        )
    if name == "apriltag":
        return _worded(TagPerception(profile, tagged, settings), vision)
    if name == "tiny_vlm":
        vision = vision.model_copy(update={"vlm": TINY})
    if name in ("vlm", "tiny_vlm"):
        if vision.vlm == NO_MODEL:
            raise ReinsError(f"the vlm backend needs a model; set the parameter 'vlm' to {', '.join(DOORS)}")
        return VlmPerception(profile, vision_model(vision), vision, settings)
    measured = _measuring(profile, settings, tagged)
    return measured if name == "geometric" else _worded(measured, vision)


def vision_model(vision: VisionSettings) -> VisionModel:
    """A vision-language model, which is not loaded yet.

    Raises:
        UnknownName: nothing of that name runs one.
    """
    return VisionModel(partial(look_up("vision-language model", vision.vlm, DOORS), vision), vision)


def _worded(core: Seeing, vision: VisionSettings) -> Seeing:
    """A backend with the words of a model, if there is to be one."""
    return core if vision.vlm == NO_MODEL else HybridPerception(core, vision_model(vision), vision)


def _measuring(profile: RobotProfile, settings: GeometricSettings | None, tagged: TaggedObjects) -> Seeing:
    geometric = GeometricPerception(profile, settings)
    return FusedPerception(geometric, TagPerception(profile, tagged, settings)) if tagged.objects else geometric
