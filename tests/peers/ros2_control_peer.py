"""An arm behind ros2_control, as a process of its own: joint states out, setpoints in, physics by MuJoCo.

    python tests/peers/ros2_control_peer.py [trajectory | position | velocity] [trait …]

It has the nodes that a controller manager makes: joint_state_broadcaster, the controller of the kind named (called
joint_trajectory_controller, forward_position_controller or forward_velocity_controller, with the parameters of the real
one) and gripper_controller. Joints come in an order that is not the profile's, fingers among them.

Traits: `no_joint` leaves a joint out of the joint states, `no_speed` velocities and efforts; `reversed` has the
controller's joints in reverse order. One line of JSON on stdin is one request, one on stdout its answer.
"""

import json
import os
import selectors
import sys
import threading
import time
from contextlib import suppress
from typing import Any, Final

import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from reins.hardware.profile import load_profile
from reins.hardware.robot import FloatArray, GripperCommand
from reins.nodes.control_loop import Inbox
from reins.sim.gripper import SimulatedGripper
from reins.sim.mujoco_robot import MujocoPhysics
from reins.sim.world import load_world

RATE: Final = 250.0
"""Of the controller manager [Hz]."""

FAULT: Final = 0.3
"""The hardware says nothing good for this long after a fault [s]."""

BEHIND: Final = 1.0
"""Farther behind the clock than this, lost time is let go [s]."""

SYSTEM_DEFAULT: Final = QoSProfile(depth=10)
"""What ros2_control's subscriptions have: reliable."""

CONTROLLERS: Final = {
    "trajectory": ("joint_trajectory_controller", JointTrajectory, "joint_trajectory"),
    "position": ("forward_position_controller", Float64MultiArray, "commands"),
    "velocity": ("forward_velocity_controller", Float64MultiArray, "commands"),
}
"""Kind → name, message and topic."""


class Trajectory:
    """Cubic splines from where the arm is through the points of the newest message; holds at their end."""

    def __init__(self, names: list[str], position: FloatArray) -> None:
        self._names = names
        self._knots = [(0.0, position.copy(), np.zeros_like(position))]
        self._began = 0.0

    def take(self, message: JointTrajectory, now: float, position: FloatArray, velocity: FloatArray) -> None:
        """A message replaces what runs; one that ends in motion is rejected, as the real controller does."""
        order = [list(message.joint_names).index(name) for name in self._names]
        if any(message.points[-1].velocities):
            print("the last point of a trajectory moves: rejected", file=sys.stderr)
            return
        self._began = now
        self._knots = [(0.0, position.copy(), velocity.copy())]
        for point in message.points:
            at = point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec
            self._knots.append((at, np.array(point.positions)[order], np.array(point.velocities)[order]))

    def setpoint(self, now: float) -> tuple[FloatArray, FloatArray]:
        """Position and velocity to be at now."""
        t = now - self._began
        for (t0, p0, v0), (t1, p1, v1) in zip(self._knots, self._knots[1:], strict=False):
            if t < t1:
                h = t1 - t0
                s = (t - t0) / h
                position = (
                    (1 + 2 * s) * (1 - s) ** 2 * p0
                    + s * (1 - s) ** 2 * h * v0
                    + s**2 * (3 - 2 * s) * p1
                    + s**2 * (s - 1) * h * v1
                )
                velocity = 6 * s * (1 - s) / h * (p1 - p0) + (1 - s) * (1 - 3 * s) * v0 + s * (3 * s - 2) * v1
                return position, velocity
        return self._knots[-1][1], np.zeros_like(self._knots[-1][1])


class Forwarded:
    """Holds the newest array of positions, or moves on with the newest of velocities for ever, like the real one."""

    def __init__(self, kind: str, names: list[str], joints: list[str], position: FloatArray) -> None:
        self._order = [joints.index(name) for name in names]
        self._moves = kind == "velocity"
        self._position = position.copy()
        self._velocity = np.zeros_like(position)

    def take(self, message: Float64MultiArray, now: float, position: FloatArray, velocity: FloatArray) -> None:
        """A message replaces the one before it."""
        values = np.array(message.data)[self._order]
        if self._moves:
            self._velocity = values
        else:
            self._position = values

    def setpoint(self, now: float) -> tuple[FloatArray, FloatArray]:
        """Position and velocity to be at now."""
        self._position = self._position + self._velocity / RATE
        return self._position, self._velocity


