"""The safety node: the only publisher of command/safe. Commands are filtered as they come, deadlines looked at 200
times a second, both in one control thread."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from pydantic import Field
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from reins_msgs import msg as ros
from reins_msgs.srv import EmergencyStop, HandBack, Reset
from sensor_msgs.msg import Range
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from reins.contracts.errors import ReinsError
from reins.contracts.event import SafetyEvent, Severity
from reins.hardware.profile import load_profile
from reins.hardware.profile_base import Profile
from reins.nodes.base import ManagedNode
from reins.nodes.control_loop import ControlLoop, Inbox
from reins.nodes.convert import event_to_msg, fill_time
from reins.nodes.convert_scene import scene_from_msg
from reins.nodes.heartbeat import NodeWatch
from reins.nodes.parameters import Settings
from reins.nodes.qos import CONTROL, EVENTS, HEARTBEAT, LATCHED
from reins.nodes.raw_inbox import RawInbox, RawMessage
from reins.nodes.running import run
from reins.nodes.running_clock import RunningClock
from reins.nodes.safety_rules import RuleServices
from reins.nodes.waiting import first_of
from reins.nodes.wires import wire_of
from reins.safety.constraints import ConstraintSet
from reins.safety.legged.settings import LeggedSettings
from reins.safety.modes import Mode
from reins.safety.monitor import SafetyMonitor, SafetyStatus
from reins.safety.rules import Rules, require_person
from reins.safety.settings import SafetySettings
from reins.safety.validate import SOURCES

TICK_RATE: Final = 200.0
"""How often deadlines are looked at [Hz, steady clock]."""

STALL: Final = 0.02
"""Time between two ticks beyond which the thread was stalled; the time beyond it counts against no other node [s]."""

REPORTED_STALL: Final = 0.03
"""Stalls longer than this are told [s]."""

COUNTS_EVERY: Final = 40
"""Ticks between two looks at the counts of changed and refused commands."""

MOST_SCENE: Final = 65536
"""Size of the largest scene that is looked at: some two hundred objects, which take 4 ms [bytes]."""

SENSOR: Final = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Hears publishers of either reliability."""

RECOVER_ANSWER: Final = 2.0
"""How long the robot node may take to answer that the robot is asked to recover [s]."""

RECOVERING: Final = 12.0
"""How long the robot may take to recover [s]: a UR unlocks five seconds after its stop at the soonest, and then starts
its control program."""

RECOVER_LOOK: Final = 0.05
"""Time between two looks at its state meanwhile [s]."""


class SafetyNodeSettings(SafetySettings, LeggedSettings, Settings):
    """Parameters of the safety node: the monitor's own, those of legged robots, the robot, and whom it watches."""

    robot: str = Field("franka", description="robot profile: a name, or the path of a YAML file")
    watched: list[str] = Field([], description="nodes whose heartbeats must not stop")


