"""Perception as the benchmark looks through it: images in, scene out, for any backend."""

from collections.abc import Sequence
from typing import Final

from reins.contracts.scene import Scene
from reins.hardware.profile import RobotProfile
from reins.perception.factory import make_perception
from reins.perception.seeing import Seeing
from reins.perception.state import StatePerception
from reins.perception.vision_language.settings import VisionSettings
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
        model: path of the file of the backend's model; empty for the one that ships.

    Raises:
        UnknownName: no such backend; lists those that exist.
        ReinsError: it needs a model, and there is none.
    """

    def __init__(self, backend: str, profile: RobotProfile, model: str = "") -> None:
        vision = VisionSettings(describe_period=NO_PAUSE, model=model)
        self._core: Seeing | StatePerception = make_perception(backend, profile, vision=vision)
        self._profile = profile
        self._patience = vision.answer_limit
        if isinstance(self._core, VlmPerception):
            self._core.speaker.load()

    def forget(self) -> None:
        """The next picture is of another table."""
        self._core.reset()

    def close(self) -> None:
        """Give back what it holds. It is not used again."""
        if isinstance(self._core, VlmPerception):
            self._core.speaker.close()

    def look(self, picture: Picture, images: Sequence[CameraImage], stamp: float) -> Scene:
        """The scene after these images, all taken at `stamp` [s]."""
        if isinstance(self._core, StatePerception):
            return self._core.update_from_truth(picture.truth(stamp))
        scene = self._core.update(images, picture.state(self._profile, stamp))
        if isinstance(self._core, VlmPerception):
            self._core.speaker.settle(self._patience)
            return self._core.update([], None)
        return scene
