"""What the topics that every robot has, robot_state and command/…, carry for each kind of robot: the one place among
the nodes where the kind decides."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from reins_msgs import msg as ros

from reins.blackbox.case import BODY, BODY_UNITS, RADIANS
from reins.hardware.description import robot_description
from reins.hardware.legged import LeggedState, SafeBodyCommand
from reins.hardware.profile import RobotProfile
from reins.hardware.profile_base import Profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import RobotState, SafeCommand
from reins.nodes import convert, convert_legged
from reins.safety.legged.validate import check_legged_state
from reins.safety.validate import Rejection, check_state

NEAR: Final = 0.02
"""Safety's reference is where an arm is when no joint differs by more [rad]."""

MOVING: Final = 0.02
"""An arm moves when a joint is faster than this [rad/s]."""

BODY_MOVING: Final = 0.05
"""A legged robot moves when its body is faster than this [m/s], or turns faster [rad/s]; its legs may sway."""


class Axes(NamedTuple):
    """What the commands to a robot move, in order: names, speed limits of its profile, and units of velocity."""

    names: tuple[str, ...]
    limits: tuple[float, ...]
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wire:
    """Message types of one kind of robot, and how they cross the border.

    Attributes:
        state, command, safe: message classes of robot_state, of command/skill and command/teleop, of command/safe.
        state_to_msg, state_from_msg: measured states; the first also takes whether the robot is armed.
        command_to_msg, command_from_msg: what sources want.
        safe_to_msg, safe_from_msg: what safety lets through.
        leaves_in_place: whether a robot of this state stays where it is when it is armed under this safe command.
        stands: whether a robot of this state stands still.
        objection: why a state is no good for a robot of this profile, as the safety monitor sees it; None if it is.
        fingers: names of the joints that joint_states shows besides the profile's.
        finger_position: of each of them [m].
        axes: what its commands move.
        description: its URDF with the names of joint_states; empty where there is none.
    """

    state: type
    command: type
    safe: type
    state_to_msg: Callable[[Any, bool], Any]
    state_from_msg: Callable[[Any], Any]
    command_to_msg: Callable[[Any], Any]
    command_from_msg: Callable[[Any], Any]
    safe_to_msg: Callable[[Any], Any]
    safe_from_msg: Callable[[Any], Any]
    leaves_in_place: Callable[[Any, Any], bool]
    stands: Callable[[Any], bool]
    objection: Callable[[Any, Any], Rejection | None]
    fingers: Callable[[Any], Sequence[str]]
    finger_position: Callable[[Any], float]
    axes: Callable[[Any], Axes]
    description: Callable[[Any], str]


def _arm_stays(command: SafeCommand, state: RobotState) -> bool:
    """Whether the reference is where the arm is."""
    same_length = len(command.position) == len(state.position)
    return same_length and bool((abs(state.position - command.position) < NEAR).all())


def _body_stays(command: SafeBodyCommand, _state: LeggedState) -> bool:
    """Whether the body is told to stand still."""
    return not command.velocity.any()


def _arm_stands(state: RobotState) -> bool:
    """One that says nothing of its joints is not known to."""
    return bool(state.velocity.size and (abs(state.velocity) <= MOVING).all())


def _body_stands(state: LeggedState) -> bool:
    odometry = state.odometry
    return bool((abs(odometry.linear) <= BODY_MOVING).all() and (abs(odometry.angular) <= BODY_MOVING).all())


def _joints(profile: RobotProfile) -> Axes:
    limits = tuple(float(limit) for limit in profile.velocity)
    return Axes(profile.joint_names, limits, (RADIANS,) * len(limits))


def _body(profile: QuadrupedProfile) -> Axes:
    speed = profile.body.velocity
    return Axes(BODY, (speed.forward, speed.sideways, speed.turn), BODY_UNITS)


def _fingers(profile: RobotProfile) -> Sequence[str]:
    return profile.gripper.joints


def _finger_position(state: RobotState) -> float:
    """Each finger has gone half the opening."""
    return 0.5 * state.gripper_width


WIRES: Final[Mapping[str, Wire]] = {
    "arm": Wire(
        ros.RobotState,
        ros.JointCommand,
        ros.SafeCommand,
        convert.robot_state_to_msg,
        convert.robot_state_from_msg,
        convert.joint_command_to_msg,
        convert.joint_command_from_msg,
        convert.safe_command_to_msg,
        convert.safe_command_from_msg,
        _arm_stays,
        _arm_stands,
        check_state,
        _fingers,
        _finger_position,
        _joints,
        robot_description,
    ),
    "quadruped": Wire(
        ros.LeggedState,
        ros.BodyCommand,
        ros.SafeBodyCommand,
        convert_legged.legged_state_to_msg,
        convert_legged.legged_state_from_msg,
        convert_legged.body_command_to_msg,
        convert_legged.body_command_from_msg,
        convert_legged.safe_body_command_to_msg,
        convert_legged.safe_body_command_from_msg,
        _body_stays,
        _body_stands,
        check_legged_state,
        lambda _profile: (),
        lambda _state: 0.0,
        _body,
        lambda _profile: "",
    ),
}
"""By the kind of a profile."""


def wire_of_state(types: Iterable[str]) -> Wire | None:
    """That of the robot whose states are published under one of these types; None where none is known."""
    wires = {f"reins_msgs/msg/{wire.state.__name__}": wire for wire in WIRES.values()}
    return next((wires[name] for name in types if name in wires), None)


def wire_of(profile: Profile) -> Wire:
    """The messages of this robot."""
    return WIRES[profile.kind]
