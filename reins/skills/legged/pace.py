"""How fast a body goes where it is to go: velocities within its limits, which never jump."""

import math
from typing import Final

import numpy as np

from reins.hardware.legged import LeggedState
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.skills.legged.frames import bearing, heading_of, turned, wrapped

CRUISE: Final = 0.5
"""Share of the profile's speed limits that skills use."""

RAMP: Final = 0.7
"""Share of the profile's acceleration limits that skills use."""

BRAKING: Final = 0.35
"""Share of the profile's acceleration that the approach to a goal counts on: the body follows late."""

APPROACH: Final = 1.2
"""Speed at a goal per distance left [1/s]; slow against the body's response, so that it does not overshoot."""

STEERING: Final = 1.8
"""Yaw rate per angle between the body and where it is to face [1/s]."""

SIDEWAYS: Final = 1.0
"""With an angle beyond this to where it goes, a body turns first instead of walking askew [rad] …"""

NEAR: Final = 0.5
"""… unless it is nearer than this, and steps there as it stands [m]."""

STILL: Final = np.array([0.08, 0.08, 0.12])
"""Measured speed below which a body stands: a trot sways [m/s, m/s, rad/s]."""


class Pace:
    """Of one robot, for one skill. It begins at rest.

    Args:
        profile: the robot.
        scale: share of the usual speed that the task asks for, 0 < scale ≤ 1.
    """

    def __init__(self, profile: QuadrupedProfile, scale: float) -> None:
        speed, share = profile.body.velocity, CRUISE * scale
        self._forward, self._backward = share * speed.forward, share * speed.backward
        self._sideways, self._turn = share * speed.sideways, share * speed.turn
        self._acceleration = profile.acceleration
        self._response, self._period = profile.body.response, 1.0 / profile.rates.command
        self._velocity = np.zeros(3)
        self._stamp = -math.inf

    @property
    def cruise(self) -> float:
        """Speed straight ahead [m/s]."""
        return self._forward

    def place(self, state: LeggedState) -> FloatArray:
        """(2,) from where the body moves as commanded, for it follows late [m].

        Source: with a lag of first order and time constant r, p + r v moves exactly as commanded.
        """
        odometry = state.odometry
        ahead = turned(odometry.linear[:2], heading_of(odometry.orientation))
        place: FloatArray = odometry.position[:2] + self._response * ahead
        return place

    def still(self, state: LeggedState) -> FloatArray:
        """(3,) the velocity that brakes, or stands."""
        return self._ramped(np.zeros(3), state)

    def towards(self, state: LeggedState, point: FloatArray, left: float) -> FloatArray:
        """(3,) the velocity straight to (2,), of a way of which `left` [m] is left in all."""
        place, yaw = self.place(state), heading_of(state.odometry.orientation)
        angle = wrapped(bearing(place, point) - yaw)
        speed = min(self._forward, APPROACH * left, math.sqrt(2.0 * BRAKING * self._acceleration[:2].min() * left))
        turn = 0.0
        if left > NEAR:
            turn = min(max(STEERING * angle, -self._turn), self._turn)
            speed = 0.0 if abs(angle) > SIDEWAYS else speed
        along, across = speed * math.cos(angle), speed * math.sin(angle)
        farthest = self._forward if along >= 0.0 else self._backward
        use = max(math.hypot(along / farthest, across / self._sideways), 1.0)
        return self._ramped(np.array([along / use, across / use, turn]), state)

    def facing(self, state: LeggedState, angle: float) -> FloatArray:
        """(3,) the velocity that turns on the spot, with `angle` [rad] left to the left."""
        ahead = angle - self._response * float(state.odometry.angular[2])
        braking = math.sqrt(2.0 * BRAKING * float(self._acceleration[2]) * abs(ahead))
        turn = math.copysign(min(self._turn, STEERING * abs(ahead), braking), ahead)
        return self._ramped(np.array([0.0, 0.0, turn]), state)

    def stands(self, state: LeggedState) -> bool:
        """Whether the body is told to stand, and does."""
        odometry = state.odometry
        moving = np.abs([*odometry.linear[:2], odometry.angular[2]])
        return not self._velocity.any() and bool((moving < STILL).all())

    def _ramped(self, wanted: FloatArray, state: LeggedState) -> FloatArray:
        """`wanted`, as near as the acceleration lets the last velocity come straight; after a pause, from rest.

        Between two velocities within the limits, which are convex, all are.
        """
        passed = state.stamp - self._stamp
        if passed > 10.0 * self._period:
            self._velocity, passed = np.zeros(3), self._period
        most = RAMP * self._acceleration * min(max(passed, 0.0), 2.0 * self._period)
        change, self._stamp = wanted - self._velocity, state.stamp
        share = float(np.abs(change / most).max()) if most.all() else np.inf
        self._velocity = wanted if share <= 1.0 else self._velocity + change / share
        return self._velocity.copy()
