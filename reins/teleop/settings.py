"""Every parameter of teleop: type, default, bounds and meaning, written once; the node declares its
parameters from it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class TeleopSettings(BaseModel):
    """Parameters of teleop."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rate: float = Field(
        default=50.0, ge=5.0, le=500.0, description="How often a command is made while the dead-man is held [Hz]."
    )
    linear_speed: float = Field(
        default=0.25,
        gt=0.0,
        le=2.0,
        description="Fastest tool speed that the operator can ask for, at full trim [m/s].",
    )
    angular_speed: float = Field(
        default=0.8,
        gt=0.0,
        le=5.0,
        description="Fastest tool turn rate that the operator can ask for, at full trim [rad/s].",
    )
    joint_speed: float = Field(
        default=0.6, gt=0.0, le=3.0, description="Fastest speed of a single joint, at full trim [rad/s]."
    )
    smoothing: float = Field(
        default=0.06,
        ge=0.0,
        le=1.0,
        description="Time constant of the smoothing of the operator's motions [s]; 0 for none.",
    )
    joy_timeout: float = Field(
        default=0.2, gt=0.0, le=2.0, description="A joystick that is silent for longer while held is lost [s]."
    )
    cmd_vel_timeout: float = Field(
        default=0.5, gt=0.0, le=2.0, description="A cmd_vel that is silent for longer is over, and the robot holds [s]."
    )
    key_timeout: float = Field(
        default=0.35, gt=0.0, le=2.0, description="A key that does not repeat for longer moves nothing any more [s]."
    )
    key_delay: float = Field(
        default=0.75,
        gt=0.0,
        le=2.0,
        description="Time after a key in which it may still begin to repeat: the operator stays in charge, though "
        "nothing moves any more after `key_timeout` [s].",
    )
    damping: float = Field(
        default=0.05,
        gt=0.0,
        le=1.0,
        description="Damping of the inverse Jacobian; higher is calmer near singular poses.",
    )
    frame: Literal["base", "tool"] = Field(default="base", description="Frame of the operator's motions at the start.")
