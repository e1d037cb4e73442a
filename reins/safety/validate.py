"""Is this command well-formed and timely? A reason why not; nothing is ever repaired."""

import math
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import GripperCommand, JointCommand, RobotState
from reins.safety.settings import SafetySettings

SOURCES: Final = ("skill", "teleop")
"""Who may command."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a command was refused.

    Attributes:
        code: machine-readable, the same for the same kind of fault.
        reason: one sentence with the figures.
    """

    code: str
    reason: str


class Timed(Protocol):
    """A command, as far as its timing is concerned."""

    @property
    def stamp(self) -> float: ...

    @property
    def period(self) -> float: ...

    @property
    def activation(self) -> float: ...


class Stamped(Protocol):
    """A state, as far as its time is concerned."""

    @property
    def stamp(self) -> float: ...


def check_shape(command: JointCommand, profile: RobotProfile) -> Rejection | None:
    """Source, joint names, lengths, numbers, gripper: what can be judged from the command alone."""
    if command.source not in SOURCES:
        return Rejection("wrong_source", f"source '{command.source}' is not one of {', '.join(SOURCES)}")
    if tuple(command.joint_names) != profile.joint_names:
        return Rejection("wrong_joints", _about_joints(command, profile))
    expected = (len(profile.joints),)
    if np.shape(command.velocity) != expected:
        return Rejection("wrong_length", f"velocity has shape {np.shape(command.velocity)} instead of {expected}")
    finite = np.isfinite(command.velocity)
    if not finite.all():
        worst = int(np.argmin(finite))
        return Rejection("not_finite", f"velocity of {profile.joint_names[worst]} is {command.velocity[worst]}")
    if not (math.isfinite(command.stamp) and math.isfinite(command.activation)):
        return Rejection("not_finite", f"stamp is {command.stamp} and activation {command.activation}")
    if command.gripper is not None:
        return _check_gripper(command.gripper, profile)
    return None


def _about_joints(command: JointCommand, profile: RobotProfile) -> str:
    given, expected = list(command.joint_names), list(profile.joint_names)
    if len(given) != len(expected):
        return f"{len(given)} joint names instead of {len(expected)}"
    if sorted(given) == sorted(expected):
        return f"joint names in another order than the profile's: {', '.join(given)}"
    return f"unknown joint names {', '.join(sorted(set(given) - set(expected))) or ', '.join(given)}"


def _check_gripper(gripper: GripperCommand, profile: RobotProfile) -> Rejection | None:
    limits = profile.gripper
    if not 0.0 <= gripper.width <= limits.max_width:
        return Rejection("gripper_range", f"gripper width {gripper.width} m is not in 0 … {limits.max_width} m")
    if not 0.0 <= gripper.force <= limits.max_force:
        return Rejection("gripper_range", f"gripper force {gripper.force} N is not in 0 … {limits.max_force} N")
    return None


def check_timing(command: Timed, newest: Stamped, settings: SafetySettings) -> Rejection | None:
    """Period and stamp, against the newest robot state."""
    if not 0.0 < command.period <= settings.max_period:
        return Rejection("period_range", f"period {command.period} s is not in 0 … {settings.max_period} s")
    age = newest.stamp - command.stamp
    if age > settings.command_max_age:
        return Rejection("stale", f"computed from a robot state {age * 1e3:.0f} ms old")
    if -age > settings.command_max_lead:
        return Rejection("from_the_future", f"stamped {-age * 1e3:.0f} ms ahead of the robot")
    if command.activation > command.stamp:
        ahead = (command.activation - command.stamp) * 1e3
        return Rejection("from_the_future", f"its goal begins {ahead:.0f} ms after the state it was computed from")
    return None


def check_state(state: RobotState, profile: RobotProfile) -> Rejection | None:
    """Lengths and numbers of a measured state; a state that fails is not used at all."""
    expected = (len(profile.joints),)
    for name in ("position", "velocity", "effort", "reference"):
        values = getattr(state, name)
        if np.shape(values) != expected:
            return Rejection("wrong_length", f"{name} has shape {np.shape(values)} instead of {expected}")
        if not np.isfinite(values).all():
            return Rejection("not_finite", f"{name} is not finite: {values}")
    if not math.isfinite(state.stamp):
        return Rejection("not_finite", f"stamp is {state.stamp}")
    return None
