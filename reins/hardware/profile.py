"""Robot profiles: limits, rates and geometry of one robot, read from YAML and validated on load.

The safety monitor, the simulators and the drivers all read the same file; nothing after `load_profile` checks for a
missing limit.
"""

from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self

from reins.contracts.documents import Shelf
from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.robot import FloatArray

Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Triple = tuple[Finite, Finite, Finite]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))


class Joint(_Part):
    """Limits of one joint, all the robot's own (the safety monitor keeps `Margins` inside them).

    Attributes:
        name: the name that every message uses.
        model_name: the joint's name in the URDF.
        lower, upper: position limits [rad].
        velocity: largest speed [rad/s].
        acceleration: largest acceleration [rad/s²].
        jerk: largest jerk [rad/s³].
        effort: largest torque [N·m].
        home: position of the joint in the home pose [rad].
    """

    name: str
    model_name: str
    lower: Finite
    upper: Finite
    velocity: Positive
    acceleration: Positive
    jerk: Positive
    effort: Positive
    home: Finite

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.lower < self.upper:
            raise ValueError(f"joint '{self.name}': lower {self.lower} is not below upper {self.upper}")
        if not self.lower <= self.home <= self.upper:
            raise ValueError(f"joint '{self.name}': home {self.home} is outside {self.lower} … {self.upper}")
        return self


class Gripper(_Part):
    """Limits of the gripper: opening [m], finger speed [m/s], force [N]; `joints` names the fingers, each at half the
    opening, as joint_states shows them."""

    joints: tuple[str, ...] = ()
    max_width: Positive
    speed: Positive
    max_force: Positive
    grasp_force: Positive


class Tool(_Part):
    """The tool centre point relative to a link of the URDF: translation [m], roll-pitch-yaw [rad]."""

    link: str
    xyz: Triple
    rpy: Triple


class Workspace(_Part):
    """Where the tool may be: an axis-aligned box in the base frame [m], and its largest speed [m/s] and turn rate."""

    lower: Triple
    upper: Triple
    tool_speed: Positive
    tool_turn_rate: Positive

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not all(low < high for low, high in zip(self.lower, self.upper, strict=True)):
            raise ValueError(f"workspace: lower {self.lower} is not below upper {self.upper} in every axis")
        return self


class Elbow(_Part):
    """The elbow: on the axis of a joint, where its link's frame is, and its largest speed [m/s]."""

    joint: str
    speed: Positive


class Fixture(_Part):
    """Something that stands fast around the robot: a box of `size` (full extents) at `centre`, turned by roll-pitch-yaw
    [m, rad], base frame."""

    name: str
    centre: Triple
    rpy: Triple = (0.0, 0.0, 0.0)
    size: tuple[Positive, Positive, Positive]


class Rates(_Part):
    """Command and state rates [Hz] and deadlines [s]."""

    state: Positive
    command: Positive
    stale_after: Positive


class Model(_Part):
    """Where the robot's description lives: a Python package that carries it and the files inside that package."""

    package: str
    urdf: str
    mjcf: str

    def path(self, relative: str) -> Path:
        """Absolute path of a file of the description package.

        Raises:
            ReinsError: the package is not installed, or the file is not in it.
        """
        spec = find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            raise ReinsError(f"the Python package '{self.package}', which carries the robot's model, is not installed")
        path = Path(next(iter(spec.submodule_search_locations))) / relative
        if not path.is_file():
            raise ReinsError(f"package '{self.package}' has no file '{relative}'")
        return path


class RobotProfile(_Part):
    """One robot. Arrays are in the order of `joints`.

    `table` is the height of the surface that the robot stands on [m], base frame; without one there is none.
    """

    name: str
    title: str
    kind: Literal["arm", "quadruped"]
    model: Model
    joints: tuple[Joint, ...] = Field(min_length=1)
    tool: Tool
    gripper: Gripper
    workspace: Workspace
    table: Finite | None = None
    fixtures: tuple[Fixture, ...] = ()
    elbow: Elbow | None = None
    rates: Rates
    sources: dict[str, str]

    @model_validator(mode="after")
    def _elbow_exists(self) -> Self:
        if self.elbow is not None and self.elbow.joint not in self.joint_names:
            raise ValueError(f"elbow: {UnknownName('joint', self.elbow.joint, self.joint_names)}")
        return self

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
    def acceleration(self) -> FloatArray:
        """(n,) acceleration limits [rad/s²]."""
        return self._array("acceleration")

    @cached_property
    def jerk(self) -> FloatArray:
        """(n,) jerk limits [rad/s³]."""
        return self._array("jerk")

    @cached_property
    def effort(self) -> FloatArray:
        """(n,) torque limits [N·m]."""
        return self._array("effort")

    @cached_property
    def home(self) -> FloatArray:
        """(n,) home pose [rad]."""
        return self._array("home")


PROFILES: Final = Shelf("robot", "reins.hardware", "profiles")
"""The profiles that ship with reins."""


def known_profiles() -> list[str]:
    """Names of the profiles that ship with reins."""
    return PROFILES.names()


def load_profile(name_or_path: str) -> RobotProfile:
    """Load a profile by name, or by the path of a YAML file.

    Raises:
        UnknownName: no such profile.
        ReinsError: the file is not a valid profile; names the field.
    """
    return PROFILES.load(name_or_path, RobotProfile)
