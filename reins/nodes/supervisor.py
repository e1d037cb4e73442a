"""The supervisor: brings the other nodes up in order, watches them, and says who died. No command passes through it."""

import threading
import time
from typing import Final

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from pydantic import Field
from reins_msgs import msg as ros
from reins_msgs.srv import Arm
from sensor_msgs.msg import JointState

from reins.contracts.errors import ReinsError
from reins.launching.report import state_line
from reins.nodes.base import ManagedNode
from reins.nodes.control_loop import Inbox
from reins.nodes.heartbeat import NodeWatch
from reins.nodes.lifecycle_clients import LifecycleClients, wait_for
from reins.nodes.parameters import Settings
from reins.nodes.qos import CONTROL, EVERY_CHANGE, HEARTBEAT
from reins.nodes.rivals import NAMELESS
from reins.nodes.running import run
from reins.nodes.running_clock import RunningClock
from reins.safety.constraints import AUTOMATION

WATCH_RATE: Final = 10.0
"""How often heartbeats are looked at [Hz]; the safety node, which stops the robot, looks far more often."""

STALL: Final = 0.5
"""Time between two looks beyond which the supervisor itself was stalled; what is beyond it makes no node silent [s]."""

DISCOVERY: Final = 2.0
"""How long another graph may take to be discovered [s]."""

REMAINS: Final = 25.0
"""How long the topics of a process that was killed may still be seen [s]; DDS gives it up after 20 s."""

TAKEN_TOPICS: Final = ("command/safe", "joint_states")
"""Topics that have one publisher in a namespace."""

ARM_TIMEOUT: Final = 15.0
"""How long the robot may refuse to be armed, as it does until safety is ready [s]."""

STOPPED: Final = (ros.SafetyState.STOPPED, ros.SafetyState.ESTOP, ros.SafetyState.STARTING)
"""Modes that only an operator's reset ends, be it by clearing the fault that a monitor without a past waits for."""

SETTLED: Final = ("unconfigured", "inactive", "active", "finalized")
"""States that are told; the others are on the way."""

OWN: Final = "supervisor"


class SupervisorSettings(Settings):
    """Parameters of the supervisor."""

    nodes: list[str] = Field(
        ["robot", "skills", "planner", "perception", "teleop", "safety"],
        description="nodes to bring up and watch: configured at once, activated in this order",
    )
    dispensable: list[str] = Field(
        [], description="those of them whose end is told but ends nothing: no command depends on them"
    )
    auto_arm: bool = Field(True, description="arm the robot when everything is up; a real robot refuses")
    appear_timeout: float = Field(40.0, gt=0.0, le=600.0, description="how long a process may take to appear [s]")
    transition_timeout: float = Field(60.0, gt=0.0, le=600.0, description="how long a transition may take [s]")
    silence: float = Field(
        2.0,
        gt=0.0,
        le=60.0,
        description="a node without heartbeat for longer is dead [s]; the end of its process is noticed at once",
    )
    exit_on_death: bool = Field(
        True,
        description="end with exit status 1 when a node died, which ends the whole launch",
    )
    linger: float = Field(
        1.0,
        ge=0.0,
        le=60.0,
        description="how long the others get to stop and report before that [s]",
    )


