"""The shape of a backend that looks through cameras."""

from collections.abc import Mapping, Sequence, Set
from typing import Any, Protocol

from reins.contracts.scene import Scene
from reins.perception.image import CameraImage, Diagnostic


class Seeing(Protocol):
    """Camera images to scenes. Not thread-safe: one thread calls it. States are those of its kind of robot."""

    @property
    def source(self) -> str:
        """Its name in scenes."""
        ...

    @property
    def scene(self) -> Scene:
        """The newest scene."""
        ...

    @property
    def image_stamps(self) -> Mapping[str, float]:
        """Robot time of each camera's newest image that could be used [s]."""
        ...

    @property
    def frozen(self) -> Set[str]:
        """Cameras whose image has not changed though it should have; each until it changes."""
        ...

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was wrong with the last update; empty if nothing was."""
        ...

    def reset(self) -> None:
        """Forget every object, image and state."""

    def on_state(self, state: Any) -> None:
        """Remember a robot state, so that images are read with the body where it was when they were taken."""

    def update(self, images: Sequence[CameraImage], state: Any | None) -> Scene:
        """The scene after these images: at most one per camera, all of about one time."""
        ...
