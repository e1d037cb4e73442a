"""Where an arm would be if it did what it is told: what a dry run shows in its place."""

from dataclasses import replace

import numpy as np

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, RobotState, SafeCommand, refusal


class Twin:
    """Follows setpoints exactly, from where the arm is at the first one; refuses, goes stale and brakes as drivers do.

    Args:
        profile: of the arm.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._profile = profile
        self._position: FloatArray = profile.home.copy()
        self._velocity: FloatArray = np.zeros(len(profile.joints))
        self.recover()

    def recover(self) -> None:
        """Be where the arm is, until the next setpoint."""
        self._driven = self._braking = False
        self._silence = 0.0
        self._sequence = 0
        self._width: float | None = None
        self._velocity[:] = 0.0
        self._fault = ""

    def write(self, command: SafeCommand, arm: RobotState) -> None:
        """Be there from now on; `arm` is what the real one measured. Ignored while a fault is set.

        Raises:
            ReinsError: position or velocity has the wrong length.
        """
        if self._fault:
            return
        at = self.state(arm)
        if why := refusal(command, at.reference, at.position, self._profile.joint_names, self._profile.velocity):
            self.stop(why)
            return
        self._driven, self._silence = True, 0.0
        self._position[:] = command.position
        self._velocity[:] = command.velocity
        self._sequence = command.sequence
        if command.gripper is not None:
            self._width = command.gripper.width

    def step(self, dt: float) -> None:
        """Let `dt` [s] of robot time pass."""
        if not self._driven:
            return
        self._silence += dt
        if self._silence > self._profile.rates.stale_after and not self._fault:
            self.stop(f"no command for {1e3 * self._profile.rates.stale_after:.0f} ms: the arm stopped by itself")
        if self._braking:
            self._slow_down(dt)
        else:
            self._position += self._velocity * dt

    def stop(self, reason: str) -> None:
        """Brake within the acceleration limits; the first reason stays."""
        self._fault = self._fault or reason
        self._braking = True

    def state(self, arm: RobotState) -> RobotState:
        """What the arm measured, with the twin in its place once that is driven. A fault of the arm comes first."""
        fault = arm.fault or self._fault
        if not self._driven:
            return replace(arm, sequence=self._sequence, fault=fault)
        return replace(
            arm,
            position=self._position.copy(),
            velocity=self._velocity.copy(),
            reference=self._position.copy(),
            gripper_width=arm.gripper_width if self._width is None else self._width,
            gripper_holding=False,
            sequence=self._sequence,
            fault=fault,
        )

    def _slow_down(self, dt: float) -> None:
        """Every joint by the same share."""
        left = float(np.max(np.abs(self._velocity) / self._profile.acceleration))
        slower = self._velocity * max(0.0, 1.0 - dt / left) if left > 0.0 else np.zeros_like(self._velocity)
        self._position += 0.5 * (self._velocity + slower) * min(dt, left)
        self._velocity[:] = slower
