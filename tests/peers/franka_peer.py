"""A Franka robot behind libfranka's protocol, as a process of its own: franky-sim's server, with what it leaves out.

    python tests/peers/franka_peer.py HOSTNAME POSITION [no_hand] [old]

POSITION is a JSON list of joint positions; `no_hand` leaves the hand out, `old` has another version of the protocol.

Added: absolute pacing; reflexes on discontinuous torques and velocities, on lost commands, and on request; motions
refused during a reflex, as the robot does; a network that can be cut; a user stop. One line of JSON on stdin is one
request, one on stdout its answer. It reaches into private parts of franky-sim 1.0.4, which is pinned.
"""

import json
import os
import selectors
import struct
import sys
import time
from contextlib import suppress
from typing import Any, Final

import numpy as np
from franky_sim.franka_gripper_protocol import GripperCommandStatus
from franky_sim.franka_gripper_server import FrankaGripperServer
from franky_sim.franka_robot_protocol import (
    AutomaticErrorRecoveryCommand,
    AutomaticErrorRecoveryStatus,
    BaseCommand,
    MoveCommand,
    MoveStatus,
    RobotCommand,
    RobotMode,
    UDPCommand,
)
from franky_sim.franka_robot_server import ControlMode, FrankaRobotServer
from franky_sim.franka_robot_state import FrankaRobotState
from franky_sim.franka_server import Command, ConnectCommand, ConnectStatus, MessageHeader
from franky_sim.mujoco_simulator import FrankaMujocoRobot, MujocoSimulator

TICK: Final = 0.001
"""The robot's cycle [s]."""

BEHIND: Final = 1.0
"""Farther behind the clock than this, lost time is let go [s]."""

LOST: Final = 0.25
"""Silence of the commanding side that is a reflex [s]. The robot's own limit is 20 ms; this peer shares its processor
with the tests, and waits longer so that only a cut network counts."""

TORQUE_RATE: Final = 1.0
"""Largest change of a commanded torque per cycle [N·m]. Source: libfranka, kMaxTorqueRate, 1000 N·m/s."""

ACCELERATION: Final = 10.0
"""Largest acceleration of a commanded joint velocity [rad/s²]. Source: libfranka, kMaxJointAcceleration."""

ROUNDING: Final = 1.05
"""Allowance on both."""

STIFFNESS: Final = (4500.0, 4500.0, 3500.0, 3500.0, 400.0, 400.0, 100.0)
DAMPING: Final = (450.0, 450.0, 350.0, 350.0, 20.0, 20.0, 4.0)
"""Of the robot's own control of positions [N·m/rad, N·m·s/rad]; with the stock values joints 5 to 7 shake."""

OLD_VERSION: Final = 5
"""Version of the protocol that a Panda's system speaks."""

ERRORS: Final = {
    "joint_reflex": 6,
    "joint_motion_generator_velocity_discontinuity": 14,
    "communication_constraints_violation": 25,
    "controller_torque_discontinuity": 32,
}
"""Places in the protocol's list of errors, found by having libfranka name them."""


class PeerRobot(FrankaMujocoRobot):  # type: ignore[misc]
    """The arm, whose poses are copies and whose external torque is none."""

    def kinematics(self, q: Any) -> Any:
        """Pose of the end effector; the stock method gives a view that the next call overwrites."""
        return super().kinematics(q).copy()

    @property
    def state(self) -> FrankaRobotState:
        """The stock state tells the whole torque as an external one."""
        return super().state.replace(tau_ext_hat_filtered=(0.0,) * 7)


class PeerSimulator(MujocoSimulator):  # type: ignore[misc]
    """franky-sim's world with the peer's arm in it."""

    def add_peer(self, initial_q: tuple[float, ...]) -> PeerRobot:
        """The stock `add_robot`, which names its class."""
        import franky_sim.mujoco_simulator as stock

        original, stock.FrankaMujocoRobot = stock.FrankaMujocoRobot, PeerRobot
        try:
            robot: PeerRobot = self.add_robot(initial_q, kp=STIFFNESS, kv=DAMPING)
            return robot
        finally:
            stock.FrankaMujocoRobot = original


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


class RefusedConnect(ConnectCommand):  # type: ignore[misc]
    """Of a robot whose system speaks another version of the protocol."""

    def handle(self, server: "PeerServer", command_type_struct: str = "I") -> None:
        """Answer."""
        header = MessageHeader(self.command_type, self.command_id, 8).to_bytes(command_type_struct)
        answer = struct.pack("<HH4x", ConnectStatus.kIncompatibleLibraryVersion.value, OLD_VERSION)
        self.client_socket.sendall(header + answer)


