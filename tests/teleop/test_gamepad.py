"""A gamepad of this machine, read with SDL: SDL's own virtual pad stands in for the thing of plastic."""

import subprocess
import sys
import textwrap
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import JointCommand, RobotState
from reins.teleop.core import GAMEPAD, TeleopCore
from reins.teleop.gamepad import AXES, BUTTONS, Gamepad
from reins.teleop.intent import Action, Direction
from reins.teleop.mapping import load_joy_mapping

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # says which SDL it uses
    import sdl2

LEFT_Y, TRIGGER_RIGHT, SHOULDER_LEFT = 1, 5, 9
"""In SDL's own order; see SDL_gamecontroller.h."""


class VirtualPad:
    """A pad that SDL makes up."""

    def __init__(self) -> None:
        kind = sdl2.SDL_JOYSTICK_TYPE_GAMECONTROLLER
        self.index = sdl2.SDL_JoystickAttachVirtual(kind, AXES, BUTTONS, 0)
        assert self.index >= 0, sdl2.SDL_GetError()
        self._joystick: Any = sdl2.SDL_JoystickOpen(self.index)

    def move(self, axis: int, value: int) -> None:
        assert sdl2.SDL_JoystickSetVirtualAxis(self._joystick, axis, value) == 0

    def press(self, button: int, down: bool = True) -> None:
        assert sdl2.SDL_JoystickSetVirtualButton(self._joystick, button, int(down)) == 0

    def unplug(self) -> None:
        sdl2.SDL_JoystickClose(self._joystick)
        assert sdl2.SDL_JoystickDetachVirtual(self.index) == 0


@pytest.fixture
def gamepad() -> Iterator[Gamepad]:
    with Gamepad() as made:
        yield made


def test_without_a_pad_there_is_nothing_to_read(gamepad: Gamepad) -> None:
    assert gamepad.read() is None and gamepad.name == ""


def test_sticks_and_buttons_have_the_layout_of_the_topic(gamepad: Gamepad) -> None:
    pad = VirtualPad()
    assert gamepad.read() is not None
    pad.move(LEFT_Y, -32768)
    pad.move(TRIGGER_RIGHT, 32767)
    pad.press(SHOULDER_LEFT)
    reading = gamepad.read()
    assert reading is not None and gamepad.name
    assert (len(reading.axes), len(reading.buttons)) == (AXES, BUTTONS)
    assert reading.axes[LEFT_Y] == 1.0, "up is positive"
    assert reading.axes[TRIGGER_RIGHT] == 1.0
    assert [index for index, down in enumerate(reading.buttons) if down] == [SHOULDER_LEFT]
    pad.unplug()


def test_unplugged_it_is_gone_and_another_one_is_found(gamepad: Gamepad) -> None:
    first = VirtualPad()
    assert gamepad.read() is not None
    first.unplug()
    assert gamepad.read() is None and gamepad.name == ""
    second = VirtualPad()
    assert gamepad.read() is not None
    second.unplug()
    assert gamepad.read() is None


class Driven:
    """The core, driven by a virtual pad as the node does it."""

    def __init__(self, gamepad: Gamepad, profile: RobotProfile, state: RobotState) -> None:
        self.core = TeleopCore(profile, load_joy_mapping("xbox"))
        self._gamepad, self._state, self._t = gamepad, state, 10.0

    def step(self) -> JointCommand | None:
        self._t += 0.02
        reading = self._gamepad.read()
        if reading is None:
            self.core.on_unplugged(GAMEPAD)
        else:
            self.core.on_joy(reading.axes, reading.buttons, self._t, GAMEPAD)
        return self.core.step(self._state, self._t)


def test_it_drives_the_arm_and_unplugged_while_held_it_holds(
    gamepad: Gamepad, profile: RobotProfile, state: RobotState
) -> None:
    pad, driven = VirtualPad(), Driven(gamepad, profile, state)
    mapping = load_joy_mapping("gamepad")
    assert mapping.deadman.button is not None and mapping.motion[Direction.X].axis == LEFT_Y
    assert driven.step() is None
    pad.press(mapping.deadman.button)
    pad.move(LEFT_Y, -32768)
    moving = [driven.step() for _ in range(10)][-1]
    assert moving is not None and moving.velocity.any()
    pad.unplug()
    last = driven.step()
    assert last is not None and not last.velocity.any()
    assert driven.step() is None
    assert [event.kind for event in driven.core.take_events()] == ["joystick_lost"]

    again = VirtualPad()
    again.press(mapping.deadman.button)
    assert driven.step() is None, "plugged in again still held, it must be let go of first"
    again.press(mapping.deadman.button, False)
    driven.step()
    again.press(mapping.deadman.button)
    assert driven.step() is not None
    again.unplug()


def test_its_emergency_stop_needs_no_dead_man(gamepad: Gamepad, profile: RobotProfile, state: RobotState) -> None:
    pad, driven = VirtualPad(), Driven(gamepad, profile, state)
    driven.step()
    button = load_joy_mapping("gamepad").actions[Action.ESTOP].button
    assert button is not None
    pad.press(button)
    driven.step()
    assert driven.core.take_requests() == [Action.ESTOP]
    pad.unplug()


def test_a_joystick_and_a_gamepad_do_not_let_go_of_each_other(profile: RobotProfile, state: RobotState) -> None:
    core = TeleopCore(profile, load_joy_mapping("gamepad"))
    held = [int(button == SHOULDER_LEFT) for button in range(BUTTONS)]
    still = [0.0] * AXES
    for t, buttons in ((1.0, [0] * BUTTONS), (1.02, held)):
        core.on_joy(still, buttons, t)
    core.on_joy(still, [0] * BUTTONS, 1.03, GAMEPAD)
    assert core.step(state, 1.04) is not None
    core.on_unplugged(GAMEPAD)
    assert core.step(state, 1.06) is not None and core.take_events() == []


def test_signals_stay_pythons() -> None:
    code = """
        import os, signal
        from reins.teleop.gamepad import Gamepad
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        pad = Gamepad()
        try:
            os.kill(os.getpid(), signal.SIGINT)
            pad.read()
        except KeyboardInterrupt:
            print("interrupted")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, "interrupted"), done.stderr
