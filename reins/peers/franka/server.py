"""The Franka peer's side of libfranka's protocol: franky-sim's server, with what it leaves out.

Added: reflexes on discontinuous torques and velocities, on lost commands, and on request; motions refused during a
reflex, as the robot does; a user stop. It reaches into private parts of franky-sim 1.0.4, which is pinned.
"""

import select
import socket
import struct
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Collection
from contextlib import suppress
from typing import Any, Final

import numpy as np
from franky_sim.franka_gripper_protocol import GripperCommandStatus
from franky_sim.franka_gripper_server import FrankaGripperServer
from franky_sim.franka_robot_protocol import (
    AutomaticErrorRecoveryCommand,
    AutomaticErrorRecoveryStatus,
    BaseCommand,
    GetRobotModelCommand,
    MoveCommand,
    MoveStatus,
    RobotCommand,
    RobotMode,
    UDPCommand,
)
from franky_sim.franka_robot_server import ControlMode, FrankaRobotServer
from franky_sim.franka_robot_state import FrankaRobotState
from franky_sim.franka_server import Command, ConnectCommand, ConnectStatus, MessageHeader
from franky_sim.urdf import FR3_URDF

from reins.hardware.profile import RobotProfile
from reins.peers.franka.arm import TICK, PeerArm
from reins.peers.silences import Silences

LOST: Final = 0.25
"""Silence of the commanding side that is a reflex [s]: this peer shares its processor with others, and waits longer
than the robot does, so that only a cut network counts."""

PATIENCE: Final = 0.02
"""The robot's own limit [s]; longer silences are counted."""

TORQUE_RATE: Final = 1.0
"""Largest change of a commanded torque per cycle [N·m]. Source: libfranka, kMaxTorqueRate, 1000 N·m/s."""

ACCELERATION: Final = 10.0
"""Largest acceleration of a commanded joint velocity [rad/s²]. Source: libfranka, kMaxJointAcceleration."""

ROUNDING: Final = 1.05
"""Allowance on both."""

OLD_VERSION: Final = 5
"""Version of the protocol that a Panda's system speaks."""

ERRORS: Final = {
    "joint_reflex": 6,
    "joint_motion_generator_velocity_discontinuity": 14,
    "communication_constraints_violation": 25,
    "controller_torque_discontinuity": 32,
}
"""Places in the protocol's list of errors, found by having libfranka name them."""


class PeerMove(MoveCommand):  # type: ignore[misc]
    """Starts a motion unless the robot is in a mode that has none."""

    def handle(self, server: "PeerServer") -> None:
        """Answer."""
        if server.reflex or server.user_stopped:
            self.reply(MoveStatus.kCommandNotPossibleRejected)
        else:
            super().handle(server)


class PeerRecovery(AutomaticErrorRecoveryCommand):  # type: ignore[misc]
    """Ends a reflex."""

    def handle(self, server: "PeerServer") -> None:
        """Answer."""
        server.reflex = ""
        self.reply(AutomaticErrorRecoveryStatus.kSuccess)


class PeerModel(GetRobotModelCommand):  # type: ignore[misc]
    """Tells the robot's description."""

    def handle(self, server: "PeerServer") -> None:
        """Answer."""
        self.reply(0, payload=server.description.encode("ascii"))


class RefusedConnect(ConnectCommand):  # type: ignore[misc]
    """Of a robot whose system speaks another version of the protocol."""

    def handle(self, server: "PeerServer", command_type_struct: str = "I") -> None:
        """Answer."""
        header = MessageHeader(self.command_type, self.command_id, 8).to_bytes(command_type_struct)
        answer = struct.pack("<HH4x", ConnectStatus.kIncompatibleLibraryVersion.value, OLD_VERSION)
        self.client_socket.sendall(header + answer)


class PeerHand(FrankaGripperServer):  # type: ignore[misc]
    """The hand's side of the protocol.

    Attributes:
        homings: how often it was homed.
    """

    homings = 0

    def stop(self, command_id: int, tcp_socket: Any) -> None:
        """Also answers the command that it interrupts, as the hand does; the stock server leaves its client waiting."""
        if self._pending_command_id is not None:
            BaseCommand.send_response(
                self._pending_tcp_socket,
                self._pending_command_type,
                self._pending_command_id,
                GripperCommandStatus.kAborted,
                command_type_struct="H",
                status_type_struct="H",
            )
        super().stop(command_id, tcp_socket)

    def forget_homing(self) -> None:
        """As after power-up."""
        self._max_width = 0.0

    def start_homing(self, command_id: int, tcp_socket: Any) -> None:
        """As stock, and counted."""
        self.homings += 1
        super().start_homing(command_id, tcp_socket)


