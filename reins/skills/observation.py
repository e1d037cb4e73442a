"""Observations of policies: built term by term, in the order and with the scaling that the policy's contract names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import cos, sin
from struct import Struct
from typing import Final

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError, look_up
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import FloatArray, RobotState
from reins.models.metadata import ObservationTerm


@dataclass(frozen=True, slots=True, eq=False)
class ObjectView:
    """The object that a skill is about, as it was seen last.

    Attributes:
        position: (3,) centre of its bounding box [m], base frame.
        yaw: of its sides about +z [rad].
        size: (3,) full extents along its own axes [m].
    """

    position: FloatArray
    yaw: float
    size: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class PolicyInput:
    """Everything that a term can be made from.

    Attributes:
        state: measured state of the robot.
        tool: measured pose of the tool, base frame.
        goal: pose that the tool should reach, or in whose place the object should be, base frame.
        last_action: (k,) what the policy gave before, after clipping, in [-1, 1].
        velocity: (3,) measured linear velocity of the tool [m/s], base frame; only for policies that look at it.
        target: the object that the skill is about; only for policies that look at one.
        style: from 0, cautious, to 1, fast.
    """

    state: RobotState
    tool: ToolPose
    goal: ToolPose
    last_action: FloatArray
    velocity: FloatArray | None = None
    target: ObjectView | None = None
    style: float = 1.0


def _axes(rotation: FloatArray) -> list[float]:
    """(6,) the x and y axes of a rotation: without the jumps of angles and the two signs of quaternions."""
    axes: list[float] = rotation[:, :2].T.ravel().tolist()
    return axes


def _turn(inputs: PolicyInput) -> list[float]:
    """(3,) rotation vector from the tool's orientation to the goal's, base frame [rad]."""
    turn: list[float] = (inputs.tool.rotation @ pin.log3(inputs.tool.rotation.T @ inputs.goal.rotation)).tolist()
    return turn


def _from_tool(position: FloatArray, inputs: PolicyInput) -> tuple[float, float, float]:
    """(3,) from the tool to a position [m]."""
    x, y, z = position.tolist()
    a, b, c = inputs.tool.position.tolist()
    return x - a, y - b, z - c


def _target(inputs: PolicyInput) -> ObjectView:
    """The object; what it must be there for is said where it is not."""
    if inputs.target is None:
        raise ReinsError("this policy looks at an object, and none was given to it")
    return inputs.target


def _velocity(inputs: PolicyInput) -> list[float]:
    if inputs.velocity is None:
        raise ReinsError("this policy looks at the tool's velocity, and it was not given")
    velocity: list[float] = inputs.velocity.tolist()
    return velocity


def _tool_yaw(inputs: PolicyInput) -> tuple[float, float]:
    """(2,) sine and cosine of twice the tool's yaw: a hand that is turned by half a turn is the same hand."""
    rotation = inputs.tool.rotation
    c, s = rotation.item(0), rotation.item(3)  # the first column's first two
    return 2.0 * s * c, c * c - s * s


def _object_yaw(inputs: PolicyInput) -> tuple[float, float]:
    """(2,) sine and cosine of four times the yaw of the object's sides from the tool's: the same every quarter turn."""
    sine, cosine = _tool_yaw(inputs)
    twice = 2.0 * _target(inputs).yaw
    s, c = sin(twice), cos(twice)
    s, c = s * cosine - c * sine, c * cosine + s * sine
    return 2.0 * s * c, c * c - s * s


PER_JOINT: Final = 0
"""Stands for one number per joint in a term's size."""

PER_ACTION: Final = -1
"""Stands for one number per number of the action."""

Make = Callable[[PolicyInput], Sequence[float]]
"""Makes a term's numbers. Python's own ones: for so few, arrays cost more than what is computed."""

TERMS: Final[Mapping[str, tuple[int, Make]]] = {
    "joint_position": (PER_JOINT, lambda inputs: inputs.state.position.tolist()),
    "joint_velocity": (PER_JOINT, lambda inputs: inputs.state.velocity.tolist()),
    "tool_position": (3, lambda inputs: inputs.tool.position.tolist()),
    "tool_orientation": (6, lambda inputs: _axes(inputs.tool.rotation)),
    "goal_position": (3, lambda inputs: inputs.goal.position.tolist()),
    "goal_orientation": (6, lambda inputs: _axes(inputs.goal.rotation)),
    "goal_offset": (3, lambda inputs: _from_tool(inputs.goal.position, inputs)),
    "goal_turn": (3, _turn),
    "last_action": (PER_ACTION, lambda inputs: inputs.last_action.tolist()),
    "tool_velocity": (3, _velocity),
    "tool_yaw": (2, _tool_yaw),
    "gripper_width": (1, lambda inputs: (inputs.state.gripper_width,)),
    "gripper_holding": (1, lambda inputs: (float(inputs.state.gripper_holding),)),
    "object_offset": (3, lambda inputs: _from_tool(_target(inputs).position, inputs)),
    "object_yaw": (2, _object_yaw),
    "object_size": (3, lambda inputs: _target(inputs).size.tolist()),
    "style": (1, lambda inputs: (inputs.style,)),
}
"""Size and meaning of every term: positions [m], joint positions [rad], velocities [rad/s], orientations as the x and y
axes of the tool; goal_offset [m], goal_turn [rad] and object_offset [m] lead from the tool to the goal and the object;
tool_velocity [m/s], gripper_width [m], gripper_holding 0 or 1, object_size [m], style 0 … 1; tool_yaw and object_yaw
are sines and cosines of two and four times the angle."""


class ObservationBuilder:
    """Writes observations into one buffer that is never moved, so that a runtime can be bound to it.

    Args:
        terms: of the policy's contract.
        joints: number of joints.
        actions: numbers in the policy's action; by default one per joint.

    Raises:
        UnknownName: a term that does not exist; lists those that do.
        ReinsError: a term of another size than the contract says.
    """

    def __init__(self, terms: Sequence[ObservationTerm], joints: int, actions: int | None = None) -> None:
        sizes = {PER_JOINT: joints, PER_ACTION: joints if actions is None else actions}
        self._makes: list[Make] = []
        for term in terms:
            size, make = look_up("observation term", term.name, TERMS)
            size = sizes.get(size, size)
            if term.size != size:
                raise ReinsError(f"observation term '{term.name}' has {size} numbers, and the policy wants {term.size}")
            self._makes.append(make)
        repeats = [term.size for term in terms]
        self._scale = np.repeat([term.scale for term in terms], repeats).tolist()
        self._scaled = any(scale != 1.0 for scale in self._scale)
        self._most = np.repeat(np.array([term.clip for term in terms], dtype=np.float32), repeats)
        self._least = -self._most
        self._short = min(term.clip for term in terms) ** 2 if terms else 0.0
        self.buffer: NDArray[np.float32] = np.zeros((1, len(self._scale)), dtype=np.float32)
        self._row = self.buffer[0]
        self._pack = partial(Struct(f"{len(self._scale)}f").pack_into, self._row, 0)

    def build(self, inputs: PolicyInput) -> NDArray[np.float32]:
        """(1, size) the observation, scaled and clipped; the same array every time."""
        values: list[float] = []
        for make in self._makes:
            values += make(inputs)
        if self._scaled:
            values = [value * scale for value, scale in zip(values, self._scale, strict=True)]
        self._pack(*values)
        row = self._row
        if not row.dot(row) <= self._short:  # nothing in a row that is shorter than every bound can be beyond one
            np.minimum(row, self._most, out=row)
            np.maximum(row, self._least, out=row)
        return self.buffer
