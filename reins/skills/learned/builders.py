"""How each skill with a tool-twist policy is built, by name."""

from collections.abc import Callable, Mapping
from typing import Final

from reins.contracts.plan import ArgumentValue
from reins.contracts.scene import Scene
from reins.hardware.robot import RobotState
from reins.skills.learned.move_to import move_to
from reins.skills.learned.pick import pick
from reins.skills.learned.place import by_policy
from reins.skills.learned.push import push
from reins.skills.learned.run_policy import Style
from reins.skills.policy import PolicySlot
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.layout import Layout
from reins.skills.scripted.phases import PhaseSequence
from reins.skills.scripted.place import place_beside, place_in, place_on

Values = Mapping[str, ArgumentValue]
LearnedBuilder = Callable[[Arm, Layout, PolicySlot, Style, Values, RobotState, Scene], PhaseSequence]

LEARNED: Final[Mapping[str, LearnedBuilder]] = {
    "move_to": lambda arm, layout, slot, style, values, state, scene: move_to(
        arm, layout, slot, style, str(values["target"]), float(values["height"]), state, scene
    ),
    "pick": lambda arm, layout, slot, style, values, state, scene: pick(
        arm, layout, slot, style, str(values["object"]), state, scene
    ),
    "place_in": lambda arm, layout, slot, style, values, state, scene: place_in(
        arm, layout, str(values["container"]), state, scene, by_policy(slot, style)
    ),
    "place_on": lambda arm, layout, slot, style, values, state, scene: place_on(
        arm, layout, str(values["support"]), state, scene, by_policy(slot, style)
    ),
    "place_beside": lambda arm, layout, slot, style, values, state, scene: place_beside(
        arm, layout, str(values["object"]), str(values["side"]), state, scene, by_policy(slot, style)
    ),
    "push": lambda arm, layout, slot, style, values, state, scene: push(
        arm,
        layout,
        slot,
        style,
        str(values["object"]),
        str(values["direction"]),
        float(values["distance"]),
        state,
        scene,
    ),
}


def style_for(slot: PolicySlot, scale: float) -> Style:
    """How a policy is to act, from the scale of a task's speed constraint, 0 … 1.

    The slowest style is what the policy was trained with at least; below it, its speeds are scaled down further.
    """
    spec = slot.policy.metadata.style
    if spec is None or spec.slowest >= 1.0:
        return Style(1.0, scale)
    value = (scale - spec.slowest) / (1.0 - spec.slowest)
    return Style(max(0.0, value), min(1.0, scale / spec.slowest))