class PeerServer(FrankaRobotServer):  # type: ignore[misc]
    """The robot's side of the protocol, with reflexes.

    Attributes:
        description: the URDF that the robot tells of itself, with the profile's limits.
        silences: of the commanding side while a motion runs.
        used: (time [s], torque of the first joint [N·m]) of every command while it is a list.
    """

    def __init__(self, robot: PeerArm, hostname: str, traits: Collection[str], profile: RobotProfile) -> None:
        self._traits = traits
        self.description = _description(profile)
        self.silences = Silences(PATIENCE)
        self.used: list[tuple[float, float]] | None = None
        self.hand: PeerHand | None = None
        self.reflex = ""
        self.user_stopped = False
        self._last: UDPCommand | None = None
        self._heard = time.monotonic()
        super().__init__(robot, [hostname])
        commands = self._FrankaServer__command_class_map
        commands[RobotCommand.kMove] = PeerMove
        commands[RobotCommand.kAutomaticErrorRecovery] = PeerRecovery
        commands[RobotCommand.kGetRobotModel] = PeerModel
        if "old" in traits:
            commands[Command.kConnect] = RefusedConnect

    def _bind_children(self, hostname: str) -> None:
        if "no_hand" not in self._traits:
            self.hand = PeerHand(self.robot, hostname)
            self.hand.init()
            self._FrankaRobotServer__gripper_server = self.hand

    @property
    def mode(self) -> ControlMode:
        """What the motion that runs commands."""
        mode: ControlMode = self._FrankaRobotServer__control_mode
        return mode

    @property
    def homings(self) -> int:
        """How often the hand was homed."""
        return 0 if self.hand is None else self.hand.homings

    def forget_homing(self) -> None:
        """Have the hand as after power-up."""
        if self.hand is not None:
            self.hand.forget_homing()

    def start_motion(self, *arguments: Any) -> None:
        """As stock."""
        super().start_motion(*arguments)
        self._last, self._heard = None, time.monotonic()
        self.silences.rest()

    def raise_reflex(self, name: str) -> None:
        """Stop, abort the motion, and stay in the mode Reflex until recovered."""
        self.reflex = name
        self._abort(MoveStatus.kReflexAborted)

    def press_user_stop(self) -> None:
        """As with the external activation device."""
        self.user_stopped = True
        self._abort(MoveStatus.kEmergencyAborted)

    def refuse_others(self) -> None:
        """The robot has one client at a time; the stock server lets a second one wait for ever. Who comes after one
        that has left waits until what that one still said is read."""
        if self.tcp_connected and not _has_left(self._tcp_socket):
            with suppress(BlockingIOError):
                self._FrankaServer__server_socket.accept()[0].close()

    def watch(self) -> None:
        """A motion whose commands do not come any more is a reflex."""
        if self.current_motion_id and time.monotonic() - self._heard > LOST:
            self.raise_reflex("communication_constraints_violation")

    @property
    def robot_state(self) -> FrankaRobotState:
        """The stock state and the mode."""
        state = super().robot_state
        if self.user_stopped:
            return state.replace(robot_mode=RobotMode.kUserStopped)
        if not self.reflex:
            return state
        errors = tuple(index == ERRORS[self.reflex] for index in range(41))
        return state.replace(robot_mode=RobotMode.kReflex, errors=errors, reflex_reason=errors)

    def _abort(self, status: MoveStatus) -> None:
        running = self.current_motion_id
        self.stop_motion(send_preemption_signal=False)
        if running:
            BaseCommand.send_response(self._tcp_socket, RobotCommand.kMove, running, status)
            self.reset_current_motion_id()

    def _handle_udp_command(self, command_data: bytes) -> None:
        command = UDPCommand.from_bytes(command_data)
        self._heard = now = time.monotonic()
        self.silences.heard(now)
        if self.used is not None:
            self.used.append((now, float(command.tau_J_d[0])))
        last, self._last = self._last, command
        if last is not None and not (command.torque_command_finished or command.motion_generation_finished):
            cycles = max(1, command.message_id - last.message_id)
            if self.mode is ControlMode.TORQUE and _jumps(last.tau_J_d, command.tau_J_d, TORQUE_RATE * cycles):
                self.raise_reflex("controller_torque_discontinuity")
                return
            if self.mode is ControlMode.VELOCITY and _jumps(last.dq_c, command.dq_c, ACCELERATION * TICK * cycles):
                self.raise_reflex("joint_motion_generator_velocity_discontinuity")
                return
        super()._handle_udp_command(command_data)


def _has_left(client: socket.socket) -> bool:
    """Whether a client has closed its side, though not all that it sent may have been read."""
    poll = select.poll()
    poll.register(client, select.POLLRDHUP)
    return bool(poll.poll(0))


def _jumps(before: Any, after: Any, most: float) -> bool:
    return bool(np.abs(np.subtract(after, before)).max() > most * ROUNDING)


def _description(profile: RobotProfile) -> str:
    """The stock description with the limits of the profile's joints."""
    root = ElementTree.fromstring(FR3_URDF)
    root.set("name", profile.name)
    limits = [joint.find("limit") for joint in root.iter("joint") if joint.get("type") == "revolute"]
    for joint, limit in zip(profile.joints, limits, strict=True):
        assert limit is not None, "joints that turn have limits"
        limit.set("lower", repr(joint.lower))
        limit.set("upper", repr(joint.upper))
    return ElementTree.tostring(root, encoding="unicode")
