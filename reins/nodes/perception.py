"""The perception node: camera images to a scene, in a thread of its own and at low priority."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Literal

from pydantic import Field
from rclpy.qos import QoSProfile, ReliabilityPolicy
from reins_msgs import msg as ros
from sensor_msgs.msg import Image
from std_srvs.srv import Trigger

from reins.contracts.errors import ReinsError
from reins.contracts.event import SafetyEvent, Severity
from reins.contracts.scene import Scene
from reins.hardware.profile import load_profile
from reins.nodes.base import ManagedNode
from reins.nodes.camera_pairing import CameraInbox
from reins.nodes.control_loop import ControlLoop, Inbox
from reins.nodes.convert import event_to_msg, robot_state_from_msg
from reins.nodes.convert_scene import BASE_FRAME, scene_to_msg, world_from_msg
from reins.nodes.convert_sensors import CameraFrame, colour_to_msg
from reins.nodes.parameters import Settings
from reins.nodes.qos import CONTROL, EVENTS, IMAGES, LATCHED
from reins.nodes.running import run
from reins.perception.annotate import annotate
from reins.perception.factory import make_perception
from reins.perception.geometric import GeometricPerception
from reins.perception.sight import Sight
from reins.perception.state import StatePerception

STATES: Final = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Robot states wait until the next look, so that a body can be placed where it was when a picture was taken."""

TOGETHER: Final = 0.1
"""Pictures of several cameras are used together if they come within this time [s]."""

IDLE: Final = 0.5
"""Without pictures for so long, it is looked whether the cameras still see [s]."""

ALIVE: Final = 5.0
"""A thread that has not come round for this long hangs [s]."""

COMPLAINT: Final = 5.0
"""Time between two log lines about the same trouble [s]."""


class PerceptionSettings(Settings):
    """Parameters of the perception node."""

    robot: str = Field("franka", description="robot profile: a name, or the path of a YAML file")
    backend: Literal["geometric", "state"] = Field(
        "geometric", description="geometric: from the cameras; state: from the simulator's truth, for baselines"
    )
    cameras: list[str] = Field(["overhead", "wrist"], description="cameras to look through")
    rate: float = Field(5.0, gt=0.0, le=30.0, description="scenes per second at most [Hz]")
    image_age: float = Field(
        3.0, gt=0.0, le=60.0, description="a camera whose newest good picture is older stops the scenes [s]"
    )
    frozen_after: float = Field(
        0.0,
        ge=0.0,
        le=60.0,
        description="a camera of which no pixel changes for longer is frozen [s]; 0 for simulated ones, which have no "
        "noise and are found out when the arm moves before them",
    )


