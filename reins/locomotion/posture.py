"""From lying to standing and back, and from the back onto the belly: joints along smooth paths, and when the legs may
walk."""

from enum import Enum
from typing import Final, Protocol

import numpy as np

from reins.hardware.legged import Gait, Posture
from reins.hardware.legs import Sense, Targets
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.locomotion.turn_over import TurnOver

FOLD: Final = 0.5
"""Time to fold the legs under a body that lies [s]."""

RISE: Final = 0.3
LOWER: Final = 0.8
"""Shares of the profile's `stand_up` time that the body takes to rise from there, and to go down again."""

COME_TO_REST: Final = 1.5
"""Longest time that a walking robot gets to come to a stand before it is let down [s]."""

FALLEN: Final = 0.6
"""A body that is less upright than this (cosine of its tilt) is not held by its legs any more: they only damp."""


class Stage(Enum):
    """What the legs are doing."""

    LYING = "lying"
    TURNING = "turning"
    FOLDING = "folding"
    RISING = "rising"
    UP = "up"
    STOPPING = "stopping"
    LOWERING = "lowering"


class Walk(Protocol):
    """What carries a robot that is on its legs: the trot, or a policy over it."""

    @property
    def stance(self) -> FloatArray:
        """(4, 3) joints of a robot that stands [rad]."""
        ...

    @property
    def stands(self) -> bool:
        """Whether the robot stands and takes no steps."""
        ...

    def begin(self) -> None:
        """It stands, and nothing is known of before."""

    def advance(self, sense: Sense, velocity: FloatArray, gait: Gait) -> FloatArray:
        """(1, 4, 3) target positions of the joints [rad] at a wanted velocity (3,) and gait."""
        ...


class Legs:
    """The legs of one robot, as `reins.hardware.legs.LegControl`.

    Args:
        profile: the robot.
        walk: what carries it once it stands; it is asked once a `period`.
        period: between two steps [s].

    Attributes:
        stage: what the legs are doing.
    """

    def __init__(self, profile: QuadrupedProfile, walk: Walk, period: float) -> None:
        self._walk, self.period = walk, period
        self._folded = np.tile(profile.build.folded, (4, 1))
        self._rise = RISE * profile.body.stand_up
        self._lower = LOWER * profile.body.stand_up
        self._turn_over, self._turned = TurnOver(profile, period), False
        self.stage = Stage.LYING
        self._since = 0.0
        self._from = self._target = self._folded

    def reset(self, sense: Sense) -> None:
        """The robot lies on the ground."""
        self._enter(Stage.LYING, sense)

    def step(self, sense: Sense, velocity: FloatArray, posture: Posture, gait: Gait) -> Targets:
        """What the joints do next."""
        if self._turns(sense, posture):
            pass
        elif sense.up[0, 2] < FALLEN:
            self._enter(Stage.LYING, sense)
        elif posture is Posture.STAND and self.stage in (Stage.LYING, Stage.LOWERING):
            self._enter(Stage.FOLDING if self.stage is Stage.LYING else Stage.RISING, sense)
        elif posture is not Posture.STAND and self.stage in (Stage.FOLDING, Stage.RISING):
            self._enter(Stage.LOWERING, sense)
        elif posture is not Posture.STAND and self.stage is Stage.UP:
            self._enter(Stage.STOPPING, sense)
        elif posture is Posture.STAND and self.stage is Stage.STOPPING:
            self.stage = Stage.UP
        self._since += self.period
        return self._carry(sense, velocity, gait)

    def _turns(self, sense: Sense, posture: Posture) -> bool:
        """Whether it is turning over. Once it is over, in vain or not, it lies until it is asked for anew."""
        if posture is not Posture.RECOVER:
            self._turned = False
            if self.stage is Stage.TURNING:
                self._enter(Stage.LYING, sense)
        elif self.stage is Stage.LYING and not self._turned and not self._turn_over.lies_well(sense):
            self._turned = True
            self._enter(Stage.TURNING, sense)
            self._turn_over.begin(sense)
        return self.stage is Stage.TURNING

    def _carry(self, sense: Sense, velocity: FloatArray, gait: Gait) -> Targets:
        """What the present stage asks of the joints; the next one, where it is over."""
        if self.stage is Stage.LYING:
            return Targets(sense.joints, 0.0)
        if self.stage is Stage.TURNING:
            target = self._turn_over.step(sense)
            if target is None:
                self._enter(Stage.LYING, sense)
                return Targets(sense.joints, 0.0)
            self._target = target
            return Targets(target[None])
        if self.stage in (Stage.UP, Stage.STOPPING):
            still = self.stage is Stage.STOPPING
            self._target = self._walk.advance(sense, np.zeros(3) if still else velocity, gait)[0]
            if still and (self._walk.stands or self._since > COME_TO_REST):
                self._enter(Stage.LOWERING, sense)
            return Targets(self._target[None])
        goal, lasts, then = {
            Stage.FOLDING: (self._folded, FOLD, Stage.RISING),
            Stage.RISING: (self._walk.stance, self._rise, Stage.UP),
            Stage.LOWERING: (self._folded, self._lower, Stage.LYING),
        }[self.stage]
        way = min(self._since / lasts, 1.0)
        self._target = self._from + way * way * (3.0 - 2.0 * way) * (goal - self._from)
        if way >= 1.0:
            self._enter(then, sense)
            if then is Stage.UP:
                self._walk.begin()
        return Targets(self._target[None])

    def _enter(self, stage: Stage, sense: Sense) -> None:
        """Begin a stage, from where the joints are told to be, or are where nothing holds them."""
        limp = self.stage is Stage.LYING
        self._from = sense.joints[0].copy() if limp else self._target
        self.stage, self._since = stage, 0.0