class SafetyNode(ManagedNode[SafetyNodeSettings]):
    """Wiring around one `SafetyMonitor`, which lives in the control thread."""

    _monitor: SafetyMonitor[Any, Any, Any]

    def __init__(self) -> None:
        super().__init__("safety", SafetyNodeSettings, live=frozenset({"speed_scale"}))
        self._loop: ControlLoop | None = None
        self._status: SafetyStatus | None = None
        self._robot_stamp = 0.0
        self._robot_fault = ""
        self._ticks = 0
        self._constraints = ConstraintSet(1.0)

    def configure(self) -> None:
        """Make the monitor, topics and services. What was forbidden before the node was cleaned up still is."""
        settings = self.settings
        profile = load_profile(settings.robot, Profile)
        self._monitor = SafetyMonitor(profile, settings, settings.watched, legged=settings)
        self._monitor.rules.keep(self._constraints)
        self._constraints = self._monitor.rules.constraints
        self._wire = wire_of(profile)
        self._safe = self.create_publisher(self._wire.safe, "command/safe", CONTROL)
        self._state = self.create_publisher(ros.SafetyState, "safety/state", LATCHED)
        self._events = self.create_publisher(ros.SafetyEvent, "safety/events", EVENTS)
        self._robot_states: Inbox[Any] = Inbox(self, self._wire.state, "robot_state", CONTROL)
        self._sources: dict[str, Inbox[Any]] = {
            source: Inbox(self, self._wire.command, f"command/{source}", CONTROL) for source in SOURCES
        }
        self._beats = Inbox(self, ros.Heartbeat, "heartbeat", HEARTBEAT)
        self._people = Inbox(self, Range, "safety/human_distance", SENSOR)
        self._scenes = RawInbox(self, ros.Scene, "scene", LATCHED)
        self._estops = [Inbox(self, Bool, "safety/estop", quality) for quality in (EVENTS, SENSOR)]
        self._recover = self.create_client(Trigger, "robot/recover", callback_group=ReentrantCallbackGroup())
        self.create_service(EmergencyStop, "safety/estop", self._on_estop)
        waiting = MutuallyExclusiveCallbackGroup()  # a reset may wait for the robot, and nothing waits for a reset
        self.create_service(Reset, "safety/reset", self._on_reset, callback_group=waiting)
        self.create_service(HandBack, "safety/hand_back", self._on_hand_back)
        RuleServices(self, self._ask_rules, self._constraints)

    def activate(self) -> None:
        """Start the control thread."""
        self._watched_nodes = NodeWatch(self.settings.watched)
        self._status = None
        self._running = RunningClock(STALL)
        self._monitor.was_absent()
        handlers: list[tuple[Inbox[Any], Callable[[Any], None]]] = []
        handlers += [(button, self._on_estop_message) for button in self._estops]
        handlers.append((self._robot_states, self._on_robot_state))
        handlers += [(inbox, partial(self._on_command, source)) for source, inbox in self._sources.items()]
        handlers.append((self._people, self._on_human_distance))
        handlers.append((self._scenes, self._on_scene))
        self._loop = ControlLoop(self, 1.0 / TICK_RATE, self._tick, handlers, self.fail, real_time=True)
        self._loop.start()

    def deactivate(self) -> None:
        """Fall silent: the driver host stops the robot. Whoever listens is told that no monitor is there."""
        if self._loop is not None:
            self._loop.stop()
            self._loop = None
            self._watched_nodes.close()
            starting = ros.SafetyState(mode=int(Mode.STARTING), mode_name=Mode.STARTING.name.lower())
            starting.reason = "the safety node is not active"
            fill_time(starting.header.stamp, self._robot_stamp)
            self._state.publish(starting)

    def settings_changed(self) -> None:
        """The operator's speed scale, which holds from the next command on, whenever that will be."""
        scale = self.settings.speed_scale
        try:
            self._ask_rules(lambda rules: rules.set_speed_scale(scale, "operator"), even_late=True)
        except ReinsError as error:
            self.log(Severity.WARN, f"speed_scale {scale:g} is in force later: {error}")

    def pulse(self) -> bool:
        """The control thread ticks, while there is one."""
        loop = self._loop
        return loop is None or loop.alive(20.0 / TICK_RATE)

    def _on_robot_state(self, message: Any) -> None:
        state = self._wire.state_from_msg(message)
        self._robot_stamp, self._robot_fault = state.stamp, state.fault
        self._monitor.on_state(state, self._running.now())

    def _on_scene(self, raw: RawMessage) -> None:
        """The time that a scene takes grows with its objects, and nothing may hold up the control thread."""
        if len(raw.data) > MOST_SCENE:
            self._monitor.on_scene_refused(
                f"a scene of {len(raw.data)} bytes, and {MOST_SCENE} are the most; what was known stays"
            )
        else:
            self._monitor.on_scene(scene_from_msg(deserialize_message(raw.data, ros.Scene)))

    def _on_command(self, source: str, message: Any) -> None:
        """One that calls itself another source than its topic's is refused: the monitor knows none of that name."""
        if message.source != source:
            message.source = f"{message.source} on command/{source}"
        self._send(self._monitor.on_command(self._wire.command_from_msg(message), self._running.now()))

    def _on_human_distance(self, message: Range) -> None:
        source = message.header.frame_id or "unnamed"
        self._monitor.on_human_distance(source, message.range, self._running.now())

    def _on_estop_message(self, message: Bool) -> None:
        """True stops; false is ignored, for only an operator's reset clears a stop."""
        if message.data:
            self._send(self._monitor.estop("the topic safety/estop", "", self._running.now()))

    def _send(self, command: Any) -> None:
        if command is not None:
            self._safe.publish(self._wire.safe_to_msg(command))

    def _tick(self, _due: float) -> None:
        if (stall := self._running.tick()) > REPORTED_STALL:
            self.log(Severity.WARN, f"stalled for {stall * 1e3:.0f} ms: the machine is too busy, or stood still")
        now = self._running.now()
        for beat in self._beats.drain():
            if self._watched_nodes.counts(beat, now):
                self._monitor.on_heartbeat(beat.node, now)
        for node in self._watched_nodes.ended():
            self._send(self._monitor.on_death(node, now))
        self._send(self._monitor.tick(now))
        self._ticks += 1
        self._tell_state(now)
        for event in self._monitor.take_events():
            self._tell(event)

    def _tell_state(self, now: float) -> None:
        """Publish the state: at once when the mode or its reason changed, now and then when only counts did."""
        status, told = self._monitor.status(now), self._status
        same = told is not None and (status.mode, status.reason, status.speed_scale) == (
            told.mode,
            told.reason,
            told.speed_scale,
        )
        if status == told or (same and self._ticks % COUNTS_EVERY):
            return
        self._status = status
        message = ros.SafetyState(mode=int(status.mode), mode_name=status.mode.name.lower(), reason=status.reason)
        message.speed_scale = status.speed_scale
        message.clipped, message.rejected = status.clipped, status.rejected
        fill_time(message.header.stamp, self._robot_stamp)
        self._state.publish(message)

    def _tell(self, event: SafetyEvent) -> None:
        self._events.publish(event_to_msg(event))
        self.log(event.severity, f"{event.kind} ({event.source}): {event.reason}")

    def _on_estop(self, request: EmergencyStop.Request, response: EmergencyStop.Response) -> EmergencyStop.Response:
        def stop() -> None:
            self._send(self._monitor.estop(request.requested_by, request.reason, self._running.now()))

        if self._loop is None:
            response.accepted, response.message = (
                False,
                f"the safety node is {self.state}: nothing moves, nothing to stop",
            )
            return response
        response.accepted, response.message = True, "emergency stop; `reset` clears it"
        try:
            self._loop.call(stop, even_late=True)
        except TimeoutError as error:
            response.accepted, response.message = False, f"{error}: the driver host stops the robot if safety hangs"
        return response

    async def _on_reset(self, request: Reset.Request, response: Reset.Response) -> Reset.Response:
        """A robot with a fault recovers first; a reset is the operator's own act and covers both. A monitor that began
        while the robot had its fault waited for nothing else, and is ready then. A stop that comes while the robot
        recovers is another one's, and stays."""

        def reset() -> None:
            now = self._running.now()
            if not (recovered and self._monitor.status(now).mode is Mode.READY):
                self._monitor.reset(request.requested_by, now, known_stops)

        try:
            require_person(request.requested_by, "reset")
            loop, recovered = self._active_loop(), bool(self._robot_fault)
            known_stops = loop.call(lambda: self._monitor.stops)
            if recovered:
                await self._recover_robot()
            loop.call(reset)
        except (ReinsError, TimeoutError) as error:
            response.accepted, response.message = False, str(error)
            return response
        response.accepted, response.message = True, f"reset by {request.requested_by}; waiting for a new goal"
        return response

    async def _recover_robot(self) -> None:
        """Ask the robot to recover and wait until its state says so, or gives another reason against it. The monitor
        judges what comes of it.

        Raises:
            ReinsError: the robot node refuses; in its words.
        """
        fault = self._robot_fault
        asked = self._recover.call_async(Trigger.Request())
        if await first_of(self, RECOVER_ANSWER, asked) and not asked.result().success:
            raise ReinsError(f"not reset: {asked.result().message}")
        for _ in range(round(RECOVERING / RECOVER_LOOK)):
            if self._robot_fault != fault:
                return
            await first_of(self, RECOVER_LOOK)

    def _on_hand_back(self, request: HandBack.Request, response: HandBack.Response) -> HandBack.Response:
        try:
            self._active_loop().call(lambda: self._monitor.hand_back(request.requested_by, self._running.now()))
        except (ReinsError, TimeoutError) as error:
            response.accepted, response.message = False, str(error)
            return response
        response.accepted, response.message = True, f"handed back by {request.requested_by}; waiting for a new goal"
        return response

    def _ask_rules(self, function: Callable[[Rules], Any], even_late: bool = False) -> Any:
        """In the control thread, or right here while there is none."""
        loop = self._loop
        if loop is None:
            return function(self._monitor.rules)
        try:
            return loop.call(lambda: function(self._monitor.rules), even_late=even_late)
        except TimeoutError as error:
            raise ReinsError(str(error)) from error

    def _active_loop(self) -> ControlLoop:
        if self._loop is None:
            raise ReinsError(f"the safety node is {self.state}, not active")
        return self._loop


def main() -> int:
    """Run the safety node."""
    return run(SafetyNode)
