"""What the profiles of all robots have in common; `profile.py` and `quadruped.py` add what one kind of robot has."""

from functools import cached_property
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self

from reins.hardware.robot import FloatArray

Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Triple = tuple[Finite, Finite, Finite]


class Part(BaseModel):
    """A part of a profile: cannot be changed, and knows all its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))


class JointLimits(Part):
    """Limits of one joint, all the robot's own.

    Attributes:
        name: the name that every message uses.
        model_name: the joint's name in the robot's description.
        lower, upper: position limits [rad].
        velocity: largest speed [rad/s].
        effort: largest torque [N·m].
        home: position of the joint in the home pose [rad]; of a legged robot, where it stands.
    """

    name: str
    model_name: str
    lower: Finite
    upper: Finite
    velocity: Positive
    effort: Positive
    home: Finite

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.lower < self.upper:
            raise ValueError(f"joint '{self.name}': lower {self.lower} is not below upper {self.upper}")
        if not self.lower <= self.home <= self.upper:
            raise ValueError(f"joint '{self.name}': home {self.home} is outside {self.lower} … {self.upper}")
        return self


class Rates(Part):
    """Command and state rates [Hz] and deadlines [s]."""

    state: Positive
    command: Positive
    stale_after: Positive


class Profile(Part):
    """One robot of any kind. Arrays are in the order of `joints`.

    Attributes:
        name: as commands and parameters name it.
        title: as a person calls it.
        kind: "arm" or "quadruped".
        joints: in command order.
        rates: of commands and states.
        sources: where each group of figures comes from.
    """

    name: str
    title: str
    kind: str
    joints: tuple[JointLimits, ...] = Field(min_length=1)
    rates: Rates
    sources: dict[str, str]

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """(n,) joint names in command order."""
        return tuple(joint.name for joint in self.joints)

    def _array(self, attribute: str) -> FloatArray:
        values = np.array([getattr(joint, attribute) for joint in self.joints], dtype=np.float64)
        values.setflags(write=False)
        return values

    @cached_property
    def lower(self) -> FloatArray:
        """(n,) lower position limits [rad]."""
        return self._array("lower")

    @cached_property
    def upper(self) -> FloatArray:
        """(n,) upper position limits [rad]."""
        return self._array("upper")

    @cached_property
    def velocity(self) -> FloatArray:
        """(n,) speed limits [rad/s]."""
        return self._array("velocity")

    @cached_property
    def effort(self) -> FloatArray:
        """(n,) torque limits [N·m]."""
        return self._array("effort")

    @cached_property
    def home(self) -> FloatArray:
        """(n,) home pose [rad]."""
        return self._array("home")
