"""A UR arm with a Robotiq gripper behind their own protocols, as a process of its own.

    python tests/peers/ur_peer.py ADDRESS PROFILE [TRAIT …]

Ports as on the controller: 29999 dashboard, 30001 to 30003 scripts, 30004 RTDE, 63352 gripper. Traits: `no_gripper`,
`local`, `ur10` (as it names itself), `old` (software), `fieldbus` (has taken input registers), `closed_rtde`,
`powered_off`.

Not there: the state stream of ports 30001 to 30003, which ur_rtde does not read, and an interpreter for URScript
(`ur_program.py` says what is in its place). One line of JSON on stdin is one request, one on stdout its answer.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import numpy as np
from ur_arm import TICK, Arm, RobotMode, SafetyMode
from ur_dashboard import GREETING, Dashboard
from ur_gripper import GripperPeer
from ur_line_server import LineServer, Link, Sockets
from ur_program import Program
from ur_rtde_server import Outputs, RtdeServer, Value

from reins.hardware.profile import load_profile

BEHIND: Final = 1.0
"""Farther behind the clock than this, lost time is let go [s]."""

MARK: Final = "RTDE Control Script"
"""In the text of the one script that the peer can stand in for."""


class ScriptServer:
    """Takes programs, and starts the one it knows."""

    def __init__(self, dashboard: Dashboard, arm: Arm, program: Program) -> None:
        self._dashboard = dashboard
        self._arm = arm
        self._program = program

    def opened(self, link: Link) -> None:
        """Nothing to say."""

    def received(self, link: Link) -> None:
        """Start a program once all of it is there."""
        text = link.buffer.decode(errors="replace")
        if not text.endswith("\nend\n"):
            return
        link.buffer.clear()
        if MARK in text and self._dashboard.remote and self._arm.able:
            self._program.end()
            self._program.start()

    def closed(self, link: Link) -> None:
        """A program goes on without its sender."""


class Peer:
    """The loop: sockets as they come, one cycle of the controller every two milliseconds."""

    def __init__(self, address: str, profile: str, traits: tuple[str, ...]) -> None:
        self._arm = Arm(load_profile(profile))
        self._program = Program(self._arm)
        self._dashboard = Dashboard(self._arm, self._program, traits)
        self._gripper = GripperPeer()
        self._rtde = RtdeServer(_outputs(self._arm, self._program), self._put)
        if "fieldbus" in traits:
            self._rtde.occupy([f"input_int_register_{number}" for number in range(8)])
        if "powered_off" in traits:
            self._arm.mode = RobotMode.POWER_OFF
        self._sockets = Sockets(address)
        self._sockets.listen(29999, LineServer(self._dashboard.answer, GREETING))
        for port in (30001, 30002, 30003):
            self._sockets.listen(port, ScriptServer(self._dashboard, self._arm, self._program))
        if "closed_rtde" not in traits:
            self._sockets.listen(30004, self._rtde)
        if "no_gripper" not in traits:
            self._sockets.listen(63352, LineServer(self._gripper.answer))
        self._requests = Sockets(address)
        self._requests.watch(sys.stdin, self._request)
        self._ended = self._cut = False
        self._log: list[tuple[float, ...]] | None = None
        self._requested: dict[str, Callable[[dict[str, Any]], None]] = {
            "look": lambda request: None,
            "cut": lambda request: self._set_cut(True),
            "restore": lambda request: self._set_cut(False),
            "protective_stop": lambda request: self._arm.stop(SafetyMode.PROTECTIVE_STOP),
            "emergency_stop": lambda request: self._arm.stop(SafetyMode.ROBOT_EMERGENCY_STOP),
            "safeguard_stop": lambda request: self._arm.stop(SafetyMode.SAFEGUARD_STOP),
            "release": lambda request: self._release(),
            "stop_program": lambda request: self._program.end(),
            "other_program": lambda request: self._program.start_another(),
            "power_off": lambda request: self._set_mode(RobotMode.POWER_OFF),
            "local": lambda request: self._set_remote(False),
            "reset_gripper": lambda request: self._gripper.reset(),
            "gripper_fault": lambda request: setattr(self._gripper, "fault", request["code"]),
            "object": lambda request: setattr(self._gripper, "object", request["at"]),
            "log": lambda request: setattr(self, "_log", []),
        }

    def run(self) -> None:
        """Until stdin ends."""
        print(json.dumps({"ready": True}), flush=True)
        due = time.monotonic()
        while not self._ended:
            due += TICK
            now = time.monotonic()
            due = now if now - due > BEHIND else due
            while (left := due - time.monotonic()) > 0.0:
                self._serve(left)
            self._serve(0.0)
            self._tick()

    def _serve(self, seconds: float) -> None:
        if self._cut:
            self._requests.serve(seconds)
        else:
            self._requests.serve(0.0)
            self._sockets.serve(seconds)

    def _tick(self) -> None:
        self._program.tick(TICK)
        self._arm.tick()
        self._gripper.tick(TICK)
        if not self._cut:
            self._rtde.tick()
        if self._log is not None:
            self._log.append((time.monotonic(), *self._arm.position, *self._arm.velocity))

    def _put(self, inputs: dict[str, float]) -> None:
        integers = {int(name.rsplit("_", 1)[1]): int(value) for name, value in inputs.items() if "_int_" in name}
        doubles = {int(name.rsplit("_", 1)[1]): value for name, value in inputs.items() if "_double_" in name}
        self._program.put(integers, doubles)

    def _set_cut(self, cut: bool) -> None:
        self._cut = cut

    def _set_mode(self, mode: RobotMode) -> None:
        self._arm.mode = mode

    def _set_remote(self, remote: bool) -> None:
        self._dashboard.remote = remote

    def _release(self) -> None:
        """Everything is well again, and the robot as at the start."""
        self._arm.safety, self._arm.mode = SafetyMode.NORMAL, RobotMode.RUNNING
        if self._program.foreign:
            self._program.end()
        self._dashboard.remote = True
        self._gripper.fault, self._gripper.object = 0, None

    def _request(self) -> None:
        line = sys.stdin.readline()
        if not line:
            self._ended = True
            return
        request = json.loads(line)
        if request["do"] == "read_log":
            rows, self._log = self._log, None
            print(json.dumps({"rows": rows}), flush=True)
            return
        self._requested[request["do"]](request)
        state = {
            "q": self._arm.position.tolist(),
            "dq": self._arm.velocity.tolist(),
            "mode": self._arm.mode.name,
            "safety": self._arm.safety.name,
            "running": self._program.running,
            "starts": self._program.starts,
            "payload": self._arm.payload,
            "activations": self._gripper.activations,
            "gripper": self._gripper.asked,
        }
        print(json.dumps(state), flush=True)


def _outputs(arm: Arm, program: Program) -> Outputs:
    """What RTDE tells of this robot; the rest of what clients ask for is zero."""

    def zeros(count: int) -> Callable[[], Value]:
        return lambda: (0,) * count

    def of(values: Callable[[], np.ndarray[Any, np.dtype[np.float64]]]) -> Callable[[], Value]:
        return lambda: tuple(values().tolist())

    def status_bits() -> Value:
        return ((arm.mode is not RobotMode.POWER_OFF) | program.running << 1,)

    def safety_bits() -> Value:
        protective, guarded = arm.safety is SafetyMode.PROTECTIVE_STOP, arm.safety is SafetyMode.SAFEGUARD_STOP
        emergency = arm.safety is SafetyMode.ROBOT_EMERGENCY_STOP
        normal = arm.safety is SafetyMode.NORMAL
        return (normal | protective << 2 | guarded << 4 | emergency << 6 | emergency << 7 | (not normal) << 10,)

    outputs: Outputs = {
        "timestamp": ("DOUBLE", lambda: (arm.time,)),
        "robot_mode": ("INT32", lambda: (arm.mode.value,)),
        "safety_mode": ("INT32", lambda: (arm.safety.value,)),
        "robot_status_bits": ("UINT32", status_bits),
        "safety_status_bits": ("UINT32", safety_bits),
        "runtime_state": ("UINT32", lambda: (2 if program.running else 1,)),
        "actual_q": ("VECTOR6D", of(lambda: arm.position)),
        "target_q": ("VECTOR6D", of(lambda: arm.position)),
        "actual_qd": ("VECTOR6D", of(lambda: arm.velocity)),
        "target_qd": ("VECTOR6D", of(lambda: arm.velocity)),
        "target_moment": ("VECTOR6D", of(arm.torques)),
        "output_int_register_0": ("INT32", lambda: (program.state,)),
        "joint_mode": ("VECTOR6INT32", zeros(6)),
        "actual_tool_accelerometer": ("VECTOR3D", zeros(3)),
        "payload_cog": ("VECTOR3D", zeros(3)),
    }
    for name in ("actual_digital_input_bits", "actual_digital_output_bits"):
        outputs[name] = ("UINT64", zeros(1))
    for name in ("output_bit_registers0_to_31", "output_bit_registers32_to_63"):
        outputs[name] = ("UINT32", zeros(1))
    for name in (
        *("target_qdd", "target_current", "actual_current", "joint_control_output", "joint_temperatures"),
        *("actual_TCP_pose", "actual_TCP_speed", "actual_TCP_force", "target_TCP_pose", "target_TCP_speed"),
        *("actual_joint_voltage", "ft_raw_wrench", "payload_inertia"),
    ):
        outputs[name] = ("VECTOR6D", zeros(6))
    for name in (
        *("actual_execution_time", "speed_scaling", "target_speed_fraction", "actual_momentum", "payload"),
        *("actual_main_voltage", "actual_robot_voltage", "actual_robot_current"),
        *("standard_analog_input0", "standard_analog_input1", "standard_analog_output0", "standard_analog_output1"),
    ):
        outputs[name] = ("DOUBLE", zeros(1))
    for number in range(48):
        outputs.setdefault(f"output_int_register_{number}", ("INT32", zeros(1)))
        outputs[f"output_double_register_{number}"] = ("DOUBLE", zeros(1))
    return outputs


if __name__ == "__main__":
    with suppress(PermissionError):  # a robot's computer does not wait for the tests to leave it a processor
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    Peer(sys.argv[1], sys.argv[2], tuple(sys.argv[3:])).run()
