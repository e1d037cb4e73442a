"""Walking to a point round what stands about: the way is found anew as the world and the robot move."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from reins.hardware.legged import LeggedState
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.skills.legged.obstacles import ObstacleMap
from reins.skills.legged.pace import Pace
from reins.skills.legged.route import Ground, length_of

REPLAN: Final = 0.2
"""Time after which the way is looked for again [s]."""

OUTWARDS: Final = 0.35
"""Way that counts as left while a robot steps out of where it should not be, so that it does so slowly [m]."""

STUCK_AFTER: Final = 10.0
"""A way that has become no shorter for this long, by PROGRESS, leads nowhere [s]."""

PROGRESS: Final = 0.05
"""[m]"""

PATIENCE: Final = 6.0
"""How long a way may be barred before the skill fails: people go on [s]."""

PAUSE: Final = 0.5
"""Two steps that are farther apart than this were not made one after the other: safety held the robot [s]."""


@dataclass(frozen=True, slots=True, eq=False)
class Stride:
    """One step on the way.

    Attributes:
        velocity: (3,) of the body [m/s, m/s, rad/s].
        way: share of the way that is behind it, 0 … 1.
        trouble: why it is not to be reached, a clause; empty while it may be.
    """

    velocity: FloatArray
    way: float
    trouble: str = ""


class Walk:
    """To points that may move. Owned by one skill.

    Args:
        profile: the robot.
        around: what stands about; whoever owns it keeps it up to date.
        pace: of the same skill.
    """

    def __init__(self, profile: QuadrupedProfile, around: ObstacleMap, pace: Pace) -> None:
        self._footprint = profile.body.footprint
        self._around, self._pace = around, pace
        self._way: list[FloatArray] | None = None
        self._goal = np.full(2, np.inf)
        self._planned = self._barred = self._best_at = self._stepped = -math.inf
        self._best, self._longest, self._done = math.inf, PROGRESS, 0.0

    def step(self, state: LeggedState, goal: FloatArray) -> Stride:
        """One step towards (2,)."""
        self._after_a_pause(state.stamp)
        place = self._pace.place(state)
        moved = not np.array_equal(goal, self._goal)
        if moved:
            self._goal, self._best, self._best_at = goal, math.inf, state.stamp
        if moved or not 0.0 <= state.stamp - self._planned < REPLAN:
            self._planned = state.stamp
            self._ground = Ground(self._around.in_the_way, self._footprint)
            self._way = self._ground.route(place, goal)
        out = self._ground.way_out(place)
        if out is None:
            out = self._ground.way_out(state.odometry.position[:2])
        if out is not None:
            return self._on(state, self._pace.towards(state, out, OUTWARDS), math.inf)
        if self._way is None:
            return self._on(state, self._pace.still(state), math.inf)
        while len(self._way) > 1 and self._ground.sees(place, self._way[1]):
            self._way.pop(0)
        left = length_of(place, self._way)
        return self._on(state, self._pace.towards(state, self._way[0], left), left)

    def _on(self, state: LeggedState, velocity: FloatArray, left: float) -> Stride:
        """The step, and whether the way is hopeless."""
        now = state.stamp
        if math.isfinite(left):
            self._barred, self._longest = now, max(self._longest, left)
            self._done = 1.0 - left / self._longest
        if left < self._best - PROGRESS:
            self._best, self._best_at = left, now
        trouble = ""
        if now - self._barred > PATIENCE:
            blocker = self._ground.blocker(self._goal)
            trouble = f"{blocker} leaves no room there" if blocker else "there is no way round what stands about"
        elif now - self._best_at > STUCK_AFTER:
            trouble = f"the robot does not get on, with {left:.1f} m left"
        return Stride(velocity, self._done, trouble)

    def _after_a_pause(self, now: float) -> None:
        """Give it all its time again, at the beginning and where it was not asked for a while."""
        if not 0.0 <= now - self._stepped <= PAUSE:
            self._barred = self._best_at = now
        self._stepped = now
