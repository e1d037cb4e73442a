"""Calibration files, mounts and clocks: what they say is what comes out, and what is wrong with them is named."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.camera.intrinsics import Rectifier, intrinsics_from, load_intrinsics
from reins.hardware.camera.mount import CameraMount, mount_from_pose
from reins.hardware.camera.poses import BEYOND, CameraPoses, RobotClock
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile, load_profile

MATRIX = np.array([[200.0, 0.0, 161.0], [0.0, 201.0, 119.0], [0.0, 0.0, 1.0]])
BENT = np.array([-0.3, 0.1, 0.001, -0.002, 0.0])

FROM_ROS = """
image_width: 640
image_height: 480
camera_name: narrow_stereo
camera_matrix:
  rows: 3
  cols: 3
  data: [428.7, 0.0, 325.2, 0.0, 429.2, 233.3, 0.0, 0.0, 1.0]
distortion_model: plumb_bob
distortion_coefficients:
  rows: 1
  cols: 5
  data: [-0.36, 0.13, 0.0003, 0.0008, 0.0]
rectification_matrix:
  rows: 3
  cols: 3
  data: [1, 0, 0, 0, 1, 0, 0, 0, 1]
projection_matrix:
  rows: 3
  cols: 4
  data: [420, 0, 325, 0, 0, 425, 233, 0, 0, 0, 1, 0]
