"""Recording from a running graph: pictures with the tool's pose at their time, by either clock of the camera."""

import threading
import time
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import yaml
from board_views import CHARUCO, HEIGHT, LENS, MATRIX, WIDTH, Turns, board_poses, picture

from reins.calibration.board import BoardFinder
from reins.calibration.folder import FolderWriter, read_pictures, read_poses
from reins.calibration.recording import Recorder
from reins.contracts.errors import ReinsError
from reins.demo.session import free_domain
from reins.hardware.camera.intrinsics import load_intrinsics
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile, load_profile

pytestmark = pytest.mark.ros
pytest.importorskip("rclpy", reason="needs ROS 2")

import rclpy  # noqa: E402
from rclpy.context import Context  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.node import Node  # noqa: E402
from reins_msgs import msg as ros  # noqa: E402
from sensor_msgs.msg import CameraInfo, Image  # noqa: E402

from reins.nodes import calibration_client  # noqa: E402
from reins.nodes.calibration_client import Recording  # noqa: E402
from reins.nodes.client import GraphClient  # noqa: E402
from reins.nodes.convert import fill_time  # noqa: E402
from reins.nodes.convert_sensors import colour_to_msg, info_to_msg  # noqa: E402
from reins.nodes.qos import CONTROL, IMAGES  # noqa: E402

LIMIT = 40.0
BORN = time.monotonic() - 500.0
"""When robot time began on the steady clock."""


class Cell:
    """An arm that goes to its next pose every two seconds, and a camera that always shows the board."""

    def __init__(self, profile: RobotProfile, ros_time: bool) -> None:
        self.domain = free_domain()
        self.poses = [profile.home, profile.home + 0.2, profile.home - 0.2]
        self._ros_time = ros_time
        self._context = Context()
        rclpy.init(args=[], context=self._context, domain_id=self.domain)
        self._node = Node("cell", context=self._context)
        self._states = self._node.create_publisher(ros.RobotState, "robot_state", CONTROL)
        self._colour = self._node.create_publisher(Image, "camera/wrist/color", IMAGES)
        self._info = self._node.create_publisher(CameraInfo, "camera/wrist/camera_info", IMAGES)
        seen = picture(CHARUCO, next(iter(board_poses(CHARUCO, 1, Turns(), 3))), LENS)
        self._rgb = np.stack([seen] * 3, axis=2)
        self._node.create_timer(0.02, self._say_state)
        self._node.create_timer(0.3, self._show)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def _say_state(self) -> None:
        now = time.monotonic() - BORN
        position = self.poses[int(now / 2.0) % len(self.poses)].tolist()
        still = [0.0] * len(position)
        state = ros.RobotState(position=position, velocity=still, effort=still, reference=position)
        fill_time(state.header.stamp, now)
        self._states.publish(state)

    def _show(self) -> None:
        stamp = time.time() if self._ros_time else time.monotonic() - BORN
        self._info.publish(info_to_msg(MATRIX, WIDTH, HEIGHT, stamp, "wrist_optical"))
        self._colour.publish(colour_to_msg(self._rgb, stamp, "wrist_optical"))

    def close(self) -> None:
        self._executor.shutdown()
        self._thread.join(5.0)
        self._node.destroy_node()
        self._context.try_shutdown()


@pytest.fixture
def profile() -> RobotProfile:
    return load_profile("franka")


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    (tmp_path / "b.yaml").write_text(yaml.safe_dump(CHARUCO.model_dump()))
    return Recorder(BoardFinder(CHARUCO), FolderWriter(tmp_path / "views", tmp_path / "b.yaml"))


@pytest.mark.parametrize("clock", ["robot", "ros"])
def test_pictures_are_taken_with_the_pose_that_the_tool_had(
    profile: RobotProfile, recorder: Recorder, tmp_path: Path, clock: Literal["robot", "ros"]
) -> None:
    cell, told = Cell(profile, clock == "ros"), list[str]()
    try:
        with GraphClient(domain=cell.domain) as client:
            recording = Recording(client, profile, "wrist", clock, recorder, told.append)
            recording.run(3, LIMIT)
            assert recorder.count == 3, told
            assert recording.write_intrinsics(tmp_path / "views", rectified=False)
    finally:
        cell.close()
    tools = [Kinematics(profile).tool_pose(position).position for position in cell.poses]
    for pose in read_poses(tmp_path / "views").values():
        assert min(np.linalg.norm(pose[:3, 3] - tool) for tool in tools) < 1e-6
    assert len(read_pictures(tmp_path / "views").views) == 3
    assert load_intrinsics(tmp_path / "views" / "intrinsics.yaml").matrix == pytest.approx(MATRIX)
    assert any("24 corners" in words for words in told)


def test_a_camera_that_is_not_there_is_told(
    profile: RobotProfile, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration_client, "PATIENCE", 0.5)
    with (
        GraphClient(domain=free_domain()) as client,
        pytest.raises(ReinsError, match="no picture comes on camera/door/color"),
    ):
        Recording(client, profile, "door", "robot", recorder, lambda _: None).run(5, LIMIT)
