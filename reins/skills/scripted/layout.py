"""What a scripted skill knows of the table: what to keep clear of, how high to travel, where there is room."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Final

import numpy as np
import pinocchio as pin

from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.plan import Constraint
from reins.contracts.scene import Scene, SceneObject
from reins.hardware.kinematics import ToolPose
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import RobotState
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.footprint import Footprint, Rectangle, footprint_of, gap, wrapped
from reins.skills.scripted.hand import HandShape, clearance, hand_of, tool_yaw

LEAST_CLEARANCE: Final = 0.004
"""Room that the fingers need beside what they must not touch [m]: the error of perception."""

AVOIDED_CLEARANCE: Final = 0.010
"""The same beside an object that the task says not to touch [m]."""

TRAVEL_CLEARANCE: Final = 0.05
"""How far the lowest part of the hand, or of what it holds, passes above the tallest object [m]."""

TRAVEL_LEAST: Final = 0.15
"""Lowest tool height for travelling [m]."""

GRASP_DEPTH: Final = 0.022
"""A tall object is grasped this far below its top [m]; a low one at half its height."""

LOWEST_GRASP: Final = 0.016
"""Lowest tool height, with the fingertips just above the table [m]."""

REACH_MARGIN: Final = 0.15
"""Distance to the joint limits that a target needs [rad]: enough that the straight way to it is clear of them too."""

WAY_MARGIN: Final = 0.07
"""The same on the way there [rad]; a little more than the differential kinematics keeps."""

INSIDE: Final = 0.03
"""Distance that targets keep from the side walls of the workspace [m]."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What every scripted skill of one task shares.

    Attributes:
        profile: the robot.
        avoided: ids of objects that must not be touched.
    """

    profile: RobotProfile
    avoided: frozenset[str] = frozenset()

    @property
    def hand(self) -> HandShape:
        """Shape of the hand."""
        return hand_of(self.profile)

    def others(self, scene: Scene, *without: str) -> list[SceneObject]:
        """Objects that stand around: all but the held one and those named."""
        left_out = {scene.held(), *without}
        return [item for item in scene.objects.values() if item.id not in left_out]

    def travel_height(self, scene: Scene, hanging: float) -> float:
        """Tool height at which everything passes below [m].

        Args:
            hanging: how far the hand, or what it holds, reaches below the tool centre point [m].
        """
        tallest = max((item.top for item in self.others(scene)), default=0.0)
        return max(TRAVEL_LEAST, tallest + hanging + TRAVEL_CLEARANCE)

    def room(self, pose: ToolPose, opening: float, items: Iterable[SceneObject]) -> float:
        """Free distance around the hand at `pose` beyond what is least needed [m]; negative where it would touch."""
        spare = float("inf")
        for item in items:
            least = AVOIDED_CLEARANCE if item.id in self.avoided else LEAST_CLEARANCE
            spare = min(spare, clearance(self.hand, pose, opening, (item,)) - least)
        return spare

    def reachable_area(self, x: float, y: float) -> bool:
        """Whether (x, y) [m] is inside the workspace, with a margin."""
        box = self.profile.workspace
        inside_x = box.lower[0] + INSIDE <= x <= box.upper[0] - INSIDE
        return inside_x and box.lower[1] + INSIDE <= y <= box.upper[1] - INSIDE


def avoided_by(constraints: Iterable[Constraint]) -> frozenset[str]:
    """Ids of the objects that the constraints say not to touch."""
    return frozenset(constraint.object for constraint in constraints if constraint.kind == "avoid")


def speed_scale(constraints: Iterable[Constraint]) -> float:
    """The smallest scale among the speed constraints, 1 without any."""
    return min((constraint.scale for constraint in constraints if constraint.kind == "speed"), default=1.0)


def seen(scene: Scene, object_id: str) -> SceneObject:
    """The object as it is seen now.

    Raises:
        ReinsError: it is not in the scene any more.
    """
    try:
        return scene.find(object_id)
    except UnknownName:
        raise ReinsError(f"{object_id} is no longer where it was seen") from None


def grasp_above_underside(height: float) -> float:
    """How far above its underside an object of that `height` is grasped, standing on anything [m]."""
    return max(height / 2, height - GRASP_DEPTH)


def reaches(arm: Arm, pose: ToolPose, travel: float, state: RobotState) -> bool:
    """Whether the arm gets from where it is to `pose` without meeting a joint limit.

    The way is up, over at the height `travel` [m], straight down.
    """
    start = arm.tool(state)
    raised = _at_height(start, max(travel, float(start.position[2])))
    above = _at_height(pose, max(travel, float(pose.position[2])))
    posture = state.position
    for goal, margin in (
        *((way, WAY_MARGIN) for way in between(raised, above)),
        (above, REACH_MARGIN),
        (pose, REACH_MARGIN),
    ):
        solution = arm.solver.solve(goal, (posture,), margin)
        if solution is None:
            return False
        posture = solution.position
    return True


def _at_height(pose: ToolPose, height: float) -> ToolPose:
    return ToolPose(np.array([*pose.position[:2], height]), pose.rotation)


def between(start: ToolPose, goal: ToolPose) -> Iterator[ToolPose]:
    """`start` and the poses on the straight way to `goal`, without `goal`; half a radian of turn apart at most."""
    turn = pin.log3(start.rotation.T @ goal.rotation)
    count = 1 + int(max(np.linalg.norm(turn) / 0.5, np.linalg.norm(goal.position - start.position) / 0.2))
    for index in range(count):
        share = index / count
        position = start.position + share * (goal.position - start.position)
        yield ToolPose(position, start.rotation @ pin.exp3(share * turn))


def by_wrist_turn(yaws: Iterable[float], pose: ToolPose) -> list[float]:
    """Yaws sorted by how far the wrist must turn to them from `pose`, least first."""
    now = tool_yaw(pose)
    return sorted(yaws, key=lambda yaw: abs(wrapped(yaw - now, 2 * pi)))


def block_at(x: float, y: float, yaw: float, size: Sequence[float], margin: float = 0.0) -> Rectangle:
    """Footprint of a block of that size at a pose, grown by `margin` on every side [m]."""
    return Rectangle(x, y, size[0] / 2 + margin, size[1] / 2 + margin, yaw)


def least_gap(shape: Footprint, items: Iterable[SceneObject]) -> float:
    """Least free distance between `shape` and the objects [m]; inf if there are none."""
    return min((gap(shape, footprint_of(item)) for item in items), default=float("inf"))


def ring(x: float, y: float, radius: float, count: int, first: float = 0.0) -> list[tuple[float, float, float]]:
    """(x, y, angle) of `count` points on a circle [m, m, rad]."""
    angles = [first + 2 * pi * index / count for index in range(count)]
    return [(x + radius * cos(angle), y + radius * sin(angle), angle) for angle in angles]
