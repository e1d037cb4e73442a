"""place_in, place_on, place_beside: the policy from over the place until the object stands there, let go of."""

from typing import Final

import numpy as np

from reins.contracts.scene import Scene
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import FloatArray, RobotState
from reins.skills.learned.run_policy import REACHED, Look, RunPolicy, Style
from reins.skills.observation import ObjectView
from reins.skills.policy import PolicySlot
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.held import Held
from reins.skills.scripted.layout import Layout
from reins.skills.scripted.phases import MoveTool, PhaseSequence, Verify
from reins.skills.scripted.place import Descent, PutDown
from reins.skills.scripted.spots import Spot
from reins.skills.scripted.travel import clear_view, lift, raised

NEAR: Final = 0.095
"""Height over where it is let go from which a policy takes over [m]: the middle of where its training began."""

CLEAR: Final = 0.05
"""Distance of the tool from the object from which it counts as let go [m]: that of the policy's training."""


def by_policy(slot: PolicySlot, style: Style) -> PutDown:
    """How a policy puts down what is held."""

    def put_down(arm: Arm, layout: Layout, held: Held, spot: Spot) -> PhaseSequence:
        descent = Descent(layout, held, spot)

        def near(now: RobotState, fresh: Scene) -> ToolPose:
            pose, over = descent.at(now, fresh), descent.over(now, fresh)
            height = min(float(pose.position[2]) + NEAR, float(over.position[2]))
            return ToolPose(np.array([*pose.position[:2], height]), pose.rotation)

        def goal(view: ObjectView) -> FloatArray:
            x, y = descent.centre
            return np.array([x, y, spot.underside + float(view.size[2]) / 2])

        def stands(now: RobotState, view: ObjectView, goal: FloatArray) -> bool:
            away = float(np.linalg.norm(arm.tool(now).position - view.position))
            there = float(np.linalg.norm(view.position - goal)) < REACHED
            return there and away > CLEAR and not now.gripper_holding

        def amiss(now: RobotState) -> str:
            return f"the gripper still holds {held.id}" if now.gripper_holding else ""

        return PhaseSequence(
            arm,
            [
                lift(arm, layout),
                MoveTool("carry", arm, descent.over, follow=True, weight=2.0, guard=held.lost),
                MoveTool("near", arm, near, weight=0.3, guard=held.lost),
                Look(arm),
                RunPolicy("put down", arm, slot, held.id, goal, stands, style, amiss=amiss),
                MoveTool("retreat", arm, raised(arm, layout), scale=0.8),
                Verify("check", arm, descent.let_go),
                clear_view(arm),
            ],
            retreat=[MoveTool("retreat", arm, raised(arm, layout))],
        )

    return put_down
