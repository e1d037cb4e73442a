"""What each task wants of the tool and the fingers, from where the tool, the object and the fingers are.

Heights, gaps and openings are the scripts' ones. Every wish leads into the region in which the next one begins, and not
just to its edge, where who imitates it would stop; what is wanted changes evenly where it can.
"""

from dataclasses import dataclass
from math import hypot
from typing import Final

import numpy as np

from reins.hardware.robot import FloatArray
from reins.skills.observation import ObjectView, PolicyInput
from reins.skills.scripted.footprint import wrapped
from reins.skills.scripted.hand import tool_yaw
from reins.skills.scripted.layout import LOWEST_GRASP, grasp_above_underside
from reins.skills.scripted.spots import RELEASE_GAP, RELEASE_OPENING
from reins.training.envs.tasks import CLEAR

OPEN: Final = 0.08
"""Fingers wide open [m]."""

WIDER: Final = 0.007
"""The fingers are open around an object once they are this much wider than it [m]."""

CLOSE_WITHIN: Final = (0.005, 0.005, 0.12)
"""How near to the grasp the fingers close: beside it, above it [m], turned from it [rad]."""

OPEN_WITHIN: Final = (0.006, 0.003)
"""How near to its place the object is let go: beside it, above it [m]."""

PLACED_WITHIN: Final = (0.012, 0.015)
"""How near to its place the object counts as put there: beside it, above or below it [m]."""

RISE: Final = 0.025
"""How far beyond CLEAR the tool rises over what it has let go [m]."""

CONE: Final = (3.0, 0.05)
"""Height kept over a target per distance beside it, and the most of it [m]: things are met from above."""

TURN_CONE: Final = 0.3
"""Height kept over a target per turn that is missing [m/rad]."""


@dataclass(frozen=True, slots=True, eq=False)
class Wish:
    """What a task wants next.

    Attributes:
        way: (3,) from the tool to where it should be [m].
        turn: yaw that the tool should still turn by [rad].
        opening: width of the fingers [m]; 0 closes them.
        part: part of a demonstration's speed, 0 … 1.
    """

    way: FloatArray
    turn: float
    opening: float
    part: float = 1.0


def reach(inputs: PolicyInput) -> Wish:
    """The tool to the goal, the fingers open."""
    return Wish(inputs.goal.position - inputs.tool.position, 0.0, OPEN)


def pick(inputs: PolicyInput) -> Wish:
    """The object grasped, then lifted to its goal."""
    if inputs.state.gripper_holding:
        return Wish(inputs.goal.position - target_of(inputs).position, 0.0, 0.0)
    return grasp(inputs)


def put_down(inputs: PolicyInput) -> Wish:
    """The held object to just over its goal, let go there, the hand clear of it. What was dropped is grasped again."""
    view = target_of(inputs)
    way = inputs.goal.position - view.position
    beside = hypot(way[0], way[1])
    if inputs.state.gripper_holding:
        way = way + np.array([0.0, 0.0, RELEASE_GAP])
        there = beside < OPEN_WITHIN[0] and -way[2] < OPEN_WITHIN[1]
        way[2] += cone(beside, 0.0)
        return Wish(way, 0.0, opened(view) if there else 0.0)
    if beside < PLACED_WITHIN[0] and abs(way[2]) < PLACED_WITHIN[1]:
        return leave(inputs)
    return grasp(inputs)


def grasp(inputs: PolicyInput) -> Wish:
    """The open fingers around the object, then closed."""
    view, tool = target_of(inputs), inputs.tool
    way = view.position - tool.position
    height = max(LOWEST_GRASP, float(view.position[2] - view.size[2] / 2) + grasp_above_underside(float(view.size[2])))
    way[2] = height - tool.position[2]
    turn = wrapped(view.yaw - tool_yaw(tool), np.pi / 2)
    beside, above = hypot(way[0], way[1]), -float(way[2])
    if beside < CLOSE_WITHIN[0] and abs(above) < CLOSE_WITHIN[1] and abs(turn) < CLOSE_WITHIN[2]:
        return Wish(way, turn, 0.0)
    way[2] += cone(beside, turn)
    if narrow(inputs) and above > 2.0 * CLOSE_WITHIN[1]:
        way[2] = max(float(way[2]), float(view.position[2] + view.size[2] / 2) + 0.02 - float(tool.position[2]))
    return Wish(way, turn, opened(view))


def leave(inputs: PolicyInput) -> Wish:
    """The fingers open, then straight up from the object."""
    view = target_of(inputs)
    level = float(view.position[2]) + CLEAR + RISE
    rise = 0.0 if narrow(inputs) else max(0.0, level - float(inputs.tool.position[2]))
    return Wish(np.array([0.0, 0.0, rise]), 0.0, opened(view))


def opened(view: ObjectView) -> float:
    """Width of fingers that are open around the object [m]."""
    return min(OPEN, float(max(view.size[0], view.size[1])) + RELEASE_OPENING)


def narrow(inputs: PolicyInput) -> bool:
    """Whether the fingers are too close together for the object."""
    view = target_of(inputs)
    return inputs.state.gripper_width < float(max(view.size[0], view.size[1])) + WIDER


def cone(beside: float, turn: float) -> float:
    """Height to keep over a target that is `beside` [m] away and `turn` [rad] round [m]."""
    slope, most = CONE
    rest = max(0.0, beside - 0.004) * slope + max(0.0, abs(turn) - 0.1) * TURN_CONE
    return min(most, rest)


def target_of(inputs: PolicyInput) -> ObjectView:
    """The object that a task is about."""
    assert inputs.target is not None
    return inputs.target
