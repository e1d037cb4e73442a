"""push: stroke an object over the table with closed fingers."""

from math import pi
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.contracts.facts import AXES
from reins.contracts.scene import Scene, SceneObject
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import FloatArray, GripperCommand, RobotState
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.footprint import Rectangle, footprint_of
from reins.skills.scripted.hand import pointing_down
from reins.skills.scripted.layout import (
    AVOIDED_CLEARANCE,
    LEAST_CLEARANCE,
    LOWEST_GRASP,
    Layout,
    by_wrist_turn,
    least_gap,
    reaches,
    seen,
)
from reins.skills.scripted.phases import Grip, MoveTool, PhaseSequence
from reins.skills.scripted.travel import clear_view, lift, raised

STAND_OFF: Final = 0.02
"""Free distance between the fingers and the object where they come down [m]."""

SHORTEST_STAND_OFF: Final = 0.004
"""The same where a neighbour leaves less room [m]."""

STROKE_SCALE: Final = 0.3
"""Scale of the speed while pushing, slow enough that the object does not slide on."""


def push(
    arm: Arm, layout: Layout, object_id: str, direction: str, distance: float, state: RobotState, scene: Scene
) -> PhaseSequence:
    """Push an object by `distance` [m] in `direction`, a key of AXES.

    Raises:
        ReinsError: it would hit something, leave the workspace, or is out of reach; says what.
    """
    stroke = Stroke(arm, layout, object_id, direction, distance, state, scene)
    closed = GripperCommand(0.0, layout.profile.gripper.grasp_force)

    def over(now: RobotState, fresh: Scene) -> ToolPose:
        return stroke.pose(fresh, before=True, height=layout.travel_height(fresh, layout.hand.fingertip))

    return PhaseSequence(
        arm,
        [
            lift(arm, layout, gripper=closed),
            MoveTool("approach", arm, over, gripper=closed, follow=True, weight=2.0),
            Grip("close", arm, closed, least=0.0, weight=0.1),
            MoveTool("descend", arm, lambda _, fresh: stroke.begin(fresh), scale=0.7, weight=1.2),
            MoveTool("push", arm, lambda _, fresh: stroke.end, scale=STROKE_SCALE, weight=2.0),
            MoveTool("back off", arm, lambda _, fresh: stroke.clear, scale=0.5, weight=0.3),
            MoveTool("retreat", arm, raised(arm, layout)),
            clear_view(arm),
        ],
        retreat=[MoveTool("retreat", arm, raised(arm, layout))],
    )


