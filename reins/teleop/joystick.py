"""A pad's messages to what the operator wants."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from reins.teleop.intent import TWIST, Action, Direction, Intent
from reins.teleop.mapping import JoyMapping

HELD_BEFORE: Final = "its dead-man is held from before it counted; let go of it, then press it"
"""Why a stick does not drive that was pressed when nobody saw it."""


class JoystickReader:
    """Reads sensor_msgs/Joy by a mapping.

    The dead-man counts from a press that was seen: a pad that appears with it held, or comes back after it was lost or
    sent what cannot be used, must let go of it first. The e-stop counts wherever its button can be read.

    Args:
        mapping: which axis and button does what.
        timeout: how long it may be silent while held [s].
    """

    def __init__(self, mapping: JoyMapping, timeout: float) -> None:
        self._mapping, self._timeout = mapping, timeout
        self._heard = -math.inf
        self._released_once = self._held = False
        self._twist = np.zeros(6)
        self._joint = 0.0
        self._pressed: dict[Action, bool] = {}

    @property
    def held(self) -> bool:
        """Whether the dead-man is held."""
        return self._held

    def on_message(
        self, axes: Sequence[float], buttons: Sequence[int], t: float, objection: str = ""
    ) -> tuple[list[Action], str]:
        """One message at steady time `t` [s]; an `objection` says why it may not be used.

        Returns:
            What was pressed in it, and why it does not drive though it is held, or cannot be used (then only the e-stop
            counts); else "".
        """
        if t - self._heard > self._timeout:
            self._released_once = False
            self._pressed.pop(Action.ESTOP, None)  # let go of unseen, perhaps: seen down, it stops again
        self._heard = t
        if complaint := objection or self._mapping.missing(len(axes), len(buttons)) or _not_finite(axes):
            self._held = self._released_once = False
            return self._emergency(axes, buttons), complaint
        down = self._mapping.deadman.read(axes, buttons)
        self._released_once = self._released_once or not down
        self._held = down and self._released_once
        values = {d: self._mapping.shaped(axis.read(axes, buttons)) for d, axis in self._mapping.motion.items()}
        self._twist = np.array([values.get(direction, 0.0) for direction in TWIST])
        self._joint = values.get(Direction.JOINT, 0.0)
        return self._edges(axes, buttons), HELD_BEFORE if down and not self._held else ""

    def check_silence(self, t: float) -> bool:
        """True, once, when the pad was lost while held: silent for too long at steady time `t` [s]."""
        if not self._held or t - self._heard <= self._timeout:
            return False
        self._held = False
        return True

    def lose(self) -> bool:
        """The pad is gone: once it is back, what is held must be let go of and pressed again, but for the e-stop.

        Returns:
            Whether the dead-man was held.
        """
        was_held, self._held = self._held, False
        self._released_once = False
        self._pressed = {}
        return was_held

    def intent(self) -> Intent:
        """What the operator wants now."""
        return Intent(True, self._twist, self._joint) if self._held else Intent()

    def _emergency(self, axes: Sequence[float], buttons: Sequence[int]) -> list[Action]:
        """The e-stop alone, if its button went down in a message that may lack it."""
        button = self._mapping.actions.get(Action.ESTOP)
        if button is None or not button.is_among(len(axes), len(buttons)):
            return []
        before, self._pressed[Action.ESTOP] = self._pressed.get(Action.ESTOP), button.read(axes, buttons)
        return [Action.ESTOP] if self._pressed[Action.ESTOP] and not before else []

    def _edges(self, axes: Sequence[float], buttons: Sequence[int]) -> list[Action]:
        """Actions whose button went down. One that is down in the first message did nothing yet, but for the e-stop."""
        now = {action: button.read(axes, buttons) for action, button in self._mapping.actions.items()}
        before, self._pressed = self._pressed, now
        return [action for action, down in now.items() if down and not before.get(action, action is not Action.ESTOP)]


def _not_finite(axes: Sequence[float]) -> str:
    bad = [index for index, value in enumerate(axes) if not math.isfinite(value)]
    return f"axis {bad[0]} is {axes[bad[0]]}" if bad else ""
