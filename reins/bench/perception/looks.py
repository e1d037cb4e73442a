"""Perception as the benchmark looks through it: images in, scene out, for any backend."""

from collections.abc import Sequence

from reins.contracts.scene import Scene
from reins.hardware.profile import RobotProfile
from reins.perception.factory import make_perception
from reins.perception.seeing import Seeing
from reins.perception.state import StatePerception
from reins.sim.camera import CameraImage
from reins.training.renders.picture import Picture


class Looker:
    """One perception backend that looks at pictures.

    Args:
        backend: its name.
        profile: the robot.

    Raises:
        UnknownName: no such backend; lists those that exist.
    """

    def __init__(self, backend: str, profile: RobotProfile) -> None:
        self._core: Seeing | StatePerception = make_perception(backend, profile)
        self._profile = profile

    def forget(self) -> None:
        """The next picture is of another table."""
        self._core.reset()

    def look(self, picture: Picture, images: Sequence[CameraImage], stamp: float) -> Scene:
        """The scene after these images, all taken at `stamp` [s]."""
        if isinstance(self._core, StatePerception):
            return self._core.update_from_truth(picture.truth(stamp))
        return self._core.update(images, picture.state(self._profile, stamp))
