"""The `vlm` backend: what a vision-language model names, where depth shows that something is."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from reins.contracts.scene import Scene
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import RobotState
from reins.perception.body import PlacedBody, RobotBody
from reins.perception.colours import ColourTable
from reins.perception.gate import Admitted, ImageGate
from reins.perception.geometric import GeometricSettings, region_of
from reins.perception.image import CameraImage, Diagnostic
from reins.perception.segment import Segmenter
from reins.perception.view import CameraView
from reins.perception.vision_language.asking import VisionModel
from reins.perception.vision_language.description import Description
from reins.perception.vision_language.placing import placed
from reins.perception.vision_language.settings import TINY, VisionSettings
from reins.perception.vision_language.speaker import Speaker


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """What is to be described, and whether the gripper measured then that it holds something."""

    looks: Sequence[Admitted[PlacedBody]]
    holding: bool


class VlmPerception:
    """Camera images to scenes of whatever a model has a name for. Not thread-safe but for `speaker`.

    Most models describe one camera's picture, that in which most is in sight; our own small one every camera's. A scene
    is as old as that. Nothing is remembered but ids: what is hidden is gone. What is held is known if the gripper
    measures that it holds something, and the model says which one thing that is. Without a description, or with an old
    one, the last scene is stale.

    Args:
        profile: the robot.
        model: names things.
        vision: how often, and how long that counts.
        settings: thresholds, as of the geometric backend.

    Raises:
        UnknownName: perception knows no body shape for this robot.
    """

    source = "vlm"

    def __init__(
        self,
        profile: RobotProfile,
        model: VisionModel,
        vision: VisionSettings,
        settings: GeometricSettings | None = None,
    ) -> None:
        settings = settings or GeometricSettings()
        self._age, self._workspace = vision.age, profile.workspace
        self._gate = ImageGate(RobotBody(profile), settings.frozen_after, settings.limits, needs_depth=True)
        self._segmenter = Segmenter(region_of(profile), ColourTable(), settings.least_pixels)
        self._every = vision.vlm == TINY  # it is quick enough to describe what all cameras see
        self.speaker: Speaker[_Task, Scene] = Speaker(
            model, vision, lambda task: [look.image for look in task.looks], self._placed
        )
        """The model, for questions and reports."""
        self._notes: tuple[Diagnostic, ...] = ()
        self._scene = self._nothing()

    @property
    def scene(self) -> Scene:
        """The newest scene."""
        return self._scene

    @property
    def image_stamps(self) -> Mapping[str, float]:
        """Robot time of each camera's newest image that could be used [s]."""
        return self._gate.image_stamps

    @property
    def frozen(self) -> Set[str]:
        """Cameras whose image has not changed though it should have; each until it changes."""
        return self._gate.frozen

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was wrong with the last update, and with the model; empty if nothing was."""
        return (*self._notes, *self.speaker.diagnostics)

    def reset(self) -> None:
        """Forget every object, image, state and word."""
        self._gate.reset()
        self.speaker.forget()
        self._notes = ()
        self._scene = self._nothing()

    def on_state(self, state: RobotState) -> None:
        """Remember a robot state; see `geometric`."""
        if self._gate.is_new_start(state):
            self.reset()
        self._gate.note(state)

    def update(self, images: Sequence[CameraImage], state: RobotState | None) -> Scene:
        """The newest scene, once these images are seen: at most one per camera, all of about one time."""
        notes: list[Diagnostic] = []
        if state is not None:
            self.on_state(state)
        admitted = [one for image in images if (one := self._gate.admit(image, notes)) is not None]
        self.speaker.note([one.image for one in admitted])
        if admitted and self.speaker.wants:
            looks = admitted if self._every else [max(admitted, key=self._shown)]
            newest = self._gate.newest_state
            self.speaker.offer(_Task(looks, newest is not None and newest.gripper_holding))
        self._notes = tuple(notes)
        now = max(self.image_stamps.values(), default=0.0)
        self._scene = self._aged(self.speaker.newest or self._nothing(), now)
        return self._scene

    def _shown(self, look: Admitted[PlacedBody]) -> int:
        """How much of the table a picture shows to have things on it [cm²], however near it is."""
        cloud, _ = self._segmenter.above_table(CameraView(look.image, look.body))
        return len(np.unique(np.floor(100.0 * cloud.points[:, :2]), axis=0))

    def _aged(self, scene: Scene, now: float) -> Scene:
        """The scene, marked as stale where it is not what the model sees now."""
        trouble, age = self.speaker.trouble, now - scene.stamp
        if trouble:
            return replace(scene, stale=trouble)
        if not scene.described:
            return replace(scene, stale="the vision-language model has described nothing yet")
        if age > self._age:
            return replace(scene, stale=f"what the vision-language model has described is {age:.0f} s old")
        return scene

    def _placed(self, said: Sequence[Description], task: _Task) -> Scene:
        """In the speaker's thread, one at a time: the newest result is the scene before."""
        before = self.speaker.newest
        known = () if before is None else before.objects.values()
        return placed(
            list(zip(said, task.looks, strict=True)), self._segmenter, known, self.source, task.holding, self._workspace
        )

    def _nothing(self) -> Scene:
        return Scene(stamp=0.0, source=self.source, caption="Nothing has been seen yet.")
