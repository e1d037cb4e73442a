"""An operator's wishes to body commands of a legged robot: forward, sideways, turning, standing up, also from where it
fell, and sitting down."""

import math
from typing import Final

import numpy as np

from reins.hardware.legged import BodyCommand, LeggedState, Posture
from reins.hardware.on_belly import OnBelly
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.teleop.intent import TWIST, Action, Direction, Intent
from reins.teleop.settings import TeleopSettings

_POSTURES: Final = {Action.STAND: Posture.STAND, Action.SIT: Posture.SIT}

_X, _Y, _YAW = (TWIST.index(direction) for direction in (Direction.X, Direction.Y, Direction.YAW))


class BodyTeleop:
    """What the methods do is said in `TeleopMotion`.

    Full sticks at full trim ask for the profile's speed limits. The dead-man alone moves nothing: a robot that sits
    goes on sitting until `stand` is pressed, or cmd_vel asks for motion. One that lies on its side or back first turns
    over for `stand`, and for nothing else, and rises once it has.

    Args:
        profile: the robot.
        settings: rate.
    """

    def __init__(self, profile: QuadrupedProfile, settings: TeleopSettings) -> None:
        self._profile, self._settings = profile, settings
        self._posture = Posture.STAND
        self._asked: Posture | None = None
        self._rises_until = -math.inf
        self._turned: OnBelly | None = None
        self.objection_to_velocity = ""

    @property
    def summary(self) -> str:
        """The body, on its legs or not."""
        return {
            Posture.STAND: "the body, walking",
            Posture.SIT: "nothing, it sits; press stand",
            Posture.RECOVER: "nothing, it turns over; keep the dead-man held",
        }[self._posture]

    def act(self, action: Action) -> None:
        """Standing up and sitting down, with the next command."""
        self._asked = _POSTURES.get(action, self._asked)

    def begin(self, state: LeggedState) -> None:
        """It goes on sitting where it sits, unless it was told to rise and may not be up yet."""
        sits = state.height is not None and state.height < self._profile.height.lowest
        rises = state.stamp <= self._rises_until
        sits = sits or self._profile.has_fallen(state.orientation)
        self._posture = Posture.SIT if sits and not rises else Posture.STAND

    def let_go(self) -> None:
        """The posture stays as it is."""
        self._asked = None

    def command(
        self, state: LeggedState, intent: Intent, shares: FloatArray, trim: float, sequence: int, activation: float
    ) -> BodyCommand:
        """Body velocity and posture."""
        velocity = self._velocity(shares) * trim if intent.velocity is None else intent.velocity
        has_fallen = self._profile.has_fallen(state.orientation)
        if intent.velocity is not None and velocity.any() and self._posture is Posture.SIT and not has_fallen:
            self._asked = Posture.STAND
        if self._turned is not None and self._posture is Posture.RECOVER and self._asked is not Posture.SIT:
            self._asked = Posture.STAND if self._turned.see(state) else None  # a key that repeats hurries nothing
        elif self._asked is Posture.STAND and has_fallen:
            self._posture, self._asked, self._turned = Posture.RECOVER, None, OnBelly(self._profile)
        if self._asked is not None:
            self._rises_until = state.stamp + self._profile.body.stand_up if self._asked is Posture.STAND else -math.inf
            self._posture, self._asked = self._asked, None
        return BodyCommand(
            source="teleop",
            sequence=sequence,
            stamp=state.stamp,
            period=1.0 / self._settings.rate,
            velocity=velocity,
            activation=activation,
            posture=self._posture,
        )

    def _velocity(self, shares: FloatArray) -> FloatArray:
        """(3,) at full trim [m/s, m/s, rad/s]."""
        limits = self._profile.body.velocity
        along = limits.forward if shares[_X] >= 0.0 else limits.backward
        return np.array([shares[_X] * along, shares[_Y] * limits.sideways, shares[_YAW] * limits.turn])
