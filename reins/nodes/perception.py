"""The perception node: camera images to a scene, in a thread of its own and at low priority."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.qos import QoSProfile, ReliabilityPolicy
from reins_msgs import msg as ros
from reins_msgs.srv import AskScene
from sensor_msgs.msg import Image
from std_srvs.srv import Trigger

from reins.contracts.errors import ReinsError
from reins.contracts.event import SafetyEvent, Severity
from reins.contracts.scene import Scene
from reins.hardware.camera.poses import RobotClock, mounts_of
from reins.hardware.profile import load_profile
from reins.hardware.profile_base import Profile
from reins.nodes.base import ManagedNode
from reins.nodes.camera_diagnostics import CameraDiagnostics, model_status
from reins.nodes.camera_pairing import CameraInbox
from reins.nodes.control_loop import ControlLoop, Inbox
from reins.nodes.convert import event_to_msg, fill_time
from reins.nodes.convert_scene import BASE_FRAME, scene_to_msg, world_from_msg
from reins.nodes.convert_sensors import CameraFrame, colour_to_msg
from reins.nodes.perception_settings import PerceptionSettings
from reins.nodes.qos import CONTROL, EVENTS, IMAGES, LATCHED
from reins.nodes.running import run
from reins.nodes.waiting import Thinking, first_of
from reins.nodes.wires import wire_of
from reins.perception.annotate import annotate_all
from reins.perception.factory import make_perception
from reins.perception.health import CameraHealth
from reins.perception.image import Diagnostic
from reins.perception.seeing import Seeing
from reins.perception.sight import Sight
from reins.perception.state import StatePerception
from reins.perception.tagged import NO_TAGS, load_tagged
from reins.perception.vision_language.hybrid import HybridPerception
from reins.perception.vision_language.speaker import Answered, Speaker
from reins.perception.vision_language.vlm import VlmPerception

STATES: Final = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Robot states wait until the next look, so that a body can be placed where it was when a picture was taken."""

TOGETHER: Final = 0.1
"""Pictures of several cameras are used together if they come within this time [s]."""

IDLE: Final = 0.5
"""Without pictures for so long, it is looked whether the cameras still see [s]."""

ALIVE: Final = 5.0
"""A thread that has not come round for this long hangs [s]."""

ANSWERS: Final = 2.5
"""A question may take so many times the longest answer: another may be before it, and the model may have to load."""

COMPLAINT: Final = 5.0
"""Time between two log lines about the same trouble [s]."""


