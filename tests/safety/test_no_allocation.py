"""The control loop allocates nothing that stays: what that means in Python is in docs/decisions.md."""

import ctypes
import gc
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any, Final

import numpy as np
import pytest
from every_arm import EVERY_ARM
from safety_loop import PERIOD, Loop

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.bodies import Box
from reins.safety.filter import SafetyFilter
from reins.safety.settings import SafetySettings
from reins.safety.verdict import Limit

STEPS: Final = 1000
"""So many that one block kept in each stands out by far; each test takes some thousands."""

NOISE: Final = 20
"""Blocks that come and go with the interpreter's own caches."""

NOISE_BYTES: Final = 16384
"""The same of the heap: what is freed may stay in a bin of malloc's."""

AT_ONCE: Final = 64 * 1024
"""Most that is alive within one step and gone after it [bytes]: malloc serves it from memory that the process has, and
a single array of it never reaches the size (128 KiB) from which on malloc asks the system."""

SMALL: Final = 2048
"""An array of fewer bytes may be another one at every step: a result, or a temporary."""


def keep_outs(shift: float = 0.0) -> list[Box]:
    """Six boxes where the arm works."""
    places = [(0.45 + 0.1 * (i % 3), 0.2 * (i // 3) - 0.2 + shift, 0.25) for i in range(6)]
    return [Box(f"box {i}", np.array(place), np.eye(3), np.full(3, 0.08)) for i, place in enumerate(places)]


HELD: Final = Box("held", np.zeros(3), np.eye(3), np.full(3, 0.05))


class Attacked:
    """A filter under commands of every kind: gentle ones, ones that are too fast, ones that lead into everything."""

    def __init__(self, profile: RobotProfile, objects: bool) -> None:
        self.filter = SafetyFilter(profile, SafetySettings())
        if objects:
            self.filter.surround(keep_outs(), HELD, payload=0.3)
        n = len(profile.joints)
        random = np.random.default_rng(0)
        commands = [random.normal(size=n) * random.choice([0.0, 0.1, 0.5, 2.0]) for _ in range(100)]
        self._wanted = cycle([command for command in commands for _ in range(20)])
        self._position, self._velocity = profile.home.copy(), np.zeros(n)
        self.met: set[Limit] = set()

    def step(self) -> None:
        self._position = self._position + self._velocity * PERIOD
        verdict = self.filter.step(self._position, self._velocity, next(self._wanted), PERIOD)
        self._velocity = verdict.velocity
        self.met.update(verdict.limits)


class Monitored:
    """A whole monitor that is driven: states, heartbeats, commands and events go through it as in the safety node."""

    def __init__(self, profile: RobotProfile) -> None:
        self._loop = Loop(profile).begin()
        random = np.random.default_rng(0)
        self._wanted: Iterator[FloatArray] = cycle(
            [random.normal(size=len(profile.joints)) * 0.3 for _ in range(20) for _ in range(10)]
        )
        self._begun = self._loop.robot.read().stamp

    def step(self) -> None:
        loop = self._loop
        loop.drive("skill", next(self._wanted), 1, self._begun)
        loop.sent.clear()  # what the test keeps, not the monitor
        loop.states.clear()
        loop.events.clear()


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Nothing is collected but by reference counting."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class HeapInformation(ctypes.Structure):
    """glibc's `struct mallinfo2`."""

    _fields_ = [
        *((name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks")),
        *((name, ctypes.c_size_t) for name in ("uordblks", "fordblks", "keepcost")),
    ]


MALLINFO: Final = getattr(ctypes.CDLL(None), "mallinfo2", None)
"""None where the C library does not tell about its heap."""

if MALLINFO is not None:
    MALLINFO.restype = HeapInformation


def heap_in_use() -> int:
    """Bytes that malloc has given out, to the libraries in C++ too; 0 where it is not known."""
    return 0 if MALLINFO is None else int(MALLINFO().uordblks)


def kept(step: Callable[[], None], steps: int = STEPS) -> tuple[int, int]:
    """Blocks of the interpreter and bytes of the heap that so many steps keep; the least of three times, for others in
    this process allocate, too.

    What the interpreter keeps at hand of blocks that are free, some thousands at most, goes with every collection.
    """
    found = []
    for _ in range(3):
        gc.collect()
        blocks, heap = sys.getallocatedblocks(), heap_in_use()
        run(step, steps)
        assert gc.collect() == 0, "a cycle would grow until the collector stops the loop"
        found.append((sys.getallocatedblocks() - blocks, heap_in_use() - heap))
    return min(blocks for blocks, _ in found), min(heap for _, heap in found)


def run(step: Callable[[], None], steps: int = STEPS) -> None:
    for _ in range(steps):
        step()


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("profile", EVERY_ARM, indirect=True)
@pytest.mark.parametrize("objects", [False, True])
class TestFilter:
    def test_nothing_stays_and_nothing_waits_for_the_collector(self, profile: RobotProfile, objects: bool) -> None:
        attacked = Attacked(profile, objects)
        run(attacked.step)
        blocks, heap = kept(attacked.step)
        assert (blocks <= NOISE, heap <= NOISE_BYTES) == (True, True), (blocks, heap)
        assert {Limit.WORKSPACE, Limit.TOOL_SPEED, Limit.JOINT_ACCELERATION} <= attacked.met
        assert (Limit.KEEP_OUT in attacked.met) is objects

    def test_what_a_step_needs_for_itself_is_little(self, profile: RobotProfile, objects: bool) -> None:
        attacked = Attacked(profile, objects)
        run(attacked.step, 200)
        most = 0
        tracemalloc.start()
        try:
            for _ in range(500):
                before = tracemalloc.get_traced_memory()[0]
                tracemalloc.reset_peak()
                attacked.step()
                most = max(most, tracemalloc.get_traced_memory()[1] - before)
        finally:
            tracemalloc.stop()
        assert 0 < most <= AT_ONCE

    def test_all_large_memory_is_made_once(self, profile: RobotProfile, objects: bool) -> None:
        attacked = Attacked(profile, objects)
        attacked.step()
        before = dict(memory_of(attacked.filter, "filter"))
        run(attacked.step)
        assert dict(memory_of(attacked.filter, "filter")) == before
        libraries = {kind for kind, _ in before.values()}
        assert {"Model", "Data", "GeometryModel", "GeometryData"} <= libraries
        assert "filter._nearest._solver" in before
        if objects:  # an arm alone may have so few pairs that none of its arrays is large
            assert "filter._collisions._distances.reach" in before


def memory_of(thing: Any, path: str) -> Iterator[tuple[str, tuple[str, int]]]:
    """Where everything is that an object of reins holds, below it too: large arrays and the libraries' own memory."""
    if isinstance(thing, np.ndarray):
        if thing.nbytes >= SMALL:
            yield path, ("ndarray", thing.__array_interface__["data"][0])
    elif isinstance(thing, list):
        for number, item in enumerate(thing):
            yield from memory_of(item, f"{path}[{number}]")
    elif type(thing).__module__.startswith(("pinocchio", "coal", "daqp")):
        yield path, (type(thing).__name__, id(thing))
    elif type(thing).__module__.startswith("reins.safety") or type(thing).__name__ == "Kinematics":
        for name, value in getattr(thing, "__dict__", {}).items():
            yield from memory_of(value, f"{path}.{name}")


@pytest.mark.usefixtures("no_collector")
class TestSurroundings:
    """What is around the arm changes with scenes, a few times a second."""

    def test_boxes_that_move_keep_nothing(self, profile: RobotProfile) -> None:
        attacked = Attacked(profile, objects=True)
        shifts = cycle(np.linspace(0.0, 0.05, 7).tolist())

        def step() -> None:
            attacked.filter.surround(keep_outs(next(shifts)), HELD, payload=0.3)
            attacked.step()

        run(step, 100)
        blocks, heap = kept(step, 200)
        assert (blocks <= NOISE, heap <= NOISE_BYTES) == (True, True), (blocks, heap)

    def test_what_is_made_anew_for_other_boxes_leaves_nothing_behind(self, profile: RobotProfile) -> None:
        attacked = Attacked(profile, objects=True)
        numbers = cycle([2, 6])

        def step() -> None:
            attacked.filter.surround(keep_outs()[: next(numbers)], HELD, payload=0.3)
            attacked.step()

        run(step, 10)
        blocks, heap = kept(step, 50)
        assert (blocks <= NOISE, heap <= NOISE_BYTES) == (True, True), (blocks, heap)


@pytest.mark.usefixtures("no_collector")
def test_nothing_stays_in_the_monitor(profile: RobotProfile) -> None:
    monitored = Monitored(profile)
    run(monitored.step)
    blocks, heap = kept(monitored.step)
    assert (blocks <= NOISE, heap <= NOISE_BYTES) == (True, True), (blocks, heap)


@pytest.mark.usefixtures("no_collector")
def test_what_stays_is_seen(profile: RobotProfile) -> None:
    """The measure itself: an array in every 25th step is more than what counts as nothing."""
    attacked, hoard, count = Attacked(profile, objects=False), list[FloatArray](), 0

    def step() -> None:
        nonlocal count
        attacked.step()
        count += 1
        if count % 25 == 0:
            hoard.append(np.zeros(1024))

    run(step, 200)
    blocks, heap = kept(step)
    assert blocks > NOISE
    assert heap == 0 or heap > NOISE_BYTES