class PerceptionNode(ManagedNode[PerceptionSettings]):
    """Executor: lifecycle only. Thread: images in, scenes out."""

    niceness = 10

    def __init__(self) -> None:
        super().__init__("perception", PerceptionSettings)
        self._loop: ControlLoop | None = None

    def configure(self) -> None:
        """Make the backend and the topics that it needs."""
        settings = self.settings
        if settings.backend == "geometric" and not settings.cameras:
            raise ReinsError("parameter 'cameras' is empty; the geometric backend needs at least one")
        profile = load_profile(settings.robot)
        self._core = make_perception(settings.backend, profile, frozen_after=settings.frozen_after)
        self._states = Inbox(self, ros.RobotState, "robot_state", STATES)
        self._truth = Inbox(self, ros.WorldState, "sim/world_state", CONTROL) if settings.backend == "state" else None
        names = settings.cameras if settings.backend == "geometric" else []
        self._cameras = [CameraInbox(self, name) for name in names]
        self._sight = Sight(names, settings.image_age)
        self._scenes = self.create_publisher(ros.Scene, "scene", LATCHED)
        self._events = self.create_publisher(ros.SafetyEvent, "safety/events", EVENTS)
        self._annotated = self.create_publisher(Image, "perception/annotated", IMAGES)
        self.create_service(Trigger, "perception/reset", self._on_reset)
        self._fresh: dict[str, tuple[CameraFrame, float]] = {}
        self._last = float("-inf")
        self._time = 0.0

    def activate(self) -> None:
        """Begin to look."""
        inboxes: list[tuple[Inbox[Any], Callable[[Any], None]]] = []
        for camera in self._cameras:
            inboxes.append((camera.colour, partial(self._on_image, camera.on_colour)))
            inboxes.append((camera.depth, partial(self._on_image, camera.on_depth)))
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

    def pulse(self) -> bool:
        """The thread comes round, while there is one."""
        loop = self._loop
        return loop is None or loop.alive(ALIVE)

    def _on_image(self, take: Callable[[Image], CameraFrame | None], message: Image) -> None:
        """In the thread: one image of one camera."""
        try:
            frame = take(message)
        except ReinsError as error:
            self._complain(str(error))
            return
        if frame is None:
            return
        self._fresh[frame.name] = (frame, time.monotonic())
        if len(self._fresh) == len(self._cameras):
            self._look()

    def _tick(self, _due: float) -> None:
        """In the thread: look without the cameras that are silent."""
        oldest = min((came for _, came in self._fresh.values()), default=float("inf"))
        if time.monotonic() - oldest > TOGETHER:
            self._look()
        elif time.monotonic() - self._last > IDLE and isinstance(self._core, GeometricPerception):
            self._last = time.monotonic()
            self._take_states(self._core)
            self._judge_sight(self._core)

    def _is_early(self) -> bool:
        """Whether a scene now would be more than `rate` allows; a fifth of a period of jitter is forgiven."""
        return time.monotonic() - self._last < 0.8 / self.settings.rate

    def _look(self) -> None:
        frames = [frame for frame, _ in self._fresh.values()]
        self._fresh.clear()
        if self._is_early() or not isinstance(self._core, GeometricPerception):
            return
        self._last = time.monotonic()
        self._take_states(self._core)
        scene = self._core.update(frames, None)
        self._judge_sight(self._core)
        if self._sight.is_clear:
            self._publish(scene)
        for note in self._core.diagnostics:
            if note.severity > Severity.INFO:
                self._complain(note.text)
        if self._annotated.get_subscription_count():
            picture = annotate(frames[0], self._core.scene)
            self._annotated.publish(colour_to_msg(picture, frames[0].stamp, f"{frames[0].name}_optical"))

    def _take_states(self, core: GeometricPerception) -> None:
        for message in self._states.drain():
            state = robot_state_from_msg(message)
            self._time = state.stamp
            core.on_state(state)

    def _judge_sight(self, core: GeometricPerception) -> None:
        """Tell which cameras do not see. While there is one, no scene is published, and so no step of a plan begins."""
        now = max([self._time, *core.image_stamps.values()])
        for change in self._sight.judge(core.image_stamps, core.frozen, now):
            severity = Severity.INFO if change.kind == "camera_back" else Severity.ERROR
            self._events.publish(event_to_msg(SafetyEvent(now, severity, change.kind, change.camera, change.text)))
            self.log(severity, change.text)

    def _forget(self) -> None:
        self._core.reset()
        self._sight = Sight([camera.name for camera in self._cameras], self.settings.image_age)

    def _on_truth(self, message: ros.WorldState) -> None:
        """In the thread: the simulator's truth."""
        if isinstance(self._core, StatePerception) and not self._is_early():
            self._last = time.monotonic()
            self._publish(self._core.update_from_truth(world_from_msg(message)))

    def _publish(self, scene: Scene) -> None:
        self._scenes.publish(scene_to_msg(scene, BASE_FRAME))

    def _complain(self, text: str) -> None:
        self.get_logger().warning(text, throttle_duration_sec=COMPLAINT)

    def _on_reset(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        loop = self._loop
        if loop is None:
            response.success, response.message = False, f"the perception node is {self.state}, not active"
            return response
        loop.call(self._forget, ALIVE)
        response.success, response.message = True, "every object is forgotten"
        return response


def main() -> int:
    """Run the perception node."""
    return run(PerceptionNode, shared_memory=True)
