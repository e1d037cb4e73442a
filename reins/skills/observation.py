"""Observations of policies: built term by term, in the order and with the scaling that the policy's contract names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError, look_up
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import FloatArray, RobotState
from reins.models.metadata import ObservationTerm


@dataclass(frozen=True, slots=True, eq=False)
class PolicyInput:
    """Everything that a term can be made from.

    Attributes:
        state: measured state of the robot.
        tool: measured pose of the tool, base frame.
        goal: pose that the tool should reach, base frame.
        last_action: (n,) what the policy gave before, after clipping, in [-1, 1].
    """

    state: RobotState
    tool: ToolPose
    goal: ToolPose
    last_action: FloatArray


def _axes(rotation: FloatArray) -> FloatArray:
    """(6,) the x and y axes of a rotation: without the jumps of angles and the two signs of quaternions."""
    return np.concatenate((rotation[:, 0], rotation[:, 1]))


def _turn(inputs: PolicyInput) -> FloatArray:
    """(3,) rotation vector from the tool's orientation to the goal's, base frame [rad]."""
    turn: FloatArray = inputs.tool.rotation @ pin.log3(inputs.tool.rotation.T @ inputs.goal.rotation)
    return turn


PER_JOINT: Final = 0
"""Stands for one number per joint in a term's size."""

TERMS: Final[Mapping[str, tuple[int, Callable[[PolicyInput], FloatArray]]]] = {
    "joint_position": (PER_JOINT, lambda inputs: inputs.state.position),
    "joint_velocity": (PER_JOINT, lambda inputs: inputs.state.velocity),
    "tool_position": (3, lambda inputs: inputs.tool.position),
    "tool_orientation": (6, lambda inputs: _axes(inputs.tool.rotation)),
    "goal_position": (3, lambda inputs: inputs.goal.position),
    "goal_orientation": (6, lambda inputs: _axes(inputs.goal.rotation)),
    "goal_offset": (3, lambda inputs: inputs.goal.position - inputs.tool.position),
    "goal_turn": (3, _turn),
    "last_action": (PER_JOINT, lambda inputs: inputs.last_action),
}
"""Size and meaning of every term: positions [m], joint positions [rad], velocities [rad/s], orientations as the x and y
axes of the tool; goal_offset [m] and goal_turn [rad] lead from the tool to the goal."""


class ObservationBuilder:
    """Writes observations into one buffer that is never moved, so that a runtime can be bound to it.

    Args:
        terms: of the policy's contract.
        joints: number of joints.

    Raises:
        UnknownName: a term that does not exist; lists those that do.
        ReinsError: a term of another size than the contract says.
    """

    def __init__(self, terms: Sequence[ObservationTerm], joints: int) -> None:
        self._parts: list[tuple[slice, ObservationTerm, Callable[[PolicyInput], FloatArray]]] = []
        begin = 0
        for term in terms:
            size, make = look_up("observation term", term.name, TERMS)
            size = joints if size == PER_JOINT else size
            if term.size != size:
                raise ReinsError(f"observation term '{term.name}' has {size} numbers, and the policy wants {term.size}")
            self._parts.append((slice(begin, begin + size), term, make))
            begin += size
        self.buffer: NDArray[np.float32] = np.zeros((1, begin), dtype=np.float32)

    def build(self, inputs: PolicyInput) -> NDArray[np.float32]:
        """(1, size) the observation, scaled and clipped; the same array every time."""
        for part, term, make in self._parts:
            self.buffer[0, part] = np.clip(make(inputs) * term.scale, -term.clip, term.clip)
        return self.buffer
