"""Keys in a terminal drive the arm while they repeat."""

import os
import pty
import sys
import termios
from collections.abc import Iterator

import numpy as np
import pytest
from teleop_pad import ArmCore

from reins.contracts.errors import ReinsError
from reins.hardware.robot import JointCommand, RobotState
from reins.teleop.intent import Action
from reins.teleop.keyboard import KeyboardReader
from reins.teleop.mapping import load_key_mapping
from reins.teleop.settings import TeleopSettings
from reins.teleop.terminal import raw_terminal

TIMEOUT, DELAY = TeleopSettings().key_timeout, TeleopSettings().key_delay


def drive(core: ArmCore, state: RobotState, key: str, seconds: float, start: float = 0.0) -> list[JointCommand]:
    """A key that repeats 30 times a second, and then `seconds` of silence."""
    commands = []
    for step in range(30):
        core.on_key(key, start + step / 30)
        commands.append(core.step(state, start + step / 30))
    begin = start + 29 / 30
    for step in range(1, int(seconds / 0.02) + 1):
        commands.append(core.step(state, begin + step * 0.02))
    return [command for command in commands if command is not None]


def test_a_key_that_repeats_moves_the_arm(core: ArmCore, state: RobotState) -> None:
    assert drive(core, state, "w", 0.0)[-1].velocity.any()


def test_opposite_keys_move_opposite_ways(core: ArmCore, state: RobotState) -> None:
    forwards = drive(core, state, "w", 1.0)[29].velocity
    back = drive(core, state, "s", 1.0, start=10.0)[29].velocity
    np.testing.assert_allclose(forwards, -back)


def test_released_it_stops_in_time_with_one_last_command(core: ArmCore, state: RobotState) -> None:
    commands = drive(core, state, "w", 2.0)
    assert not commands[-1].velocity.any()
    assert (len(commands) - 30) * 0.02 <= DELAY + 0.04


@pytest.mark.parametrize("offset, held", [(-1e-6, True), (1e-6, False)])
def test_exactly_at_the_delay(core: ArmCore, state: RobotState, offset: float, held: bool) -> None:
    core.on_key("w", 0.0)
    assert (core.step(state, DELAY + offset) is not None) is held


@pytest.mark.parametrize("offset, pushes", [(-1e-6, True), (1e-6, False)])
def test_exactly_at_the_timeout(offset: float, pushes: bool) -> None:
    reader = KeyboardReader(load_key_mapping("keyboard"), TIMEOUT, DELAY)
    reader.on_key("w", 0.0)
    intent = reader.intent(TIMEOUT + offset)
    assert intent.held and bool(intent.twist.any()) is pushes


@pytest.mark.parametrize("delay", [0.25, 0.5, 0.66])
def test_a_key_that_is_held_is_one_press_whatever_its_first_repeat_waits(
    core: ArmCore, state: RobotState, delay: float
) -> None:
    """Terminals repeat after a quarter to two thirds of a second; letting go in between would hold the robot."""
    repeats = [0.0, *(delay + number / 30 for number in range(30))]
    commands = []
    for step in range(round(repeats[-1] / 0.02)):
        while repeats and repeats[0] <= step * 0.02:
            core.on_key("w", repeats.pop(0))
        commands.append(core.step(state, step * 0.02))
    goals = {command.activation for command in commands if command is not None}
    assert None not in commands and len(goals) == 1


def test_a_delay_shorter_than_the_timeout_is_none(core: ArmCore) -> None:
    reader = KeyboardReader(load_key_mapping("keyboard"), 0.5, 0.1)
    reader.on_key("w", 0.0)
    assert reader.intent(0.49).held and not reader.intent(0.51).held


def test_keys_that_do_nothing_do_nothing(core: ArmCore, state: RobotState) -> None:
    core.on_key("~", 0.0)
    assert core.step(state, 0.0) is None
    assert core.take_requests() == []


@pytest.mark.parametrize("key, action", [(" ", Action.ESTOP), ("R", Action.RESET), ("B", Action.HAND_BACK)])
def test_requests(core: ArmCore, state: RobotState, key: str, action: Action) -> None:
    core.on_key(key, 0.0)
    assert core.take_requests() == [action]
    assert core.step(state, 0.0) is None


def test_a_gripper_key_holds_the_dead_man_for_its_command(core: ArmCore, state: RobotState) -> None:
    core.on_key("g", 0.0)
    command = core.step(state, 0.0)
    assert command is not None and command.gripper is not None
    assert command.gripper.width == 0.0
    assert not command.velocity.any()


def test_a_joint_with_the_bracket_keys(core: ArmCore, state: RobotState) -> None:
    core.on_key("m", 0.0)
    commands = drive(core, state, "]", 0.0)
    assert commands[-1].velocity[0] > 0.0
    assert not commands[-1].velocity[1:].any()


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """A pseudo-terminal: the side that types, and the side that reads."""
    typist, reader = pty.openpty()
    yield typist, reader
    os.close(typist)
    os.close(reader)


class TestTerminal:
    def test_single_keys_come_without_return(self, terminal: tuple[int, int]) -> None:
        typist, reader = terminal
        with raw_terminal(reader) as keys:
            os.write(typist, b"wa ")
            assert keys.read(1.0) == ["w", "a", " "]

    def test_it_waits_no_longer_than_asked(self, terminal: tuple[int, int]) -> None:
        with raw_terminal(terminal[1]) as keys:
            assert keys.read(0.01) == []

    def test_arrow_keys_are_not_taken_for_letters(self, terminal: tuple[int, int]) -> None:
        typist, reader = terminal
        with raw_terminal(reader) as keys:
            os.write(typist, b"\x1b[Aw\x1bOB\x1b[3~d\x1b")
            assert keys.read(1.0) == ["w", "d"]

    def test_its_settings_are_restored_whatever_happens(self, terminal: tuple[int, int]) -> None:
        reader = terminal[1]
        before = termios.tcgetattr(reader)
        meanwhile = []

        def break_down() -> None:
            with raw_terminal(reader):
                meanwhile.append(termios.tcgetattr(reader))
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            break_down()
        assert meanwhile != [before]
        assert termios.tcgetattr(reader) == before

    def test_what_is_no_terminal_is_said(self) -> None:
        read, write = os.pipe()
        try:
            with pytest.raises(ReinsError, match="needs a terminal"), raw_terminal(read):
                pass
        finally:
            os.close(read)
            os.close(write)

    def test_standard_input_is_the_default(self, terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
        typist, reader = terminal
        with os.fdopen(os.dup(reader)) as stream:
            monkeypatch.setattr(sys, "stdin", stream)
            with raw_terminal() as keys:
                os.write(typist, b"q")
                assert keys.read(1.0) == ["q"]
