"""Cameras that a test makes freeze, repeat themselves, fall silent or lie, and a perception node in front of them."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.utilities import try_shutdown
from reins_msgs import msg as ros
from sensor_msgs.msg import CameraInfo, Image

from reins.demo.session import free_domain
from reins.hardware.profile import load_profile
from reins.nodes.convert import fill_time
from reins.nodes.convert_sensors import colour_to_msg, depth_to_msg, info_to_msg, pose_to_msg
from reins.nodes.perception import PerceptionNode
from reins.nodes.qos import CONTROL, EVENTS, IMAGES, LATCHED

SOON = 20.0
CAMERAS = ("overhead", "wrist")
HEIGHT, WIDTH = 48, 64
INTRINSICS = np.array([[60.0, 0.0, 32.0], [0.0, 60.0, 24.0], [0.0, 0.0, 1.0]])
FROM_ABOVE = np.array([[0.0, -1.0, 0.0, 0.5], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 1.0], [0.0, 0.0, 0.0, 1.0]])


class FakeCameras:
    """Publishes noise of two cameras, and the state of a robot that stands at home; ten times a second by default.

    Args:
        domain: ROS domain of the graph.

    Attributes:
        frozen: cameras whose pixels do not change.
        stuck: cameras that say the same stamp for ever.
        silent: cameras that say nothing.
        robot_is_silent: no states come.
        every: time between two pictures of a camera [s].
        spoil: what becomes of a camera's messages on their way, by its name: a change of {topic: message}.
    """

    def __init__(self, domain: int) -> None:
        self.domain = domain
        self.node = Node("fake_cameras")
        self.frozen: set[str] = set()
        self.stuck: set[str] = set()
        self.silent: set[str] = set()
        self.robot_is_silent = False
        self.every = 0.0
        self._sent = float("-inf")
        self.spoil: dict[str, Callable[[dict[str, Any]], None]] = {}
        self.diagnostics: dict[str, DiagnosticStatus] = {}
        self.scenes: list[ros.Scene] = []
        self.events: list[ros.SafetyEvent] = []
        self._home = load_profile("franka").home.tolist()
        self._noise = np.random.default_rng(1)
        self._rgb = {name: self._picture() for name in CAMERAS}
        self._born, self._stamp, self._last = time.monotonic() - 1.0, 1.0, dict.fromkeys(CAMERAS, 1.0)
        self._states = self.node.create_publisher(ros.RobotState, "robot_state", CONTROL)
        kinds = {"color": Image, "depth": Image, "camera_info": CameraInfo, "pose": PoseStamped}
        self._topics: dict[str, dict[str, Any]] = {
            name: {k: self.node.create_publisher(v, f"camera/{name}/{k}", IMAGES) for k, v in kinds.items()}
            for name in CAMERAS
        }
        self.node.create_subscription(ros.Scene, "scene", self.scenes.append, LATCHED)
        self.node.create_subscription(ros.SafetyEvent, "safety/events", self.events.append, EVENTS)
        self.node.create_subscription(DiagnosticArray, "diagnostics", self._on_diagnostics, 10)
        self.node.create_timer(0.1, self._publish)

    def until(self, condition: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + SOON
        while not condition():
            assert time.monotonic() < end, f"{what}: {[(e.kind, e.reason) for e in self.events]}"
            time.sleep(0.02)

    @property
    def good_scenes(self) -> int:
        """How many scenes came that are what the cameras see."""
        return sum(not scene.stale for scene in self.scenes)

    def level(self, camera: str) -> int:
        """How a camera is by the newest diagnostics; -1 before there are any."""
        status = self.diagnostics.get(camera)
        return -1 if status is None else int.from_bytes(status.level, "little")

    def says(self, camera: str, words: str) -> bool:
        """Whether the newest diagnostics of a camera say this."""
        return camera in self.diagnostics and words in self.diagnostics[camera].message

    def kinds(self) -> list[tuple[str, str]]:
        return [(event.kind, event.source) for event in self.events]

    def _picture(self) -> Any:
        """Noise with bright bars: a picture without an edge is that of a covered lens."""
        picture = self._noise.integers(100, 110, (HEIGHT, WIDTH, 3), dtype=np.uint8)
        for column in range(2):
            picture[:, column::16] += 100
        return picture

    def _publish(self) -> None:
        self._stamp = time.monotonic() - self._born  # robot time, however late the timer is
        n = len(self._home)
        state = ros.RobotState(position=self._home, velocity=[0.0] * n, effort=[0.0] * n, reference=self._home)
        fill_time(state.header.stamp, self._stamp)
        if not self.robot_is_silent:
            self._states.publish(state)
        if self._stamp - self._sent < self.every:
            return
        self._sent = self._stamp
        for name in CAMERAS:
            if name not in self.frozen:
                self._rgb[name] = self._picture()
            if name not in self.stuck:
                self._last[name] = self._stamp
            if name not in self.silent:
                self._send(name, self._topics[name], self._last[name])

    def _send(self, name: str, topics: dict[str, Any], stamp: float) -> None:
        frame = f"{name}_optical"
        messages: dict[str, Any] = {
            "pose": pose_to_msg(FROM_ABOVE, stamp, "base"),
            "camera_info": info_to_msg(INTRINSICS, WIDTH, HEIGHT, stamp, frame),
            "depth": depth_to_msg(np.ones((HEIGHT, WIDTH), np.float32), stamp, frame),
            "color": colour_to_msg(self._rgb[name], stamp, frame),
        }
        self.spoil.get(name, lambda _messages: None)(messages)
        for topic, message in messages.items():
            topics[topic].publish(message)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        self.diagnostics |= {status.hardware_id: status for status in message.status}


@contextmanager
def perception_with_cameras(*more: str, spoil: Callable[[dict[str, Any]], None] | None = None) -> Iterator[FakeCameras]:
    """A perception node in front of them, in a domain of its own, that has seen something.

    Args:
        more: parameters of the node, as "name:=value".
        spoil: what becomes of all cameras' messages on their way, from the start.
    """
    parameters = ("frozen_after:=0.5", "image_age:=1.0", "rate:=10.0", *more)
    given = [word for parameter in parameters for word in ("-p", parameter)]
    domain = free_domain()
    rclpy.init(args=["--ros-args", *given], domain_id=domain)
    node, fake = PerceptionNode(), FakeCameras(domain)
    if spoil is not None:
        fake.spoil = dict.fromkeys(CAMERAS, spoil)
    executor = SingleThreadedExecutor()
    for one in (node, fake.node):
        executor.add_node(one)
    thread = threading.Thread(target=executor.spin, daemon=True)
    node.trigger_configure()
    node.trigger_activate()
    assert node.state == "active"
    thread.start()
    try:
        fake.until(lambda: len(fake.scenes) > 3, "scenes")
        yield fake
    finally:
        executor.shutdown()
        thread.join(SOON)
        node.close()
        node.destroy_node()
        fake.node.destroy_node()
        try_shutdown()
