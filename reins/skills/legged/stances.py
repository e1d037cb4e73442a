"""Skills that go nowhere: stand, sit, recover, stop, wait, turn."""

import math
from typing import Final

import numpy as np

from reins.contracts.scene import Scene
from reins.hardware.legged import LeggedState, Posture
from reins.hardware.legs import up_of
from reins.hardware.on_belly import AT_REST, SETTLED, OnBelly
from reins.hardware.quadruped import QuadrupedProfile
from reins.skills.controller import Status
from reins.skills.legged.controller import BodyOutput
from reins.skills.legged.frames import heading_of, wrapped
from reins.skills.legged.pace import Pace

ALIGNED: Final = 0.06
"""How exactly a body turns [rad]."""


def posture_of(state: LeggedState, profile: QuadrupedProfile) -> Posture:
    """On its legs, or sitting, by the height of the base; a robot whose feet touch nothing lies."""
    return Posture.STAND if profile.is_up(state.height) else Posture.SIT


def lies_on(state: LeggedState) -> str:
    """What a robot that has fallen lies on: "left side", "right side" or "back"; in between, what is nearest."""
    _, left, up = up_of(state.orientation)
    if -up >= abs(left):
        return "back"
    return "right side" if left > 0.0 else "left side"


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


class Recover:
    """`recover`: turn from the side or back onto the belly, and stand up. How it turns over is the driver's affair, and
    so is how often it tries in the profile's `turn_over`.

    Args:
        profile: the robot.
        pace: of this skill.
    """

    def __init__(self, profile: QuadrupedProfile, pace: Pace) -> None:
        self._profile, self._pace = profile, pace
        self._turned = OnBelly(profile)
        self._ends = math.inf
        self._rise: Pose | None = None

    def step(self, state: LeggedState, scene: Scene) -> BodyOutput:
        """Turn over, then rise."""
        if self._rise is not None:
            return self._rise.step(state, scene)
        self._ends = min(self._ends, state.stamp + self._profile.body.turn_over + SETTLED)
        if self._turned.see(state):
            self._rise = Pose(self._profile, self._pace, Posture.STAND)
            return self._rise.step(state, scene)
        velocity = self._pace.still(state)
        if state.stamp < self._ends:
            return BodyOutput(velocity, Posture.RECOVER, Status.RUNNING, "turn over", 0.0)
        reason = (
            f"the robot still lies on its {lies_on(state)} after {self._profile.body.turn_over:.0f} s of turning over; "
            f"give it a metre of room on level ground or turn it over by hand, then reset"
        )
        return BodyOutput(velocity, Posture.SIT, Status.FAILED, "turn over", 0.0, reason)


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
