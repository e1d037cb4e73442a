"""The perception node with cameras that freeze, repeat themselves or fall silent: no scene, and an event says why."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import rclpy
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

pytestmark = pytest.mark.ros

SOON = 20.0
CAMERAS = ("overhead", "wrist")
HEIGHT, WIDTH = 48, 64
INTRINSICS = np.array([[60.0, 0.0, 32.0], [0.0, 60.0, 24.0], [0.0, 0.0, 1.0]])
FROM_ABOVE = np.array([[0.0, -1.0, 0.0, 0.5], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 1.0], [0.0, 0.0, 0.0, 1.0]])


class FakeCameras:
    """Publishes noise of two cameras, and the state of a robot that stands at home, ten times a second.

    Attributes:
        frozen: cameras whose pixels do not change.
        stuck: cameras that say the same stamp for ever.
        silent: cameras that say nothing.
    """

    def __init__(self) -> None:
        self.node = Node("fake_cameras")
        self.frozen: set[str] = set()
        self.stuck: set[str] = set()
        self.silent: set[str] = set()
        self.scenes: list[ros.Scene] = []
        self.events: list[ros.SafetyEvent] = []
        self._home = load_profile("franka").home.tolist()
        self._noise = np.random.default_rng(1)
        self._rgb = {name: self._picture() for name in CAMERAS}
        self._stamp, self._last = 1.0, dict.fromkeys(CAMERAS, 1.0)
        self._states = self.node.create_publisher(ros.RobotState, "robot_state", CONTROL)
        kinds = {"color": Image, "depth": Image, "camera_info": CameraInfo, "pose": PoseStamped}
        self._topics: dict[str, dict[str, Any]] = {
            name: {k: self.node.create_publisher(v, f"camera/{name}/{k}", IMAGES) for k, v in kinds.items()}
            for name in CAMERAS
        }
        self.node.create_subscription(ros.Scene, "scene", self.scenes.append, LATCHED)
        self.node.create_subscription(ros.SafetyEvent, "safety/events", self.events.append, EVENTS)
        self.node.create_timer(0.1, self._publish)

    def until(self, condition: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + SOON
        while not condition():
            assert time.monotonic() < end, f"{what}: {[(e.kind, e.reason) for e in self.events]}"
            time.sleep(0.02)

    def kinds(self) -> list[tuple[str, str]]:
        return [(event.kind, event.source) for event in self.events]

    def _picture(self) -> Any:
        return self._noise.integers(100, 110, (HEIGHT, WIDTH, 3), dtype=np.uint8)

    def _publish(self) -> None:
        self._stamp += 0.1
        n = len(self._home)
        state = ros.RobotState(position=self._home, velocity=[0.0] * n, effort=[0.0] * n, reference=self._home)
        fill_time(state.header.stamp, self._stamp)
        self._states.publish(state)
        for name in CAMERAS:
            if name not in self.frozen:
                self._rgb[name] = self._picture()
            if name not in self.stuck:
                self._last[name] = self._stamp
            if name not in self.silent:
                self._send(name, self._topics[name], self._last[name])

    def _send(self, name: str, topics: dict[str, Any], stamp: float) -> None:
        topics["pose"].publish(pose_to_msg(FROM_ABOVE, stamp, "base"))
        topics["camera_info"].publish(info_to_msg(INTRINSICS, WIDTH, HEIGHT, stamp, f"{name}_optical"))
        topics["depth"].publish(depth_to_msg(np.ones((HEIGHT, WIDTH), np.float32), stamp, f"{name}_optical"))
        topics["color"].publish(colour_to_msg(self._rgb[name], stamp, f"{name}_optical"))


@pytest.fixture
def cameras() -> Iterator[FakeCameras]:
    given = ["-p", "frozen_after:=0.5", "-p", "image_age:=1.0", "-p", "rate:=10.0"]
    rclpy.init(args=["--ros-args", *given], domain_id=free_domain())
    node, fake = PerceptionNode(), FakeCameras()
    executor = SingleThreadedExecutor()
    for one in (node, fake.node):
        executor.add_node(one)
    thread = threading.Thread(target=executor.spin, daemon=True)
    node.trigger_configure()
    node.trigger_activate()
    assert node.state == "active"
    thread.start()
    fake.until(lambda: len(fake.scenes) > 3, "scenes")
    yield fake
    executor.shutdown()
    thread.join(SOON)
    node.close()
    node.destroy_node()
    fake.node.destroy_node()
    try_shutdown()


FAULTS = {"frozen": "camera_frozen", "stuck": "camera_stale", "silent": "camera_stale"}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("camera", CAMERAS)
def test_a_camera_that_does_not_see_stops_the_scenes_until_it_is_mended(
    cameras: FakeCameras, fault: str, camera: str
) -> None:
    faulty: set[str] = getattr(cameras, fault)
    faulty.add(camera)
    cameras.until(lambda: (FAULTS[fault], camera) in cameras.kinds(), FAULTS[fault])
    time.sleep(0.3)  # what is on its way arrives
    count = len(cameras.scenes)
    time.sleep(1.0)
    assert len(cameras.scenes) == count, "no scene while a camera does not see"
    assert cameras.kinds().count((FAULTS[fault], camera)) == 1
    faulty.clear()
    cameras.until(lambda: ("camera_back", camera) in cameras.kinds(), "camera_back")
    cameras.until(lambda: len(cameras.scenes) > count + 2, "scenes again")
