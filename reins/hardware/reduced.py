"""The reduced stage's bound on the speed of an arm, whoever let a command through."""

from typing import Final

import numpy as np

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import ROUNDING, FloatArray, RobotState, SafeCommand

REDUCED_SHARE: Final = 0.1
"""Share of the joints' speed limits in the reduced stage."""

NEAR: Final = 0.02
"""A first setpoint may be this far from where the arm is [rad], as safety's reference may be when an arm is armed."""


class ReducedSpeed:
    """Bounds the speed that commands tell, and that of the positions that they lead through: a driver follows both.

    Positions have as much way as time has passed at the reduced speed, of which no more is saved up than for the
    profile's `stale_after`: commands that come late and together pass, a way that is longer than that does not.

    Args:
        profile: the arm.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._names = profile.joint_names
        self._slow = ROUNDING * REDUCED_SHARE * profile.velocity
        self._most = np.maximum(self._slow * profile.rates.stale_after, NEAR)
        self.begin()

    def begin(self) -> None:
        """The next command is the first one from where the arm then is."""
        self._last: FloatArray | None = None
        self._stamp = 0.0
        self._room = self._most.copy()

    def objection(self, command: SafeCommand, state: RobotState) -> str:
        """Why the command must not reach the arm, one sentence; empty if it may, and it then counts as done.

        Args:
            command: of the arm's length, and finite.
            state: of the arm now.
        """
        told = np.abs(command.velocity)
        worst = int((told / self._slow).argmax())
        if told[worst] > self._slow[worst]:
            return self._sentence(worst, f"to move with {told[worst]:.3f} rad/s")
        if self._last is None:
            self._last, self._stamp = state.reference, state.stamp
        passed = max(0.0, state.stamp - self._stamp)
        room = np.minimum(self._room + self._slow * passed, self._most)
        way = np.abs(command.position - self._last)
        worst = int((way - room).argmax())
        if way[worst] > room[worst]:
            return self._sentence(worst, f"to be {way[worst]:.3f} rad away after {1e3 * passed:.0f} ms")
        self._last, self._stamp, self._room = command.position.copy(), state.stamp, room - way
        return ""

    def _sentence(self, joint: int, told: str) -> str:
        return (
            f"{self._names[joint]} was told {told}, and {self._slow[joint]:.3f} rad/s is the most in stage 'reduced'; "
            f"set `reins speed {REDUCED_SHARE:g}`"
        )