class Peer:
    """The controller manager's loop: requests, controllers, physics, joint states."""

    def __init__(self, kind: str, traits: list[str]) -> None:
        profile = load_profile("franka")
        self._names = list(profile.joint_names)
        self._fingers = list(profile.gripper.joints)
        self._physics = MujocoPhysics(profile, load_world("tabletop"))
        self._physics.begin({})
        self._gripper = SimulatedGripper(self._physics.gripper, profile.gripper)
        self._limits = profile.gripper
        self._physics.joints.reference[:] = self._physics.joints.position
        joints = self._names[::-1] if "reversed" in traits else self._names
        name, message, topic = CONTROLLERS[kind]
        start = self._physics.joints.position
        self._controller: Trajectory | Forwarded = (
            Trajectory(self._names, start) if kind == "trajectory" else Forwarded(kind, self._names, joints, start)
        )
        self._executor = SingleThreadedExecutor()
        interface: dict[str, Any] = (
            {"command_interfaces": ["position"]} if kind == "trajectory" else {"interface_name": kind}
        )
        node = self._node(name, {"joints": joints, **interface})
        self._setpoints: Inbox[Any] = Inbox(node, message, f"/{name}/{topic}", SYSTEM_DEFAULT)
        hand = self._node("gripper_controller", {"joints": self._fingers[:1], "interface_name": "position"})
        self._grips = Inbox(hand, Float64MultiArray, "/gripper_controller/commands", SYSTEM_DEFAULT)
        self._publisher = self._node("joint_state_broadcaster", {}).create_publisher(
            JointState, "/joint_states", SYSTEM_DEFAULT
        )
        self._shown = [*self._fingers, *self._names[::-1]]
        if "no_joint" in traits:
            self._shown.remove(self._names[2])
        self._tells_speed = "no_speed" not in traits
        self._cut = False
        self._active = True
        self._broken_until = 0.0
        self._ticks = 0

    def _node(self, name: str, parameters: dict[str, Any]) -> Node:
        node = Node(name)
        for key, value in parameters.items():
            node.declare_parameter(key, value)
        self._executor.add_node(node)
        return node

    def run(self) -> None:
        """Until stdin ends."""
        threading.Thread(target=self._executor.spin, daemon=True).start()
        selector = selectors.DefaultSelector()
        selector.register(sys.stdin, selectors.EVENT_READ)
        print(json.dumps({"ready": True}), flush=True)
        due = time.monotonic()
        while True:
            if selector.select(0.0):
                line = sys.stdin.readline()
                if not line:
                    return
                print(json.dumps(self.answer(json.loads(line))), flush=True)
            self.tick()
            due += 1.0 / RATE
            now = time.monotonic()
            due = now if now - due > BEHIND else due
            time.sleep(max(0.0, due - now))

    def tick(self) -> None:
        """One period of the controller manager."""
        now, joints = self._physics.time, self._physics.joints
        for message in self._setpoints.drain():
            if not self._cut and self._active:
                self._controller.take(message, now, joints.position, joints.velocity)
        for message in self._grips.drain():
            if not self._cut:
                self._gripper.command(GripperCommand(2.0 * message.data[0], self._limits.grasp_force))
        position, velocity = self._controller.setpoint(now)
        joints.reference[:], joints.speeds[:] = position, velocity
        self._gripper.drive(1.0 / RATE)
        self._physics.advance(round(1.0 / RATE / self._physics.timestep))
        if not self._cut:
            self._publisher.publish(self._joint_state())
        self._ticks += 1

    def _joint_state(self) -> JointState:
        joints, fingers = self._physics.joints, self._physics.gripper
        message = JointState(name=self._shown)
        at = time.time_ns()
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(at, 10**9)
        position = dict(zip(self._names, joints.position, strict=True)) | dict(
            zip(self._fingers, fingers.position, strict=True)
        )
        if time.monotonic() < self._broken_until:
            position = dict.fromkeys(position, np.nan)
        message.position = [float(position[name]) for name in self._shown]
        if self._tells_speed:
            speed = dict(zip(self._names, joints.velocity, strict=True))
            effort = dict(zip(self._names, joints.effort, strict=True))
            message.velocity = [float(speed.get(name, 0.0)) for name in self._shown]
            message.effort = [float(effort.get(name, 0.0)) for name in self._shown]
        return message

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """What a test asks for."""
        what = request["do"]
        if what in ("cut", "restore"):
            self._cut = what == "cut"
        elif what in ("activate", "deactivate"):
            self._active = what == "activate"
        elif what == "fault":
            self._broken_until = time.monotonic() + FAULT
        joints = self._physics.joints
        return {"ticks": self._ticks, "q": joints.position.tolist(), "dq": joints.velocity.tolist()}


if __name__ == "__main__":
    rclpy.init(args=[])
    with suppress(PermissionError):  # a robot's computer does not wait for the tests to leave it a processor
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    with suppress(KeyboardInterrupt):
        Peer(sys.argv[1] if len(sys.argv) > 1 else "trajectory", sys.argv[2:]).run()
