"""pick: the policy from over the object until it is in the air."""

from typing import Final

import numpy as np

from reins.contracts.scene import Scene
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import FloatArray, GripperCommand, RobotState
from reins.skills.learned.run_policy import REACHED, RunPolicy, Style
from reins.skills.observation import ObjectView
from reins.skills.policy import PolicySlot
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.grasp import Grasp, grasp_failure
from reins.skills.scripted.hand import pointing_down, tool_yaw
from reins.skills.scripted.layout import Layout
from reins.skills.scripted.phases import Grip, MoveTool, Phase, PhaseSequence, Verify
from reins.skills.scripted.travel import lift, raised

LIFT: Final = 0.10
"""How high a policy lifts the object [m]: the goal that it was trained with."""

NEAR: Final = 0.10
"""Height over the grasp from which a policy takes over [m]: the middle of where its training began."""


def pick(
    arm: Arm, layout: Layout, slot: PolicySlot, style: Style, object_id: str, state: RobotState, scene: Scene
) -> PhaseSequence:
    """Grasp an object and lift it.

    Raises:
        ReinsError: it cannot be grasped where it is; says why.
    """
    grasp = Grasp(arm, layout, object_id, state, scene)
    opened = GripperCommand(grasp.opening, layout.profile.gripper.grasp_force)

    def near(now: RobotState, fresh: Scene) -> ToolPose:
        pose, above = grasp.at(now, fresh), grasp.above(now, fresh)
        x, y, z = pose.position.tolist()
        return pointing_down(x, y, min(z + NEAR, float(above.position[2])), tool_yaw(pose))

    def goal(view: ObjectView) -> FloatArray:
        x, y, z = view.position.tolist()
        return np.array([x, y, z + LIFT])

    def lifted(now: RobotState, view: ObjectView, goal: FloatArray) -> bool:
        return now.gripper_holding and float(np.linalg.norm(view.position - goal)) < REACHED

    def amiss(now: RobotState) -> str:
        return grasp_failure(now, object_id, grasp.width)

    phases: list[Phase] = [
        lift(arm, layout, gripper=opened),
        MoveTool("approach", arm, grasp.above, gripper=opened, follow=True, weight=2.0),
        MoveTool("near", arm, near, gripper=opened, weight=0.3),
        Grip("open", arm, opened, least=0.0, weight=0.1),
        RunPolicy("grasp", arm, slot, object_id, goal, lifted, style, amiss=amiss),
        Verify("check", arm, lambda now, _: amiss(now)),
        MoveTool("raise", arm, raised(arm, layout)),
        Verify("hold", arm, lambda now, _: "" if now.gripper_holding else f"{object_id} slipped out of the gripper"),
    ]
    away: list[Phase] = [Grip("let go", arm, opened), MoveTool("retreat", arm, raised(arm, layout))]
    return PhaseSequence(arm, phases, retreat=away)
