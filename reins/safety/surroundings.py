"""What the arm must keep away from and what it holds: made from the constraints in force and the newest scene."""

from collections import deque
from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from reins.contracts.scene import Scene, SceneObject, makes_sense
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, RobotState
from reins.safety.bodies import Box
from reins.safety.constraints import ConstraintSet
from reins.safety.names import listed

REMEMBERED: Final = 128
"""States whose tool pose a scene of their time is held against."""

SAME_PLACE: Final = 2e-3
"""What is held may seem to move in the hand by less than this, which is doubt [m]."""

SAME_TURN: Final = 0.02
"""… or to turn by less than this [rad]."""


class Surroundings:
    """Boxes to keep away from, and the one in the hand.

    An object to avoid stays where it was seen last when it is not seen any more. What the hand holds is not avoided.

    Args:
        profile: the robot.
        constraints: those in force.

    Attributes:
        keep_outs: in the base frame.
        held: in the tool's frame; None while the hand is empty.

    Raises:
        ReinsError: the robot's model cannot be loaded.
    """

    def __init__(self, profile: RobotProfile, constraints: ConstraintSet) -> None:
        self._kinematics, self._constraints = Kinematics(profile), constraints
        self._states: deque[tuple[float, FloatArray]] = deque(maxlen=REMEMBERED)
        self._known: dict[str, SceneObject] = {}
        self._seen = -1  # those that are in force already count, too
        self.keep_outs: Sequence[Box] = ()
        self.held: Box | None = None

    @property
    def seen(self) -> Collection[str]:
        """Ids of the objects that are seen, or to be avoided and not forgotten."""
        return self._known.keys()

    @property
    def payload(self) -> float:
        """Mass at the tool point to reckon with [kg]."""
        return self._constraints.payload

    def follow(self, state: RobotState) -> None:
        """The newest state: where the tool was when a scene was seen."""
        self._states.append((state.stamp, state.position))

    def see(self, scene: Scene) -> str:
        """The newest scene; returns why some of it cannot be used, one sentence, or nothing."""
        wrong = [item.id for item in scene.objects.values() if not makes_sense(item)]
        good = {name: item for name, item in scene.objects.items() if name not in wrong}
        avoided = self._constraints.avoided
        self._known = {name: item for name, item in self._known.items() if name in avoided} | good
        held = scene.held()
        self.held = self._in_hand(good[held], scene.stamp) if held in good and self._states else None
        self._update()
        return complaint(wrong)

    def changed(self) -> bool:
        """Whether the constraints have changed since the last call; `keep_outs` are up to date then."""
        if self._seen == self._constraints.changes:
            return False
        self._update()
        return True

    def _update(self) -> None:
        self._seen = self._constraints.changes
        held = self.held.id if self.held else None
        avoided = sorted(name for name in self._constraints.avoided if name in self._known and name != held)
        boxes = [_box_of(self._known[name]) for name in avoided]
        for constraint in self._constraints.keep_outs:
            boxes.append(Box(constraint.id, np.array(constraint.centre), np.eye(3), np.array(constraint.size)))
        self.keep_outs = tuple(boxes)

    def _in_hand(self, item: SceneObject, stamp: float) -> Box:
        """The held object in the tool's frame; the box known already, while it seems to be where that is."""
        position = min(self._states, key=lambda entry: abs(entry[0] - stamp))[1]
        tool, box = self._kinematics.tool_pose(position), _box_of(item)
        centre = tool.rotation.T @ (box.centre - tool.position)
        rotation = tool.rotation.T @ box.rotation
        before = self.held
        if before is not None and before.id == item.id:
            turned = np.abs(rotation - before.rotation).max()
            if np.linalg.norm(centre - before.centre) < SAME_PLACE and turned < SAME_TURN:
                return before
        return Box(item.id, centre, rotation, box.size)


def complaint(wrong: Sequence[str]) -> str:
    """What is said of objects that make no sense, by id; nothing where there are none."""
    if not wrong:
        return ""
    return f"the scene's {listed(wrong)} has no finite pose or no size; what was known of it stays"


def _box_of(item: SceneObject) -> Box:
    """The box around an object of the scene, base frame."""
    return Box(item.id, np.array(item.position), _rotation_of(np.array(item.orientation)), np.array(item.size))


def _rotation_of(quaternion: FloatArray) -> FloatArray:
    """(3, 3) of a quaternion x y z w of any length but 0."""
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
