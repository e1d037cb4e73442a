"""Control-path data of legged robots to ROS messages and back, as `convert` has it for arms.

The borders are honest: a twist that asks for more than a body on the ground can do arrives as one of six numbers, for
the safety monitor to refuse, and so does a posture that there is none.
"""

from typing import Final

import numpy as np
from geometry_msgs.msg import Pose, Quaternion, Twist, Vector3
from reins_msgs import msg as ros

from reins.hardware.legged import BodyCommand, Gait, LeggedState, Odometry, Posture, SafeBodyCommand
from reins.hardware.robot import FloatArray
from reins.nodes.convert import fill_time, from_sequence, time_from_msg, to_sequence

ODOMETRY_FRAME: Final = "odom"
"""REP 105's name of the frame that a walking robot knows its place in."""

BODY_FRAME: Final = "base_link"
"""REP 105's name of the body's frame."""

_GROUND: Final = [0, 1, 5]
"""What a body on the ground does, of a twist's six numbers: linear x and y, angular z."""

_POSTURES: Final = {int(posture): posture for posture in Posture}


def legged_state_to_msg(state: LeggedState, armed: bool) -> ros.LeggedState:
    """Measured state, and whether safe commands reach the robot."""
    message = ros.LeggedState()
    message.header.frame_id = ODOMETRY_FRAME
    fill_time(message.header.stamp, state.stamp)
    message.orientation = _to_quaternion(state.orientation)
    message.position = to_sequence(state.position)
    message.velocity = to_sequence(state.velocity)
    message.effort = to_sequence(state.effort)
    message.contact = [bool(touches) for touches in state.contact]
    message.battery = float(state.battery)
    place = message.pose.position
    place.x, place.y, place.z = map(float, state.odometry.position)
    message.pose.orientation = _to_quaternion(state.odometry.orientation)
    message.twist = twist_to_msg(np.concatenate([state.odometry.linear, state.odometry.angular]))
    message.has_height = state.height is not None
    message.height = float(state.height or 0.0)
    message.temperature = to_sequence([] if state.temperature is None else state.temperature)
    message.sequence = state.sequence
    message.armed = armed
    message.fault = state.fault
    return message


def legged_state_from_msg(message: ros.LeggedState) -> LeggedState:
    """Measured state; `message.armed` is not part of it."""
    twist = six_of(message.twist)
    return LeggedState(
        stamp=time_from_msg(message.header.stamp),
        orientation=_from_quaternion(message.orientation),
        position=from_sequence(message.position),
        velocity=from_sequence(message.velocity),
        effort=from_sequence(message.effort),
        contact=np.array(message.contact, dtype=np.bool_),
        battery=message.battery,
        odometry=_odometry(message.pose, twist),
        height=message.height if message.has_height else None,
        temperature=from_sequence(message.temperature) if message.temperature else None,
        sequence=message.sequence,
        fault=message.fault,
    )


def body_command_to_msg(command: BodyCommand) -> ros.BodyCommand:
    """What a source wants."""
    message = ros.BodyCommand(source=command.source, sequence=command.sequence, period=float(command.period))
    message.header.frame_id = BODY_FRAME
    fill_time(message.header.stamp, command.stamp)
    message.velocity = body_velocity_to_msg(command.velocity)
    message.posture = int(command.posture)
    message.gait = _gait_to_msg(command.gait)
    fill_time(message.activation, command.activation)
    message.trace_ns = command.trace_ns
    return message


def body_command_from_msg(message: ros.BodyCommand) -> BodyCommand:
    """What a source wants."""
    return BodyCommand(
        source=message.source,
        sequence=message.sequence,
        stamp=time_from_msg(message.header.stamp),
        period=message.period,
        velocity=body_velocity_from_msg(message.velocity),
        activation=time_from_msg(message.activation),
        posture=_POSTURES.get(message.posture, message.posture),
        gait=Gait(message.gait.height, message.gait.style),
        trace_ns=message.trace_ns,
    )


def safe_body_command_to_msg(command: SafeBodyCommand) -> ros.SafeBodyCommand:
    """What the safety monitor lets through."""
    message = ros.SafeBodyCommand(sequence=command.sequence, period=float(command.period))
    message.header.frame_id = BODY_FRAME
    fill_time(message.header.stamp, command.stamp)
    message.velocity = body_velocity_to_msg(command.velocity)
    message.posture = int(command.posture)
    message.gait = _gait_to_msg(command.gait)
    message.trace_ns = command.trace_ns
    return message


def safe_body_command_from_msg(message: ros.SafeBodyCommand) -> SafeBodyCommand:
    """What the safety monitor lets through."""
    return SafeBodyCommand(
        sequence=message.sequence,
        stamp=time_from_msg(message.header.stamp),
        period=message.period,
        velocity=body_velocity_from_msg(message.velocity),
        posture=_POSTURES.get(message.posture, message.posture),
        gait=Gait(message.gait.height, message.gait.style),
        trace_ns=message.trace_ns,
    )


def _gait_to_msg(gait: Gait) -> ros.Gait:
    return ros.Gait(height=float(gait.height), style=float(gait.style))


def body_velocity_to_msg(velocity: FloatArray) -> Twist:
    """(3,) velocity of a body on the ground [m/s, m/s, rad/s] as a twist."""
    six = np.zeros(6)
    six[_GROUND] = velocity
    return twist_to_msg(six)


def body_velocity_from_msg(message: Twist) -> FloatArray:
    """(3,) velocity of a body on the ground; (6,) where the twist asks for more, or is not finite elsewhere."""
    six = six_of(message)
    others = np.delete(six, _GROUND)
    return six if others.any() else six[_GROUND]


def twist_to_msg(six: FloatArray) -> Twist:
    """(6,) linear [m/s], then angular [rad/s]."""
    x, y, z, roll, pitch, yaw = map(float, six)
    return Twist(linear=Vector3(x=x, y=y, z=z), angular=Vector3(x=roll, y=pitch, z=yaw))


def six_of(message: Twist) -> FloatArray:
    """(6,) linear [m/s], then angular [rad/s]."""
    linear, angular = message.linear, message.angular
    return np.array([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z])


def _odometry(pose: Pose, twist: FloatArray) -> Odometry:
    place = pose.position
    return Odometry(
        np.array([place.x, place.y, place.z]), _from_quaternion(pose.orientation), twist[:3].copy(), twist[3:].copy()
    )


def _to_quaternion(values: FloatArray) -> Quaternion:
    x, y, z, w = map(float, values)
    return Quaternion(x=x, y=y, z=z, w=w)


def _from_quaternion(message: Quaternion) -> FloatArray:
    return np.array([message.x, message.y, message.z, message.w])
