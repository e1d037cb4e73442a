"""What perception would know of the object: a noisy pose, a few times a second, with the blind spots that it has."""

from dataclasses import dataclass
from math import atan2, cos, hypot, sin

import numpy as np

from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import FloatArray
from reins.skills.object_follower import ObjectFollower
from reins.skills.observation import ObjectView


@dataclass(frozen=True, slots=True)
class ViewErrors:
    """How wrong the pose is.

    Attributes:
        bias, yaw_bias: standard deviation of an error that stays for an episode [m, rad].
        noise, yaw_noise: standard deviation of an error of every look [m, rad].
        height: share of the position errors that the height has.
        size: standard deviation of the error of the extents [m].
    """

    bias: float = 0.0
    yaw_bias: float = 0.0
    noise: float = 0.0
    yaw_noise: float = 0.0
    height: float = 0.3
    size: float = 0.0


LOOKS: float = 0.2
"""Time between two looks [s]: perception's 5 Hz."""

HIDING: tuple[float, float] = (0.03, 0.16)
"""The hand hides what is this close to the tool's axis and this little below the tool [m]."""


class ObjectCamera:
    """Looks at one object. While the fingers hold it, it moves with the tool, as perception has it.

    Args:
        random: of its errors.
        errors: how wrong it is.
        size: (3,) true extents [m].
    """

    def __init__(self, random: np.random.Generator, errors: ViewErrors, size: FloatArray) -> None:
        self._random, self._errors = random, errors
        weights = np.array([1.0, 1.0, errors.height])
        self._bias = random.normal(0.0, 1.0, 3) * errors.bias * weights
        self._noise = errors.noise * weights
        self._yaw_bias = float(random.normal(0.0, 1.0)) * errors.yaw_bias
        self._size = size + random.normal(0.0, 1.0, 3) * errors.size
        self._next = -1.0
        self._follower = ObjectFollower(ObjectView(np.zeros(3), 0.0, self._size))

    def look(self, time: float, pose: FloatArray, tool: ToolPose, holding: bool) -> ObjectView:
        """The object as it is known at `time` [s].

        Args:
            pose: (7,) where it truly is, x y z [m] and w x y z.
            tool: pose of the tool.
            holding: whether the fingers hold something.
        """
        first = self._next < 0.0
        if holding and not first:
            return self._follower.carry(tool.position, tool.rotation)
        if first or (time >= self._next and not _hidden(pose, tool.position)):
            self._next = time + LOOKS - 1e-9
            seen = pose[:3] + self._bias + self._random.normal(0.0, 1.0, 3) * self._noise
            turned = yaw_of(pose[3:]) + self._yaw_bias + float(self._random.normal(0.0, 1.0)) * self._errors.yaw_noise
            return self._follower.see(ObjectView(seen, turned, self._size))
        return self._follower.loose()


def _hidden(pose: FloatArray, tool: FloatArray) -> bool:
    (x, y, z, *_), (a, b, c) = pose.tolist(), tool.tolist()
    return bool(hypot(a - x, b - y) < HIDING[0] and c - z < HIDING[1])


def yaw_of(quaternion: FloatArray) -> float:
    """Rotation about +z of a quaternion w x y z [rad]."""
    w, x, y, z = quaternion.tolist()
    return atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def quaternion_of(yaw: float) -> tuple[float, float, float, float]:
    """Quaternion w x y z of a rotation about +z [rad]."""
    return cos(yaw / 2), 0.0, 0.0, sin(yaw / 2)
