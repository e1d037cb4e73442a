"""Which points belong to the robot: boxes around its links, placed by forward kinematics."""

from dataclasses import replace
from functools import cached_property
from typing import Final

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from reins.contracts.documents import Shelf
from reins.contracts.errors import ReinsError
from reins.hardware.kinematics import Kinematics, ToolPose
from reins.hardware.profile import RobotProfile
from reins.hardware.profile_base import Triple
from reins.hardware.robot import FloatArray, RobotState
from reins.perception.image import CameraImage, thumb_of, to_pixels

Points = NDArray[np.float32]
Mask = NDArray[np.bool_]

BASE = "base"
"""Name of the part of the body that does not move."""

HAND_MOVED: Final = 0.02
"""If the hand moved by this in front of a camera, its picture has changed [m]."""

GRIP_ROOM: Final = 0.006
"""A held block may be this much nearer to the hand, or farther from it, than if it were held in its middle [m]."""

GRIP_GAP: Final = 0.001
"""What is nearer to a finger's face than this is the finger [m]."""


class Box(BaseModel):
    """An axis-aligned box in some frame [m]."""

    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))

    lower: Triple
    upper: Triple

    @cached_property
    def middle(self) -> FloatArray:
        """(3,) its centre."""
        return np.asarray((np.array(self.lower) + np.array(self.upper)) / 2)

    @cached_property
    def half(self) -> FloatArray:
        """(3,) half of its extents."""
        return np.asarray((np.array(self.upper) - np.array(self.lower)) / 2)

    @cached_property
    def corners(self) -> FloatArray:
        """(8, 3) corners."""
        pairs = np.array([self.lower, self.upper])
        index = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)])
        return np.asarray(pairs[index, np.arange(3)])


class BodyShape(BaseModel):
    """Boxes around the links (by joint name of the URDF), the hand and one finger (in the tool frame)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    links: dict[str, Box]
    hand: Box
    finger: Box


BODIES: Final = Shelf("robot body", "reins.perception", "bodies")
"""The robots whose shape ships with reins, by profile name."""


class PlacedBody:
    """The robot's boxes at one moment.

    Args:
        boxes: box and its pose in the base frame: rotation (3, 3), translation (3,) [m].
        tool: pose of the tool.
        holding: the gripper has closed on something.
        gripper_width: opening of the gripper [m].
    """

    def __init__(
        self, boxes: list[tuple[Box, FloatArray, FloatArray]], tool: ToolPose, holding: bool, gripper_width: float
    ) -> None:
        self.tool, self.holding, self.gripper_width = tool, holding, gripper_width
        self._boxes = boxes
        corners = np.stack([box.corners @ rotation.T + origin for box, rotation, origin in boxes])
        self._low, self._high = corners.min(axis=1), corners.max(axis=1)

    def contains(self, points: Points, margin: float) -> Mask:
        """(n,) whether each of `points` (n, 3) [m] lies in a box grown by `margin` [m]."""
        inside = np.zeros(len(points), dtype=bool)
        if not len(points):
            return inside
        rows = np.ascontiguousarray(points.T)
        low, high = rows.min(axis=1) - margin, rows.max(axis=1) + margin
        for index in np.flatnonzero((self._low <= high).all(axis=1) & (self._high >= low).all(axis=1)):
            box, rotation, origin = self._boxes[index]
            offset = rotation.T @ origin + box.middle
            local = np.abs(rotation.T.astype(np.float32) @ rows - offset.astype(np.float32)[:, None])
            x, y, z = box.half + margin
            inside |= (local[0] <= x) & (local[1] <= y) & (local[2] <= z)
        return inside

    def in_grip(self, points: Points) -> Mask:
        """(n,) whether each of `points` (n, 3) [m] lies between closed fingers, where a block can be that is as deep
        and as high as it is wide; nowhere if they hold nothing."""
        if not self.holding or not len(points):
            return np.zeros(len(points), dtype=bool)
        local = np.abs((points - self.tool.position) @ self.tool.rotation)
        half = self.gripper_width / 2
        return np.asarray((local <= [half + GRIP_ROOM, half - GRIP_GAP, half + GRIP_ROOM]).all(axis=1))


class RobotBody:
    """Places the robot's boxes for a measured state. Holds scratch memory: one instance per thread.

    Args:
        profile: the robot.

    Raises:
        ReinsError: the shape names a joint that the URDF lacks, or the robot has no shape.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._shape = BODIES.load(profile.name, BodyShape)
        self._kinematics = Kinematics(profile)
        model = self._kinematics.model
        unknown = [name for name in self._shape.links if name != BASE and not model.existJointName(name)]
        if unknown:
            raise ReinsError(f"body of '{profile.name}' names joints that its URDF lacks: {', '.join(unknown)}")
        self._joints = [(box, 0 if name == BASE else model.getJointId(name)) for name, box in self._shape.links.items()]
        self._data = model.createData()

    def place(self, state: RobotState) -> PlacedBody:
        """The body at the state's joint positions and gripper opening."""
        pin.forwardKinematics(self._kinematics.model, self._data, state.position)
        boxes = [
            (box, self._data.oMi[joint].rotation.copy(), self._data.oMi[joint].translation.copy())
            for box, joint in self._joints
        ]
        tool = self._kinematics.tool_pose(state.position)
        boxes.append((self._shape.hand, tool.rotation, tool.position))
        slide = tool.rotation[:, 1] * (state.gripper_width / 2)
        mirrored = tool.rotation @ np.diag([-1.0, -1.0, 1.0])
        boxes.append((self._shape.finger, tool.rotation, tool.position + slide))
        boxes.append((self._shape.finger, mirrored, tool.position - slide))
        return PlacedBody(boxes, tool, state.gripper_holding, state.gripper_width)

    def between(self, earlier: RobotState, later: RobotState, share: float) -> PlacedBody:
        """The body at a moment between two states, 0 at the earlier one and 1 at the later one."""
        position = (1.0 - share) * earlier.position + share * later.position
        width = (1.0 - share) * earlier.gripper_width + share * later.gripper_width
        return self.place(replace(earlier, position=position, gripper_width=width))

    def changes(self, image: CameraImage, then: PlacedBody, now: PlacedBody) -> bool:
        """Whether the hand has moved in sight of a camera."""
        hands = np.stack([now.tool.position, then.tool.position])
        if np.abs(hands[0] - hands[1]).max() <= HAND_MOVED:
            return False
        column, row, depth = to_pixels(image.intrinsics, image.pose, hands)
        rows, columns = image.depth.shape
        return bool(((column >= 0) & (column < columns) & (row >= 0) & (row < rows) & (depth > 0)).any())

    def sample(self, image: CameraImage) -> NDArray[np.uint8]:
        """Some of its colours."""
        return thumb_of(image)
