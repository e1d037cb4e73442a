"""The camera node plays a video file: pictures, calibration and pose in robot time, and what it says when it cannot."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import rclpy
import yaml
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.utilities import try_shutdown
from reins_msgs import msg as ros
from sensor_msgs.msg import CameraInfo, Image

from reins.demo.session import free_domain
from reins.hardware.camera.intrinsics import intrinsics_from
from reins.hardware.profile import load_profile
from reins.nodes.camera import CameraNode
from reins.nodes.convert import fill_time, time_from_msg
from reins.nodes.convert_sensors import colour_from_msg, pose_from_msg
from reins.nodes.qos import CONTROL, IMAGES

pytestmark = pytest.mark.ros

SOON = 20.0
WIDTH, HEIGHT = 160, 120
BORN = time.monotonic() - 1000.0
"""When robot time began on the steady clock."""


class Outside:
    """A robot that says its state, and someone who listens to the camera."""

    def __init__(self, with_robot: bool) -> None:
        self.node = Node("outside")
        self.heard: dict[str, list[Any]] = {"color": [], "camera_info": [], "pose": []}
        self.status: DiagnosticStatus | None = None
        for topic, kind in (("color", Image), ("camera_info", CameraInfo), ("pose", PoseStamped)):
            self.node.create_subscription(kind, f"camera/door/{topic}", self.heard[topic].append, IMAGES)
        self.node.create_subscription(DiagnosticArray, "diagnostics", self._on_diagnostics, 10)
        self._states = self.node.create_publisher(ros.RobotState, "robot_state", CONTROL)
        self._home = load_profile("franka").home.tolist()
        if with_robot:
            self.node.create_timer(0.02, self._publish)

    def _publish(self) -> None:
        n = len(self._home)
        state = ros.RobotState(position=self._home, velocity=[0.0] * n, effort=[0.0] * n, reference=self._home)
        fill_time(state.header.stamp, time.monotonic() - BORN)
        self._states.publish(state)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        self.status = message.status[0]

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + SOON
        while not condition():
            assert time.monotonic() < end, self.status
            time.sleep(0.02)

    def says(self, level: bytes, words: str) -> Callable[[], bool]:
        return lambda: self.status is not None and self.status.level == level and words in self.status.message


@contextmanager
def camera(with_robot: bool = True, **parameters: object) -> Iterator[Outside]:
    given = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
    rclpy.init(args=["--ros-args", "-p", "camera:=door", *given], domain_id=free_domain())
    node, outside = CameraNode(), Outside(with_robot)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    executor.add_node(outside.node)
    thread = threading.Thread(target=executor.spin, daemon=True)
    node.trigger_configure()
    node.trigger_activate()
    thread.start()
    try:
        yield outside
    finally:
        node.trigger_deactivate()
        executor.shutdown()
        thread.join(SOON)
        node.close()
        node.destroy_node()
        outside.node.destroy_node()
        try_shutdown()


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """Left half red, right half blue."""
    path = tmp_path / "two.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20.0, (WIDTH, HEIGHT))
    picture = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    picture[:, : WIDTH // 2, 2] = picture[:, WIDTH // 2 :, 0] = 220
    for _ in range(10):
        writer.write(picture)
    writer.release()
    return path


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A Franka that knows where the camera `door` is."""
    document = load_profile("franka").model_dump(mode="json")
    document["cameras"] = [{"name": "door", "mount": "base", "xyz": [0.6, 0.1, 1.2], "rpy": [3.1, 0.1, 1.5]}]
    path = tmp_path / "robot.yaml"
    path.write_text(yaml.safe_dump(document))
    return path


def test_pictures_calibration_and_pose_come_together_in_robot_time(video: Path, profile: Path, tmp_path: Path) -> None:
    matrix = np.array([[150.0, 0.0, 80.0], [0.0, 151.0, 60.0], [0.0, 0.0, 1.0]])
    calibration = tmp_path / "door.yaml"
    intrinsics_from(matrix, np.zeros(5), WIDTH, HEIGHT, "door").write(calibration)
    with camera(source=video, robot=profile, calibration=calibration) as outside:
        outside.until(lambda: all(len(messages) > 3 for messages in outside.heard.values()))
        now = time.monotonic() - BORN
        outside.until(outside.says(DiagnosticStatus.OK, "gives pictures"))
    colour, info, pose = (outside.heard[topic][-1] for topic in ("color", "camera_info", "pose"))
    rgb = colour_from_msg(colour)
    assert rgb[60, 20] == pytest.approx([220, 0, 0], abs=12) and rgb[60, 140] == pytest.approx([0, 0, 220], abs=12)
    assert (info.width, info.height) == (WIDTH, HEIGHT) and info.k.reshape(3, 3) == pytest.approx(matrix)
    assert pose_from_msg(pose)[:3, 3] == pytest.approx([0.6, 0.1, 1.2])
    assert colour.header.frame_id == info.header.frame_id == "door_optical"
    assert abs(time_from_msg(colour.header.stamp) - now) < 1.0
    stamps = {time_from_msg(message.header.stamp) for message in outside.heard["color"]}
    assert {time_from_msg(message.header.stamp) for message in outside.heard["pose"]} & stamps


def test_without_a_robot_it_says_so_and_publishes_nothing(video: Path) -> None:
    with camera(with_robot=False, source=video) as outside:
        outside.until(outside.says(DiagnosticStatus.ERROR, "no robot_state has come"))
    assert not outside.heard["color"]


def test_by_ros_time_it_needs_no_robot_and_without_calibration_it_claims_none(video: Path) -> None:
    with camera(with_robot=False, source=video, clock="ros") as outside:
        outside.until(lambda: len(outside.heard["camera_info"]) > 1)
        stamp, now = time_from_msg(outside.heard["camera_info"][-1].header.stamp), time.time()
    assert not outside.heard["camera_info"][-1].k.any() and not outside.heard["pose"]
    assert abs(stamp - now) < SOON


def test_a_source_that_is_not_there_is_told(tmp_path: Path) -> None:
    with camera(source=tmp_path / "none.avi") as outside:
        outside.until(outside.says(DiagnosticStatus.ERROR, "cannot be opened"))


def test_a_calibration_for_another_size_is_told_and_nothing_published(video: Path, tmp_path: Path) -> None:
    calibration = tmp_path / "door.yaml"
    matrix = np.array([[150.0, 0.0, 320.0], [0.0, 151.0, 240.0], [0.0, 0.0, 1.0]])
    intrinsics_from(matrix, np.zeros(5), 640, 480, "door").write(calibration)
    with camera(source=video, calibration=calibration) as outside:
        outside.until(outside.says(DiagnosticStatus.ERROR, "for 640x480 and the pictures are 160x120"))
    assert not outside.heard["color"]
