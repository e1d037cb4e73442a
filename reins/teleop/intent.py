"""What the operator wants, whatever they hold in their hands."""

from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from reins.hardware.robot import FloatArray


class Action(Enum):
    """What a button or key does, once for every press."""

    ESTOP = "estop"
    RESET = "reset"
    HAND_BACK = "hand_back"
    FASTER = "faster"
    SLOWER = "slower"
    TOGGLE_FRAME = "toggle_frame"
    TOGGLE_JOINTS = "toggle_joints"
    NEXT_JOINT = "next_joint"
    PREVIOUS_JOINT = "previous_joint"
    OPEN_GRIPPER = "open_gripper"
    CLOSE_GRIPPER = "close_gripper"
    STAND = "stand"
    SIT = "sit"


ARM_ACTIONS = frozenset(
    {
        Action.TOGGLE_FRAME,
        Action.TOGGLE_JOINTS,
        Action.NEXT_JOINT,
        Action.PREVIOUS_JOINT,
        Action.OPEN_GRIPPER,
        Action.CLOSE_GRIPPER,
    }
)
"""What only an arm does."""

LEGGED_ACTIONS = frozenset({Action.STAND, Action.SIT})
"""What only a legged robot does."""


class Direction(Enum):
    """Directions of motion: along and about the axes of the base or tool frame, and of the joint that is picked."""

    X = "x"
    Y = "y"
    Z = "z"
    ROLL = "roll"
    PITCH = "pitch"
    YAW = "yaw"
    JOINT = "joint"


TWIST = (Direction.X, Direction.Y, Direction.Z, Direction.ROLL, Direction.PITCH, Direction.YAW)
"""The directions of a twist, in its order."""


@dataclass(frozen=True, slots=True, eq=False)
class Intent:
    """Now: is the dead-man held, and which way.

    Attributes:
        held: the dead-man is held by someone whose messages still come.
        twist: (6,) share of the fastest linear and angular motion, -1 … 1.
        joint: share of the fastest joint motion, -1 … 1.
        velocity: (3,) body velocity that is asked for outright, whatever the shares [m/s, m/s, rad/s]; None where the
            shares count.
    """

    held: bool = False
    twist: FloatArray = field(default_factory=lambda: np.zeros(6))
    joint: float = 0.0
    velocity: FloatArray | None = None
