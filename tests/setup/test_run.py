"""`./run` as a person calls it."""

import io
import os
import subprocess
import time
from pathlib import Path

import pytest

from bootstrap import checks, cli
from bootstrap.console import Console
from bootstrap.ensure import Checkout
from bootstrap.layout import Layout
from bootstrap.problems import Problem, StepFailed

ROOT = Path(__file__).resolve().parents[2]
START_LIMIT_S = 2.0


def run(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "run", *arguments],
        env=os.environ | (env or {}),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_needs_no_set_up_and_names_the_commands(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 0
    for command in ("demo", "test", "setup", "python", "exec", "env"):
        assert f"./run {command}" in done.stdout


def test_an_unsupported_python_is_named(tmp_path: Path) -> None:
    python = tmp_path / "python3"
    python.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.18"\nexit 1\n')
    python.chmod(0o755)
    done = run("setup", env={"REINS_PYTHON": str(python)})
    assert done.returncode == 1
    assert "reins needs Python 3.10 to 3.13" in done.stderr
    assert "Python 3.9.18" in done.stderr
    assert "apt-get install" in done.stderr


def test_it_runs_through_a_link_and_from_any_folder(tmp_path: Path) -> None:
    link = tmp_path / "run"
    link.symlink_to(ROOT / "run")
    assert subprocess.run([link, "--help"], cwd="/", capture_output=True, timeout=60, check=False).returncode == 0


def test_a_path_that_ros_cannot_live_in_is_refused() -> None:
    with pytest.raises(Problem, match="a space or a colon"):
        cli._require_plain_path(Path("/home/me/my robots"))


def test_an_unknown_group_is_refused_with_the_known_ones() -> None:
    groups = "runtime, dev, pybullet, franka, ur, go2, train, llm, vlm"
    with pytest.raises(Problem, match=rf"No group trian\. The groups are: {groups}"):
        cli._groups("setup", ["trian"])


@pytest.mark.parametrize(
    "arguments, speaks",
    [
        (["demo"], True),
        (["demo", "--planner", "llama_cpp"], True),
        (["demo", "--planner", "symbolic"], False),
        (["demo", "--planner"], False),
        (["up", "sim"], False),
        (["up", "sim", "planner:=llama_cpp"], True),
        (["bench", "planning", "--planner=llama_cpp"], True),
    ],
)
def test_a_language_model_is_set_up_for_what_plans_with_it(arguments: list[str], speaks: bool) -> None:
    assert ("llm" in cli._groups(arguments[0], arguments[1:])) is speaks


def test_a_demo_whose_language_model_cannot_be_set_up_says_what_runs_without_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(checkout: Checkout, groups: list[str]) -> None:
        raise StepFailed("compiling (llm)", tmp_path / "no.log", 1)

    monkeypatch.setattr(Checkout, "ensure", fail)
    with pytest.raises(Problem, match=r"(?s)compiling \(llm\) failed.*\./run demo --planner symbolic"):
        cli._run(Layout(ROOT), "demo", [])
    with pytest.raises(StepFailed) as failure:
        cli._run(Layout(ROOT), "up", ["sim", "planner:=llama_cpp"])
    assert "--planner symbolic" not in str(failure.value)


@pytest.mark.parametrize(
    "given, passed",
    [
        (["-k", "safety"], ["-m", "not slow", "-k", "safety"]),
        (["tests/safety"], ["-m", "not slow", "tests/safety"]),
        (["--all", "tests/safety", "-x"], ["tests/safety", "-x"]),
        (["-m", "ros"], ["-m", "not slow", "-m", "ros"]),
    ],
)
def test_a_selection_reaches_pytest_as_it_is(given: list[str], passed: list[str]) -> None:
    assert [command[1:] for command in checks.pytest_commands(Layout(ROOT), given)] == [["-m", "pytest", *passed]]


@pytest.mark.parametrize(
    "given, marks, rest",
    [
        ([], ("not ros and not slow", "ros and not slow"), []),
        (["--all"], ("not ros", "ros"), []),
        (["-x", "--rerun-graphs=3"], ("not ros and not slow", "ros and not slow"), ["-x", "--rerun-graphs=3"]),
    ],
)
def test_the_whole_suite_goes_side_by_side_but_for_the_nodes(
    given: list[str], marks: tuple[str, str], rest: list[str]
) -> None:
    first, second = checks.pytest_commands(Layout(ROOT), given)
    assert first[1:] == ["-m", "pytest", "-m", marks[0], *checks.PARALLEL, *rest]
    assert second[1:] == ["-m", "pytest", "-m", marks[1], *rest]


@pytest.mark.parametrize(
    "version, names, said",
    [
        ((3, 10), ["style", "format"], "not checking types: that takes the NumPy of Python 3.11 or newer"),
        ((3, 11), ["style", "format", "types"], ""),
        ((3, 13), ["style", "format", "types"], ""),
    ],
)
def test_types_are_checked_where_numpy_has_the_types_the_code_is_written_for(
    tmp_path: Path, version: tuple[int, int], names: list[str], said: str
) -> None:
    stream = io.StringIO()
    assert list(checks.static_checks(Layout(ROOT, version), Console(tmp_path, stream))) == names
    assert said in stream.getvalue() and bool(said) == bool(stream.getvalue())


class TestInThisCheckout:
    """These need the checkout to be set up, which `./run test` sees to."""

    def test_python_has_reins_and_ros(self) -> None:
        code = "import rclpy, reins, reins_msgs.msg; print(reins_msgs.msg.Heartbeat.__name__)"
        done = run("python", "-c", code)
        assert (done.stdout, done.returncode) == ("Heartbeat\n", 0), done.stderr

    def test_the_exit_status_is_passed_on(self) -> None:
        assert run("python", "-c", "raise SystemExit(7)").returncode == 7

    def test_the_environment_can_be_taken_into_a_shell(self) -> None:
        script = f'eval "$({ROOT}/run env)" && python -c "import rclpy" && echo "$MUJOCO_GL"'
        bare = {"HOME": os.environ.get("HOME", "/"), "PATH": "/usr/bin:/bin"}
        done = subprocess.run(["sh", "-c", script], env=bare, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() in ("egl", "osmesa")

    def test_a_program_that_is_not_there_is_named(self) -> None:
        done = run("exec", "no-such-program")
        assert done.returncode == 1
        assert done.stderr == "There is no program no-such-program.\n"

    @pytest.mark.slow
    def test_a_second_call_starts_at_once(self) -> None:
        started = time.monotonic()
        run("python", "-c", "pass")
        assert time.monotonic() - started < START_LIMIT_S
