"""The thread of the Franka Hand, over a hand of plain Python: when it grasps, holds, is homed and recovers."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from reins.contracts.errors import ReinsError
from reins.hardware.franka.gripper import CLOSED, STALLED, franka_hand
from reins.hardware.profile import load_profile
from reins.hardware.robot import GripperCommand
from reins.hardware.streaming.hand import PolledHand

LIMITS = load_profile("franka").gripper


class FakeError(Exception):
    """What a module's `Exception` is."""


class FakeCommandError(FakeError):
    """What its `CommandException` is."""


@dataclass
class State:
    width: float = 0.08
    max_width: float = 0.08
    is_grasped: bool = False


class Future:
    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def wait(self, timeout: float) -> bool:
        return True

    def get(self) -> bool:
        if self.error:
            raise self.error
        return True


@dataclass
class FakeFranky:
    """A module with one hand, in which an object of this width lies between the fingers."""

    object_width: float = 0.0
    state: State = field(default_factory=State)
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    connections: int = 0
    broken: str = ""
    Exception: type = FakeError
    CommandException: type = FakeCommandError

    def Gripper(self, address: str) -> "FakeHand":
        if self.broken == "gone":
            raise FakeError("libfranka gripper: Connection refused")
        self.connections += 1
        return FakeHand(self)


class FakeHand:
    def __init__(self, module: FakeFranky) -> None:
        self._module = module

    @property
    def state(self) -> State:
        if self._module.broken:
            raise FakeError("libfranka gripper: UDP receive: Timeout")
        return self._module.state

    @property
    def width(self) -> float:
        return self.state.width

    def homing(self) -> None:
        self._module.calls.append(("homing",))
        self._module.state.max_width = 0.08

    def stop(self) -> None:
        self._module.calls.append(("stop",))

    def move_async(self, width: float, speed: float) -> Future:
        self._module.calls.append(("move", width))
        self._module.state.width, self._module.state.is_grasped = width, False
        return Future()

    def grasp_async(self, width: float, speed: float, force: float, inner: float, outer: float) -> Future:
        self._module.calls.append(("grasp", width, force))
        self._module.state.width = max(width, self._module.object_width)
        self._module.state.is_grasped = True  # a real hand says so of nothing, too, where nothing is allowed for
        return Future(FakeCommandError("stopped by an object"))


@pytest.fixture
def module() -> FakeFranky:
    return FakeFranky()


@pytest.fixture
def hand(module: FakeFranky) -> Iterator[PolledHand]:
    made = franka_hand(module, "10.0.0.1", LIMITS)
    yield made
    made.close()


def until(holds: Callable[[], bool]) -> bool:
    """Whether it comes to hold within a moment."""
    deadline = time.monotonic() + 5.0
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.005)
    return holds()


def test_opening_is_a_move_and_closing_a_grasp_with_the_force(module: FakeFranky, hand: PolledHand) -> None:
    hand.command(GripperCommand(CLOSED, 30.0))
    assert until(lambda: module.calls == [("move", CLOSED)])
    hand.command(GripperCommand(CLOSED - 1e-6, 30.0))
    assert until(lambda: module.calls[1:] == [("grasp", CLOSED - 1e-6, 30.0)])


def test_width_and_force_stay_inside_the_profile(module: FakeFranky, hand: PolledHand) -> None:
    hand.command(GripperCommand(1.0, 30.0))
    assert until(lambda: module.calls == [("move", LIMITS.max_width)])
    hand.command(GripperCommand(0.0, 1000.0))
    assert until(lambda: module.calls[1:] == [("grasp", 0.0, LIMITS.max_force)])


def test_the_same_command_again_changes_nothing(module: FakeFranky, hand: PolledHand) -> None:
    for _ in range(50):
        hand.command(GripperCommand(0.03, 30.0))
        time.sleep(0.002)
    assert module.calls == [("move", 0.03)]


@pytest.mark.parametrize("width, holds", [(STALLED - 1e-4, False), (STALLED + 1e-4, True)])
def test_it_holds_what_keeps_the_fingers_apart_and_not_nothing(width: float, holds: bool) -> None:
    module = FakeFranky(object_width=width)
    hand = franka_hand(module, "10.0.0.1", LIMITS)
    hand.command(GripperCommand(0.0, 30.0))
    assert until(lambda: hand.fingers().width == width)
    assert hand.fingers().holding is holds
    hand.close()


def test_a_hand_that_was_not_homed_is_homed_once_before_its_first_command(module: FakeFranky, hand: PolledHand) -> None:
    module.state.max_width = 0.0
    time.sleep(0.1)
    assert module.calls == []
    hand.command(GripperCommand(0.03, 30.0))
    assert until(lambda: len(module.calls) == 2)
    hand.command(GripperCommand(0.04, 30.0))
    assert until(lambda: module.calls == [("homing",), ("move", 0.03), ("move", 0.04)])


def test_a_stop_is_forgotten_by_the_next_command(module: FakeFranky, hand: PolledHand) -> None:
    hand.command(GripperCommand(0.03, 30.0))
    assert until(lambda: len(module.calls) == 1)
    hand.freeze()
    hand.command(GripperCommand(0.03, 30.0))
    assert until(lambda: module.calls == [("move", 0.03), ("move", 0.03)])


def test_a_broken_connection_is_trouble_until_a_recovery_makes_another(module: FakeFranky, hand: PolledHand) -> None:
    hand.command(GripperCommand(0.03, 30.0))
    assert until(lambda: len(module.calls) == 1)
    module.broken = "cut"
    assert until(lambda: "UDP receive: Timeout" in hand.fingers().trouble)
    module.broken = ""
    time.sleep(0.1)
    assert hand.fingers().trouble and module.connections == 1
    hand.recover()
    assert until(lambda: module.connections == 2)
    assert hand.fingers().trouble == ""
    time.sleep(0.1)
    assert module.calls == [("move", 0.03)]  # what was commanded before does not resume
    hand.command(GripperCommand(0.05, 30.0))
    assert until(lambda: module.calls[1:] == [("move", 0.05)])


def test_a_hand_that_stays_away_is_trouble_again(module: FakeFranky, hand: PolledHand) -> None:
    module.broken = "gone"
    assert until(lambda: bool(hand.fingers().trouble))
    hand.recover()
    assert until(lambda: "no Franka Hand answers" in hand.fingers().trouble)


def test_no_hand_is_one_sentence() -> None:
    with pytest.raises(ReinsError, match=r"no Franka Hand answers at 10\.0\.0\.1: .*refused.*Desk"):
        franka_hand(FakeFranky(broken="gone"), "10.0.0.1", LIMITS)
