"""The `hybrid` backend: numbers from geometry, words from a vision-language model that works beside it."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from reins.contracts.scene import Scene
from reins.hardware.robot import RobotState
from reins.perception.image import CameraImage, Diagnostic
from reins.perception.seeing import Seeing
from reins.perception.vision_language.asking import VisionModel
from reins.perception.vision_language.judging import Look, Told, judge, look_at, told
from reins.perception.vision_language.settings import VisionSettings
from reins.perception.vision_language.speaker import Speaker


class HybridPerception:
    """A backend that measures, and words for what it has measured. Not thread-safe but for `speaker`.

    Objects, poses, colours and relations are those of the other backend, whatever the model says. It is never waited
    for: the newest words are used while they are not too old, and without any, scenes are the other backend's.

    Args:
        core: the backend that measures.
        model: gives the words.
        settings: how often, and how long they count.
    """

    def __init__(self, core: Seeing, model: VisionModel, settings: VisionSettings) -> None:
        self._core = core
        self._age = settings.age
        self.source = f"{core.source}, vlm"
        self.speaker: Speaker[Look, Told] = Speaker(
            model, settings, lambda look: [look.image], lambda said, look: judge(said[0], look)
        )
        """The model, for questions and reports."""
        self._scene = self._worded(core.scene)

    @property
    def scene(self) -> Scene:
        """The newest scene."""
        return self._scene

    @property
    def image_stamps(self) -> Mapping[str, float]:
        """Robot time of each camera's newest image that could be used [s]."""
        return self._core.image_stamps

    @property
    def frozen(self) -> Set[str]:
        """Cameras whose image has not changed though it should have; each until it changes."""
        return self._core.frozen

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was wrong with the last update, and with the model; empty if nothing was."""
        return (*self._core.diagnostics, *self.speaker.diagnostics)

    def reset(self) -> None:
        """Forget every object, image, state and word."""
        self._core.reset()
        self.speaker.forget()
        self._scene = self._worded(self._core.scene)

    def on_state(self, state: RobotState) -> None:
        """Remember a robot state; see `geometric`."""
        self._core.on_state(state)

    def update(self, images: Sequence[CameraImage], state: RobotState | None) -> Scene:
        """The scene after these images: at most one per camera, all of about one time; see `geometric`."""
        before = self._core.scene.stamp
        scene = self._core.update(images, state)
        if scene.stamp < before:  # robot time has started again, and what was said is about another table
            self.speaker.forget()
        stamps = self._core.image_stamps
        used = [image for image in images if stamps.get(image.name) == image.stamp]
        self.speaker.note(used)
        if used and self.speaker.wants:
            self.speaker.offer(look_at(scene, used))
        self._scene = self._worded(scene)
        return self._scene

    def _worded(self, scene: Scene) -> Scene:
        return told(replace(scene, source=self.source), self.speaker.newest, self._age)
