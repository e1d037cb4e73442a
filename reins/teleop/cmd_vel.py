"""Twists of the topic cmd_vel, from other people's joystick nodes and navigation, to what the operator wants.

Whoever publishes there holds a dead-man as long as messages come, standing ones as well. Like a pad that appears with
its dead-man held, a stream that was overruled counts again only after it has fallen silent.
"""

import math
from collections.abc import Sequence

import numpy as np

from reins.hardware.robot import FloatArray
from reins.teleop.intent import TWIST, Direction, Intent

_ON_GROUND = (Direction.X, Direction.Y, Direction.YAW)


class CmdVelReader:
    """Reads twists.

    Args:
        timeout: how long after its last message a stream is over [s].
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._heard = -math.inf
        self._held = self._barred = False
        self._velocity: FloatArray = np.zeros(3)

    @property
    def held(self) -> bool:
        """Whether messages come, and count."""
        return self._held

    def on_message(self, twist: Sequence[float], t: float) -> str:
        """One message at steady time `t` [s].

        Args:
            twist: six numbers, linear [m/s] then angular [rad/s], body frame.
            t: when it came.

        Returns:
            Why it cannot be used, and it then counts as the end of the stream; or "".
        """
        self._end_if_silent(t)
        self._heard = t
        if complaint := _complaint(twist):
            self.bar()
            return complaint
        self._held = not self._barred
        self._velocity = np.array([twist[TWIST.index(direction)] for direction in _ON_GROUND], dtype=np.float64)
        return ""

    def bar(self) -> None:
        """It was overruled, or said what makes no sense: what goes on of the stream counts no more."""
        self._held, self._barred = False, True

    def check_silence(self, t: float) -> bool:
        """True, once, when the stream ended in motion: silent for too long at steady time `t` [s]."""
        was_held = self._held
        self._end_if_silent(t)
        return was_held and not self._held and bool(self._velocity.any())

    def intent(self) -> Intent:
        """What the publisher wants now."""
        return Intent(True, velocity=self._velocity) if self._held else Intent()

    def _end_if_silent(self, t: float) -> None:
        if t - self._heard > self._timeout:
            self._held = self._barred = False


def _complaint(twist: Sequence[float]) -> str:
    """About a number that is none, or that asks for what a body on the ground cannot do."""
    for direction, value in zip(TWIST, twist, strict=True):
        if not math.isfinite(value):
            return f"{direction.value} is {value}"
        if value and direction not in _ON_GROUND:
            return f"{direction.value} is {value:g}, and a body on the ground moves in x and y and turns in yaw only"
    return ""
