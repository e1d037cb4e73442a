"""What passes between a legged robot's joints and whoever decides how its legs carry the body: measured and wanted.

Arrays have a leading axis for robots side by side, (n, …), of which a driver has one. Legs are in the order of
`reins.hardware.quadruped_build.SIDES`, joints of a leg hip, thigh, calf.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reins.hardware.legged import Gait, Odometry, Posture
from reins.hardware.robot import FloatArray

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Sense:
    """What was measured; nothing that a real robot could not measure.

    Attributes:
        up: (n, 3) the direction that is up, in the body frame, of length 1; from the inertial sensor.
        rates: (n, 3) turn rates in the body frame [rad/s].
        joints, speeds: (n, 4, 3) positions and velocities of the joints [rad, rad/s].
        contact: (n, 4) whether each foot touches the ground.
    """

    up: FloatArray
    rates: FloatArray
    joints: FloatArray
    speeds: FloatArray
    contact: Flags


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """What the joints do until the next step.

    Attributes:
        joints: (n, 4, 3) positions that they pull to [rad].
        grip: share of their motors' stiffness, 0 (they only damp) … 1.
    """

    joints: FloatArray
    grip: float = 1.0


class LegOdometry(Protocol):
    """Where a body is by its legs, for a robot that is told so by nobody. Passive."""

    def reset(self) -> None:
        """Begin anew, at the origin."""

    def step(self, sense: Sense, orientation: FloatArray, period: float) -> tuple[Odometry, float | None]:
        """Where it is after another `period` [s], and its height above the ground under it [m] where feet tell.

        Args:
            sense: what was measured, of one robot.
            orientation: (4,) of the body, x y z w.
            period: since the last step [s].
        """
        ...


class LegControl(Protocol):
    """How the legs of one robot carry its body. Passive: it has no clock and no thread."""

    @property
    def period(self) -> float:
        """Between two steps [s]."""
        ...

    def reset(self, sense: Sense) -> None:
        """Begin anew, with a robot that lies on the ground, its motors at rest."""

    def step(self, sense: Sense, velocity: FloatArray, posture: Posture, gait: Gait) -> Targets:
        """What the joints do next.

        Args:
            sense: what was measured, of one robot.
            velocity: (3,) wanted body velocity [m/s, m/s, rad/s].
            posture: whether to be on the legs.
            gait: how to carry the body.
        """
        ...


def up_of(orientation: FloatArray) -> FloatArray:
    """(…, 3) the direction that is up, in the body frame, of quaternions (…, 4) x y z w."""
    x, y, z, w = (orientation[..., number] for number in range(4))
    up: FloatArray = np.empty((*orientation.shape[:-1], 3))  # np.stack takes several times as long for one robot
    up[..., 0], up[..., 1] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x)
    up[..., 2] = w * w + z * z - x * x - y * y
    return up
