"""What a graph does right now, heard from its topics: who is up, the safety mode, the scene, the plan."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from rclpy.qos import QoSProfile, ReliabilityPolicy
from reins_msgs import msg as ros
from std_msgs.msg import String

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Plan
from reins.contracts.scene import Scene
from reins.nodes.client import GraphClient
from reins.nodes.convert import time_from_msg
from reins.nodes.convert_scene import plan_from_msg, scene_from_msg
from reins.nodes.outcomes import PlanQuestion
from reins.nodes.plan_client import question_from_msg
from reins.nodes.qos import HEARTBEAT, LATCHED
from reins.nodes.stages import STAGE
from reins.nodes.wires import wire_of_state

EVERY: Final = QoSProfile(depth=200, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Keeps what comes between two looks."""

STATES: Final = "robot_state"
"""Whose type the kind of robot decides."""

LOST: Final = 0.5
"""A node whose last heartbeat is older is not up [s]."""

PATIENCE: Final = 5.0
"""How long a scene may take to come [s]; the newest one is kept for who comes late."""

NODES: Final = ("robot", "safety", "skills", "perception", "planner")
"""Nodes without which no task can be done."""


@dataclass(slots=True)
class NodeStatus:
    """One node: its lifecycle state, and when its heartbeat was last heard (monotonic) [s]."""

    state: str
    heard: float


@dataclass(frozen=True, slots=True)
class SafetyStatus:
    """Safety monitor: mode and reason in words, share of the limits in force, commands changed and refused."""

    mode: str
    reason: str
    speed_scale: float
    clipped: int
    rejected: int


@dataclass(slots=True)
class GraphStatus:
    """Everything heard so far; None is what was not heard.

    Attributes:
        nodes: by name.
        safety: the safety monitor's state.
        armed, fault: of the robot.
        stage: of bring-up, that an arm is in.
        robot_time: stamp of its last state [s].
        states: how many robot states were heard.
        first, last: when the first and the last of them were (monotonic) [s].
        scene: what perception sees.
        plan: the last plan.
        waiting: the plan that waits for an operator's answer, if one does.
    """

    nodes: dict[str, NodeStatus] = field(default_factory=dict)
    safety: SafetyStatus | None = None
    armed: bool | None = None
    fault: str = ""
    stage: str | None = None
    robot_time: float | None = None
    states: int = 0
    first: float = 0.0
    last: float = 0.0
    scene: Scene | None = None
    plan: Plan | None = None
    waiting: PlanQuestion | None = None

    def up(self, node: str) -> bool:
        """Whether a node is active and its heartbeat fresh."""
        status = self.nodes.get(node)
        return status is not None and status.state == "active" and time.monotonic() - status.heard < LOST

    def state_rate(self) -> float:
        """Robot states a second between the first and the last that were heard; 0 before there are two [1/s]."""
        return (self.states - 1) / (self.last - self.first) if self.last > self.first else 0.0

    def missing(self) -> list[str]:
        """What is not there yet before a task can be done, in words."""
        missing = [node for node in NODES if not self.up(node)]
        if self.safety is None or self.safety.mode.lower() == "starting":
            missing.append("safety's go")
        if self.scene is None:
            missing.append("a scene")
        return missing


def newest_scene(client: GraphClient) -> Scene:
    """What a graph sees now.

    Raises:
        ReinsError: no scene is heard.
    """
    heard: list[ros.Scene] = []
    tap = client.listen(ros.Scene, "scene", LATCHED, heard.append)
    end = time.monotonic() + PATIENCE
    while not heard and time.monotonic() < end:
        client.step(PATIENCE)
    client.ignore(tap)
    if not heard:
        raise ReinsError(f"no scene is heard within {PATIENCE:g} s; is perception up? `reins status` shows it")
    return scene_from_msg(heard[-1])


class GraphWatch:
    """Listens to a graph from now on, whenever the client spins; to its robot once that is found.

    Args:
        client: a client of that graph.
    """

    def __init__(self, client: GraphClient) -> None:
        self._client = client
        self.status = GraphStatus()
        self._told: list[str] | None = None
        self._found_robot = False
        self._taps = [
            client.listen(ros.Heartbeat, "heartbeat", HEARTBEAT, self._on_heartbeat),
            client.listen(ros.SafetyState, "safety/state", LATCHED, self._on_safety),
            client.listen(ros.Scene, "scene", LATCHED, self._on_scene),
            client.listen(ros.Plan, "plan", LATCHED, self._on_plan),
            client.listen(ros.PlanQuestion, "planner/question", LATCHED, self._on_question),
            client.listen(String, STAGE, LATCHED, self._on_stage),
        ]

    def close(self) -> None:
        """Stop listening."""
        for tap in self._taps:
            self._client.ignore(tap)

    def wait_until_ready(self, timeout: float, on_change: Callable[[list[str]], None]) -> bool:
        """Listen until a task can be done, at most `timeout` [s]; tells what is missing whenever that changes."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            missing = self.status.missing()
            if missing != self._told:
                on_change(missing)
                self._told = missing
            if not missing:
                return True
            self._client.step(0.1)
        return False

    def _on_heartbeat(self, message: ros.Heartbeat) -> None:
        if not self._found_robot and (wire := wire_of_state(self._client.types_of(STATES))):
            self._found_robot = True
            self._taps.append(self._client.listen(wire.state, STATES, EVERY, self._on_state))
        self.status.nodes[message.node] = NodeStatus(message.state, time.monotonic())

    def _on_safety(self, message: ros.SafetyState) -> None:
        self.status.safety = SafetyStatus(
            message.mode_name, message.reason, message.speed_scale, message.clipped, message.rejected
        )

    def _on_state(self, message: Any) -> None:
        self.status.last = time.monotonic()
        if not self.status.states:
            self.status.first = self.status.last
        self.status.states += 1
        self.status.armed, self.status.fault = message.armed, message.fault
        self.status.robot_time = time_from_msg(message.header.stamp)

    def _on_stage(self, message: String) -> None:
        self.status.stage = message.data

    def _on_scene(self, message: ros.Scene) -> None:
        self.status.scene = scene_from_msg(message)

    def _on_question(self, message: ros.PlanQuestion) -> None:
        self.status.waiting = question_from_msg(message)

    def _on_plan(self, message: ros.Plan) -> None:
        self.status.plan = plan_from_msg(message)
