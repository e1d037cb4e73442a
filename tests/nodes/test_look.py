"""`reins look` against a running perception node: the table, the picture, and what it says where there is nothing."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest
from fake_cameras import CAMERAS, HEIGHT, WIDTH, FakeCameras, perception_with_cameras
from typer.testing import CliRunner, Result

from reins.cli.app import app
from reins.cli.console import ExitCode
from reins.cli.look import scene_table, show_scene
from reins.contracts.scene import Relation, Scene, SceneObject
from reins.demo.session import free_domain

pytestmark = pytest.mark.ros

BLOCK = SceneObject(
    "red_block", "block", "red", (0.5, -0.1234, 0.02), (0.0, 0.0, 0.3826834, 0.9238795), (0.04, 0.05, 0.04), 0.98, 7.5
)
SCENE = Scene(
    8.0,
    "geometric",
    {"red_block": BLOCK},
    frozenset({Relation("red_block", "left_of", "blue_bowl"), Relation("blue_bowl", "on", "table")}),
    "A red block.",
)


@pytest.fixture(scope="module")
def cameras() -> Iterator[FakeCameras]:
    with perception_with_cameras() as fake:
        yield fake


def look(domain: int, *options: str) -> Result:
    return CliRunner().invoke(app, ["look", *options], env={"ROS_DOMAIN_ID": str(domain), "COLUMNS": "160"})


def test_it_prints_the_scene_and_writes_the_pictures_of_all_cameras(cameras: FakeCameras, tmp_path: Path) -> None:
    result = look(cameras.domain, "--image", str(tmp_path / "seen.png"))
    assert result.exit_code == 0, result.output
    assert "source   geometric" in result.output and "seen.png" in result.output
    picture = cv2.imread(str(tmp_path / "seen.png"))
    assert picture is not None and picture.shape == (HEIGHT, WIDTH * len(CAMERAS), 3)


def test_without_a_picture_it_draws_none(cameras: FakeCameras) -> None:
    result = look(cameras.domain, "--no-image")
    assert result.exit_code == 0 and "picture" not in result.output


def test_a_file_that_cannot_be_written_is_told_in_one_line(cameras: FakeCameras, tmp_path: Path) -> None:
    result = look(cameras.domain, "--image", str(tmp_path / "seen.words"))
    assert result.exit_code == ExitCode.ERROR and "no ending of a picture" in result.output
    result = look(cameras.domain, "--image", str(tmp_path / "none" / "seen.png"))
    assert result.exit_code == ExitCode.ERROR and "no folder" in result.output


def test_where_no_graph_is_it_says_so() -> None:
    result = look(free_domain(), "--no-image")
    assert result.exit_code == ExitCode.ERROR and "is perception up?" in result.output


def test_a_row_says_where_a_thing_is_and_how(capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = zip(*(column.cells for column in scene_table(SCENE).columns), strict=True)
    assert row == ("red_block", "0.500, -0.123, 0.020", "45", "40 × 50 × 40", "98%", "0.5", "left of blue_bowl")


def test_a_stale_scene_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    show_scene(Scene(8.0, "geometric", stale="camera 'wrist' is black"))
    assert "stale" in (said := capsys.readouterr().out) and "camera 'wrist' is black" in said
