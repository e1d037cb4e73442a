"""A process that ends is noticed at once; one that lives, or lives elsewhere, is not."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from reins.safety.processes import ProcessWatch, this_machine


@pytest.fixture
def watch() -> Iterator[ProcessWatch]:
    watch = ProcessWatch()
    yield watch
    watch.close()


@pytest.fixture
def process() -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen([sys.executable, "-S", "-E", "-c", "import time; time.sleep(60)"])
    yield process
    process.kill()
    process.wait()


def first_ended(watch: ProcessWatch, within: float) -> list[str]:
    end = time.monotonic() + within
    while time.monotonic() < end:
        if ended := watch.ended():
            return ended
        time.sleep(0.001)
    return []


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_process_is_told_once(
    watch: ProcessWatch, process: "subprocess.Popen[bytes]", how: signal.Signals
) -> None:
    watch.watch("skills", this_machine(), process.pid)
    assert watch.ended() == []
    process.send_signal(how)
    assert first_ended(watch, 2.0) == ["skills"]
    assert watch.ended() == []


def test_a_stopped_process_has_not_ended(watch: ProcessWatch, process: "subprocess.Popen[bytes]") -> None:
    watch.watch("skills", this_machine(), process.pid)
    process.send_signal(signal.SIGSTOP)
    assert first_ended(watch, 0.1) == []


def test_a_restarted_node_is_watched_under_its_new_number(
    watch: ProcessWatch, process: "subprocess.Popen[bytes]"
) -> None:
    watch.watch("skills", this_machine(), os.getpid())
    watch.watch("skills", this_machine(), process.pid)
    process.kill()
    assert first_ended(watch, 2.0) == ["skills"]


def test_one_that_is_watched_already_is_not_watched_twice(
    watch: ProcessWatch, process: "subprocess.Popen[bytes]"
) -> None:
    watch.watch("skills", this_machine(), process.pid)
    before = set(os.listdir("/proc/self/fd"))
    watch.watch("skills", this_machine(), process.pid)
    assert set(os.listdir("/proc/self/fd")) == before
    process.kill()
    assert first_ended(watch, 2.0) == ["skills"]


def test_late_word_from_one_that_has_ended_does_not_hide_its_end(
    watch: ProcessWatch, process: "subprocess.Popen[bytes]"
) -> None:
    """Its last heartbeat is still on the way when the kernel has forgotten it."""
    watch.watch("skills", this_machine(), process.pid)
    process.kill()
    process.wait()
    watch.watch("skills", this_machine(), process.pid)
    assert watch.ended() == ["skills"]


def test_to_ask_never_waits(watch: ProcessWatch, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked in every control period."""
    waits: list[float] = []

    class Poll:
        def poll(self, milliseconds: float) -> list[tuple[int, int]]:
            waits.append(milliseconds)
            return []

    monkeypatch.setattr(watch, "_poll", Poll())
    assert watch.ended() == []
    assert waits == [0]


def test_only_the_one_that_ended_is_told(watch: ProcessWatch, process: "subprocess.Popen[bytes]") -> None:
    watch.watch("planner", this_machine(), os.getpid())
    watch.watch("skills", this_machine(), process.pid)
    process.kill()
    assert first_ended(watch, 2.0) == ["skills"]
    assert watch.ended() == []


def test_a_node_that_moved_to_another_machine_is_let_go(
    watch: ProcessWatch, process: "subprocess.Popen[bytes]"
) -> None:
    watch.watch("skills", this_machine(), process.pid)
    watch.watch("skills", "elsewhere", process.pid)
    process.kill()
    assert first_ended(watch, 0.1) == []


def test_a_machine_is_named_by_its_boot_and_its_process_numbers() -> None:
    boot, _, namespace = this_machine().partition("/")
    assert len(boot) == 36 and boot == boot.strip()
    assert int(namespace) == os.stat("/proc/self/ns/pid").st_ino


def test_the_same_number_on_another_machine_is_another_process(
    watch: ProcessWatch, process: "subprocess.Popen[bytes]"
) -> None:
    watch.watch("skills", "elsewhere", process.pid)
    process.kill()
    assert first_ended(watch, 0.1) == []


def test_no_descriptor_is_left_open(process: "subprocess.Popen[bytes]") -> None:
    before = set(os.listdir("/proc/self/fd"))
    watch = ProcessWatch()
    watch.watch("a", this_machine(), process.pid)
    watch.watch("b", this_machine(), os.getpid())
    watch.close()
    watch.close()
    assert set(os.listdir("/proc/self/fd")) == before


def test_a_process_that_is_already_gone_does_no_harm(watch: ProcessWatch) -> None:
    gone = subprocess.Popen([sys.executable, "-S", "-E", "-c", ""])
    gone.wait()
    watch.watch("skills", this_machine(), gone.pid)
    assert watch.ended() == []


@pytest.mark.parametrize("pid", [0, 2**31 - 1, 2**31, 2**32 - 1])
def test_a_number_that_no_process_has_is_not_watched(watch: ProcessWatch, pid: int) -> None:
    watch.watch("skills", this_machine(), pid)
    assert watch.ended() == []
