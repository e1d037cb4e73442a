"""The robot node: hosts one driver, publishes what it measures, and applies `command/safe` and nothing else."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from rcl_interfaces.msg import SetParametersResult
from rclpy.parameter import Parameter
from reins_msgs import msg as ros
from reins_msgs.srv import Arm, ResetWorld
from std_msgs.msg import Int64
from std_srvs.srv import Trigger

from reins.blackbox.stops import CUT, ROBOT_STOPPED
from reins.contracts.errors import ReinsError
from reins.contracts.event import SafetyEvent, Severity
from reins.hardware.host import DriverHost
from reins.hardware.profile import load_profile
from reins.hardware.profile_base import Profile
from reins.hardware.robot import Driver, StopCategory
from reins.nodes.base import ManagedNode
from reins.nodes.control_loop import ControlLoop, Inbox
from reins.nodes.convert import event_to_msg
from reins.nodes.drivers import make_robot
from reins.nodes.heartbeat import NodeWatch
from reins.nodes.qos import CONTROL, EVENTS, HEARTBEAT, LATCHED
from reins.nodes.rivals import PublisherNames
from reins.nodes.robot_outlet import RobotOutlet
from reins.nodes.robot_settings import RobotSettings
from reins.nodes.running import run
from reins.nodes.stages import Stages, stage_arm
from reins.nodes.wires import wire_of
from reins.safety.constraints import PROGRAMS
from reins.safety.modes import Mode
from reins.sim.simulators import SimulatedRobot

WORLD_RATE: Final = 10.0
"""How often the truth of a simulated world is published, and what an arm measures in a dry run [Hz of robot time]."""


class RobotNode(ManagedNode[RobotSettings]):
    """One driver in one control thread: commands are applied as they come, the driver is stepped once a period."""

    _robot: Driver[Any, Any]
    _profile: Profile
    _host: DriverHost[Any, Any]

    def __init__(self) -> None:
        super().__init__("robot", RobotSettings, live=frozenset({"stage"}))
        self._loop: ControlLoop | None = None
        self._connected: Driver[Any, Any] | None = None

    def configure(self) -> None:
        """Make the driver, connect it, and announce what it gives."""
        settings = self.settings
        self._profile = load_profile(settings.robot, Profile)
        self._wire = wire_of(self._profile)
        self._robot = make_robot(
            settings.backend, self._profile, settings.world, settings.seed, settings.robot_ip, settings.walk
        )
        self._simulated = self._robot if isinstance(self._robot, SimulatedRobot) else None
        staged = stage_arm(self._robot, self._profile, settings.stage)
        self._robot = staged or self._robot
        self._robot.connect()
        self._connected = self._robot
        self._stages = Stages(self, staged) if staged is not None else None
        self._host = DriverHost(self._robot, self._profile, settings.braking_margin)
        self._period = 1.0 / self._profile.rates.state
        self._world_every = max(1, round(self._profile.rates.state / WORLD_RATE))
        self._time_offset = 0.0
        self._ticks = 0
        self._stamp = 0.0
        self._silence = 0.0
        self._rearm = False
        self._heard_at = float("-inf")
        self._reported_fault = self._reported_cut = ""
        self._estopped = False
        self._announce()
        spec = self._robot.spec
        what = "simulated" if spec.simulated else "real"
        self.get_logger().info(f"{self._profile.title}, {what}, backend {settings.backend}: not armed")

    def _announce(self) -> None:
        self._outlet = RobotOutlet(self, self._profile, self._simulated)
        self._events = self.create_publisher(ros.SafetyEvent, "safety/events", EVENTS)
        self._latencies = self.create_publisher(Int64, "robot/command_latency", EVENTS)
        self._commands: Inbox[Any] = Inbox(self, self._wire.safe, "command/safe", CONTROL)
        self._estops: list[tuple[Inbox[Any], Callable[[Any], None]]] = []
        if self.settings.estop_category == StopCategory.CUT:
            self._estops = [(Inbox(self, ros.SafetyState, "safety/state", LATCHED), self._on_safety_state)]
        self._beats = Inbox(self, ros.Heartbeat, "heartbeat", HEARTBEAT)
        self.create_service(Arm, "robot/arm", self._on_arm)
        self.create_service(Trigger, "robot/recover", self._on_recover)
        self._naming = PublisherNames(self, self._commands.topic, self._name_publishers)
        if self._simulated is not None:
            self.create_service(ResetWorld, "sim/reset", self._on_reset)

    def activate(self) -> None:
        """Start the control thread."""
        self._watched_nodes = NodeWatch([self.settings.safety_node])
        factor = self.settings.real_time_factor if self._simulated is not None else 1.0
        ways = [*self._estops, (self._commands, self._apply)]
        self._loop = ControlLoop(self, self._period / factor, self._tick, ways, self.fail, real_time=True)
        self._loop.start()

    def deactivate(self) -> None:
        """Stop the robot, then the control thread."""
        if self._loop is not None:
            self._loop.stop()
            self._loop = None
            self._watched_nodes.close()
            self._host.disarm("the robot node is being deactivated")

    def cleanup(self) -> None:
        """Let go of the robot."""
        if self._connected is not None:
            self._connected.close()
            self._connected = None

    def pulse(self) -> bool:
        """The control thread ticks, while there is one."""
        loop = self._loop
        return loop is None or loop.alive(10.0 * self._profile.rates.stale_after)

    def _check_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        """Also that the stage asked for may be entered now."""
        result = super()._check_parameters(parameters)
        asked = [parameter.value for parameter in parameters if parameter.name == "stage"]
        if not (asked and result.successful) or self.state not in ("inactive", "active"):
            return result
        try:
            if self._stages is None:
                raise ReinsError(f"stages are for arms, and robot '{self._profile.name}' is a {self._profile.kind}")
            self._stages.require(asked[-1], self._host.armed)
        except ReinsError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return result

    def settings_changed(self) -> None:
        """Enter the stage that was asked for."""
        stages, wanted = self._stages, self.settings.stage
        assert stages is not None
        if self._loop is None:
            stages.enter(wanted)
        else:
            self._loop.call(lambda: stages.enter(wanted), even_late=True)
        self._report(Severity.INFO, "stage", f"stage '{wanted}'")

    def _apply(self, message: Any) -> None:
        """The publishers are counted first: what a second one sends comes before the next tick."""
        self._watch_publishers()
        try:
            command = self._wire.safe_from_msg(message)
            self._host.apply(command)
            if 0 < message.trace_ns <= (now := time.monotonic_ns()):  # the source's figure, and perhaps no time at all
                self._latencies.publish(Int64(data=now - message.trace_ns))
            self._heard_at = time.monotonic()
            self._heard = command
            if self._rearm and self._would_stay():
                self._rearm = False
                self._host.arm(self._commands.publishers())
        except ReinsError as error:
            self._host.disarm(f"command/safe cannot be applied: {error}")
            self.log(Severity.ERROR, str(error))

    def _tick(self, _due: float) -> None:
        """Tell the state at this time, then let the next period pass under the newest command."""
        self._watch_publishers()
        self._watch_safety()
        state = self._read()
        # Counted in ticks: a stall of this node is no silence of the robot.
        self._silence = 0.0 if state.stamp != self._stamp else self._silence + self._period
        self._stamp = state.stamp
        rarely = self._ticks % self._world_every == 0
        self._outlet.tell(state, self._host.armed, truth=rarely)
        if self._stages is not None and rarely:
            self._stages.tell_measured(self._outlet.joint_state)
        self._ticks += 1
        self._tell_stops(state.fault)
        self._host.step(self._period)

    def _tell_stops(self, fault: str) -> None:
        """Once each: why the robot does not move, and why it was cut."""
        cut = self._host.cut
        if cut != self._reported_cut:
            self._reported_cut = cut
            if cut:
                self._report(Severity.ERROR, CUT, cut)
        if fault != self._reported_fault:
            self._reported_fault = fault
            if fault and fault != cut:
                self._report(Severity.ERROR, ROBOT_STOPPED, fault)

    def _on_safety_state(self, message: ros.SafetyState) -> None:
        """An emergency stop of category 0 is the host's to make: it has the drives. Once, for it lasts until the reset,
        which begins with the robot's recovery."""
        before, self._estopped = self._estopped, message.mode == Mode.ESTOP
        if self._estopped and not before:
            self._host.stop(StopCategory.CUT, message.reason)

    def _watch_publishers(self) -> None:
        """Stops at once; the names come later."""
        count = self._commands.publishers()
        if self._host.armed and count > 1:
            self._host.disarm(f"command/safe has {count} publishers: only the safety node may be one")
            self._naming.ask()

    def _name_publishers(self, names: str) -> None:
        self._report(Severity.ERROR, "publishers", f"nodes that publish command/safe: {names}")

    def _watch_safety(self) -> None:
        now = time.monotonic()
        for beat in self._beats.drain():
            self._watched_nodes.counts(beat, now)
        for node in self._watched_nodes.ended():
            self._host.disarm(f"node '{node}' has ended")

    def _read(self) -> Any:
        """The measured state; its time goes on where a reset world starts again at 0."""
        state = self._host.read()
        return replace(state, stamp=state.stamp + self._time_offset) if self._time_offset else state

    def _report(self, severity: Severity, kind: str, reason: str) -> None:
        self._events.publish(event_to_msg(SafetyEvent(self._stamp, severity, kind, self.get_name(), reason)))
        self.log(severity, reason)

    def _in_loop(self) -> ControlLoop:
        if self._loop is None:
            raise ReinsError(f"the robot node is {self.state}, not active")
        return self._loop

    def _would_stay(self) -> bool:
        return self._wire.leaves_in_place(self._heard, self._host.read())

    def _arm(self) -> None:
        """In the control thread. An armed robot stays as it is: it may be moving."""
        if self._host.armed:
            return
        if self._stages is not None:
            self._stages.require_armable()
        if time.monotonic() - self._heard_at > self._profile.rates.stale_after:
            raise ReinsError(
                "not armed: nothing comes on command/safe, for safety has made an emergency stop, or is not active; "
                "`reins status` says which, and `reins reset` ends a stop"
            )
        if not self._would_stay():
            raise ReinsError("not armed: safety's reference is not where the robot is; reset safety first")
        self._host.arm(self._commands.publishers())

    def _on_arm(self, request: Arm.Request, response: Arm.Response) -> Arm.Response:
        try:
            if not request.requested_by.strip():
                raise ReinsError("not armed: requested_by is empty; say who asks")
            if request.arm and request.requested_by in PROGRAMS and not self._robot.spec.simulated:
                raise ReinsError("not armed: a real robot is armed by a person")
            loop = self._in_loop()
            if request.arm:
                loop.call(self._arm)
            else:
                loop.call(lambda: self._host.disarm(f"disarmed by {request.requested_by}"), even_late=True)
        except (ReinsError, TimeoutError) as error:
            response.accepted, response.message = False, str(error)
            return response
        response.accepted = True
        response.message = f"{'armed' if request.arm else 'disarmed'} by {request.requested_by}"
        self.get_logger().info(response.message)
        return response

    def _on_recover(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            response.message = self._in_loop().call(self._recover)
        except (ReinsError, TimeoutError) as error:
            response.success, response.message = False, str(error)
            return response
        response.success = True
        return response

    def _recover(self) -> str:
        """In the control thread; what came of it. A driver that recovers holds still at once: too hard for a robot that
        moves. One that is well stays as it is, armed or not. Of one that says nothing any more, the speed that it had
        when it fell silent tells nothing: only the recovery brings its connection, and its speed, back."""
        state = self._read()
        if not state.fault:
            return "nothing to recover: the robot has no fault"
        silent = self._silence > self._profile.rates.stale_after
        if not (silent or self._wire.stands(state)):
            raise ReinsError("not recovered: the robot moves; stop it, and ask again when it stands")
        self._host.recover()
        if self._host.read().fault:
            return "asked to recover, which may take seconds: it has when its state has no fault; not armed"
        return "recovered; not armed"

    def _on_reset(self, request: ResetWorld.Request, response: ResetWorld.Response) -> ResetWorld.Response:
        try:
            self._in_loop().call(lambda: self._reset(request.seed))
        except (ReinsError, TimeoutError) as error:
            response.accepted, response.message = False, str(error)
            return response
        response.accepted, response.message = (
            True,
            f"world {self.settings.world}, seed {request.seed}",
        )
        return response

    def _reset(self, seed: int) -> None:
        """In the control thread. An armed robot is armed again once safety's reference is where the arm now is."""
        state = self._read()
        driven = self._host.armed and self._heard.velocity.any()  # though it may just be turning round
        if driven or not self._wire.stands(state):
            raise ReinsError("the world is not reset: the robot moves; cancel the task, or let go of the stick")
        assert self._simulated is not None
        self._rearm = self._host.armed
        self._host.recover()
        self._simulated.reset(seed)
        self._time_offset = state.stamp + self._period


def main() -> int:
    """Run the robot node."""
    return run(RobotNode)
