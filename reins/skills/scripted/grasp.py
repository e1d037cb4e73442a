"""pick: which way to grasp an object, and the phases that do it."""

from math import hypot, pi
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.scene import Scene, SceneObject
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import GripperCommand, RobotState
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.dish import bowl_around, wall_at
from reins.skills.scripted.footprint import wrapped, yaw_of
from reins.skills.scripted.hand import pointing_down, room_inside, tool_yaw
from reins.skills.scripted.layout import (
    LEAST_CLEARANCE,
    LOWEST_GRASP,
    Layout,
    by_wrist_turn,
    grasp_above_underside,
    reaches,
    seen,
)
from reins.skills.scripted.phases import Grip, MoveTool, PhaseSequence, Verify
from reins.skills.scripted.travel import lift, raised

SPARE_OPENING: Final = 0.03
"""How much wider than the object the fingers open around it [m]."""

WIDTH_TOLERANCE: Final = 0.012
"""How far the grasped width may be from the object's own [m]."""

COMFORT: Final = 0.010
"""Spare room from which the wrist's turn, and no longer the room, decides which way to grasp [m]."""


def pick(arm: Arm, layout: Layout, object_id: str, state: RobotState, scene: Scene) -> PhaseSequence:
    """Grasp an object and lift it.

    Raises:
        ReinsError: it cannot be grasped where it is; says why.
    """
    grasp = Grasp(arm, layout, object_id, state, scene)
    force = layout.profile.gripper.grasp_force
    opened = GripperCommand(min(grasp.width + SPARE_OPENING, layout.profile.gripper.max_width), force)
    closed = GripperCommand(0.0, force)
    phases = [
        lift(arm, layout, gripper=opened),
        MoveTool("approach", arm, grasp.above, gripper=opened, follow=True, weight=2.0),
        Grip("open", arm, opened, least=0.0, weight=0.1),
        MoveTool("descend", arm, grasp.at, scale=0.7, weight=1.2),
        Grip("close", arm, closed),
        Verify("check", arm, lambda now, _: _grasp_failure(now, object_id, grasp.width)),
        MoveTool("raise", arm, raised(arm, layout)),
        Verify("hold", arm, lambda now, _: "" if now.gripper_holding else f"{object_id} slipped out of the gripper"),
    ]
    return PhaseSequence(
        arm, phases, retreat=[Grip("let go", arm, opened), MoveTool("retreat", arm, raised(arm, layout))]
    )


class Grasp:
    """Where the tool goes to grasp one object; follows the object, and keeps the way round that was chosen first.

    Attributes:
        width: extent of the object between the fingers [m].
    """

    def __init__(self, arm: Arm, layout: Layout, object_id: str, state: RobotState, scene: Scene) -> None:
        self._arm, self._layout, self._id = arm, layout, object_id
        self._yaw, self.width = self._choose(seen(scene, object_id), state, scene)

    def at(self, state: RobotState, scene: Scene) -> ToolPose:
        """Tool pose around the object as it is seen now."""
        item = seen(scene, self._id)
        quarter = wrapped(yaw_of(item.orientation) - self._yaw, pi / 2)
        return self._pose(item, self._yaw + quarter, scene)

    def above(self, state: RobotState, scene: Scene) -> ToolPose:
        """The same at travelling height."""
        pose = self.at(state, scene)
        height = self._layout.travel_height(scene, self._layout.hand.fingertip)
        return pointing_down(float(pose.position[0]), float(pose.position[1]), height, tool_yaw(pose))

    def _pose(self, item: SceneObject, yaw: float, scene: Scene) -> ToolPose:
        x, y, z = item.position
        height = max(LOWEST_GRASP, z - item.size[2] / 2 + grasp_above_underside(item.size[2]))
        if bowl := bowl_around(item.id, scene):
            height = max(height, bowl.top - self._layout.hand.palm_height + LEAST_CLEARANCE)
        return pointing_down(x, y, height, yaw)

    def _choose(self, item: SceneObject, state: RobotState, scene: Scene) -> tuple[float, float]:
        """Yaw and width of the grasp: enough room first, then the least turn of the wrist."""
        most = self._layout.profile.gripper.max_width
        sides = yaw_of(item.orientation)
        narrow, tight = False, []
        for yaw in by_wrist_turn((sides + quarter * pi / 2 for quarter in range(4)), self._arm.tool(state)):
            width = item.size[1] if abs(wrapped(yaw - sides, pi)) < 0.1 else item.size[0]
            pose = self._pose(item, yaw, scene)
            if width > most - 0.01:
                continue
            narrow = True
            if not reaches(self._arm, pose, state):
                continue
            room = self._room(pose, min(width + SPARE_OPENING, most), item, scene)
            if room >= COMFORT:
                return yaw, width
            tight.append((room, yaw, width))
        if tight and max(tight)[0] >= 0.0:
            return max(tight)[1:]
        raise ReinsError(self._refusal(item, scene, narrow, bool(tight)))

    def _room(self, pose: ToolPose, opening: float, item: SceneObject, scene: Scene) -> float:
        """Spare room around the opened hand [m]; the walls of a bowl around the object count from inside."""
        under = [
            relation.object
            for relation in scene.relations
            if relation.subject == item.id and relation.predicate == "on"
        ]
        bowl = bowl_around(item.id, scene)
        ignored = [item.id, *under, *([bowl.id] if bowl else [])]
        room = self._layout.room(pose, opening, self._layout.others(scene, *ignored))
        if bowl:
            wall = wall_at(bowl, float(pose.position[2]) - self._layout.hand.fingertip)
            room = min(room, room_inside(self._layout.hand, pose, opening, wall))
        return room

    def _refusal(self, item: SceneObject, scene: Scene, narrow: bool, reached: bool) -> str:
        x, y, _ = item.position
        if not narrow:
            most = self._layout.profile.gripper.max_width
            return f"{item.id} is {min(item.size[:2]) * 1e3:.0f} mm wide; the gripper opens to {most * 1e3:.0f} mm"
        if not reached:
            return f"{item.id} is out of reach at x {x:.2f} m, y {y:.2f} m"
        others = self._layout.others(scene, item.id)
        nearest = min(others, key=lambda other: hypot(other.position[0] - x, other.position[1] - y))
        return f"there is no room for the fingers around {item.id}: {nearest.id} is too close"


def _grasp_failure(state: RobotState, object_id: str, width: float) -> str:
    """Why the gripper has not grasped the object; empty if it has."""
    closed_on = f"{state.gripper_width * 1e3:.0f} mm"
    if state.gripper_width < 0.004:
        return "the gripper closed on nothing"
    if not state.gripper_holding:
        return f"the gripper does not hold {object_id}: it is open by {closed_on}"
    if abs(state.gripper_width - width) > WIDTH_TOLERANCE:
        return f"the gripper closed on something {closed_on} wide, and {object_id} is {width * 1e3:.0f} mm"
    return ""
