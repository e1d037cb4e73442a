"""Whether the robot is on its legs: what was let through last, since when, and whether it has to sit down or lies where
it fell."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from reins.hardware.legged import LeggedState, Posture
from reins.safety.legged.hazards import Spell
from reins.safety.verdict import Limit

STILL: Final = 0.2
"""Turn rate below which a body lies still [rad/s] …"""

LAIN: Final = 1.0
"""… and for how long it has done so before its tilt is no news any more [s]."""


class Stance:
    """Of one robot, which begins sitting.

    A hazard makes it sit until `reset`, even when the hazard is over.

    Args:
        stand_up: how long standing up takes [s].

    Attributes:
        posture: that was let through last.
        grounded: why it may not stand: the hazards since the last reset, each with its first reason.
    """

    def __init__(self, stand_up: float) -> None:
        self._stand_up = stand_up
        self._since = 0.0
        self.posture = Posture.SIT
        self.grounded: dict[Limit, str] = {}
        self._lain = Spell()

    def has_settled(self, state: LeggedState, tilted: bool) -> bool:
        """Whether a tilt beyond the limit is how the robot lies, and no hazard that comes about: it is told to lie and
        has lain so, still, for a while, or it turns over. To be asked with every state."""
        still = tilted and float(np.linalg.norm(state.odometry.angular)) < STILL
        lain = self._lain.lasts(self.posture is Posture.SIT and still, state.stamp) >= LAIN
        return lain or self.posture is Posture.RECOVER

    def take(self, posture: Posture, now: float) -> None:
        """`posture` is let through at robot time `now` [s]."""
        if posture is not self.posture:
            self.posture, self._since = posture, now
        self._since = min(self._since, now)

    def is_up(self, now: float) -> bool:
        """Whether it has had the time to stand up by robot time `now` [s]."""
        return self.posture is Posture.STAND and now - self._since >= self._stand_up

    def ground(self, hazards: Mapping[Limit, str]) -> None:
        """It has to sit down for these."""
        for limit, reason in hazards.items():
            self.grounded.setdefault(limit, reason)

    def reset(self) -> None:
        """It may stand up again; what still speaks against it is found anew."""
        self.grounded = {}
