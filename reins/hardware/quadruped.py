"""The profile of a four-legged robot: what its body, legs, battery and motors may do, each figure with its source.

The body moves over the ground: x forward, y left, turning about z (REP 103).
"""

from functools import cached_property
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator
from typing_extensions import Self

from reins.hardware.drive import UnitreeDrive
from reins.hardware.legs import up_of
from reins.hardware.profile_base import JointLimits, Part, Positive, Profile
from reins.hardware.quadruped_build import Build
from reins.hardware.robot import FloatArray

Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Degrees = Annotated[float, Field(gt=-273.15, allow_inf_nan=False)]


class BodySpeed(Part):
    """Largest speeds of the body over the ground: forward, backward, sideways [m/s], and turning [rad/s]."""

    forward: Positive
    backward: Positive
    sideways: Positive
    turn: Positive


class BodyAcceleration(Part):
    """Largest accelerations, for speeding up and for braking: along x and sideways [m/s²], turning [rad/s²]."""

    along: Positive
    sideways: Positive
    turn: Positive


class Body(Part):
    """How the body moves.

    Attributes:
        velocity: speed limits.
        acceleration: acceleration limits.
        response: time constant with which the body's velocity follows a commanded one [s].
        footprint: radius of the disc around the base that body and standing legs stay inside [m].
        stand_up: how long standing up may take [s].
        turn_over: how long turning back onto the belly after a fall may take [s].
    """

    velocity: BodySpeed
    acceleration: BodyAcceleration
    response: Positive
    footprint: Positive
    stand_up: Positive
    turn_over: Positive


class Tilt(Part):
    """Angle between the body's z axis and the vertical [rad]: slower from `slow` on, no more walking at `stop`."""

    slow: Positive
    stop: Positive

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.slow < self.stop:
            raise ValueError(f"tilt: slow {self.slow} is not below stop {self.stop}")
        return self


class Height(Part):
    """Between which heights of the base above the ground the robot stands on its legs [m]."""

    lowest: Positive
    highest: Positive

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.lowest < self.highest:
            raise ValueError(f"height: lowest {self.lowest} is not below highest {self.highest}")
        return self


class Contact(Part):
    """Fewer than `feet` feet on the ground for longer than `longest` [s]: the robot is not on its legs."""

    feet: int = Field(ge=1)
    longest: Positive


class Battery(Part):
    """Charge, 0 … 1: slower below `slow`, sits at `sit`."""

    slow: Share
    sit: Share

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.sit < self.slow:
            raise ValueError(f"battery: sit {self.sit} is not below slow {self.slow}")
        return self


class MotorTemperature(Part):
    """Temperature of the hottest motor [°C]: slower from `slow` on, sits at `sit`."""

    slow: Degrees
    sit: Degrees

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.slow < self.sit:
            raise ValueError(f"motor: slow {self.slow} is not below sit {self.sit}")
        return self


class QuadrupedProfile(Profile):
    """One four-legged robot. `feet` names them in the order of every array of contacts."""

    kind: Literal["quadruped"]
    joints: tuple[JointLimits, ...] = Field(min_length=12, max_length=12)
    feet: tuple[str, str, str, str]
    body: Body
    tilt: Tilt
    height: Height
    contact: Contact
    battery: Battery
    motor: MotorTemperature
    build: Build
    unitree: UnitreeDrive | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.contact.feet > len(self.feet):
            raise ValueError(f"contact: feet {self.contact.feet} is more than the robot's {len(self.feet)}")
        if self.rates.stale_after * self.rates.command < 1.0:
            raise ValueError(f"rates: stale_after {self.rates.stale_after} is shorter than a period of the commands")
        for group, names in (("joints", self.joint_names), ("feet", self.feet)):
            if len(set(names)) < len(names):
                raise ValueError(f"{group}: a name stands twice in {', '.join(names)}")
        return self

    @cached_property
    def acceleration(self) -> FloatArray:
        """(3,) largest acceleration along x, y [m/s²] and about z [rad/s²]."""
        limits = self.body.acceleration
        values = np.array([limits.along, limits.sideways, limits.turn])
        values.setflags(write=False)
        return values

    def is_up(self, height: float | None) -> bool:
        """Whether the robot is on its legs, by the height of its base above the ground [m]; None lies, for its feet
        touch nothing."""
        return height is not None and height >= self.height.lowest

    def has_fallen(self, orientation: FloatArray) -> bool:
        """Whether a body with this quaternion (4,) x y z w tilts too far to be carried by its legs: it lies on its side
        or back."""
        return bool(up_of(orientation)[2] <= np.cos(self.tilt.stop))