class SupervisorNode(ManagedNode[SupervisorSettings]):
    """Configures and activates itself; then a thread brings the others up while a timer watches them."""

    def __init__(self) -> None:
        super().__init__(OWN, SupervisorSettings)
        self._states: dict[str, str] = {}
        self._heard: dict[str, float] = {}
        self._dead: dict[str, float] = {}
        self._up = threading.Event()
        self._stopping = threading.Event()
        self._stopped = False
        self._begin = self.create_timer(0.0, self._start_itself)

    def _start_itself(self) -> None:
        self.destroy_timer(self._begin)
        self.trigger_configure()
        if self.state == "inactive":
            self.trigger_activate()
        if self.state != "active":
            self.fail(ReinsError("the supervisor could not start; see above"))

    def configure(self) -> None:
        """Make clients and topics."""
        self._lifecycle = LifecycleClients(self, self.settings.nodes)
        self._arm_client = self.create_client(Arm, "robot/arm")
        self._beats = Inbox(self, ros.Heartbeat, "heartbeat", HEARTBEAT)
        self._alive = Inbox(self, JointState, "joint_states", CONTROL)  # of every kind of robot
        self.create_subscription(ros.SafetyState, "safety/state", self._on_safety, EVERY_CHANGE)
        self._diagnostics = self.create_publisher(DiagnosticArray, "diagnostics", 10)

    def activate(self) -> None:
        """Begin to watch, and bring the others up."""
        self._stopping.clear()
        self._watched_nodes = NodeWatch([*self.settings.nodes, OWN])
        self._running = RunningClock(STALL)
        self._timer = self.create_timer(1.0 / WATCH_RATE, self._watch)
        self._report_timer = self.create_timer(1.0, self._publish_diagnostics)
        self._thread = threading.Thread(target=self._bring_up, name="bring_up", daemon=True)
        self._thread.start()

    def deactivate(self) -> None:
        """Watch no more. The others stay as they are."""
        self._stopping.set()
        self.destroy_timer(self._timer)
        self.destroy_timer(self._report_timer)
        self._watched_nodes.close()

    def _bring_up(self) -> None:
        log = self.get_logger()
        settings = self.settings
        try:
            self._refuse_second_graph()
            self._lifecycle.wait_until_there(settings.appear_timeout)
            self._lifecycle.change(settings.nodes, "configure", settings.transition_timeout)
            for name in settings.nodes:
                self._lifecycle.change([name], "activate", settings.transition_timeout)
            if settings.auto_arm:
                log.info(self._arm())
        except ReinsError as error:
            if not self._stopping.is_set():
                self.fail(error)
            return
        except Exception as error:  # a thread's exception would pass unseen
            self.fail(error)
            return
        self._up.set()
        log.info(f"up: {', '.join(settings.nodes)}")

    def _refuse_second_graph(self) -> None:
        """Raise ReinsError when another graph runs in this namespace; wait for the remains of a dead one to go."""
        begin = time.monotonic()
        self._alive.drain()
        told = False
        while not self._stopping.wait(0.1):
            taken = self._taken()
            waited = time.monotonic() - begin
            named = taken is not None and (NAMELESS not in taken[1] or waited > DISCOVERY)
            if taken and named and (self._alive.drain() or waited > REMAINS):
                topic, owners = taken
                raise ReinsError(
                    f"topic {topic} is already published by node {owners}: another reins graph runs in this namespace; "
                    "stop it, or start this one with namespace:=NAME"
                )
            if taken and waited > DISCOVERY and not told:
                told = True
                self.get_logger().warning(f"waiting until the remains of a dead graph are gone (topic {taken[0]})")
            if not taken and waited > DISCOVERY:
                return
        raise ReinsError("stopped while starting")

    def _taken(self) -> tuple[str, str] | None:
        for name in TAKEN_TOPICS:
            topic = self.resolve_topic_name(name)
            owners = {f"{p.node_namespace.rstrip('/')}/{p.node_name}" for p in self.get_publishers_info_by_topic(topic)}
            if owners:
                return topic, ", ".join(sorted(owners))
        topic = self.resolve_topic_name("heartbeat")
        mine = [p for p in self.get_publishers_info_by_topic(topic) if p.node_name == self.get_name()]
        if len([p for p in mine if p.node_namespace == self.get_namespace()]) > 1:
            return topic, f"{self.get_namespace().rstrip('/')}/{self.get_name()}"
        return None

    def _arm(self) -> str:
        """Arm the robot as soon as the safety node lets it; what the robot answers."""
        deadline = time.monotonic() + ARM_TIMEOUT
        answer = "no answer from robot/arm"
        while time.monotonic() < deadline and not self._stopping.wait(0.1):
            response = wait_for(
                self._arm_client.call_async(Arm.Request(arm=True, requested_by=AUTOMATION)),
                2.0,
            )
            if response is not None and response.accepted:
                return str(response.message)
            answer = response.message if response is not None else answer
        raise ReinsError(f"the robot could not be armed: {answer}")

    def _on_safety(self, message: ros.SafetyState) -> None:
        """An operator's reset ends a stop; a simulated robot that was disarmed by it is then armed again."""
        if message.mode in STOPPED:
            self._stopped = True
        elif message.mode == ros.SafetyState.READY and self._stopped:
            self._stopped = False
            if self.settings.auto_arm and self._up.is_set():
                threading.Thread(target=self._arm_again, name="arm", daemon=True).start()

    def _arm_again(self) -> None:
        try:
            self.get_logger().info(self._arm())
        except ReinsError as error:
            self.get_logger().error(str(error))

    def _watch(self) -> None:
        if self._stopping.is_set():
            return
        self._running.tick()
        now = self._running.now()
        for beat in self._beats.drain():
            if not self._watched_nodes.counts(beat, now):
                continue
            self._heard[beat.node] = now
            if self._states.get(beat.node) != beat.state and beat.state in SETTLED:
                self._states[beat.node] = beat.state
                self.get_logger().info(state_line(beat.node, beat.state))
            if beat.node in self._dead:
                del self._dead[beat.node]
        for sentence in self._watched_nodes.twice():
            self.get_logger().error(sentence)
        for name in self._watched_nodes.ended():
            self._bury(name, "its process ended", now)
        for name in self.settings.nodes:
            silent = now - self._heard.get(name, now)
            if self._up.is_set() and silent > self.settings.silence:  # before, the transitions' own deadlines hold
                self._bury(name, f"no heartbeat for {silent:.1f} s", now)
        missed = {name: since for name, since in self._dead.items() if name not in self.settings.dispensable}
        if missed and self.settings.exit_on_death and now - min(missed.values()) > self.settings.linger:
            self._stopping.set()
            names = ", ".join(f"'{name}'" for name in sorted(missed))
            self._dead.clear()
            self.fail(ReinsError(f"node {names} died"))

    def _bury(self, name: str, reason: str, now: float) -> None:
        if name in self.settings.nodes and name not in self._dead:
            self._dead[name] = now
            self._states[name] = "dead"
            self.get_logger().error(f"{reason}: {state_line(name, 'dead')}")
            if name in self.settings.dispensable:
                self.get_logger().warning(f"the graph goes on without '{name}' until it is launched again")

    def _publish_diagnostics(self) -> None:
        now = self._running.now()
        message = DiagnosticArray()
        message.header.stamp = self.get_clock().now().to_msg()
        for name in self.settings.nodes:
            state = self._states.get(name, "not up")
            level = DiagnosticStatus.OK if state == "active" else DiagnosticStatus.WARN
            status = DiagnosticStatus(
                name=name,
                message=state,
                level=DiagnosticStatus.ERROR if state == "dead" else level,
            )
            if name in self._heard:
                age = f"{(now - self._heard[name]) * 1e3:.0f}"
                status.values.append(KeyValue(key="last heartbeat [ms]", value=age))
            message.status.append(status)
        self._diagnostics.publish(message)


def main() -> int:
    """Run the supervisor."""
    return run(SupervisorNode)
