"""What the filter answers: a velocity, and which limits changed it."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from reins.hardware.robot import FloatArray
from reins.safety.bodies import Kind


class Limit(Enum):
    """What changed a command."""

    JOINT_SPEED = "joint speed"
    JOINT_POSITION = "joint position"
    JOINT_ACCELERATION = "joint acceleration"
    TORQUE = "torque"
    TOOL_SPEED = "tool speed"
    TOOL_TURN_RATE = "tool turn rate"
    ELBOW_SPEED = "elbow speed"
    WORKSPACE = "workspace"
    SELF_COLLISION = "self-collision"
    TABLE = "table"
    FIXTURE = "fixture"
    KEEP_OUT = "keep-out"
    HELD_OBJECT = "held object"
    BODY_SPEED = "body speed"
    BODY_ACCELERATION = "body acceleration"
    POSTURE = "not standing yet"
    TILT = "tilt"
    BASE_HEIGHT = "base height"
    FOOT_CONTACT = "foot contact"
    LEG_JOINT = "leg joint"
    BATTERY = "battery"
    MOTOR_TEMPERATURE = "motor temperature"
    NO_SAFE_MOTION = "no safe motion, so it brakes"


APPROACHES: Final = {
    Kind.LINK: Limit.SELF_COLLISION,
    Kind.TABLE: Limit.TABLE,
    Kind.FIXTURE: Limit.FIXTURE,
    Kind.KEEP_OUT: Limit.KEEP_OUT,
    Kind.HELD: Limit.HELD_OBJECT,
}
"""The limit that keeps the arm from approaching a body."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What the filter lets through.

    Attributes:
        velocity: (n,) safe joint velocity [rad/s]; the very array that was asked for when nothing was changed.
        limits: why it was changed, each once; empty when it was not.
    """

    velocity: FloatArray
    limits: tuple[Limit, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether it differs from what was asked for."""
        return bool(self.limits)
