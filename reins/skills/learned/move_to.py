"""move_to: the policy from over the object down to where the hand should be."""

from typing import Final

import numpy as np

from reins.contracts.scene import Scene
from reins.hardware.robot import FloatArray, RobotState
from reins.skills.learned.run_policy import RunPolicy, Style
from reins.skills.observation import ObjectView
from reins.skills.policy import PolicySlot
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.layout import Layout
from reins.skills.scripted.phases import MoveTool, PhaseSequence
from reins.skills.scripted.travel import Over, lift

ARRIVED: Final = 0.01
"""How near to its goal the tool counts as there [m]: that of the policy's training."""


def move_to(
    arm: Arm,
    layout: Layout,
    slot: PolicySlot,
    style: Style,
    target_id: str,
    height: float,
    state: RobotState,
    scene: Scene,
) -> PhaseSequence:
    """Move the hand `height` [m] above an object, whatever it holds.

    Raises:
        ReinsError: it is out of reach.
    """
    over = Over(arm, layout, target_id, height, state, scene)
    level = over.level(state, scene)

    def goal(view: ObjectView) -> FloatArray:
        return np.array([*view.position[:2], level])

    def there(now: RobotState, _: ObjectView, goal: FloatArray) -> bool:
        return float(np.linalg.norm(arm.tool(now).position - goal)) < ARRIVED

    return PhaseSequence(
        arm,
        [
            lift(arm, layout),
            MoveTool("approach", arm, over.above, follow=True, weight=2.0),
            RunPolicy("settle", arm, slot, target_id, goal, there, style, weight=1.0, grips=False),
        ],
    )
