"""pick: which way to grasp an object, and the phases that do it."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot, pi
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.contracts.footprints import yaw_of
from reins.contracts.scene import Scene, SceneObject
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import GripperCommand, RobotState
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.dish import bowl_around, wall_at
from reins.skills.scripted.footprint import wrapped
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

SPARE_OPENINGS: Final = (0.03, 0.02, 0.012)
"""How much wider than the object the fingers open around it, the narrower where there is less room [m]."""

HIGH_GRASP: Final = 0.006
"""Where there is no room lower down, it is grasped with the tool as little as this below its top [m]."""

HEIGHT_STEP: Final = 0.005
"""Difference between two grasp heights that are tried [m]."""

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
    opened = GripperCommand(grasp.opening, force)
    closed = GripperCommand(0.0, force)
    phases = [
        lift(arm, layout, gripper=opened),
        MoveTool("approach", arm, grasp.above, gripper=opened, follow=True, weight=2.0),
        Grip("open", arm, opened, least=0.0, weight=0.1),
        MoveTool("descend", arm, grasp.at, scale=0.7, weight=1.2),
        Grip("close", arm, closed),
        Verify("check", arm, lambda now, _: grasp_failure(now, object_id, grasp.width)),
        MoveTool("raise", arm, raised(arm, layout)),
        Verify("hold", arm, lambda now, _: "" if now.gripper_holding else f"{object_id} slipped out of the gripper"),
    ]
    return PhaseSequence(
        arm, phases, retreat=[Grip("let go", arm, opened), MoveTool("retreat", arm, raised(arm, layout))]
    )


@dataclass(frozen=True, slots=True)
class Option:
    """One way to grasp.

    Attributes:
        yaw: of the tool [rad].
        width: of the object between the fingers [m].
        opening: of the fingers on the way down [m].
        above_underside: height of the tool above the object's underside [m].
    """

    yaw: float
    width: float
    opening: float
    above_underside: float


class Grasp:
    """Where the tool goes to grasp one object; follows the object, and keeps the way that was chosen first."""

    def __init__(self, arm: Arm, layout: Layout, object_id: str, state: RobotState, scene: Scene) -> None:
        self._arm, self._layout, self._id = arm, layout, object_id
        self._chosen = self._choose(seen(scene, object_id), state, scene)

    @property
    def width(self) -> float:
        """Extent of the object between the fingers [m]."""
        return self._chosen.width

    @property
    def opening(self) -> float:
        """How far the fingers open on the way down [m]."""
        return self._chosen.opening

    def at(self, state: RobotState, scene: Scene) -> ToolPose:
        """Tool pose around the object as it is seen now."""
        item = seen(scene, self._id)
        quarter = wrapped(yaw_of(item.orientation) - self._chosen.yaw, pi / 2)
        return self._pose(item, self._chosen.yaw + quarter, self._chosen.above_underside, scene)

    def above(self, state: RobotState, scene: Scene) -> ToolPose:
        """The same at travelling height."""
        pose = self.at(state, scene)
        height = self._layout.travel_height(scene, self._layout.hand.fingertip)
        return pointing_down(float(pose.position[0]), float(pose.position[1]), height, tool_yaw(pose))

    def _pose(self, item: SceneObject, yaw: float, above_underside: float, scene: Scene) -> ToolPose:
        x, y, z = item.position
        height = max(LOWEST_GRASP, z - item.size[2] / 2 + above_underside)
        if bowl := bowl_around(item.id, scene):
            height = max(height, bowl.top - self._layout.hand.palm_height + LEAST_CLEARANCE)
        return pointing_down(x, y, height, yaw)

    def _options(self, item: SceneObject, state: RobotState) -> Iterator[Option]:
        """Ways to grasp the object, whatever stands around: low, wide, with the least turn of the wrist first."""
        most = self._layout.profile.gripper.max_width
        sides = yaw_of(item.orientation)
        yaws = by_wrist_turn((sides + quarter * pi / 2 for quarter in range(4)), self._arm.tool(state))
        lowest = grasp_above_underside(item.size[2])
        highest = item.size[2] - HIGH_GRASP
        for height in (lowest, *np.arange(lowest + HEIGHT_STEP, highest + 1e-6, HEIGHT_STEP).tolist()):
            for spare in SPARE_OPENINGS:
                for yaw in yaws:
                    width = item.size[1] if abs(wrapped(yaw - sides, pi)) < 0.1 else item.size[0]
                    if width + SPARE_OPENINGS[-1] <= most:
                        yield Option(yaw, width, min(width + spare, most), height)

    def _choose(self, item: SceneObject, state: RobotState, scene: Scene) -> Option:
        """The first way with comfortable room; where there is none, the first with room at all."""
        travel = self._layout.travel_height(scene, self._layout.hand.fingertip)
        reached: dict[float, bool] = {}
        tight: Option | None = None
        for option in self._options(item, state):
            pose = self._pose(item, option.yaw, option.above_underside, scene)
            if option.yaw not in reached:
                reached[option.yaw] = reaches(self._arm, pose, travel, state)
            if not reached[option.yaw]:
                continue
            room = self._room(pose, option.opening, item, scene)
            if room >= COMFORT:
                return option
            if tight is None and room >= 0.0:
                tight = option
        if tight is None:
            raise ReinsError(self._refusal(item, scene, bool(reached), any(reached.values())))
        return tight

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


def grasp_failure(state: RobotState, object_id: str, width: float) -> str:
    """Why the gripper has not grasped the object; empty if it has."""
    closed_on = f"{state.gripper_width * 1e3:.0f} mm"
    if state.gripper_width < 0.004:
        return "the gripper closed on nothing"
    if not state.gripper_holding:
        return f"the gripper does not hold {object_id}: it is open by {closed_on}"
    if abs(state.gripper_width - width) > WIDTH_TOLERANCE:
        return f"the gripper closed on something {closed_on} wide, and {object_id} is {width * 1e3:.0f} mm"
    return ""
