"""`reins look --file`: what a model behind a real server says of a picture, and of what is no picture."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from faulty_server import FaultyServer, says, serving, streams
from rich.console import Console
from typer.testing import CliRunner, Result

from reins.cli.app import app
from reins.cli.console import ExitCode

DESCRIPTION = """{"objects": [
 {"name": "coffee mug", "kind": "other", "colour": "white", "attributes": ["upside down"],
  "box": {"left": 250, "top": 250, "right": 750, "bottom": 750}},
 {"name": "wooden cube", "kind": "block", "colour": "red", "attributes": [],
  "box": {"left": 0, "top": 0, "right": 100, "bottom": 100}}],
 "relations": [{"subject": 1, "relation": "on", "object": 0}, {"subject": 2, "relation": "beside", "object": 1}],
 "caption": "A mug and a cube."}"""
ANSWER = """{"verdict": "yes", "answer": "It stands on its rim."}"""


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """No line of a table is broken."""
    monkeypatch.setattr("reins.cli.still.out", Console(width=160))


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "photo.jpg"
    cv2.imwrite(str(path), np.full((60, 80, 3), 90, np.uint8))
    return path


@pytest.fixture
def server() -> Iterator[FaultyServer]:
    with serving(streams(DESCRIPTION)) as running:
        yield running


def look(photo: Path, server: FaultyServer | None, *options: str) -> Result:
    door = ["--vlm", "openai", "--model", "m", "--base-url", server.url] if server else []
    return CliRunner().invoke(app, ["look", "--file", str(photo), *door, *options])


def test_what_the_model_sees_is_told_and_drawn(photo: Path, server: FaultyServer, tmp_path: Path) -> None:
    drawn = tmp_path / "drawn.png"
    result = look(photo, server, "--image", str(drawn))
    assert result.exit_code == 0, result.output
    row = next(line for line in result.output.splitlines() if line.startswith("1 "))
    assert "coffee mug, other, white, upside down" in row and "250, 250, 750, 750" in row
    assert "on the table" in row and "beside 1" in result.output
    assert "A mug and a cube." in result.output and "nothing was measured" in result.output
    picture = cv2.imread(str(drawn))
    assert picture is not None and picture.shape == (60, 80, 3)
    assert picture[15:45, 20].max() == 255 and abs(int(picture[30, 40, 0]) - 90) < 5
    (turn,) = [turn for turn in server.bodies[0]["messages"] if turn["role"] == "user"]
    assert any(part["type"] == "image_url" for part in turn["content"])


def test_a_question_is_answered(photo: Path, server: FaultyServer, tmp_path: Path) -> None:
    server.behaviours = (streams(ANSWER),)
    result = look(photo, server, "--ask", "is the mug upside down?")
    assert result.exit_code == 0 and result.output.strip() == "yes: It stands on its rim."


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"no picture at all", "no picture that OpenCV can read"), (b"", "no picture"), (None, "cannot be read")],
)
def test_what_is_no_picture_is_told(tmp_path: Path, server: FaultyServer, content: bytes | None, why: str) -> None:
    path = tmp_path / "photo.jpg"
    if content is not None:
        path.write_bytes(content)
    result = look(path, server, "--no-image")
    assert result.exit_code == ExitCode.ERROR and why in " ".join(result.output.split())
    assert not server.bodies


def test_a_model_that_turns_us_away_is_told(photo: Path, server: FaultyServer) -> None:
    server.behaviours = (says(403),)
    result = look(photo, server, "--no-image")
    assert result.exit_code == ExitCode.ERROR and "403" in result.output


def test_an_unknown_door_lists_those_that_exist(photo: Path) -> None:
    result = look(photo, None, "--vlm", "gpt", "--no-image")
    assert result.exit_code == ExitCode.ERROR and "tiny" in result.output and "llama_cpp" in result.output
