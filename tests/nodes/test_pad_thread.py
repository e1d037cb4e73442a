"""The thread that reads a gamepad: it gives readings away, tells an unplugged pad once, and leaves it to a joy node."""

import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.nodes.pad_thread import PadThread
from reins.nodes.scheduling import set_scheduling
from reins.teleop.gamepad import AXES, BUTTONS, Reading

SOON = 10.0
STILL = Reading((0.0,) * AXES, (0,) * BUTTONS)


class FakePad:
    """A pad in the test's hands."""

    def __init__(self) -> None:
        self.name = "a fake pad"
        self.plugged_in = self.closed = False
        self.threads: set[str] = set()

    def read(self) -> Reading | None:
        self.threads.add(threading.current_thread().name)
        return STILL if self.plugged_in else None

    def close(self) -> None:
        self.closed = True


class Bench:
    """A thread, its pad, and what it gave away."""

    def __init__(self) -> None:
        self.pad, self.taken, self.lines = FakePad(), list[Reading | None](), list[str]()
        self.joy_node = False
        self.thread = PadThread(self.taken.append, lambda: self.joy_node, self._log, lambda: self.pad)
        self.thread.start()

    def _log(self, _severity: Severity, text: str) -> None:
        self.lines.append(text)

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + SOON
        while not condition():
            assert time.monotonic() < end, (self.taken[-3:], self.lines)
            time.sleep(0.005)


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.thread.stop()


def test_readings_come_from_one_thread_of_its_own_and_the_pad_is_closed(bench: Bench) -> None:
    bench.pad.plugged_in = True
    bench.until(lambda: len(bench.taken) > 20)
    bench.thread.stop()
    assert set(bench.taken) == {STILL} and bench.pad.closed
    assert bench.pad.threads == {"gamepad"}
    assert bench.lines == ["gamepad: a fake pad"]
    count = len(bench.taken)
    time.sleep(0.05)
    assert len(bench.taken) == count


def test_unplugged_is_told_once_and_plugged_in_again_it_goes_on(bench: Bench) -> None:
    bench.pad.plugged_in = True
    bench.until(lambda: bool(bench.taken))
    bench.pad.plugged_in = False
    bench.until(lambda: None in bench.taken)
    time.sleep(0.1)
    assert bench.taken.count(None) == 1 and bench.taken[-1] is None
    bench.pad.plugged_in = True
    bench.until(lambda: bench.taken[-1] is STILL)


def test_a_joy_node_takes_the_pad_over(bench: Bench) -> None:
    bench.pad.plugged_in = True
    bench.until(lambda: bool(bench.taken))
    bench.joy_node = True
    bench.until(lambda: bench.taken[-1] is None)
    assert "a joy node reads it now" in bench.lines[-1]
    bench.joy_node = False
    bench.until(lambda: bench.taken[-1] is STILL)


def test_without_sdl_it_says_how_to_get_it_and_ends() -> None:
    lines: list[str] = []

    def make() -> FakePad:
        raise ReinsError("SDL 2 is not here: `pip install pysdl2 pysdl2-dll`")

    thread = PadThread(lambda _: None, lambda: False, lambda _, text: lines.append(text), make)
    thread.start()
    thread.stop()
    assert lines == ["no gamepad is read directly: SDL 2 is not here: `pip install pysdl2 pysdl2-dll`"]


def test_sdl_starts_under_ordinary_scheduling_whatever_started_the_thread() -> None:
    """Its start takes a second of a core: under SCHED_FIFO, as teleop's own threads, it would hold up the robot."""
    policies: list[int] = []

    def make() -> FakePad:
        policies.append(os.sched_getscheduler(threading.get_native_id()))
        return FakePad()

    thread = PadThread(lambda reading: None, lambda: False, lambda severity, text: None, make)
    real_time = set_scheduling(os.SCHED_FIFO, 1, [threading.get_native_id()])
    try:
        thread.start()
    finally:
        set_scheduling(os.SCHED_OTHER, 0, [threading.get_native_id()])
    thread.stop()
    assert policies == [os.SCHED_OTHER], f"started from a real-time thread: {real_time}"