class PerceptionNode(ManagedNode[PerceptionSettings]):
    """Executor: lifecycle only. Thread: images in, scenes out."""

    niceness = 10

    def __init__(self) -> None:
        super().__init__("perception", PerceptionSettings)
        self._loop: ControlLoop | None = None
        self._speaker: Speaker[Any, Any] | None = None

    def configure(self) -> None:
        """Make the backend and the topics that it needs."""
        settings = self.settings
        looks = settings.backend != "state"
        if looks and not settings.cameras:
            raise ReinsError(f"parameter 'cameras' is empty; the {settings.backend} backend needs at least one")
        if settings.backend == "apriltag" and not settings.tags:
            raise ReinsError("parameter 'tags' is empty; the apriltag backend needs a file of tagged objects")
        profile = load_profile(settings.robot, Profile)
        self._wire = wire_of(profile)
        tagged = load_tagged(settings.tags) if settings.tags else NO_TAGS
        self._core = make_perception(settings.backend, profile, settings.geometric(), tagged, settings)
        if isinstance(self._core, HybridPerception | VlmPerception):
            self._speaker = self._core.speaker
        self._mounts = mounts_of(profile)
        self._camera_clock = RobotClock() if settings.camera_clock == "ros" else None
        self._states: Inbox[Any] = Inbox(self, self._wire.state, "robot_state", STATES)
        self._truth = Inbox(self, ros.WorldState, "sim/world_state", CONTROL) if settings.backend == "state" else None
        names = settings.cameras if looks else []
        with_depth = settings.backend != "apriltag"
        self._cameras = [
            CameraInbox(self, name, with_depth, self._camera_clock, self._mounts, settings.rectified) for name in names
        ]
        self._sight = Sight(names, settings.image_age)
        self._health = CameraHealth(names)
        self._published: Scene | None = None
        self._diagnostics = CameraDiagnostics(self)
        self._scenes = self.create_publisher(ros.Scene, "scene", LATCHED)
        self._events = self.create_publisher(ros.SafetyEvent, "safety/events", EVENTS)
        self._annotated = self.create_publisher(Image, "perception/annotated", IMAGES)
        self.create_service(Trigger, "perception/reset", self._on_reset)
        self.create_service(AskScene, "perception/ask", self._on_ask, callback_group=ReentrantCallbackGroup())
        self._fresh: dict[str, tuple[CameraFrame, float]] = {}
        self._last = self._judged = float("-inf")
        self._time: float | None = None
        self._told_time = (float("-inf"), 0.0)  # robot time as states and pictures tell it, and when they did

    def activate(self) -> None:
        """Begin to look."""
        inboxes: list[tuple[Inbox[Any], Callable[[Any], None]]] = []
        for camera in self._cameras:
            inboxes.append((camera.colour, partial(self._on_image, camera.name, camera.on_colour)))
            if camera.depth is not None:
                inboxes.append((camera.depth, partial(self._on_image, camera.name, camera.on_depth)))
        if self._truth is not None:
            inboxes.append((self._truth, self._on_truth))
        self._fresh.clear()
        self._loop = ControlLoop(self, TOGETHER, self._tick, inboxes, self.fail)
        self._loop.start()

    def deactivate(self) -> None:
        """Look no more; the last scene stays."""
        if self._loop is not None:
            self._loop.stop()
            self._loop = None

    def cleanup(self) -> None:
        """Give the vision-language model back."""
        if self._speaker is not None:
            self._speaker.close()
            self._speaker = None

    def pulse(self) -> bool:
        """The thread comes round, while there is one."""
        loop = self._loop
        return loop is None or loop.alive(ALIVE)

    def _on_image(self, camera: str, take: Callable[[Image], CameraFrame | None], message: Image) -> None:
        """In the thread: one image of one camera."""
        if not isinstance(self._core, StatePerception) and (self._mounts or self._camera_clock):
            self._take_states(self._core)  # they tell where the camera was, and what time it is
        try:
            frame = take(message)
        except ReinsError as error:
            self._tell([], [Diagnostic(camera, Severity.ERROR, "bad_message", str(error))])
            return
        if frame is None:
            return
        _, waiting_since = self._fresh.get(frame.name, (frame, time.monotonic()))
        self._fresh[frame.name] = (frame, waiting_since)
        if len(self._fresh) == len(self._cameras):
            self._look()

    def _tick(self, _due: float) -> None:
        """In the thread: look without the cameras that are silent."""
        oldest = min((since for _, since in self._fresh.values()), default=float("inf"))
        if time.monotonic() - oldest > TOGETHER:
            self._look()
        elif time.monotonic() - max(self._last, self._judged) > IDLE and not isinstance(self._core, StatePerception):
            self._judged = time.monotonic()
            self._take_states(self._core)
            self._judge_sight(self._core)
        if self._diagnostics.is_due:
            self._diagnose()

    def _is_early(self) -> bool:
        """Whether a scene now would be more than `rate` allows; a fifth of a period of jitter is forgiven."""
        return time.monotonic() - self._last < 0.8 / self.settings.rate

    def _look(self) -> None:
        frames = [self._fresh[camera.name][0] for camera in self._cameras if camera.name in self._fresh]
        self._fresh.clear()
        if self._is_early() or isinstance(self._core, StatePerception):
            return
        self._last = time.monotonic()
        self._take_states(self._core)
        scene = self._core.update(frames, None)
        self._tell([frame.name for frame in frames], self._core.diagnostics)
        self._judge_sight(self._core)
        if self._sight.is_clear:
            self._publish(scene)
        shown = [frame for frame in frames if frame.rgb.size]
        if shown and self._annotated.get_subscription_count():
            picture = annotate_all(shown, self._core.scene)
            self._annotated.publish(colour_to_msg(picture, shown[0].stamp, f"{shown[0].name}_optical"))

    def _take_states(self, core: Seeing | StatePerception) -> None:
        for message in self._states.drain():
            state = self._wire.state_from_msg(message)
            self._time = state.stamp
            core.on_state(state)
            if self._mounts is not None:
                self._mounts.note(state.stamp, state.position)
            if self._camera_clock is not None:
                self._camera_clock.note(state.stamp, self.get_clock().now().nanoseconds * 1e-9)

    def _judge_sight(self, core: Seeing) -> None:
        """Tell which cameras do not see. While there is one, no new scene is published, so that no step of a plan
        begins; the last one is marked as stale."""
        now = self._now()
        lacking = {camera.name: camera.lacking for camera in self._cameras if camera.lacking}
        changes = self._sight.judge(core.image_stamps, core.frozen, now, {**lacking, **self._health.reasons})
        if now is None or not changes:
            return
        for change in changes:
            severity = Severity.INFO if change.kind == "camera_back" else Severity.ERROR
            self._events.publish(event_to_msg(SafetyEvent(now, severity, change.kind, change.camera, change.text)))
            self.log(severity, change.text)
        self._diagnose()
        if self._published is not None and (blind := self._sight.blind):
            self._scenes.publish(scene_to_msg(replace(self._published, stale="; ".join(blind.values())), BASE_FRAME))

    def _tell(self, cameras: Sequence[str], notes: Sequence[Diagnostic]) -> None:
        """What was wrong with the pictures of these cameras goes to the log and, where that is new, to diagnostics."""
        for note in notes:
            self._complain(note.text)
        if self._health.take(cameras, notes):
            self._diagnose()

    def _diagnose(self) -> None:
        if not isinstance(self._core, StatePerception):
            now = self._now() or 0.0
            model = (
                ()
                if self._speaker is None
                else (model_status(self.settings.door, self._speaker.trouble, self._core.scene.described, now),)
            )
            self._diagnostics.publish(self._health.reports, self._sight.blind, self._core.image_stamps, now, model)

    def _now(self) -> float | None:
        """Robot time, as states and pictures tell it [s]; where these are silent it goes on. None before they do."""
        stamps = () if isinstance(self._core, StatePerception) else self._core.image_stamps.values()
        told: float | None = max([*stamps, *([] if self._time is None else [self._time])], default=None)
        if told is None:
            return None
        if told != self._told_time[0]:
            self._told_time = told, time.monotonic()
        silent = time.monotonic() - self._told_time[1]
        return told + (silent if silent > IDLE else 0.0)

    def _forget(self) -> None:
        self._core.reset()
        names = [camera.name for camera in self._cameras]
        self._sight, self._health = Sight(names, self.settings.image_age), CameraHealth(names)
        self._published = None
        for camera in self._cameras:
            camera.forget()

    def _on_truth(self, message: ros.WorldState) -> None:
        """In the thread: the simulator's truth."""
        if isinstance(self._core, StatePerception) and not self._is_early():
            self._last = time.monotonic()
            self._take_states(self._core)
            self._publish(self._core.update_from_truth(world_from_msg(message)))

    def _publish(self, scene: Scene) -> None:
        self._published = scene
        self._scenes.publish(scene_to_msg(scene, BASE_FRAME))

    def _complain(self, text: str) -> None:
        self.get_logger().warning(text, throttle_duration_sec=COMPLAINT)

    def _on_reset(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        loop = self._loop
        if loop is None:
            response.success, response.message = False, f"the perception node is {self.state}, not active"
            return response
        try:
            loop.call(self._forget, ALIVE)
        except TimeoutError:
            response.success, response.message = False, f"perception does not come round within {ALIVE:g} s; try again"
            return response
        response.success, response.message = True, "every object is forgotten"
        return response

    async def _on_ask(self, request: AskScene.Request, response: AskScene.Response) -> AskScene.Response:
        """A question about what the cameras see, to the model, in a thread of its own."""
        try:
            answered = await self._answer(request.question)
        except ReinsError as error:
            response.answered, response.answer = False, str(error)
            return response
        response.answered = True
        response.verdict, response.answer = answered.answer.verdict, answered.answer.answer
        fill_time(response.stamp, answered.stamp)
        return response

    async def _answer(self, question: str) -> Answered:
        """The answer; raises ReinsError where there is none."""
        speaker = self._speaker
        if speaker is None:
            raise ReinsError(
                "no vision-language model answers questions: set perception's parameter 'vlm', and 'backend' to hybrid "
                "or vlm"
            )
        thinking = Thinking(self, lambda: speaker.ask(question))
        limit = ANSWERS * self.settings.answer_limit
        if not await first_of(self, limit, thinking.done):
            raise ReinsError(f"the vision-language model gave no answer within {limit:.3g} s")
        return thinking.result()


def main() -> int:
    """Run the perception node."""
    return run(PerceptionNode, shared_memory=True)
