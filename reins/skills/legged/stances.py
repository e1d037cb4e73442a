"""Skills that go nowhere: stand, sit, stop, wait, turn."""

import math
from typing import Final

import numpy as np

from reins.contracts.scene import Scene
from reins.hardware.legged import LeggedState, Posture
from reins.hardware.quadruped import QuadrupedProfile
from reins.skills.controller import Status
from reins.skills.legged.controller import BodyOutput
from reins.skills.legged.frames import heading_of, wrapped
from reins.skills.legged.pace import Pace

SETTLED: Final = 0.5
"""How long a posture has to be seen before it counts [s]."""

AT_REST: Final = 0.5
"""Measured speed of the joints below which legs are at rest [rad/s]."""

ALIGNED: Final = 0.06
"""How exactly a body turns [rad]."""


def posture_of(state: LeggedState, profile: QuadrupedProfile) -> Posture:
    """On its legs, or sitting, by the height of the base; a robot whose feet touch nothing lies."""
    return Posture.STAND if profile.is_up(state.height) else Posture.SIT


class Pose:
    """`stand` and `sit`: take a posture, and hold it for a moment.

    Args:
        profile: the robot.
        pace: of this skill.
        posture: that is wanted.
    """

    def __init__(self, profile: QuadrupedProfile, pace: Pace, posture: Posture) -> None:
        self._profile, self._pace, self._posture = profile, pace, posture
        self._since = math.inf
        self._ready: float | None = None

    def step(self, state: LeggedState, scene: Scene) -> BodyOutput:
        """Brake, and change the posture."""
        velocity = self._pace.still(state)
        there = posture_of(state, self._profile) is self._posture and self._pace.stands(state)
        if self._ready is None:  # safety lets nobody walk who was told to stand up less than this ago
            self._ready = state.stamp + (0.0 if there else self._profile.body.stand_up)
        if not (there and float(np.abs(state.velocity).max()) < AT_REST):
            self._since = math.inf
        self._since = min(self._since, state.stamp)
        done = there and state.stamp - self._since >= SETTLED and state.stamp >= self._ready
        phase = "settle" if there else "rise" if self._posture is Posture.STAND else "lower"
        status = Status.SUCCEEDED if done else Status.RUNNING
        return BodyOutput(velocity, self._posture, status, phase, 1.0 if done else 0.5 * there)


class Pause:
    """`stop` and `wait`: stand still, in the posture that it is in.

    Args:
        pace: of this skill.
        posture: that it is in.
        duration: for how long, once it stands [s].
    """

    def __init__(self, pace: Pace, posture: Posture, duration: float) -> None:
        self._pace, self._posture, self._duration = pace, posture, duration
        self._since: float | None = None

    def step(self, state: LeggedState, scene: Scene) -> BodyOutput:
        """Brake, then let time pass."""
        velocity = self._pace.still(state)
        if self._since is None:
            if not self._pace.stands(state):
                return BodyOutput(velocity, self._posture, Status.RUNNING, "brake", 0.0)
            self._since = state.stamp
        passed = state.stamp - self._since
        if passed >= self._duration:
            return BodyOutput(velocity, self._posture, Status.SUCCEEDED, "wait", 1.0)
        return BodyOutput(velocity, self._posture, Status.RUNNING, "wait", passed / self._duration)


class Turn:
    """`turn` and `look_around`: turn on the spot by an angle, more than once round if it says so.

    Args:
        pace: of this skill.
        state: in which it begins.
        angle: how far, to the left if positive [rad].
    """

    def __init__(self, pace: Pace, state: LeggedState, angle: float) -> None:
        self._pace, self._angle, self._left = pace, angle, angle
        self._heading = heading_of(state.odometry.orientation)

    def step(self, state: LeggedState, scene: Scene) -> BodyOutput:
        """Turn on."""
        heading = heading_of(state.odometry.orientation)
        self._left -= wrapped(heading - self._heading)
        self._heading = heading
        way = 1.0 - min(abs(self._left) / max(abs(self._angle), ALIGNED), 1.0)
        if abs(self._left) > ALIGNED:
            return BodyOutput(self._pace.facing(state, self._left), Posture.STAND, Status.RUNNING, "turn", way)
        done = self._pace.stands(state)
        status = Status.SUCCEEDED if done else Status.RUNNING
        return BodyOutput(self._pace.still(state), Posture.STAND, status, "settle", way)
