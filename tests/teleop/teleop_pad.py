"""A pad in a test's hands: presses buttons and moves sticks by what they do, whatever the mapping calls them."""

from dataclasses import replace
from typing import Any

import numpy as np

from reins.hardware.robot import FloatArray, JointCommand, RobotState
from reins.teleop.core import TeleopCore
from reins.teleop.intent import Action, Direction
from reins.teleop.mapping import Button, JoyMapping

PERIOD = 0.02

ArmCore = TeleopCore[RobotState, JointCommand]


class Pad:
    """Sends a message with every step, as a joystick node does."""

    def __init__(self, core: TeleopCore[Any, Any], state: Any, mapping: JoyMapping) -> None:
        self.core, self.state, self.mapping = core, state, mapping
        self.t = 100.0
        self.axes = [0.0] * 12
        self.buttons = [0] * 16
        self.plugged_in = True
        for action in mapping.actions:
            self.release(action)
        self.step()

    def hold(self) -> None:
        """Press the dead-man."""
        self._set(self.mapping.deadman, True)

    def let_go(self) -> None:
        """Release the dead-man."""
        self._set(self.mapping.deadman, False)

    def press(self, action: Action) -> None:
        """Press an action's button and keep it down."""
        self._set(self.mapping.actions[action], True)

    def release(self, action: Action) -> None:
        """Release it."""
        self._set(self.mapping.actions[action], False)

    def click(self, action: Action) -> Any:
        """Press and release."""
        self.press(action)
        self.step()
        self.release(action)
        return self.step()

    def push(self, direction: Direction, value: float) -> None:
        """Move a stick, -1 … 1 in the direction's own sense."""
        axis = self.mapping.motion[direction]
        assert axis.axis is not None
        self.axes[axis.axis] = value / axis.scale

    def step(self) -> Any:
        """One period: a message, then the core."""
        self.t += PERIOD
        self.state = replace(self.state, stamp=self.state.stamp + PERIOD)
        if self.plugged_in:
            self.core.on_joy(list(self.axes), list(self.buttons), self.t)
        return self.core.step(self.state, self.t)

    def steps(self, count: int) -> list[Any]:
        """Several; the commands that came."""
        return [command for command in (self.step() for _ in range(count)) if command is not None]

    def velocity(self, settle: int = 30) -> FloatArray:
        """What the core asks for once it is smooth: (n,) of joints [rad/s], (3,) of a body [m/s, m/s, rad/s]."""
        commands = self.steps(settle)
        return np.asarray(commands[-1].velocity)

    def kinds(self) -> list[str]:
        """Kinds of the events since the last call."""
        return [event.kind for event in self.core.take_events()]

    def _set(self, button: Button, down: bool) -> None:
        if button.button is not None:
            self.buttons[button.button] = int(down)
        else:
            assert button.axis is not None
            pressed = 1.0 if button.above is not None else -1.0
            self.axes[button.axis] = pressed if down else -pressed
