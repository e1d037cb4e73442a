"""What every driver of a legged robot does with its commands: it refuses bad ones, brakes and sits where it is stopped,
and stops by itself when no more come."""

from math import isfinite

import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.legged import AS_USUAL, Posture, SafeBodyCommand
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import ROUNDING, FloatArray, StopCategory


class BodyOrders:
    """What the legs are to do now. Passive, not thread-safe.

    Args:
        profile: the robot.

    Attributes:
        fault: empty, or one sentence that says why the robot does not move.
        cut: the legs are to let go at once.
        sequence: of the last safe command applied, 0 before the first.
        gait: how to carry the body; as before while the robot is stopped.
    """

    def __init__(self, profile: QuadrupedProfile) -> None:
        self._profile = profile
        self.fault, self.cut, self.sequence = "", False, 0
        self.velocity: FloatArray = np.zeros(3)
        self.gait = AS_USUAL
        self._posture, self._silence, self._watched = Posture.SIT, 0.0, False

    @property
    def posture(self) -> Posture:
        """To be on the legs, or to sit. A robot that is stopped walks on until it has braked, and sits down then."""
        return Posture.STAND if self.fault and self.velocity.any() else self._posture

    def write(self, command: SafeBodyCommand) -> None:
        """Do this from now on; ignored while a fault is set. What is not finite, too fast, or no gait,
        stops the robot.

        Raises:
            ReinsError: it is not three velocities and a posture.
        """
        if self.fault:
            return
        if len(command.velocity) != 3 or command.posture not in tuple(Posture):
            raise ReinsError(
                f"'{self._profile.name}' takes three velocities and a posture, and not "
                f"{len(command.velocity)} and {command.posture!r}"
            )
        if not all(map(isfinite, command.velocity)):
            self.stop(StopCategory.CONTROLLED, "a commanded velocity is not finite")
            return
        if self._is_too_fast(command.velocity):
            told = ", ".join(f"{value:.2f}" for value in command.velocity)
            self.stop(StopCategory.CONTROLLED, f"a commanded velocity, {told}, is beyond the body's speed limits")
            return
        if objection := command.gait.objection():
            self.stop(StopCategory.CONTROLLED, objection)
            return
        self.velocity, self.gait = np.array(command.velocity, dtype=np.float64), command.gait
        self._posture = Posture(command.posture)
        self.sequence, self._silence, self._watched = command.sequence, 0.0, True

    def _is_too_fast(self, velocity: FloatArray) -> bool:
        """Whether one of (3,) [m/s, m/s, rad/s] is beyond its speed limit, each by itself."""
        limits = self._profile.body.velocity
        along, sideways, turn = velocity.tolist()
        fastest = (limits.forward if along >= 0.0 else limits.backward, limits.sideways, limits.turn)
        return any(abs(value) > ROUNDING * most for value, most in zip((along, sideways, turn), fastest, strict=True))

    def pass_time(self, period: float) -> None:
        """Let `period` [s] pass: without a command for too long the robot stops by itself; what is stopped brakes."""
        self._silence += period
        late = self._profile.rates.stale_after
        if self._watched and self._silence > late + 1e-9:
            self.stop(StopCategory.CONTROLLED, f"no command for {late * 1e3:.0f} ms: the robot stopped by itself")
        if self.fault:
            slower = self._profile.acceleration * period
            self.velocity = np.sign(self.velocity) * np.maximum(np.abs(self.velocity) - slower, 0.0)

    def stop(self, category: StopCategory, reason: str) -> None:
        """Brake and sit down; with CUT, let the legs go at once. The first reason stays."""
        self.fault = self.fault or reason
        self._watched = False
        self._posture = Posture.SIT
        self.cut = self.cut or category == StopCategory.CUT

    def recover(self) -> None:
        """Clear the fault; the robot stays in the posture that it is in, and no earlier command resumes."""
        self.fault, self.cut = "", False
        self.hold()

    def hold(self) -> None:
        """Stand still, in the posture that it is in, until the next command."""
        self.velocity = np.zeros(3)
        self._silence, self._watched = 0.0, False
