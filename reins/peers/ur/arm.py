"""The arm as the UR peer's controller has it: where it is to be, and when it is stopped. `body` follows.

`servoj` is a spring towards the target with the damping that makes it follow `lookahead_time` later, which is what
Universal Robots' script manual says of both parameters and no more; the true law is not published.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import Final

import numpy as np

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray

TICK: Final = 0.002
"""The controller's cycle [s]."""

SUDDEN: Final = 0.1
"""A servo target that is this far from the last one is a fault of the path [rad]."""

UNLOCKING: Final = 5.0
"""A protective stop cannot be unlocked sooner [s]. Source: Universal Robots, dashboard server."""

BRAKING: Final = 15.0
"""Deceleration of stops that nobody asked for [rad/s²]."""

SETTLED: Final = 1e-4
"""Slower than this the arm stands [rad/s]."""


class RobotMode(IntEnum):
    """As `robot_mode` of RTDE has it."""

    POWER_OFF = 3
    IDLE = 5
    RUNNING = 7


class SafetyMode(IntEnum):
    """As `safety_mode` of RTDE has it."""

    NORMAL = 1
    PROTECTIVE_STOP = 3
    SAFEGUARD_STOP = 5
    ROBOT_EMERGENCY_STOP = 7
    FAULT = 9


Motion = Callable[[], FloatArray]
"""Gives the acceleration (6,) of this cycle [rad/s²]."""


class Arm:
    """Joints that follow what the program wants, in cycles of `TICK`.

    Attributes:
        time: the controller's clock [s].
        position, velocity: (6,) that it is to have [rad, rad/s].
        mode: of the robot.
        safety: mode of its safety system.
        payload: mass [kg] that it was told of.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._limit = profile.velocity
        self.time = 1000.0
        self.position = profile.home.copy()
        self.velocity = np.zeros(6)
        self.mode = RobotMode.RUNNING
        self.safety = SafetyMode.NORMAL
        self.payload = 0.0
        self._stopped_at = 0.0
        self._target = self.position.copy()
        self._motion: Motion | None = None

    @property
    def target(self) -> FloatArray:
        """(6,) what servoj goes to [rad]."""
        return self._target

    @property
    def able(self) -> bool:
        """Whether it may move."""
        return self.mode is RobotMode.RUNNING and self.safety is SafetyMode.NORMAL

    @property
    def moving(self) -> bool:
        """Whether a motion is under way."""
        return self._motion is not None

    def servo(self, target: FloatArray, lookahead: float, gain: float) -> None:
        """servoj: from now on towards this position."""
        before = self._target if self._motion is not None else self.position
        if np.abs(target - before).max() > SUDDEN:
            self.stop(SafetyMode.PROTECTIVE_STOP)
            return
        self._target = target
        self._motion = lambda: gain * (self._target - self.position - lookahead * self.velocity)

    def speed(self, wanted: FloatArray, acceleration: float) -> None:
        """speedj: from now on at this speed."""
        most = acceleration * TICK
        self._motion = lambda: np.clip(wanted - self.velocity, -most, most) / TICK

    def brake(self, deceleration: float) -> None:
        """stopj: to rest."""
        left = np.abs(self.velocity).max()
        direction = self.velocity / left if left > SETTLED else np.zeros(6)

        def slow_down() -> FloatArray:
            if np.abs(self.velocity).max() <= deceleration * TICK:
                self._motion = None
                return -self.velocity / TICK
            return -deceleration * direction

        self._motion = slow_down

    def stop(self, safety: SafetyMode) -> None:
        """The safety system stops the arm."""
        self.safety, self._stopped_at = safety, self.time
        self.brake(BRAKING)

    def unlock(self) -> bool:
        """End a protective stop, unless it is too soon."""
        if self.safety is SafetyMode.PROTECTIVE_STOP and self.time - self._stopped_at < UNLOCKING:
            return False
        if self.safety is SafetyMode.PROTECTIVE_STOP:
            self.safety = SafetyMode.NORMAL
        return True

    def tick(self) -> None:
        """One cycle."""
        self.time += TICK
        if self._motion is not None:
            self.velocity = np.clip(self.velocity + TICK * self._motion(), -self._limit, self._limit)
            self.position = self.position + TICK * self.velocity