"""


class TestCalibrationFiles:
    def test_a_file_of_camera_calibration_is_read(self, tmp_path: Path) -> None:
        (tmp_path / "ost.yaml").write_text(FROM_ROS)
        read = load_intrinsics(tmp_path / "ost.yaml")
        assert (read.image_width, read.matrix[0, 2], read.distortion[0]) == (640, 325.2, -0.36)

    def test_what_is_written_is_read_again(self, tmp_path: Path) -> None:
        made = intrinsics_from(MATRIX, BENT, 320, 240, "wrist")
        made.write(tmp_path / "wrist.yaml")
        assert load_intrinsics(tmp_path / "wrist.yaml") == made
        assert "projection_matrix" in (tmp_path / "wrist.yaml").read_text()

    @pytest.mark.parametrize(
        ("wrong", "right", "words"),
        [
            ("rows: 3\n  cols: 3\n  data: [428.7", "rows: 3\n  cols: 4\n  data: [428.7", "camera_matrix"),
            ("plumb_bob", "fisheye", "plumb_bob"),
            ("image_width: 640\n", "", "image_width"),
            ("[428.7, 0.0", "[-428.7, 0.0", "focal"),
            ("[-0.36, 0.13, 0.0003, 0.0008, 0.0]", "[.nan, 0.13, 0.0003, 0.0008, 0.0]", "finite"),
        ],
    )
    def test_what_is_wrong_is_named(self, tmp_path: Path, wrong: str, right: str, words: str) -> None:
        assert wrong in FROM_ROS
        (tmp_path / "ost.yaml").write_text(FROM_ROS.replace(wrong, right))
        with pytest.raises(ReinsError, match=words):
            load_intrinsics(tmp_path / "ost.yaml")

    def test_no_file_and_no_yaml(self, tmp_path: Path) -> None:
        with pytest.raises(ReinsError, match="No such file"):
            load_intrinsics(tmp_path / "none.yaml")
        (tmp_path / "bad.yaml").write_text("a: [")
        with pytest.raises(ReinsError, match="not valid YAML"):
            load_intrinsics(tmp_path / "bad.yaml")


class TestRectifying:
    def test_a_straight_line_is_straight_again(self) -> None:
        line = np.stack([np.linspace(-0.5, 0.5, 400), np.full(400, 0.35), np.ones(400)], axis=1)
        pixels, _ = cv2.projectPoints(line, np.zeros(3), np.zeros(3), MATRIX, BENT)
        picture = np.zeros((240, 320, 3), np.uint8)
        cv2.polylines(picture, [np.rint(pixels).astype(np.int32)], False, (255, 255, 255), 2)
        rows = rows_of(Rectifier(intrinsics_from(MATRIX, BENT, 320, 240, "x")).rectified(picture))
        assert np.ptp(rows_of(picture)) > 2.5, "the lens bends it"
        assert np.ptp(rows) <= 1.0
        assert rows.mean() == pytest.approx(0.35 * MATRIX[1, 1] + MATRIX[1, 2], abs=0.5)

    def test_without_distortion_the_picture_stays(self) -> None:
        picture = np.random.default_rng(0).integers(0, 255, (240, 320, 3), np.uint8)
        assert Rectifier(intrinsics_from(MATRIX, np.zeros(5), 320, 240, "x")).rectified(picture) is picture

    def test_where_the_lens_did_not_see_there_is_no_edge_and_no_depth(self) -> None:
        narrow = Rectifier(intrinsics_from(MATRIX, np.array([0.8, 0.0, 0.0, 0.0, 0.0]), 320, 240, "x"))
        assert np.ptp(narrow.rectified(np.full((240, 320, 3), 120, np.uint8))) == 0
        depth = narrow.rectified_depth(np.ones((240, 320), np.float32))
        assert depth[0, 0] == 0.0 and depth[120, 160] == 1.0 and set(np.unique(depth)) == {0.0, 1.0}

    def test_another_size_is_refused(self) -> None:
        with pytest.raises(ReinsError, match="for 320x240 and the pictures are 64x48"):
            Rectifier(intrinsics_from(MATRIX, BENT, 320, 240, "x")).rectified(np.zeros((48, 64, 3), np.uint8))


def rows_of(picture: np.ndarray) -> np.ndarray:
    """Middle of what is bright in each column that has anything, away from the sides."""
    columns = [np.flatnonzero(picture[:, column, 0] > 100) for column in range(80, 240)]
    return np.array([rows.mean() for rows in columns if len(rows)])


@pytest.fixture(scope="module")
def profile() -> RobotProfile:
    plain = load_profile("franka")
    mounts = (
        CameraMount(name="door", mount="base", xyz=(0.6, 0.1, 1.2), rpy=(3.1, 0.1, 1.5)),
        CameraMount(name="hand", mount="tool", xyz=(0.05, 0.0, -0.06), rpy=(0.0, 0.2, 0.0)),
    )
    return plain.model_copy(update={"cameras": mounts})


class TestPoses:
    def test_a_fixed_camera_needs_no_robot(self, profile: RobotProfile) -> None:
        pose = CameraPoses(profile).at("door", 5.0)
        assert pose is not None and pose[:3, 3] == pytest.approx([0.6, 0.1, 1.2])

    def test_one_in_the_hand_moves_with_it_between_two_states(self, profile: RobotProfile) -> None:
        poses, home = CameraPoses(profile), profile.home
        assert poses.at("hand", 1.0) is None
        poses.note(1.0, home)
        poses.note(2.0, home + 0.2)
        tool = Kinematics(profile).tool_pose(home + 0.05)
        expected = np.eye(4)
        expected[:3, :3], expected[:3, 3] = tool.rotation, tool.position
        assert poses.at("hand", 1.25) == pytest.approx(expected @ profile.cameras[1].pose)
        assert poses.at("hand", 0.5) is None and poses.at("hand", 2.5) is None

    @pytest.mark.parametrize(("after", "known"), [(BEYOND - 1e-6, True), (BEYOND + 1e-6, False)])
    def test_exactly_at_how_much_newer_a_picture_may_be(self, profile: RobotProfile, after: float, known: bool) -> None:
        poses = CameraPoses(profile)
        poses.note(1.0, profile.home)
        assert (poses.at("hand", 1.0 + after) is not None) is known

    def test_robot_time_that_starts_again_is_believed(self, profile: RobotProfile) -> None:
        poses = CameraPoses(profile)
        poses.note(50.0, profile.home)
        poses.note(0.1, profile.home)
        assert poses.at("hand", 50.0) is None and poses.at("hand", 0.1) is not None

    def test_a_camera_that_is_not_in_the_profile_is_named(self, profile: RobotProfile) -> None:
        with pytest.raises(UnknownName, match="door, hand"):
            CameraPoses(profile).at("window", 1.0)

    @given(st.tuples(*[st.floats(-3, 3)] * 3), st.tuples(st.floats(-3, 3), st.floats(-1.5, 1.5), st.floats(-3, 3)))
    def test_a_mount_is_written_as_it_was_measured(
        self, xyz: tuple[float, float, float], rpy: tuple[float, float, float]
    ) -> None:
        pose = CameraMount(name="x", mount="base", xyz=xyz, rpy=rpy).pose
        assert mount_from_pose("x", "base", pose).pose == pytest.approx(pose, abs=3e-6)


class TestClock:
    def test_the_least_late_arrival_counts(self) -> None:
        clock = RobotClock()
        assert clock.robot_time(10.0) is None
        for index, late in enumerate((0.004, 0.001, 0.030)):
            clock.note(100.0 + index, 10.0 + index + late)
        assert clock.robot_time(10.0) == pytest.approx(99.999)

    def test_a_clock_that_starts_again_is_followed(self) -> None:
        clock = RobotClock()
        clock.note(100.0, 10.0)
        clock.note(1.0, 11.0)
        assert clock.robot_time(12.0) == pytest.approx(2.0)
