"""Control-path data to ROS messages and back: time, robot state, commands, events.

The borders are quick (arrays cross as buffers, no element is touched in Python) and honest: a message of the wrong
length arrives as an array of the wrong length, for the safety monitor to refuse. Scenes, plans and worlds are in
`convert_scene`.
"""

from array import array

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import ArrayLike
from reins_msgs import msg as ros

from reins.contracts.event import SafetyEvent, Severity
from reins.hardware.robot import FloatArray, GripperCommand, JointCommand, RobotState, SafeCommand

NANOSECONDS = 1_000_000_000
"""In a second."""


def time_to_msg(seconds: float) -> Time:
    """Robot time [s], not negative, as a ROS time, rounded to the nanosecond."""
    return fill_time(Time(), seconds)


def fill_time(stamp: Time, seconds: float) -> Time:
    """Set `stamp` to robot time `seconds` and give it back; for messages that are reused."""
    stamp.sec, stamp.nanosec = divmod(round(seconds * NANOSECONDS), NANOSECONDS)
    return stamp


def time_from_msg(stamp: Time) -> float:
    """A ROS time as robot time [s]."""
    return float((stamp.sec * NANOSECONDS + stamp.nanosec) / NANOSECONDS)


def to_sequence(values: ArrayLike) -> "array[float]":
    """Numbers as the `array.array('d')` that float64[] fields hold."""
    return array("d", np.asarray(values, dtype=np.float64).tobytes())


def from_sequence(values: "array[float]") -> FloatArray:
    """A float64[] field as an array of its own."""
    return np.array(values, dtype=np.float64)


def robot_state_to_msg(state: RobotState, armed: bool) -> ros.RobotState:
    """Measured state, and whether safe commands reach the robot."""
    message = ros.RobotState()
    fill_time(message.header.stamp, state.stamp)
    message.position = to_sequence(state.position)
    message.velocity = to_sequence(state.velocity)
    message.effort = to_sequence(state.effort)
    message.reference = to_sequence(state.reference)
    message.gripper_width = float(state.gripper_width)
    message.gripper_holding = bool(state.gripper_holding)
    message.sequence = state.sequence
    message.armed = armed
    message.fault = state.fault
    return message


def robot_state_from_msg(message: ros.RobotState) -> RobotState:
    """Measured state; `message.armed` is not part of it."""
    return RobotState(
        stamp=time_from_msg(message.header.stamp),
        position=from_sequence(message.position),
        velocity=from_sequence(message.velocity),
        effort=from_sequence(message.effort),
        reference=from_sequence(message.reference),
        gripper_width=message.gripper_width,
        gripper_holding=message.gripper_holding,
        sequence=message.sequence,
        fault=message.fault,
    )


def _fill_gripper(message: ros.JointCommand | ros.SafeCommand, gripper: GripperCommand | None) -> None:
    message.has_gripper = gripper is not None
    if gripper is not None:
        message.gripper_width = float(gripper.width)
        message.gripper_force = float(gripper.force)


def _gripper(message: ros.JointCommand | ros.SafeCommand) -> GripperCommand | None:
    return GripperCommand(message.gripper_width, message.gripper_force) if message.has_gripper else None


def joint_command_to_msg(command: JointCommand) -> ros.JointCommand:
    """What a source wants."""
    message = ros.JointCommand()
    fill_time(message.header.stamp, command.stamp)
    message.source = command.source
    message.sequence = command.sequence
    message.period = float(command.period)
    message.joint_names = list(command.joint_names)
    message.velocity = to_sequence(command.velocity)
    fill_time(message.activation, command.activation)
    _fill_gripper(message, command.gripper)
    message.trace_ns = command.trace_ns
    return message


def joint_command_from_msg(message: ros.JointCommand) -> JointCommand:
    """What a source wants."""
    return JointCommand(
        source=message.source,
        sequence=message.sequence,
        stamp=time_from_msg(message.header.stamp),
        period=message.period,
        joint_names=tuple(message.joint_names),
        velocity=from_sequence(message.velocity),
        activation=time_from_msg(message.activation),
        gripper=_gripper(message),
        trace_ns=message.trace_ns,
    )


def safe_command_to_msg(command: SafeCommand) -> ros.SafeCommand:
    """What the safety monitor lets through."""
    message = ros.SafeCommand()
    fill_time(message.header.stamp, command.stamp)
    message.sequence = command.sequence
    message.period = float(command.period)
    message.position = to_sequence(command.position)
    message.velocity = to_sequence(command.velocity)
    _fill_gripper(message, command.gripper)
    message.trace_ns = command.trace_ns
    return message


def safe_command_from_msg(message: ros.SafeCommand) -> SafeCommand:
    """What the safety monitor lets through."""
    return SafeCommand(
        sequence=message.sequence,
        stamp=time_from_msg(message.header.stamp),
        period=message.period,
        position=from_sequence(message.position),
        velocity=from_sequence(message.velocity),
        gripper=_gripper(message),
        trace_ns=message.trace_ns,
    )


def event_to_msg(event: SafetyEvent) -> ros.SafetyEvent:
    """A safety event."""
    message = ros.SafetyEvent()
    fill_time(message.header.stamp, event.stamp)
    message.severity = int(event.severity)
    message.kind, message.source, message.reason = event.kind, event.source, event.reason
    return message


def event_from_msg(message: ros.SafetyEvent) -> SafetyEvent:
    """A safety event."""
    return SafetyEvent(
        stamp=time_from_msg(message.header.stamp),
        severity=Severity(message.severity),
        kind=message.kind,
        source=message.source,
        reason=message.reason,
    )
