"""Setpoints as the controllers of ros2_control take them."""

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
from builtin_interfaces.msg import Duration as DurationMessage
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.hardware.ros2_control import Controls, Ros2ControlDrive

FRESH: Final = 0.1
"""A setpoint that could not be delivered for this long is dropped [s]: it must not come when a cut network is back."""

SETPOINTS: Final = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, lifespan=Duration(seconds=FRESH))
"""Reliable, because the controllers' subscriptions are."""


class Setpoints(Protocol):
    """Publishes setpoints to one controller."""

    def send(self, position: FloatArray, velocity: FloatArray, measured: FloatArray) -> None:
        """Have the arm go through `position` (n,) [rad] with `velocity` [rad/s] now; it is at `measured` [rad]."""

    def hold(self, position: FloatArray) -> None:
        """Have the arm stay at `position` (n,) [rad], where it is, though nothing more is sent."""


class Pace:
    """As many setpoints as a rate allows, and in any case the one that brings the arm to rest: nothing follows it, and
    the one before it would go on.

    Args:
        rate: at most this many a second [Hz].
    """

    def __init__(self, rate: float) -> None:
        self._period = 1.0 / rate
        self._sent_at = float("-inf")
        self._moves = False

    def due(self, velocity: FloatArray, now: float) -> bool:
        """Whether a setpoint with this velocity (n,) [rad/s] is sent at `now` [s]; if so, it counts as sent."""
        moves = bool(velocity.any())
        if now - self._sent_at < self._period and (moves or not self._moves):
            return False
        self._sent_at, self._moves = now, moves
        return True


def run_out(
    position: FloatArray, velocity: FloatArray, horizon: float, acceleration: FloatArray
) -> list[tuple[float, FloatArray, FloatArray]]:
    """The points of a trajectory that goes on with a setpoint for `horizon` [s] and then brakes to a stand.

    An arm that hears nothing more comes to rest at its end without anybody's watchdog.

    Args:
        position, velocity: (n,) the setpoint now [rad, rad/s].
        horizon: how long it goes on [s].
        acceleration: (n,) with which each joint may brake [rad/s²].

    Returns:
        (time from now [s], position, velocity) of one point for a setpoint at rest, else of two.

    Source: uniform braking, d = v t / 2, every joint as long as the one that needs longest.
    """
    ahead = position + velocity * horizon
    braking = float(np.max(np.abs(velocity) / acceleration))
    if braking == 0.0:
        return [(horizon, ahead, velocity)]
    return [(horizon, ahead, velocity), (horizon + braking, ahead + 0.5 * velocity * braking, np.zeros_like(velocity))]


class TrajectorySetpoints:
    """For joint_trajectory_controller: each message replaces the one before it, from where the arm is.

    Args:
        node: publishes.
        topic: of the controller.
        names: (n,) joints in ros2_control, in the profile's order.
        drive, profile: of the robot.
    """

    def __init__(
        self, node: Node, topic: str, names: Sequence[str], drive: Ros2ControlDrive, profile: RobotProfile
    ) -> None:
        self._publisher = node.create_publisher(JointTrajectory, topic, SETPOINTS)
        self._names = list(names)
        self._horizon = drive.horizon
        self._acceleration = profile.acceleration

    def send(self, position: FloatArray, velocity: FloatArray, measured: FloatArray) -> None:
        """Send a trajectory of one point or two."""
        points = [
            JointTrajectoryPoint(positions=q.tolist(), velocities=dq.tolist(), time_from_start=_duration(t))
            for t, q, dq in run_out(position, velocity, self._horizon, self._acceleration)
        ]
        self._publisher.publish(JointTrajectory(joint_names=self._names, points=points))

    def hold(self, position: FloatArray) -> None:
        """Send a trajectory of one point, at rest."""
        self.send(position, np.zeros_like(position), position)


class ArraySetpoints:
    """For controllers that forward an array to the joints, in the order of their own parameter `joints`.

    Args:
        node: publishes.
        topic: of the controller.
        order: (n,) place of each of the controller's joints in the profile's order.
        drive, profile: of the robot.
    """

    def __init__(
        self, node: Node, topic: str, order: Sequence[int], drive: Ros2ControlDrive, profile: RobotProfile
    ) -> None:
        self._publisher = node.create_publisher(Float64MultiArray, topic, SETPOINTS)
        self._order = list(order)
        self._gain = drive.gain if drive.controls is Controls.VELOCITY else 0.0
        self._fastest = profile.velocity

    def send(self, position: FloatArray, velocity: FloatArray, measured: FloatArray) -> None:
        """Send positions, or the velocities that also make up for the way between setpoint and arm."""
        values = position
        if self._gain:
            values = np.clip(velocity + self._gain * (position - measured), -self._fastest, self._fastest)
        self._publisher.publish(Float64MultiArray(data=values[self._order].tolist()))

    def hold(self, position: FloatArray) -> None:
        """Send the position, or velocities of exactly 0: what made up for a distance would go on for ever."""
        self.send(position, np.zeros_like(position), position)


def _duration(seconds: float) -> DurationMessage:
    nanoseconds = round(seconds * 1e9)
    return DurationMessage(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)
