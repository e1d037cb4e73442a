"""Robot profiles: limits, rates and geometry of one robot, read from YAML and validated on load.

The safety monitor, the simulators and the drivers all read the same file; nothing after `load_profile` checks for a
missing limit. This file has the arm's profile and the shelf of all; `quadruped.py` has the quadruped's.
"""

from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, TypeVar, overload

from pydantic import BaseModel, Field, model_validator
from typing_extensions import Self

from reins.contracts.documents import Shelf
from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.camera.mount import CameraMount
from reins.hardware.drive import FrankaDrive, URDrive
from reins.hardware.profile_base import Finite, JointLimits, Part, Positive, Profile, Triple
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.hardware.ros2_control import Ros2ControlDrive


class Joint(JointLimits):
    """Limits of one joint of an arm, all the robot's own (the safety monitor keeps its margins inside them).

    Attributes:
        acceleration: largest acceleration [rad/s²].
        jerk: largest jerk [rad/s³].
    """

    acceleration: Positive
    jerk: Positive


class Gripper(Part):
    """Limits of the gripper: opening [m], finger speed [m/s], force [N]; `joints` names the fingers, each at half the
    opening, as joint_states shows them."""

    joints: tuple[str, ...] = ()
    max_width: Positive
    speed: Positive
    max_force: Positive
    grasp_force: Positive


class Tool(Part):
    """The tool centre point relative to a link of the URDF: translation [m], roll-pitch-yaw [rad]."""

    link: str
    xyz: Triple
    rpy: Triple


class Workspace(Part):
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


class Elbow(Part):
    """The elbow: on the axis of a joint, where its link's frame is, and its largest speed [m/s]."""

    joint: str
    speed: Positive


class Fixture(Part):
    """Something that stands fast around the robot: a box of `size` (full extents) at `centre`, turned by roll-pitch-yaw
    [m, rad], base frame."""

    name: str
    centre: Triple
    rpy: Triple = (0.0, 0.0, 0.0)
    size: tuple[Positive, Positive, Positive]


class Model(Part):
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
            raise ReinsError(
                f"the Python package '{self.package}', which carries the robot's model, is not installed; a folder of "
                "that name on PYTHONPATH will do"
            )
        path = Path(next(iter(spec.submodule_search_locations))) / relative
        if not path.is_file():
            raise ReinsError(f"package '{self.package}' has no file '{relative}'")
        return path


class RobotProfile(Profile):
    """One arm.

    `table` is the height of the surface that the robot stands on [m], base frame; without one there is none. `franka`
    and `ur` are for the real arm alone: what its driver tells the robot. `ros2_control` is for an arm of any make
    behind the controllers of that name. `cameras` are those whose pose no driver publishes; `reins calibrate` measures
    them.
    """

    kind: Literal["arm"]
    model: Model
    joints: tuple[Joint, ...] = Field(min_length=1)
    tool: Tool
    gripper: Gripper
    workspace: Workspace
    table: Finite | None = None
    fixtures: tuple[Fixture, ...] = ()
    elbow: Elbow | None = None
    franka: FrankaDrive | None = None
    ur: URDrive | None = None
    ros2_control: Ros2ControlDrive = Ros2ControlDrive()
    cameras: tuple[CameraMount, ...] = ()

    @model_validator(mode="after")
    def _elbow_exists(self) -> Self:
        if self.elbow is not None and self.elbow.joint not in self.joint_names:
            raise ValueError(f"elbow: {UnknownName('joint', self.elbow.joint, self.joint_names)}")
        return self

    @cached_property
    def acceleration(self) -> FloatArray:
        """(n,) acceleration limits [rad/s²]."""
        return self._array("acceleration")

    @cached_property
    def jerk(self) -> FloatArray:
        """(n,) jerk limits [rad/s³]."""
        return self._array("jerk")


PROFILES: Final = Shelf("robot", "reins.hardware", "profiles")
"""The profiles that ship with reins."""

KINDS: Final[dict[str, type[Profile]]] = {"arm": RobotProfile, "quadruped": QuadrupedProfile}
"""What a profile of each `kind` has to have."""

ProfileT = TypeVar("ProfileT", bound=Profile)


class _Heading(BaseModel):
    """What has to be known of a profile before the rest of it can be read."""

    kind: Literal["arm", "quadruped"]


def known_profiles(kind: str = "") -> list[str]:
    """Names of the profiles that ship with reins, all or those of one kind of robot."""
    names = PROFILES.names()
    return [name for name in names if PROFILES.load(name, _Heading).kind == kind] if kind else names


@overload
def load_profile(name_or_path: str) -> RobotProfile: ...


@overload
def load_profile(name_or_path: str, wanted: type[ProfileT]) -> ProfileT: ...


def load_profile(name_or_path: str, wanted: type[Profile] = RobotProfile) -> Profile:
    """Load a profile by name, or by the path of a YAML file.

    Args:
        name_or_path: which one.
        wanted: the kind of robot that the caller is made for: an arm unless it says otherwise; `QuadrupedProfile`, or
            `Profile` for any.

    Raises:
        UnknownName: no such profile.
        ReinsError: the file is not a valid profile, and names the field; or it is of another kind of robot.
    """
    kind = PROFILES.load(name_or_path, _Heading).kind
    if not issubclass(KINDS[kind], wanted):
        usable = next(name for name, model in KINDS.items() if issubclass(model, wanted))
        raise ReinsError(
            f"robot '{name_or_path}' is of kind '{kind}', and what was asked for works with kind '{usable}' only; "
            f"robots of that kind: {', '.join(known_profiles(usable))}"
        )
    return PROFILES.load(name_or_path, KINDS[kind])
