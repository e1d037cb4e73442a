"""`reins calibrate` on folders of drawn pictures: from a board's file to a mount, and what it says of bad folders."""

from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml
from board_views import (
    CHARUCO,
    FIXED,
    IN_HAND,
    LENS,
    MATRIX,
    PINHOLE,
    TAGS,
    Turns,
    board_poses,
    picture,
    tool_pose,
)
from typer.testing import CliRunner, Result

from reins.calibration.board import Board, BoardFinder, CharucoBoard, TagBoard, draw
from reins.calibration.folder import FolderWriter, read_poses
from reins.calibration.recording import Recorder
from reins.cli.app import app
from reins.cli.console import ExitCode
from reins.contracts.errors import ReinsError
from reins.hardware.camera.intrinsics import Intrinsics, load_intrinsics
from reins.hardware.camera.mount import CameraMount
from reins.hardware.profile import load_profile

HEAD = "picture,x,y,z,qx,qy,qz,qw"


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["calibrate", *map(str, words)], env={"COLUMNS": "160"})


def write_folder(folder: Path, board: Board, lens: Intrinsics, count: int, in_hand: bool, turns: Turns) -> Path:
    """A folder as `reins calibrate record` leaves it, with the camera's calibration."""
    description = folder.parent / f"{folder.name}.yaml"
    description.write_text(yaml.safe_dump(board.model_dump()))
    writer = FolderWriter(folder, description)
    for pose in board_poses(board, count, turns, 11):
        writer.add(np.stack([picture(board, pose, lens)] * 3, axis=2), tool_pose(pose, in_hand))
    lens.write(folder / "intrinsics.yaml")
    return folder


@pytest.fixture(scope="module")
def charuco(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("a") / "charuco", CHARUCO, LENS, 12, True, Turns())


def mount_in(path: Path) -> CameraMount:
    return CameraMount.model_validate(yaml.safe_load(path.read_text())["cameras"][0])


def test_a_camera_in_the_hand_is_found_from_drawn_pictures(charuco: Path, tmp_path: Path) -> None:
    result = run("hand-eye", charuco, "--camera", "wrist", "--out", tmp_path / "mount.yaml")
    assert result.exit_code == 0, result.output
    assert "seen in 12 pictures" in result.output and "px RMS" in result.output and "leaving one out" in result.output
    mount = mount_in(tmp_path / "mount.yaml")
    assert (mount.name, mount.mount) == ("wrist", "tool")
    assert np.abs(mount.pose[:3, 3] - IN_HAND[:3, 3]).max() < 1e-3
    assert np.abs(mount.pose[:3, :3] - IN_HAND[:3, :3]).max() < 2e-3
    profile = load_profile("franka").model_dump(mode="json") | yaml.safe_load((tmp_path / "mount.yaml").read_text())
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump(profile))
    assert load_profile(str(tmp_path / "robot.yaml")).cameras == (mount,), "the profile takes it as it is"


def test_a_fixed_camera_is_found_by_the_tags_in_the_hand(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "tags", TAGS, PINHOLE, 9, False, Turns(0.4, 0.4, 0.5, 0.02))
    result = run("hand-eye", folder, "--camera", "door", "--mount", "base")
    assert result.exit_code == 0, result.output
    mount = mount_in(folder / "mount.yaml")
    assert mount.mount == "base"
    assert np.abs(mount.pose[:3, 3] - FIXED[:3, 3]).max() < 1e-3
    assert np.abs(mount.pose[:3, :3] - FIXED[:3, :3]).max() < 2e-3


def test_the_lens_is_found_from_drawn_pictures(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "lens", CHARUCO, LENS, 14, True, Turns(0.6, 0.6, 0.5, 0.12))
    result = run("intrinsics", folder, "--camera", "wrist", "--out", tmp_path / "wrist.yaml")
    assert result.exit_code == 0, result.output
    found = load_intrinsics(tmp_path / "wrist.yaml")
    assert found.camera_name == "wrist"
    assert np.abs(found.matrix - MATRIX).max() < 6.0


def test_poses_of_other_pictures_are_not_believed(charuco: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    for path in charuco.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    head, *lines = (charuco / "poses.csv").read_text().splitlines()
    poses = [line.split(",", 1)[1] for line in lines]
    swapped = [f"{line.split(',')[0]},{pose}" for line, pose in zip(lines, poses[1:] + poses[:1], strict=True)]
    (folder / "poses.csv").write_text("\n".join([head, *swapped]))
    result = run("hand-eye", folder)
    assert result.exit_code == ExitCode.FAILED and "not written" in result.output
    assert not (folder / "mount.yaml").exists()


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("board.yaml", "kind: charuco\ncolumns: 7\n", "rows"),
        ("board.yaml", "kind: chess\n", "chess"),
        ("poses.csv", "picture,x,y\n", "lacks z, qx, qy, qz, qw"),
        ("poses.csv", f"{HEAD}\nview_001.png,0,0,0,2,0,0,0\n", "line 2: the quaternion"),
        ("poses.csv", f"{HEAD}\nview_001.png,0,0,0,1,0,0,0\n", "has no pose of view_002.png"),
        ("poses.csv", f"{HEAD}\nview_001.png,0,inf,0,1,0,0,0\n", "line 2: a number is not finite"),
        ("poses.csv", f"{HEAD}\nview_001.png,0,0,0,1,0,0\n", "line 2: expected seven numbers"),
        ("poses.csv", f"{HEAD}\na.png,0,0,0,1,0,0,0\na.png,1,0,0,1,0,0,0\n", "line 3: 'a.png' has a pose already"),
        ("intrinsics.yaml", "image_width: 640\n", "image_height"),
        ("view_001.png", "no picture", "no picture that can be read"),
    ],
)
def test_what_is_wrong_with_a_folder_is_named(charuco: Path, tmp_path: Path, file: str, text: str, words: str) -> None:
    folder = tmp_path / "bad"
    folder.mkdir()
    for path in sorted(charuco.iterdir()):
        if path.suffix != ".png" or path.name < "view_003.png":
            (folder / path.name).write_bytes(path.read_bytes())
    (folder / file).write_text(text)
    result = run("hand-eye", folder)
    assert result.exit_code == ExitCode.ERROR
    assert words in result.output.replace("\n", " ")


