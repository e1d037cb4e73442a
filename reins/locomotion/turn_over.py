"""From its side or back onto its belly: a script of poses of the legs, again from where it lies if it did not help."""

from dataclasses import dataclass
from math import cos
from typing import Final

import numpy as np

from reins.hardware.legs import Sense
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.quadruped_build import SIDES
from reins.hardware.robot import FloatArray

Leg = tuple[float, float, float]

MARGIN: Final = 0.03
"""How far the script keeps off the stops of the joints [rad]."""


@dataclass(frozen=True, slots=True)
class Swing:
    """One movement of all legs, and then a rest in its end.

    Attributes:
        upper, lower: hip, thigh, calf of the legs on the side that lies higher when an attempt begins, and of the
            others [rad]; a positive hip is spread outwards on either side.
        move, hold: how long each takes [s].
    """

    upper: Leg
    lower: Leg
    move: float
    hold: float


@dataclass(frozen=True, slots=True)
class TurnOverSettings:
    """The script. Found by a search (cross-entropy) in MuJoCo over random fallen poses, frictions and loads, with legs
    that touch each other and the trunk, then rounded.

    Attributes:
        fold, tuck: how long folding the legs takes at first, and at the end of an attempt [s].
        settle: and how long the robot then comes to rest, before it is looked how it lies [s].
        over: the legs of the higher side reach over the back and push the body onto its other side.
        through: those of the lower side sweep along behind it, and push it on.
    """

    fold: float = 0.5
    over: Swing = Swing(upper=(1.0, 3.4, -2.0), lower=(-0.3, 1.1, -2.2), move=0.8, hold=0.3)
    through: Swing = Swing(upper=(1.0, 3.4, -1.3), lower=(1.0, 2.3, -2.0), move=0.5, hold=0.3)
    tuck: float = 0.8
    settle: float = 0.3


class TurnOver:
    """Turns one robot over, in as many attempts as fit into the profile's `turn_over`. Passive.

    Args:
        profile: the robot.
        period: between two steps [s].
        settings: the script.

    Attributes:
        attempts: how many were begun.
    """

    def __init__(self, profile: QuadrupedProfile, period: float, settings: TurnOverSettings | None = None) -> None:
        script = settings or TurnOverSettings()
        folded = profile.build.folded
        begin = Swing(folded, folded, script.fold, script.settle)
        end = Swing(folded, folded, script.tuck, script.settle)
        self._swings = (begin, script.over, script.through, end)
        self._lowest = profile.lower.reshape(4, 3) + MARGIN
        self._highest = profile.upper.reshape(4, 3) - MARGIN
        self._upright, self._period = cos(profile.tilt.slow), period
        once = sum(swing.move + swing.hold for swing in self._swings[1:])
        self._most = max(1, int((profile.body.turn_over - begin.move - begin.hold) / once))
        self.attempts = 0

    def lies_well(self, sense: Sense) -> bool:
        """Whether the robot is as upright as one that may stand up."""
        return bool(sense.up[0, 2] >= self._upright)

    def begin(self, sense: Sense) -> None:
        """From how it lies now."""
        self.attempts = 0
        self._enter(0, sense, sense.joints[0].copy())

    def step(self, sense: Sense) -> FloatArray | None:
        """(4, 3) where the joints pull to [rad]; None once it is over: the robot lies well, or no attempt is left."""
        swing = self._swings[self._number]
        if self._since >= swing.move + swing.hold - 1e-9:
            if self._number in (0, len(self._swings) - 1):
                if self.lies_well(sense) or self.attempts == self._most:
                    return None
                self.attempts += 1
                self._enter(1, sense, self._goal)
            else:
                self._enter(self._number + 1, sense, self._goal)
            swing = self._swings[self._number]
        self._since += self._period
        way = min(self._since / swing.move, 1.0)
        target: FloatArray = self._from + way * way * (3.0 - 2.0 * way) * (self._goal - self._from)
        return target

    def _enter(self, number: int, sense: Sense, begin: FloatArray) -> None:
        """Begin a swing. Which side is the higher one is looked at once in an attempt."""
        if number <= 1:
            self._higher = 1.0 if sense.up[0, 1] >= 0.0 else -1.0
        self._number, self._since, self._from = number, 0.0, begin
        swing = self._swings[number]
        legs = [(side, swing.upper if side == self._higher else swing.lower) for _, side in SIDES]
        goal = np.array([(side * hip, thigh, calf) for side, (hip, thigh, calf) in legs])
        self._goal = np.clip(goal, self._lowest, self._highest)
