"""The driver of a legged robot that is a body only: it goes where it is told, a little late, and knows its hazards."""

from dataclasses import replace
from typing import Any

import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.legged import LeggedState, Odometry, Posture, SafeBodyCommand
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import RobotSpec, StopCategory

LYING = 0.08
"""Height of the base of a robot that sits [m]."""

RISING = 0.3
"""How fast it stands up [m/s]."""


class KinematicWalker:
    """Follows body velocities with the profile's response; sits and rises; stops by itself when nothing comes.

    Args:
        profile: the robot.

    Attributes:
        changes: fields of its states that are as they are told: a tilt, feet in the air, an empty battery.
        deaf: it applies nothing, as when it is not armed.
    """

    def __init__(self, profile: QuadrupedProfile) -> None:
        self._profile = profile
        self._place, self._yaw, self._height = np.zeros(2), 0.0, LYING
        self._velocity, self._told = np.zeros(3), np.zeros(3)
        self._posture = Posture.SIT
        self._time, self._silence = 0.0, 0.0
        self._sequence, self._fault = 0, ""
        self.changes: dict[str, Any] = {}
        self.deaf = False

    @property
    def spec(self) -> RobotSpec:
        """What it is."""
        return RobotSpec(self._profile.name, "quadruped", True, self._profile.joint_names, False, ())

    def connect(self) -> None:
        """Nothing to do."""

    def read(self) -> LeggedState:
        """Where its body is, with everything well but for `changes`."""
        heading = np.array([0.0, 0.0, np.sin(self._yaw / 2), np.cos(self._yaw / 2)])
        along, sideways, turn = self._velocity
        n = len(self._profile.joints)
        state = LeggedState(
            stamp=self._time,
            orientation=heading,
            position=self._profile.home.copy(),
            velocity=np.zeros(n),
            effort=np.zeros(n),
            contact=np.ones(len(self._profile.feet), dtype=bool),
            battery=0.9,
            odometry=Odometry(
                np.append(self._place, self._height),
                heading,
                np.array([along, sideways, 0.0]),
                np.array([0.0, 0.0, turn]),
            ),
            height=self._height,
            temperature=np.full(n, 40.0),
            sequence=self._sequence,
            fault=self._fault,
        )
        return replace(state, **self.changes)

    def write(self, command: SafeBodyCommand) -> None:
        """Do it from now on."""
        if self._fault or self.deaf:
            return
        if len(command.velocity) != 3 or command.posture not in tuple(Posture):
            raise ReinsError(f"'{self._profile.name}' takes three velocities and a posture, and not {command}")
        if not np.isfinite(command.velocity).all():
            self.stop(StopCategory.CONTROLLED, "a velocity is not finite")
            return
        self._told, self._posture = command.velocity.copy(), command.posture
        self._sequence, self._silence = command.sequence, 0.0

    def step(self, dt: float) -> None:
        """Let time pass."""
        self._time = round(self._time + dt, 9)
        self._silence += dt
        if self._told.any() and self._silence > self._profile.rates.stale_after:
            self.stop(StopCategory.CONTROLLED, "no command comes")
        middle = 0.5 * (self._profile.height.lowest + self._profile.height.highest)
        goal = middle if self._posture is Posture.STAND else LYING
        self._height += float(np.clip(goal - self._height, -RISING * dt, RISING * dt))
        self._velocity += (self._told - self._velocity) * -np.expm1(-dt / self._profile.body.response)
        cos, sin = np.cos(self._yaw), np.sin(self._yaw)
        along, sideways, turn = self._velocity * dt
        self._place += np.array([cos * along - sin * sideways, sin * along + cos * sideways])
        self._yaw += float(turn)

    def shift_clock(self, jump: float) -> None:
        """Its clock jumps [s]."""
        self._time += jump

    def stop(self, category: StopCategory, reason: str) -> None:
        """Stand still, sit down, and say why."""
        self._told, self._posture = np.zeros(3), Posture.SIT
        self._fault = reason

    def recover(self) -> None:
        """Clear the fault and hold still."""
        self._told = np.zeros(3)
        self._fault = ""

    def close(self) -> None:
        """Nothing to do."""
