import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from rich.console import Console

from reins.contracts.errors import ReinsError
from reins.launching.process import describe_exit
from reins.launching.report import parse_state_line, state_line
from reins.launching.runner import run_launch

Write = Callable[..., Path]
TALKER = '<node pkg="toys" exec="talker" name="talker"><env name="NAME" value="talker"/></node>'


class Runner:
    """`run_launch` in a process of its own, with what it printed."""

    def __init__(self, path: Path) -> None:
        program = (
            "import sys; from pathlib import Path; from rich.console import Console;"
            "from reins.launching.runner import run_launch;"
            "sys.exit(run_launch(Path(sys.argv[1]), {}, Console(width=200)))"
        )
        self.process = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True)
        self.text = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.text += line

    def until(self, pattern: str, seconds: float = 20.0) -> re.Match[str]:
        deadline = time.monotonic() + seconds
        while (match := re.search(pattern, self.text)) is None:
            assert time.monotonic() < deadline, f"no {pattern!r} in:\n{self.text}"
            time.sleep(0.02)
        return match

    def ended(self, seconds: float = 20.0) -> int:
        code = self.process.wait(seconds)
        self._reader.join(5.0)
        return code


@pytest.fixture
def start() -> Iterator[Callable[[Path], Runner]]:
    runners: list[Runner] = []

    def make(path: Path) -> Runner:
        runners.append(Runner(path))
        return runners[-1]

    yield make
    for runner in runners:
        runner.process.kill()
        runner.ended()


def gone(pid: int, seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_output_is_prefixed_and_ctrl_c_ends_all(
    package: Path, launch_file: Write, start: Callable[[Path], Runner]
) -> None:
    runner = start(launch_file(TALKER + '<node pkg="toys" exec="parent"/>'))
    runner.until(r"\[talker\] hello from talker")
    pid = int(runner.until(r"/talker started, pid (\d+)").group(1))
    grandchild = int(runner.until(r"\[parent\] child (\d+)").group(1))
    runner.process.send_signal(signal.SIGINT)
    runner.ended()
    assert "stopping: got SIGINT" in runner.text
    assert gone(pid)
    assert gone(grandchild)


def test_a_node_that_dies_is_named_and_the_others_stay(
    package: Path, launch_file: Write, start: Callable[[Path], Runner]
) -> None:
    runner = start(launch_file(TALKER + '<node pkg="toys" exec="failing"/>'))
    runner.until("/failing died: exit status 3")
    runner.until("hello from talker")
    assert runner.process.poll() is None
    runner.process.terminate()
    assert runner.ended() == 1
    assert "[failing] about to fail" in runner.text


def test_the_end_of_a_required_node_ends_all(
    package: Path, launch_file: Write, start: Callable[[Path], Runner]
) -> None:
    runner = start(launch_file(TALKER + '<node pkg="toys" exec="failing" on_exit="shutdown"/>'))
    assert runner.ended() == 1
    assert "stopping: /failing ended" in runner.text


def test_a_killed_node_is_reported_with_its_signal(
    package: Path, launch_file: Write, start: Callable[[Path], Runner]
) -> None:
    runner = start(launch_file(TALKER))
    os.kill(int(runner.until(r"pid (\d+)").group(1)), signal.SIGKILL)
    assert runner.ended() == 1
    assert "/talker died: killed by SIGKILL" in runner.text


@pytest.mark.slow
def test_a_deaf_node_is_killed_in_bounded_time(
    package: Path, launch_file: Write, start: Callable[[Path], Runner]
) -> None:
    runner = start(launch_file('<node pkg="toys" exec="deaf"/>'))
    runner.until(r"\[deaf\] deaf")
    begin = time.monotonic()
    runner.process.send_signal(signal.SIGINT)
    assert runner.ended() == 1
    assert time.monotonic() - begin < 12.0
    assert "did not stop in time: SIGKILL sent" in runner.text


def test_more_ctrl_c_go_on_at_once(package: Path, launch_file: Write, start: Callable[[Path], Runner]) -> None:
    runner = start(launch_file('<node pkg="toys" exec="deaf"/>'))
    runner.until(r"\[deaf\] deaf")
    begin = time.monotonic()
    for _ in range(3):
        runner.process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    assert runner.ended() == 1
    assert time.monotonic() - begin < 4.0


def test_children_die_with_a_killed_runner(package: Path, launch_file: Write, start: Callable[[Path], Runner]) -> None:
    runner = start(launch_file(TALKER))
    pid = int(runner.until(r"pid (\d+)").group(1))
    runner.until("hello")
    runner.process.kill()
    assert gone(pid)


def test_states_told_by_the_supervisor_are_shown(
    package: Path, launch_file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = launch_file(
        '<node pkg="toys" exec="states" name="talker"/><node pkg="toys" exec="failing" on_exit="shutdown"/>'
    )
    text = io.StringIO()
    assert run_launch(path, {}, Console(file=text, force_terminal=True, width=100)) == 1
    assert re.search(r"/talker .*(active|SIGINT)", text.getvalue())


def test_a_file_without_nodes_is_refused(package: Path, launch_file: Write) -> None:
    with pytest.raises(ReinsError, match="starts no node"):
        run_launch(launch_file(""), {})


@pytest.mark.parametrize("state", ["active", "not up"])
def test_state_lines_read_back(state: str) -> None:
    assert parse_state_line(f"[INFO] [1.2] [supervisor]: {state_line('robot', state)}\n") == ("robot", state)
    assert parse_state_line("anything else") is None


@pytest.mark.parametrize(
    ("code", "text"), [(0, "exit status 0"), (-9, "killed by SIGKILL"), (-99, "killed by signal 99")]
)
def test_exits_in_words(code: int, text: str) -> None:
    assert describe_exit(code) == text
