"""What push wants of the tool: behind the object, down beside it, then along the line to the goal."""

from math import atan2, cos, hypot, sin
from typing import Final

import numpy as np

from reins.hardware.robot import FloatArray
from reins.skills.observation import PolicyInput
from reins.skills.scripted.footprint import wrapped
from reins.skills.scripted.hand import FRANKA_HAND, tool_yaw
from reins.skills.scripted.layout import LOWEST_GRASP
from reins.training.envs.wishes import Wish, cone, target_of

STROKE: Final = 0.5
"""Part of the speed while pushing: the object must not slide on."""

DOWN: Final = 0.012
"""The tool is down beside the object when it is this little above the height of the stroke [m]."""

EVEN: Final = 0.015
"""Height over DOWN in which coming down turns into the stroke [m]: evenly, for who imitates a step stays on it."""

ROUGHLY: Final = (0.006, 0.12)
"""How well the hand needs to be placed [m] and turned [rad] to come down: no better than the object is seen."""

STAND_OFF: Final = 0.015
"""Free distance between the fingers and the object where they come down [m]."""

LOST: Final = 0.015
"""The tool is no longer behind the object when it is this far off the line [m]: it goes up and comes down again."""

AHEAD: Final = 0.04
LEAST_AHEAD: Final = 0.004
"""How far ahead on the line the stroke aims, and at its end still [m]."""

CLEARED: Final = 0.02
"""Height over DOWN from which the hand goes sideways at full speed, over the object if need be [m]."""

CARRY: Final = 0.5
"""How far past the line to the goal the tool goes for an object beside that line, as a part of its distance."""

ENDED: Final = 0.003
"""The stroke has ended this near to its end; if the object is not there by then, it is sought where it is seen [m]."""

SHORT: Final = 0.02
"""Nearer than this to its goal the object says nothing about the direction [m]."""


def push(inputs: PolicyInput) -> Wish:
    """The object along the table to its goal.

    While the hand hides the object, it seems to stay where it was. So the stroke goes by the tool: along the hand's own
    axis, until the goal is as far from the tool as the middle of an object that the fingers touch.
    """
    view, tool = target_of(inputs), inputs.tool
    above = float(tool.position[2]) - max(LOWEST_GRASP, float(view.position[2] - view.size[2] / 8))
    item, goal = view.position[:2] - tool.position[:2], inputs.goal.position[:2] - tool.position[:2]
    yaw = tool_yaw(tool)
    along = np.array([cos(yaw), sin(yaw)])
    if float(along @ goal) < 0.0:
        along = -along
    rest = max(0.0, float(along @ goal) - touching(inputs, along))
    behind = abs(along[0] * item[1] - along[1] * item[0]) < LOST
    missed = rest < ENDED and float(np.linalg.norm(goal - item)) > SHORT
    down = min(1.0, max(0.0, 1.0 - (above - DOWN) / EVEN)) if behind and not missed else 0.0
    over, turn = _approach(inputs, item, goal, above)
    way = down * _stroke(item, goal, along, rest, above) + (1.0 - down) * over
    return Wish(way, (1.0 - down) * turn, 0.0, down * STROKE + (1.0 - down))


def _stroke(item: FloatArray, goal: FloatArray, along: FloatArray, rest: float, above: float) -> FloatArray:
    """(3,) way of the tool, `rest` [m] on `along` (2,), the hand's axis; `item` and `goal` (2,) as seen from it [m]."""
    aside = np.array([-along[1], along[0]])
    # Friction carries the object sideways along with the tool, which goes past the line by part of what is missing.
    off = float(aside @ goal) + CARRY * float(aside @ (goal - item))
    aim = max(min(rest, AHEAD), LEAST_AHEAD) * along + off * aside
    return np.array([*(aim * (min(rest, AHEAD) / float(np.linalg.norm(aim)))), -above])


def _approach(inputs: PolicyInput, item: FloatArray, goal: FloatArray, above: float) -> tuple[FloatArray, float]:
    """(3,) way [m] to where the stroke begins, behind the object as it is seen: up, over, down; and the turn [rad]."""
    line = goal - item
    length, yaw = float(np.linalg.norm(line)), tool_yaw(inputs.tool)
    angle = atan2(line[1], line[0]) if length > SHORT else yaw
    turn = wrapped(angle - yaw, np.pi)
    turn -= min(ROUGHLY[1], max(-ROUGHLY[1], turn))
    along = np.array([cos(angle), sin(angle)])
    way = item - (touching(inputs, along) + STAND_OFF) * along
    beside = hypot(way[0], way[1])
    free = min(1.0, max(0.0, (above - DOWN) / CLEARED)) if beside > LOST else 1.0
    return np.array([*(free * way), cone(max(0.0, beside - ROUGHLY[0]), turn) - above]), turn


def touching(inputs: PolicyInput, along: FloatArray) -> float:
    """Distance of the object's middle from the tool when the fingers touch it, `along` (2,) a unit vector [m]."""
    view = target_of(inputs)
    angle = atan2(along[1], along[0]) - view.yaw
    return float(view.size[0] / 2 * abs(cos(angle)) + view.size[1] / 2 * abs(sin(angle))) + FRANKA_HAND.finger_width / 2
