"""Cameras that freeze: they go on sending, with new stamps, the picture that they had."""

import threading
from contextlib import suppress
from typing import Any, Final

from geometry_msgs.msg import PoseStamped
from lifecycle_msgs.msg import Transition
from sensor_msgs.msg import CameraInfo, Image

from reins.bench.stops.fault import UNSEEN, Fault
from reins.bench.stops.moving import SKILL, STANDING, TELEOP, MovingGraph
from reins.contracts.errors import ReinsError
from reins.nodes.control_loop import Inbox
from reins.nodes.outcomes import TaskProgress
from reins.nodes.qos import IMAGES

SOURCE: Final = "sim_cameras"
"""The node that renders; inactive, it sends no picture, and its heartbeat goes on."""

CAMERAS: Final = ("overhead", "wrist")
KINDS: Final = {"pose": PoseStamped, "camera_info": CameraInfo, "depth": Image, "color": Image}
"""Topics of each, in the order in which they are sent."""

RATE: Final = 5.0
"""Of the pictures [Hz]."""

TO_SEND: Final = 5.0
"""How long the cameras may take to send a picture [s]."""

TO_NOTICE: Final = 5.0
"""How long it is waited for perception to notice [s]."""

TASK: Final = "put the red block in the blue bowl"
TASK_LIMIT: Final = 20.0
"""Longer than the planner waits for a new scene [s]."""

TOLD: Final = rf"camera_frozen \(({'|'.join(CAMERAS)})\): camera '\1' shows the same picture"


class _Pictures:
    """The newest picture of each camera, sent again and again in place of the cameras.

    Args:
        graph: one that renders.
    """

    def __init__(self, graph: MovingGraph) -> None:
        self._graph = graph
        topics = {f"camera/{camera}/{kind}": message for camera in CAMERAS for kind, message in KINDS.items()}
        inboxes: dict[str, Inbox[Any]] = {name: Inbox(graph.node, kind, name, IMAGES) for name, kind in topics.items()}
        self._kept: dict[str, Any] = {}
        graph.until(lambda: self._have_all(inboxes), "picture of every camera", TO_SEND)
        self._publishers = {name: graph.node.create_publisher(kind, name, IMAGES) for name, kind in topics.items()}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._send, name="frozen cameras", daemon=True)
        graph.change_state(SOURCE, Transition.TRANSITION_DEACTIVATE)
        self._thread.start()

    def _have_all(self, inboxes: dict[str, Inbox[Any]]) -> bool:
        for name, inbox in inboxes.items():
            if messages := inbox.drain():
                self._kept[name] = messages[-1]
        return len(self._kept) == len(inboxes)

    def _send(self) -> None:
        while not self._over.wait(1.0 / RATE):
            stamp = self._graph.states[-1][1].header.stamp
            for name, message in self._kept.items():
                message.header.stamp = stamp
                self._publishers[name].publish(message)

    def thaw(self) -> None:
        """Let the cameras send what they see; those that died, or are frozen as processes, do not."""
        self._over.set()
        self._thread.join()
        for publisher in self._publishers.values():
            self._graph.node.destroy_publisher(publisher)
        with suppress(ReinsError):
            self._graph.change_state(SOURCE, Transition.TRANSITION_ACTIVATE)


def _freeze(graph: MovingGraph) -> None:
    graph.undo.append(_Pictures(graph).thaw)


def _freeze_and_begin_a_task(graph: MovingGraph) -> None:
    """The hand moves until perception notices; then whoever drives ends it, and a task is given."""
    _freeze(graph)
    began = graph.injected = graph.now()
    with suppress(ReinsError):  # it is judged by what was told
        graph.until(lambda: bool(graph.told([TOLD], began)), "word of the cameras", TO_NOTICE)
    graph.rest()
    graph.until(lambda: graph.speed() < STANDING, "arm that stands", TO_NOTICE)
    outcome = graph.session.client.execute_task(TASK, TASK_LIMIT, _ignore)
    graph.note(f"task ({outcome.outcome}): {outcome.reason}; steps planned: {len(outcome.plan.steps or ())}")


def _ignore(_progress: TaskProgress) -> None:
    """Feedback that nobody looks at."""


CAMERA_FROZEN: Final = Fault(
    "camera frozen",
    _freeze_and_begin_a_task,
    UNSEEN,
    (TOLD, r"task \(failed\): .*no new scene.*camera '\w+' shows the same picture.*; steps planned: 0"),
    row="a camera's picture freezes: until perception says so, and the skill ends; no task begins",
    cameras=True,
)

PICTURES_FROZEN: Final = Fault(
    "pictures frozen", _freeze, UNSEEN, (TOLD,), sources=(SKILL, TELEOP), stops=False, cameras=True
)
"""As a part of random sequences: alone it stops nothing, and where the arm stands it is not noticed."""
