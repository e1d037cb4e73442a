"""move_to and home, and the phases that every skill travels with: up to a safe height, then over."""

from math import pi
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.contracts.scene import Scene
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import GripperCommand, RobotState
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.hand import pointing_down, tool_yaw
from reins.skills.scripted.held import hanging_below
from reins.skills.scripted.layout import WAY_MARGIN, Layout, by_wrist_turn, reaches, seen
from reins.skills.scripted.phases import Goal, MoveJoints, MoveTool, PhaseSequence

SLANTS: Final = (0.0, 0.1, 0.2, 0.4, 0.7)
"""Shares of the way to the home pose that are tried when there is no way straight up."""


def raised(arm: Arm, layout: Layout) -> Goal:
    """A goal above the tool, at travelling height, or where it is if that is higher.

    Straight above where the arm reaches that, else slanted towards the home pose as little as needed.
    """

    def goal(state: RobotState, scene: Scene) -> ToolPose:
        now, home = arm.tool(state), arm.ik.tool_pose(arm.profile.home)
        height = max(float(now.position[2]), layout.travel_height(scene, hanging_below(layout, state, scene)))
        for share in SLANTS:
            position = now.position + share * (home.position - now.position)
            pose = ToolPose(np.array([position[0], position[1], max(height, share * home.position[2])]), now.rotation)
            if arm.solver.solve(pose, (state.position,), WAY_MARGIN) is not None:
                return pose
        return ToolPose(home.position, now.rotation)

    return goal


def lift(arm: Arm, layout: Layout, gripper: GripperCommand | None = None) -> MoveTool:
    """The first phase of every skill: straight up to travelling height."""
    return MoveTool("lift", arm, raised(arm, layout), weight=0.7, gripper=gripper)


def clear_view(arm: Arm) -> MoveJoints:
    """The last phase of a skill that put something down: back to the home pose, so that the cameras see the table."""
    return MoveJoints("clear", arm, arm.profile.home)


class Over:
    """Where the hand goes to be over an object.

    Args:
        target_id: the object.
        height: of the tool above its top [m]; more where what the hand holds would touch it.

    Raises:
        ReinsError: it is out of reach.
    """

    def __init__(
        self, arm: Arm, layout: Layout, target_id: str, height: float, state: RobotState, scene: Scene
    ) -> None:
        self._layout, self._id, self._height = layout, target_id, height
        travel = layout.travel_height(scene, hanging_below(layout, state, scene))
        self._yaw = comfortable_yaw(arm, self._pose(self.level(state, scene), 0.0, scene), travel, state, target_id)

    def level(self, now: RobotState, scene: Scene) -> float:
        """Height of the tool in the end [m]."""
        hanging = hanging_below(self._layout, now, scene)
        return seen(scene, self._id).top + max(self._height, hanging + 0.01)

    def at(self, now: RobotState, scene: Scene) -> ToolPose:
        """Where the hand ends."""
        return self._pose(self.level(now, scene), self._yaw, scene)

    def above(self, now: RobotState, scene: Scene) -> ToolPose:
        """The same at travelling height, if that is higher."""
        travel = self._layout.travel_height(scene, hanging_below(self._layout, now, scene))
        return self._pose(max(travel, self.level(now, scene)), self._yaw, scene)

    def _pose(self, z: float, yaw: float, scene: Scene) -> ToolPose:
        x, y, _ = seen(scene, self._id).position
        return pointing_down(x, y, z, yaw)


def move_to(arm: Arm, layout: Layout, target_id: str, height: float, state: RobotState, scene: Scene) -> PhaseSequence:
    """Move the hand above an object; `height` [m] as for `Over`.

    Raises:
        ReinsError: it is out of reach.
    """
    over = Over(arm, layout, target_id, height, state, scene)
    return PhaseSequence(
        arm,
        [
            lift(arm, layout),
            MoveTool("approach", arm, over.above, follow=True, weight=2.0),
            MoveTool("settle", arm, over.at, scale=0.7, follow=True),
        ],
    )


def home(arm: Arm, layout: Layout) -> PhaseSequence:
    """Move the arm to its home posture, over everything on the table."""
    return PhaseSequence(arm, [lift(arm, layout), MoveJoints("return", arm, arm.profile.home, weight=2.0)])


def comfortable_yaw(arm: Arm, pose: ToolPose, travel: float, state: RobotState, name: str) -> float:
    """The yaw nearest to the wrist's own at which `pose` is within reach from the height `travel` [m] [rad].

    Raises:
        ReinsError: none is; `name` says what cannot be reached.
    """
    now = tool_yaw(arm.tool(state))
    x, y, z = pose.position.tolist()
    for yaw in by_wrist_turn((now + step * pi / 8 for step in range(-8, 8)), arm.tool(state)):
        if reaches(arm, pointing_down(x, y, z, yaw), travel, state):
            return yaw
    raise ReinsError(f"{name} is out of reach at x {x:.2f} m, y {y:.2f} m")
