"""What a person types wrong gets one clear sentence and a non-zero exit status; nothing is started."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text
from typer.main import get_command
from typer.testing import CliRunner, Result

from reins import __version__
from reins.cli.app import app
from reins.cli.console import ExitCode
from reins.skills.library import SKILLS

COMMANDS: tuple[list[str], ...] = (
    [],
    ["up"],
    ["task"],
    ["demo"],
    ["peer"],
    ["estop"],
    ["reset"],
    ["arm"],
    ["handback"],
    ["abort"],
    ["plan"],
    ["plan", "show"],
    ["plan", "approve"],
    ["plan", "edit"],
    ["plan", "reword"],
    ["plan", "reject"],
    ["explain"],
    ["speed"],
    ["constraints"],
    ["constraints", "list"],
    ["constraints", "add"],
    ["constraints", "remove"],
    ["teleop"],
    ["teleop", "keyboard"],
    ["status"],
    ["look"],
    ["calibrate"],
    ["calibrate", "board"],
    ["calibrate", "record"],
    ["calibrate", "intrinsics"],
    ["calibrate", "hand-eye"],
    ["blackbox"],
    ["trace"],
    ["doctor"],
    ["conformance"],
    ["skills"],
    ["skills", "list"],
    ["skills", "show"],
    ["skills", "run"],
    ["models"],
    ["models", "list"],
    ["models", "verify"],
    ["bench"],
    ["train"],
    ["train", "skill"],
)

HEAVY = ("mujoco", "rclpy", "numpy", "pinocchio", "onnxruntime", "matplotlib", "cv2", "av", "torch")
"""Nothing of this may be imported before a command needs it."""


def reins(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help(command: list[str]) -> None:
    result = reins(*command, "--help")
    assert result.exit_code == 0
    assert "Usage" in result.output and "--help" in result.output


def test_the_version_is_told_without_a_command() -> None:
    result = reins("--version")
    assert result.exit_code == 0
    assert result.output == f"reins {__version__}\n"


def helps(command: Any) -> Iterator[str]:
    """Every help text of a command and of those under it."""
    yield command.help or ""
    for parameter in command.params:
        yield getattr(parameter, "help", None) or ""
    for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
        yield from helps(command.get_command(None, name))


def test_no_help_has_words_that_are_taken_for_markup() -> None:
    texts = list(helps(get_command(app)))
    assert [text for text in texts if Text.from_markup(text).plain != text] == []
    assert "Longest time to listen, in seconds." in texts
    assert "Length of each measurement, in seconds." in texts


def test_help_imports_nothing_heavy() -> None:
    code = f"import sys; from reins.cli.app import app; app(['--help'], standalone_mode=False); \
             print(*sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr.strip() == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["skills", "show", "graps"], ["graps", "known", "pick"]),
        (["skills", "run", "pik", "object=red_block"], ["no skill 'pik'", "did you mean 'pick'"]),
        (["skills", "run", "pick"], ["pick needs object"]),
        (["skills", "run", "pick", "red_block"], ["red_block", "NAME=VALUE"]),
        (["skills", "run", "pick", "thing=red_block"], ["no parameter of pick 'thing'", "object"]),
        (["skills", "run", "move_to", "target=red_block", "height=high"], ["height is 'high'", "number"]),
        pytest.param(["up", "simulation"], ["simulation", "sim"], marks=pytest.mark.ros),
        pytest.param(["demo", "--world", "moon"], ["no world 'moon'", "tabletop"], marks=pytest.mark.ros),
        pytest.param(["demo", "--backend", "bulet"], ["'bulet'", "'pybullet'", "mujoco"], marks=pytest.mark.ros),
        (["bench", "tabletop", "--filter-cost", "--through", "ros"], ["--filter-cost is for --through rig only"]),
        (["bench", "tabletop", "--backend", "bulet"], ["no backend 'bulet'", "did you mean 'pybullet'"]),
        pytest.param(["demo", "--planner", "oracle"], ["no planner 'oracle'", "symbolic"], marks=pytest.mark.ros),
        pytest.param(["demo", "--skills", "magic"], ["magic", "scripted"], marks=pytest.mark.ros),
        (["models", "verify", "nothing"], ["nothing"]),
        (["blackbox", "nothing.mcap"], ["nothing.mcap", "No such file"]),
        (["blackbox", "nothing.mcap", "--save"], ["nothing.mcap", "--save"]),
        (["train", "skill", "juggle"], ["juggle", "reach"]),
        (["explain", "--file", "nothing.jsonl"], ["there is no file nothing.jsonl"]),
        pytest.param(
            ["plan", "edit", "--file", "nothing.yaml"], ["nothing.yaml", "cannot be read"], marks=pytest.mark.ros
        ),
    ],
    ids=lambda value: " ".join(value),
)
def test_a_wrong_word_is_named_with_what_exists(arguments: list[str], words: list[str]) -> None:
    result = reins(*arguments)
    assert result.exit_code == ExitCode.ERROR
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, result.stderr
    for word in words:
        assert word in lines[0]
    assert "Traceback" not in result.output


def test_a_wrong_option_is_a_usage_error() -> None:
    assert reins("task", "put it down", "--speed", "9").exit_code == ExitCode.ERROR
    assert reins("no-such-command").exit_code == ExitCode.ERROR


def test_debug_shows_where_an_error_came_from() -> None:
    result = reins("--debug", "skills", "show", "graps")
    assert result.exit_code == ExitCode.ERROR
    assert "UnknownName" in result.stderr


def test_every_skill_is_listed_and_shown() -> None:
    listed = reins("skills", "list")
    assert listed.exit_code == 0
    for name, spec in SKILLS.items():
        assert name in listed.output
        shown = reins("skills", "show", name)
        assert shown.exit_code == 0
        for parameter in spec.parameters:
            assert parameter.name in shown.output


@pytest.mark.ros
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    result = reins("demo", "--out", str(tmp_path / "file" / "demo"))
    assert result.exit_code == ExitCode.ERROR
    assert "cannot write" in result.stderr and "--out" in result.stderr


def test_the_keyboard_needs_a_terminal() -> None:
    result = reins("teleop", "keyboard")
    assert result.exit_code == ExitCode.ERROR
    assert "terminal" in result.stderr


@pytest.mark.ros
@pytest.mark.parametrize(
    "command",
    [["estop"], ["reset"], ["blackbox", "--save"], ["task", "go home"], ["skills", "list", "--live"], ["abort"]],
    ids=" ".join,
)
def test_without_a_graph_it_says_how_to_start_one(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rclpy", reason="needs ROS 2")
    monkeypatch.setenv("ROS_DOMAIN_ID", "97")
    monkeypatch.setattr("reins.nodes.client.DISCOVERY", 1.0)
    result = reins(*command)
    assert result.exit_code == ExitCode.ERROR
    assert "reins up sim" in result.stderr


@pytest.mark.ros
def test_a_namespace_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rclpy", reason="needs ROS 2")
    result = reins("status", "--namespace", "two words")
    assert result.exit_code == ExitCode.ERROR
    assert "two words" in result.stderr
