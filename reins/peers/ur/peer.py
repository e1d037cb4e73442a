"""The UR peer's loop: sockets as they come, one cycle of the controller every two milliseconds."""

import sys
import time
from collections.abc import Callable, Collection
from typing import Any

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.peers.requests import Actions, Request, next_request, tell, ticks
from reins.peers.silences import Silences
from reins.peers.ur.arm import TICK, Arm, RobotMode, SafetyMode
from reins.peers.ur.body import Body
from reins.peers.ur.dashboard import GREETING, Dashboard
from reins.peers.ur.gripper import GripperPeer
from reins.peers.ur.line_server import LineServer, Sockets
from reins.peers.ur.outputs import outputs_of
from reins.peers.ur.program import SERVOJ, Program
from reins.peers.ur.rtde_server import RtdeServer
from reins.peers.ur.scripts import ScriptServer

DASHBOARD, SCRIPTS, RTDE, GRIPPER = 29999, (30001, 30002, 30003), 30004, 63352
"""Ports as on the controller."""


class Peer:
    """One robot at one address.

    Not there: the state stream of the ports for scripts, which ur_rtde does not read, and an interpreter for URScript
    (`program` says what is in its place).

    Args:
        profile: the robot.
        address: where it answers.
        world: name of what is around it.
        seed: of the poses of the world's objects.
        traits: `no_gripper`, `local`, `ur10` (as it names itself), `old` (software), `fieldbus` (has taken input
            registers), `closed_rtde`, `powered_off`, `watched` (tells the world's truth).

    Raises:
        ReinsError: the profile is of no UR arm, there is no such world, or its objects do not fit on the table.
        OSError: the address is taken, or none of this machine's.
    """

    def __init__(self, profile: RobotProfile, address: str, world: str, seed: int, traits: Collection[str]) -> None:
        if profile.ur is None:
            raise ReinsError(f"profile '{profile.name}' is of no UR arm; give the profile ur5e or ur10e")
        self._arm = Arm(profile)
        self._body = Body(profile, world, seed)
        self._program = Program(self._arm)
        self._dashboard = Dashboard(self._arm, self._program, profile.ur.model, traits)
        self._gripper = GripperPeer(self._body.fingers, profile.gripper)
        self._rtde = RtdeServer(outputs_of(self._arm, self._body, self._program), self._put)
        if "fieldbus" in traits:
            self._rtde.occupy([f"input_int_register_{number}" for number in range(8)])
        if "powered_off" in traits:
            self._arm.mode = RobotMode.POWER_OFF
        self._sockets = self._listen(address, traits)
        self._watched = "watched" in traits
        self._requests = Sockets(address)
        self._requests.watch(sys.stdin, self._request)
        self._ended = self._cut = False
        self._log: list[tuple[float, ...]] | None = None
        self._used: list[tuple[float, float]] | None = None
        self._silences = Silences(1.0 / profile.ur.watchdog)
        self._actions = self._make_actions()

    def _listen(self, address: str, traits: Collection[str]) -> Sockets:
        sockets = Sockets(address)
        sockets.listen(DASHBOARD, LineServer(self._dashboard.answer, GREETING))
        for port in SCRIPTS:
            sockets.listen(port, ScriptServer(self._dashboard, self._arm, self._program))
        if "closed_rtde" not in traits:
            sockets.listen(RTDE, self._rtde)
        if "no_gripper" not in traits:
            sockets.listen(GRIPPER, LineServer(self._gripper.answer))
        return sockets

    def _make_actions(self) -> Actions:
        arm, gripper = self._arm, self._gripper
        safety: dict[str, SafetyMode] = {
            "protective_stop": SafetyMode.PROTECTIVE_STOP,
            "emergency_stop": SafetyMode.ROBOT_EMERGENCY_STOP,
            "safeguard_stop": SafetyMode.SAFEGUARD_STOP,
        }

        def stop(mode: SafetyMode) -> Callable[[Request], None]:
            return lambda request: arm.stop(mode)

        return {
            **{name: stop(mode) for name, mode in safety.items()},
            "look": lambda request: None,
            "cut": lambda request: setattr(self, "_cut", True),
            "restore": lambda request: setattr(self, "_cut", False),
            "release": lambda request: self._release(),
            "stop_program": lambda request: self._program.end(),
            "other_program": lambda request: self._program.start_another(),
            "power_off": lambda request: setattr(arm, "mode", RobotMode.POWER_OFF),
            "local": lambda request: setattr(self._dashboard, "remote", False),
            "reset_gripper": lambda request: gripper.reset(),
            "gripper_fault": lambda request: setattr(gripper, "fault", request["code"]),
            "object": lambda request: setattr(gripper, "object", request["at"]),
            "log": lambda request: setattr(self, "_log", []),
            "log_use": lambda request: setattr(self, "_used", []),
            "count": lambda request: self._silences.begin(),
            "set_table": lambda request: self._body.world.set_table(request["seed"]),
        }

    def run(self) -> None:
        """Until stdin ends."""
        tell({"ready": True})
        for due in ticks(TICK):
            while not self._ended and (left := due - time.monotonic()) > 0.0:
                self._serve(left)
            self._serve(0.0)
            if self._ended:
                return
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
        self._body.tick(self._arm.position, self._arm.velocity)
        self._body.world.tick(self._watched)
        if not self._cut:
            self._rtde.tick()
        if self._log is not None:
            self._log.append((time.monotonic(), *self._body.position, *self._body.velocity))
        if self._used is not None:
            self._used.append((time.monotonic(), float(self._arm.target[0])))

    def _put(self, inputs: dict[str, float]) -> None:
        integers = {int(name.rsplit("_", 1)[1]): int(value) for name, value in inputs.items() if "_int_" in name}
        doubles = {int(name.rsplit("_", 1)[1]): value for name, value in inputs.items() if "_double_" in name}
        self._program.put(integers, doubles)
        if integers.get(0) == SERVOJ:
            self._silences.heard(time.monotonic())
        elif 0 in integers:
            self._silences.rest()

    def _release(self) -> None:
        """Everything is well again, and the robot as at the start."""
        self._arm.safety, self._arm.mode = SafetyMode.NORMAL, RobotMode.RUNNING
        if self._program.foreign:
            self._program.end()
        self._dashboard.remote = True
        self._gripper.fault, self._gripper.object = 0, None

    def _request(self) -> None:
        request = next_request()
        if request is None:
            self._ended = True
            return
        tell(self._answer(request))

    def _answer(self, request: Request) -> dict[str, Any]:
        if request["do"] == "read_log":
            rows, self._log = self._log, None
            return {"rows": rows}
        if request["do"] == "read_use":
            used, self._used = self._used, None
            return {"rows": used}
        self._actions[request["do"]](request)
        return {
            "q": self._body.position.tolist(),
            "dq": self._body.velocity.tolist(),
            "mode": self._arm.mode.name,
            "safety": self._arm.safety.name,
            "running": self._program.running,
            "starts": self._program.starts,
            "payload": self._arm.payload,
            "activations": self._gripper.activations,
            "gripper": self._gripper.asked,
            **self._silences.told(),
        }
