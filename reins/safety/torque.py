"""Torques of the arm as a rigid body: how much of an acceleration, and of its hardest braking, the joints can give."""

from typing import Final

import numpy as np
import pinocchio as pin

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.limits import affordable, braking_time

SHARE: Final = 0.97
"""Share of a torque limit that is planned with; the rest is for what lies between the points that are looked at."""

_LONG: Final = 0.2
"""Paths that turn the joints by more than this, all together, are looked at in the middle, too [rad]."""

_GENTLER: Final = 0.95
"""Share of a possible braking that is tried next."""

_ROUNDS: Final = 3
"""How often the braking is made gentler for the longer path that a gentler braking needs."""


class TorqueGuard:
    """Of one arm with what it carries.

    Where gravity alone asks for more than a joint may give (the arm was loaded there), as much as that is allowed: it
    can go to where it needs less, and never to where it needs more.

    Args:
        profile: the robot.
        kinematics: of the same profile.
        acceleration: (n,) largest acceleration of each joint [rad/s²].
    """

    def __init__(self, profile: RobotProfile, kinematics: Kinematics, acceleration: FloatArray) -> None:
        self._effort, self._acceleration = SHARE * profile.effort, acceleration
        self._hold = profile.rates.stale_after
        self._empty, self._tool = kinematics.model, kinematics.tool_in_last_joint
        self._still = np.zeros(len(profile.joints))
        self._limit = self._effort
        self.carry(0.0)

    def carry(self, mass: float) -> None:
        """From now on the tool point carries a point mass [kg], ≥ 0."""
        self.payload = mass
        self._model = self._empty
        if mass > 0.0:
            self._model = self._empty.copy()
            point = pin.Inertia(mass, np.zeros(3), np.zeros((3, 3)))
            self._model.appendBodyToJoint(self._model.nv, point, self._tool)
        self._data = self._model.createData()

    def place(self, position: FloatArray) -> None:
        """The arm is at `position` (n,) [rad]."""
        weight = np.abs(pin.computeGeneralizedGravity(self._model, self._data, position))
        self._limit = np.maximum(self._effort, weight)

    def share(self, position: FloatArray, velocity: FloatArray, acceleration: FloatArray) -> float:
        """How much of `acceleration` (n,) [rad/s²] the joints can give, 0 … 1, moving with `velocity` (n,) [rad/s]."""
        whole = pin.rnea(self._model, self._data, position, velocity, acceleration)
        if (np.abs(whole) <= self._limit).all():
            return 1.0
        whole = whole.copy()
        least = pin.rnea(self._model, self._data, position, velocity, self._still)
        return affordable(least, whole, self._limit)

    def braking(self, position: FloatArray, velocity: FloatArray) -> float:
        """How much of the hardest braking along its own direction the joints can give wherever it may happen, 0 … 1.

        The arm keeps `velocity` (n,) [rad/s] from `position` (n,) [rad] on for at most the hold time, and then brakes.
        With 0 it cannot be held at all where it would come to rest.
        """
        time = braking_time(velocity, self._acceleration)
        if time == 0.0:
            return 1.0
        hardest, possible = velocity / -time, 1.0
        for _ in range(_ROUNDS):
            way, force = velocity * (self._hold + 0.5 * time / possible), possible * hardest
            end = position + way
            if self.share(end, self._still, self._still) < 1.0:
                return 0.0
            share = min(self.share(position, velocity, force), self.share(end, self._still, force))
            if np.abs(way).sum() > _LONG:
                share = min(share, self.share(position + 0.5 * way, velocity, force))
            if share == 1.0:
                return possible
            if share == 0.0:
                return 0.0
            possible *= _GENTLER * share
        return 0.0
