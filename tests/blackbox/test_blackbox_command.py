"""`reins blackbox`: words, figures and a plot, on a machine without ROS."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from blackbox_files import driven_and_stopped, make_file
from PIL import Image
from typer.testing import CliRunner, Result

from reins.blackbox import folder as folders
from reins.cli.app import app
from reins.cli.console import ExitCode


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return make_file(tmp_path, driven_and_stopped())


def reins(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "300"})


def test_words_and_a_plot_beside_the_file(file: Path) -> None:
    result = reins("blackbox", str(file))
    assert result.exit_code == ExitCode.SUCCESS, result.output
    for word in ("emergency stop by ann", "30 ms after the stop", "by hand (teleop)", "tool speed", "+0.001 s"):
        assert word in result.output
    picture = Image.open(file.with_suffix(".png"))
    assert picture.format == "PNG" and min(picture.size) > 500
    assert len(set(picture.convert("L").resize((64, 64)).tobytes())) > 10, "an empty picture"


def test_figures_for_programs(file: Path, tmp_path: Path) -> None:
    result = reins("blackbox", str(file), "--json")
    assert result.exit_code == ExitCode.SUCCESS
    figures = json.loads(result.stdout)
    assert figures["standstill"]["after"] == pytest.approx(0.03)
    assert figures["filtered"]["changed"] == 100
    assert figures["case"]["reason"] == "emergency stop by ann: hand in the cell"
    assert figures["events"][-1]["source"] == "ann"
    assert not file.with_suffix(".png").exists()
    picture = tmp_path / "elsewhere.png"
    result = reins("blackbox", str(file), "--json", "--plot", str(picture))
    assert json.loads(result.stdout) and picture.exists()


def test_figures_have_no_nan(tmp_path: Path) -> None:
    result = reins("blackbox", str(make_file(tmp_path, [])), "--json")
    figures = json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert figures["standstill"]["after"] is None


def test_an_empty_file_has_a_plot(tmp_path: Path) -> None:
    path = make_file(tmp_path, [])
    assert reins("blackbox", str(path)).exit_code == ExitCode.SUCCESS
    assert path.with_suffix(".png").exists()


def test_without_a_file_the_newest(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "default_folder", lambda: file.parent)
    monkeypatch.setattr(folders, "fallback_folder", lambda: file.parent / "none")
    result = reins("blackbox")
    assert result.exit_code == ExitCode.SUCCESS
    assert file.name in result.output


@pytest.mark.parametrize(
    ("name", "said"), [("gone.mcap", "cannot read"), ("text.mcap", "is not an MCAP file"), ("cut.mcap", "is cut short")]
)
def test_a_wrong_file_is_one_sentence(file: Path, name: str, said: str) -> None:
    (file.parent / "text.mcap").write_text("Dear diary")
    (file.parent / "cut.mcap").write_bytes(file.read_bytes()[:-100])
    result = reins("blackbox", str(file.parent / name))
    assert result.exit_code == ExitCode.ERROR
    assert [line for line in result.stderr.splitlines() if said in line] == result.stderr.splitlines()


def test_a_plot_that_cannot_be_written_is_one_sentence(file: Path) -> None:
    result = reins("blackbox", str(file), "--plot", str(file / "plot.png"))
    assert result.exit_code == ExitCode.ERROR
    assert "cannot write the plot" in result.stderr and "--plot" in result.stderr


def test_it_needs_no_ros(file: Path) -> None:
    code = (
        "import sys\n"
        "for name in ('rclpy', 'reins_msgs', 'std_msgs', 'rosidl_runtime_py'): sys.modules[name] = None\n"
        "from reins.cli.app import app\n"
        f"app(['blackbox', {str(file)!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "emergency stop by ann" in done.stdout