class Stroke:
    """One push: where the fingers come down, how far they go.

    Attributes:
        way: (2,) direction of the push.
        end: tool pose at the end of the push.
        clear: the same, a little back, so that the fingers rise without rubbing.
    """

    def __init__(
        self,
        arm: Arm,
        layout: Layout,
        object_id: str,
        direction: str,
        distance: float,
        state: RobotState,
        scene: Scene,
    ) -> None:
        self._arm, self._layout, self._id, self._distance = arm, layout, object_id, distance
        axis, sign = AXES[direction]
        self.way: FloatArray = np.zeros(2)
        self.way[axis] = sign
        self._words = f"{object_id} cannot be pushed {direction} by {distance:.2f} m"
        item = seen(scene, object_id)
        self._travel = layout.travel_height(scene, layout.hand.fingertip)
        self._stand_off = self._choose_stand_off(item, scene)
        self._check_way(item, scene)
        self._yaw = self._choose_yaw(item, state)
        self.begin(scene)

    def begin(self, scene: Scene) -> ToolPose:
        """Tool pose where the fingers come down; fixes the rest of the stroke to the object as it is seen now."""
        start = self.pose(scene, before=True)
        x, y, z = self.pose(scene, before=False).position.tolist()
        self.end = pointing_down(x, y, z, self._yaw)
        self.clear = pointing_down(x - 0.01 * float(self.way[0]), y - 0.01 * float(self.way[1]), z, self._yaw)
        return start

    def pose(self, scene: Scene, before: bool, height: float | None = None) -> ToolPose:
        """Tool pose before the push, or after it; at pushing height by default."""
        item = seen(scene, self._id)
        contact = self._half_extent(item) + self._layout.hand.finger_width / 2
        along = -contact - self._stand_off if before else self._distance - contact
        x, y = (np.array(item.position[:2]) + along * self.way).tolist()
        return pointing_down(x, y, self._height(item) if height is None else height, self._yaw)

    def _height(self, item: SceneObject) -> float:
        return max(LOWEST_GRASP, item.position[2] - item.size[2] / 8)

    def _half_extent(self, item: SceneObject) -> float:
        """Half of the object's extent along the push [m]."""
        shape = footprint_of(item)
        return shape.reach(self._angle) if isinstance(shape, Rectangle) else shape.radius

    def _fingers(self, item: SceneObject, stand_off: float) -> Rectangle:
        """Footprint of the closed fingers where they come down."""
        hand = self._layout.hand
        back = self._half_extent(item) + hand.finger_width / 2 + stand_off
        x, y = (np.array(item.position[:2]) - back * self.way).tolist()
        return Rectangle(x, y, hand.finger_width / 2, hand.finger_depth, self._angle)

    @property
    def _angle(self) -> float:
        return float(np.arctan2(self.way[1], self.way[0]))

    def _choose_stand_off(self, item: SceneObject, scene: Scene) -> float:
        others = self._layout.others(scene, item.id)
        for stand_off in (STAND_OFF, (STAND_OFF + SHORTEST_STAND_OFF) / 2, SHORTEST_STAND_OFF):
            if self._free(self._fingers(item, stand_off), others) is None:
                return stand_off
        blocker = self._free(self._fingers(item, SHORTEST_STAND_OFF), others)
        raise ReinsError(f"{self._words}: {blocker} leaves no room for the fingers behind it")

    def _check_way(self, item: SceneObject, scene: Scene) -> None:
        """Everything that the object sweeps over must be free, and its goal inside the workspace."""
        x, y = (np.array(item.position[:2]) + self._distance * self.way).tolist()
        if not self._layout.reachable_area(x, y):
            raise ReinsError(f"{self._words}: that is outside the workspace")
        middle = np.array(item.position[:2]) + self._distance / 2 * self.way
        shape = footprint_of(item)
        half_width = shape.reach(self._angle + pi / 2) if isinstance(shape, Rectangle) else shape.radius
        half_width = max(half_width, self._layout.hand.finger_depth)
        half_length = self._distance / 2 + self._half_extent(item)
        swept = Rectangle(float(middle[0]), float(middle[1]), half_length, half_width, self._angle)
        if blocker := self._free(swept, self._layout.others(scene, item.id)):
            raise ReinsError(f"{self._words}: {blocker} is in the way")

    def _free(self, area: Rectangle, others: list[SceneObject]) -> str | None:
        """Id of the first object that is too near to `area`; None if it is free."""
        for other in others:
            least = AVOIDED_CLEARANCE if other.id in self._layout.avoided else LEAST_CLEARANCE
            if least_gap(area, [other]) < least:
                return other.id
        return None

    def _choose_yaw(self, item: SceneObject, state: RobotState) -> float:
        """The fingers' broad side across the push; the way round that the wrist reaches at both ends."""
        contact = self._half_extent(item) + self._layout.hand.finger_width / 2
        ends = [
            np.array(item.position[:2]) + along * self.way
            for along in (-contact - self._stand_off, self._distance - contact)
        ]
        for yaw in by_wrist_turn((self._angle, self._angle + pi), self._arm.tool(state)):
            poses = [pointing_down(float(x), float(y), self._height(item), yaw) for x, y in ends]
            if all(self._layout.reachable_area(*pose.position[:2]) for pose in poses) and all(
                reaches(self._arm, pose, self._travel, state) for pose in poses
            ):
                return yaw
        raise ReinsError(f"{self._words}: the arm does not reach both ends of the stroke")