def test_poses_that_are_no_text_are_told(tmp_path: Path) -> None:
    (tmp_path / "poses.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ReinsError, match="is no CSV file"):
        read_poses(tmp_path)


def test_no_folder_and_no_pictures(tmp_path: Path) -> None:
    assert "reins calibrate record" in run("hand-eye", tmp_path / "none").output
    (tmp_path / "board.yaml").write_text(yaml.safe_dump(TAGS.model_dump()))
    assert "no pictures" in run("intrinsics", tmp_path).output


def test_a_board_is_drawn_as_large_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text(yaml.safe_dump(CHARUCO.model_dump()))
    result = run("board", tmp_path / "b.yaml", "--out", tmp_path / "b.png", "--dpi", "254")
    assert result.exit_code == 0 and "210.0 × 150.0 mm" in result.output
    drawn = cv2.imread(str(tmp_path / "b.png"), cv2.IMREAD_GRAYSCALE)
    assert drawn is not None and drawn.shape == (1700, 2300)
    view = BoardFinder(CHARUCO).find(np.asarray(drawn, np.uint8))
    assert view is not None and len(view.points) == 24
    scale = np.linalg.norm(view.pixels[1] - view.pixels[0]) / np.linalg.norm(view.points[1] - view.points[0])
    assert scale == pytest.approx(10000.0, rel=1e-3)


@pytest.mark.parametrize(
    ("change", "out", "words"),
    [
        ({"square": 3.0, "marker": 2.2}, "b.png", "are its sizes in metres?"),
        (
            {"dictionary": "DICT_4X4_50", "columns": 20, "rows": 20},
            "b.png",
            "needs 200 markers, and DICT_4X4_50 has 50",
        ),
        ({}, "b.foo", "no ending of a picture"),
        ({}, "none/b.png", "cannot be written"),
    ],
)
def test_a_board_that_cannot_be_drawn_is_told(tmp_path: Path, change: dict[str, object], out: str, words: str) -> None:
    (tmp_path / "b.yaml").write_text(yaml.safe_dump(CHARUCO.model_dump() | change))
    result = run("board", tmp_path / "b.yaml", "--out", tmp_path / out)
    assert result.exit_code == ExitCode.ERROR and words in result.output.replace("\n", " ")


@pytest.mark.parametrize(("rows", "fits"), [(10, True), (11, False)])
def test_a_family_has_markers_for_just_so_many(rows: int, fits: bool) -> None:
    described = {"kind": "apriltag", "columns": 5, "rows": rows, "tag": 0.04, "gap": 0.01, "dictionary": "DICT_4X4_50"}
    if fits:
        TagBoard.model_validate(described)
        return
    with pytest.raises(ValueError, match="needs 55 markers, and DICT_4X4_50 has 50"):
        TagBoard.model_validate(described)


def test_corners_in_one_line_are_no_view() -> None:
    wide = CharucoBoard(kind="charuco", columns=12, rows=3, square=0.03, marker=0.022)
    drawn = draw(wide, 4000.0)
    whole = BoardFinder(wide).find(drawn)
    assert whole is not None and len(whole.points) == 22
    assert BoardFinder(wide).find(drawn[: len(drawn) // 2 + 20]) is None, "only the upper row is left"


class TestRecording:
    """Pictures are taken where the arm stands still, in poses that are new, and of the board."""

    @pytest.fixture
    def recorder(self, tmp_path: Path) -> Recorder:
        (tmp_path / "b.yaml").write_text(yaml.safe_dump(CHARUCO.model_dump()))
        return Recorder(BoardFinder(CHARUCO), FolderWriter(tmp_path / "taken", tmp_path / "b.yaml"))

    def test_it_takes_what_is_new_still_and_seen(self, recorder: Recorder, tmp_path: Path) -> None:
        first, second = board_poses(CHARUCO, 2, Turns(), 3)
        rgb = np.stack([picture(CHARUCO, first, LENS)] * 3, axis=2)
        here, there = tool_pose(first, True), tool_pose(second, True)
        assert recorder.offer(rgb, here, there) == "moving"
        assert "board is not seen" in recorder.offer(np.full_like(rgb, 90), here, here)
        assert recorder.offer(rgb, here, here).startswith("view_001.png: 24 corners")
        assert "pose is taken" in recorder.offer(rgb, here, here)
        assert recorder.offer(rgb, there, there).startswith("view_002.png")
        assert recorder.count == 2
        assert len((tmp_path / "taken" / "poses.csv").read_text().splitlines()) == 3

    def test_a_folder_with_pictures_is_left_alone(self, charuco: Path) -> None:
        result = run("record", charuco, "--board", charuco / "board.yaml")
        assert result.exit_code == ExitCode.ERROR and "has pictures already" in result.output
