"""push: the policy from behind and over the object until it has been pushed to its goal."""

from typing import Final

import numpy as np

from reins.contracts.scene import Scene
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import FloatArray, GripperCommand, RobotState
from reins.skills.learned.run_policy import RunPolicy, Style
from reins.skills.observation import ObjectView
from reins.skills.policy import PolicySlot
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.layout import Layout
from reins.skills.scripted.phases import Grip, MoveTool, PhaseSequence
from reins.skills.scripted.push import Stroke
from reins.skills.scripted.travel import clear_view, lift, raised

NEAR: Final = 0.08
"""Height over the stroke from which a policy takes over [m]: the middle of where its training began."""

ARRIVED: Final = 0.02
"""How near to its goal on the table a pushed object counts as there [m]: that of the policy's training."""

ENDED: Final = (0.006, 0.02)
"""The stroke has ended with the tool this far before its end, or past it, and this far beside it at most [m]. The hand
hides what it pushes: if only a look ended the stroke, a late one would let it go on."""

GENTLE: Final = 0.0
"""Most that a policy is asked for in style: slow enough that the object can be followed by a few looks a second."""

BACK: Final = 0.01
"""How far the fingers go back from the object before they rise [m], so that they do not rub."""


def push(
    arm: Arm,
    layout: Layout,
    slot: PolicySlot,
    style: Style,
    object_id: str,
    direction: str,
    distance: float,
    state: RobotState,
    scene: Scene,
) -> PhaseSequence:
    """Push an object by `distance` [m] in `direction`, a key of AXES.

    Raises:
        ReinsError: it would hit something, leave the workspace, or is out of reach; says what.
    """
    stroke = Stroke(arm, layout, object_id, direction, distance, state, scene)
    gentle = Style(min(style.value, GENTLE), style.share)
    closed = GripperCommand(0.0, layout.profile.gripper.grasp_force)

    def over(_: RobotState, fresh: Scene) -> ToolPose:
        return stroke.pose(fresh, before=True, height=layout.travel_height(fresh, layout.hand.fingertip))

    def near(_: RobotState, fresh: Scene) -> ToolPose:
        start = stroke.begin(fresh)
        return ToolPose(start.position + np.array([0.0, 0.0, NEAR]), start.rotation)

    def goal(view: ObjectView) -> FloatArray:
        return view.position + distance * np.array([*stroke.way, 0.0])

    def there(now: RobotState, view: ObjectView, goal: FloatArray) -> bool:
        rest = stroke.end.position - arm.tool(now).position
        left, aside = float(rest[:2] @ stroke.way), float(abs(rest[0] * stroke.way[1] - rest[1] * stroke.way[0]))
        ended = left < ENDED[0] and max(aside, abs(float(rest[2]))) < ENDED[1]
        return ended or float(np.linalg.norm(view.position - goal)) < ARRIVED

    def back(now: RobotState, _: Scene) -> ToolPose:
        tool = arm.tool(now)
        return ToolPose(tool.position - BACK * np.array([*stroke.way, 0.0]), tool.rotation)

    return PhaseSequence(
        arm,
        [
            lift(arm, layout, gripper=closed),
            MoveTool("approach", arm, over, gripper=closed, follow=True, weight=2.0),
            Grip("close", arm, closed, least=0.0, weight=0.1),
            MoveTool("near", arm, near, weight=0.5),
            RunPolicy("push", arm, slot, object_id, goal, there, gentle),
            MoveTool("back off", arm, back, scale=0.5, weight=0.3),
            MoveTool("retreat", arm, raised(arm, layout)),
            clear_view(arm),
        ],
        retreat=[MoveTool("retreat", arm, raised(arm, layout))],
    )
