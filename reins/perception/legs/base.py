"""Where a walking robot is when a picture is taken, in the ground frame.

The ground frame has odometry's x and y, and height 0 at the ground under the robot.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from reins.contracts.footprints import yaw_of
from reins.hardware.legged import LeggedState
from reins.hardware.robot import FloatArray
from reins.perception.image import THUMB, CameraImage, thumb_of

BASE_MOVED: Final = 0.02
"""If the base moved by this, what its camera measures has changed: [m], or share of a turn's sine."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacedBase:
    """The base at one moment.

    Attributes:
        pose: (4, 4) of the base in the ground frame [m].
        yaw: where it looks [rad].
        is_upright: whether it is known how high it is; a robot that lies on its back sees no ground.
    """

    pose: FloatArray
    yaw: float
    is_upright: bool

    @property
    def place(self) -> FloatArray:
        """(2,) on the ground [m]."""
        return self.pose[:2, 3]

    @property
    def height(self) -> float:
        """Above the ground under it [m]."""
        return float(self.pose[2, 3])


class WalkingBody:
    """Places bases; implements `reins.perception.gate.Body`."""

    def place(self, state: LeggedState) -> PlacedBase:
        """Where it is in a state."""
        odometry = state.odometry
        return _placed(odometry.position, odometry.orientation, state.height)

    def between(self, earlier: LeggedState, later: LeggedState, share: float) -> PlacedBase:
        """Where it is at a moment between two states, 0 at the earlier one and 1 at the later one."""
        before, after = earlier.odometry, later.odometry
        near = before.orientation if before.orientation @ after.orientation >= 0.0 else -before.orientation
        position = (1.0 - share) * before.position + share * after.position
        height = None
        if earlier.height is not None and later.height is not None:
            height = (1.0 - share) * earlier.height + share * later.height
        return _placed(position, (1.0 - share) * near + share * after.orientation, height)

    def changes(self, image: CameraImage, then: PlacedBase, now: PlacedBase) -> bool:
        """Whether the base has moved, and the camera with it."""
        return bool(np.abs(then.pose - now.pose).max() > BASE_MOVED)

    def sample(self, image: CameraImage) -> NDArray[np.uint8]:
        """Some of its colours and depths: empty ground has one colour, and a body that walks sways."""
        depth = np.ascontiguousarray(image.depth[::THUMB, ::THUMB])
        return np.concatenate([thumb_of(image).ravel(), depth.view(np.uint8).ravel()])


def _placed(position: FloatArray, orientation: FloatArray, height: float | None) -> PlacedBase:
    """A base at (3,) [m] with a quaternion (4,) x y z w, not yet of length 1."""
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_quat(orientation).as_matrix()
    pose[:3, 3] = *position[:2], height or 0.0
    return PlacedBase(pose, yaw_of(orientation / np.linalg.norm(orientation)), height is not None)
