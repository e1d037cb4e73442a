"""Where a body is by its legs: feet that stand do not move on the ground."""

import math
from typing import Final

import numpy as np
from scipy.spatial.transform import Rotation

from reins.hardware.legged import Odometry
from reins.hardware.legs import Sense
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.locomotion.kinematics import LegKinematics

BELIEVED: Final = 0.5
"""Share of a new velocity in the one that is told: a foot's sensor wavers as it lands and leaves."""


FLYING: Final = 0.3
"""A body on no foot is believed to come to rest with this time constant [s]: a trot flies for a moment only, and who is
carried does not go on as it walked."""


class StandingFeet:
    """Velocity as the feet that stand tell it, its integral, and the heading of the inertial sensor; implements
    `reins.hardware.legs.LegOdometry`.

    The place drifts, by up to a tenth of the way. Its z is the height above the ground under the feet.

    Args:
        profile: the robot.
    """

    def __init__(self, profile: QuadrupedProfile) -> None:
        self._kinematics = LegKinematics(profile.build.legs)
        self._foot = profile.build.legs.foot
        self.reset()

    def reset(self) -> None:
        """Begin anew, at the origin."""
        self._position, self._velocity = np.zeros(3), np.zeros(3)

    def step(self, sense: Sense, orientation: FloatArray, period: float) -> tuple[Odometry, float | None]:
        """Where it is now, and how high above the ground; None where no foot touches it."""
        feet, standing = self._kinematics.feet(sense.joints)[0], sense.contact[0]
        height = None
        if standing.any():
            moving = (self._kinematics.jacobians(sense.joints)[0] @ sense.speeds[0][..., None])[..., 0]
            moving += np.cross(sense.rates[0], feet)
            self._velocity = self._velocity + BELIEVED * (-moving[standing].mean(axis=0) - self._velocity)
            height = float(-(feet[standing] @ sense.up[0]).mean()) + self._foot
            self._position[2] = height
        else:
            self._velocity = self._velocity * math.exp(-period / FLYING)
        self._position[:2] += period * Rotation.from_quat(orientation).apply(self._velocity)[:2]
        return Odometry(self._position.copy(), orientation, self._velocity.copy(), sense.rates[0]), height
