"""Parameters of the legged robot's safety: type, default, bounds and meaning, written once.

The names differ from those of `SafetySettings`, so that one node can declare both. Limits of the robot itself are in
its profile.
"""

from pydantic import BaseModel, ConfigDict, Field


class LeggedSettings(BaseModel):
    """Times in seconds, angles in radians, lengths in metres."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    walking_margin: float = Field(
        default=0.1,
        ge=0.0,
        le=2.0,
        description="Smallest distance of a legged robot's footprint from keep-outs and what is seen around it [m].",
    )
    person_margin: float = Field(
        default=0.5,
        ge=0.0,
        le=5.0,
        description="Smallest distance of a legged robot's footprint from a person that is seen [m].",
    )
    person_memory: float = Field(
        default=60.0,
        gt=0.0,
        le=86400.0,
        description="A person who is not seen any more is taken to stand where they were seen last, for this long [s].",
    )
    step_height: float = Field(
        default=0.05,
        ge=0.0,
        le=0.5,
        description="What is seen and is not higher than this above the ground may be stepped on [m].",
    )
    slowest_share: float = Field(
        default=0.3,
        gt=0.0,
        le=1.0,
        description="Share of the speed limits that tilt, a low battery and warm motors leave before they are a stop.",
    )
    leg_joint_tolerance: float = Field(
        default=0.05,
        ge=0.0,
        le=0.5,
        description="A leg's joint may be this far outside its position limits, as when it lies on its stops [rad].",
    )
    leg_joint_patience: float = Field(
        default=0.1,
        ge=0.0,
        le=2.0,
        description="A leg's joint beyond its position, speed or torque limit for longer than this is a stop [s].",
    )
