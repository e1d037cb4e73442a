"""Perception as the benchmark looks through it: images in, scene out, for any backend."""

from collections.abc import Sequence
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.scene import Scene
from reins.hardware.profile import RobotProfile
from reins.perception.factory import make_perception
from reins.perception.seeing import Seeing
from reins.perception.state import StatePerception
from reins.perception.vision_language.hybrid import HybridPerception
from reins.perception.vision_language.settings import NO_MODEL, VisionSettings
from reins.perception.vision_language.vlm import VlmPerception
from reins.sim.camera import CameraImage
from reins.training.renders.picture import Picture

NO_PAUSE: Final = 1e-6
"""Between two descriptions: every picture is described [s]."""


class Looker:
    """One perception backend that looks at pictures.

    Args:
        backend: its name.
        profile: the robot.
        vision: its model; how often that describes is not taken from there.

    Raises:
        UnknownName: no such backend; lists those that exist.
        ReinsError: it needs a model, and there is none; or these pictures can show nothing of it.
    """

    def __init__(self, backend: str, profile: RobotProfile, vision: VisionSettings | None = None) -> None:
        vision = (vision or VisionSettings()).model_copy(update={"describe_period": NO_PAUSE})
        if backend == "apriltag":
            raise ReinsError("no picture of this benchmark shows a tag; measure another backend than apriltag")
        if backend == "hybrid" and vision.vlm == NO_MODEL:
            raise ReinsError("hybrid without a model is geometric; measure that, or name a model with --vlm")
        self._core: Seeing | StatePerception = make_perception(backend, profile, vision=vision)
        self._profile = profile
        self._patience = vision.answer_limit
        self._speaker = self._core.speaker if isinstance(self._core, VlmPerception | HybridPerception) else None
        if self._speaker is not None:
            self._speaker.load()

    def forget(self) -> None:
        """The next picture is of another table."""
        self._core.reset()

    def close(self) -> None:
        """Give back what it holds. It is not used again."""
        if self._speaker is not None:
            self._speaker.close()

    def look(self, picture: Picture, images: Sequence[CameraImage], stamp: float) -> Scene:
        """The scene after these images, all taken at `stamp` [s]."""
        if isinstance(self._core, StatePerception):
            return self._core.update_from_truth(picture.truth(stamp))
        scene = self._core.update(images, picture.state(self._profile, stamp))
        if self._speaker is not None:
            self._speaker.settle(self._patience)
            return self._core.update([], None)
        return scene