class PeerHand(FrankaGripperServer):  # type: ignore[misc]
    """The hand's side of the protocol."""

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
        self.homings = getattr(self, "homings", 0) + 1
        super().start_homing(command_id, tcp_socket)


class PeerServer(FrankaRobotServer):  # type: ignore[misc]
    """The robot's side of the protocol, with reflexes."""

    def __init__(self, robot: PeerRobot, hostname: str, traits: tuple[str, ...]) -> None:
        self._traits = traits
        self.hand: PeerHand | None = None
        self.reflex = ""
        self.user_stopped = False
        self._last: UDPCommand | None = None
        self._heard = time.monotonic()
        super().__init__(robot, [hostname])
        commands = self._FrankaServer__command_class_map
        commands[RobotCommand.kMove] = PeerMove
        commands[RobotCommand.kAutomaticErrorRecovery] = PeerRecovery
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

    def start_motion(self, *arguments: Any) -> None:
        """As stock."""
        super().start_motion(*arguments)
        self._last, self._heard = None, time.monotonic()

    def raise_reflex(self, name: str) -> None:
        """Stop, abort the motion, and stay in the mode Reflex until recovered."""
        self.reflex = name
        self._abort(MoveStatus.kReflexAborted)

    def press_user_stop(self) -> None:
        """As with the external activation device."""
        self.user_stopped = True
        self._abort(MoveStatus.kEmergencyAborted)

    def refuse_others(self) -> None:
        """The robot has one client at a time; the stock server lets a second one wait for ever."""
        if self.tcp_connected:
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
        self._heard = time.monotonic()
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


class Peer:
    """The loop: requests, protocol, physics, once per cycle."""

    def __init__(self, hostname: str, initial_q: tuple[float, ...], traits: tuple[str, ...]) -> None:
        self._simulator = PeerSimulator()
        self._simulator.init()
        self._robot = self._simulator.add_peer(initial_q)
        self._server = PeerServer(self._robot, hostname, traits)
        self._server.init()
        self._simulator.start()
        self._cut = False
        self._ticks = 0
        self._log: list[tuple[float, ...]] = []
        self._logging = False

    def run(self) -> None:
        """Until stdin ends."""
        selector = selectors.DefaultSelector()
        selector.register(sys.stdin, selectors.EVENT_READ)
        print(json.dumps({"ready": self._server.hostname}), flush=True)
        due = time.monotonic()
        while True:
            if self._ticks % 5 == 0 and selector.select(0.0):
                line = sys.stdin.readline()
                if not line:
                    return
                print(json.dumps(self.answer(json.loads(line))), flush=True)
            self.tick()
            due += TICK
            now = time.monotonic()
            due = now if now - due > BEHIND else due
            time.sleep(max(0.0, due - now))

    def tick(self) -> None:
        """One cycle of the robot."""
        if not self._cut:
            self._server.process_commands()  # first, so that a client that has left is none
            self._server.refuse_others()
        else:
            self._server._post_process_commands()
        self._server.watch()
        self._simulator.step()
        if not self._cut:
            self._server.send_state()
        if self._logging:
            state = self._robot.inner_state
            self._log.append((time.monotonic(), *state.q, *state.dq))
        self._ticks += 1

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """What a test asks for."""
        what = request["do"]
        if what in ("cut", "restore"):
            self._cut = what == "cut"
        elif what == "reflex":
            self._server.raise_reflex(request["name"])
        elif what == "user_stop":
            self._server.press_user_stop()
        elif what == "release":
            self._server.user_stopped = False
        elif what == "unhome" and self._server.hand is not None:
            self._server.hand.forget_homing()
        elif what == "log":
            self._log, self._logging = [], True
        elif what == "read_log":
            self._logging = False
            return {"rows": self._log}
        state = self._robot.inner_state
        return {
            "ticks": self._ticks,
            "reflex": self._server.reflex,
            "mode": self._server.mode.value,
            "q": list(state.q),
            "dq": list(state.dq),
            "mass": self._robot.m_load,
            "homings": getattr(self._server.hand, "homings", 0),
        }


def _jumps(before: Any, after: Any, most: float) -> bool:
    return bool(np.abs(np.subtract(after, before)).max() > most * ROUNDING)


if __name__ == "__main__":
    with suppress(PermissionError):  # a robot's computer does not wait for the tests to leave it a processor
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    Peer(sys.argv[1], tuple(json.loads(sys.argv[2])), tuple(sys.argv[3:])).run()
