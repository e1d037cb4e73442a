"""Plain data from a graph's topics, to whoever records it."""

from collections.abc import Callable
from typing import Any, Final, Protocol

from rclpy.qos import QoSProfile, ReliabilityPolicy
from reins_msgs import msg as ros

from reins.contracts.event import SafetyEvent
from reins.contracts.plan import Plan
from reins.contracts.scene import Scene
from reins.hardware.robot import RobotState
from reins.nodes.client import GraphClient
from reins.nodes.convert import event_from_msg, robot_state_from_msg, time_from_msg
from reins.nodes.convert_scene import plan_from_msg, scene_from_msg, world_from_msg
from reins.nodes.qos import LATCHED
from reins.sim.world_state import WorldState

EVERY: Final = QoSProfile(depth=200, reliability=ReliabilityPolicy.RELIABLE)
"""Keeps what comes while the recorder is busy with something else."""


class Sink(Protocol):
    """What takes the data."""

    def on_state(self, state: RobotState) -> None:
        """Measured state of the robot."""

    def on_world(self, world: WorldState) -> None:
        """Truth of the simulation."""

    def on_event(self, event: SafetyEvent) -> None:
        """Something was stopped, clipped or refused."""

    def on_mode(self, stamp: float, mode: str, reason: str) -> None:
        """The safety monitor told its mode, at robot time `stamp` [s]."""

    def on_scene(self, scene: Scene) -> None:
        """What perception sees."""

    def on_plan(self, stamp: float, plan: Plan) -> None:
        """The planner made a plan, at robot time `stamp` [s]."""


class GraphRecorder:
    """Gives everything that a graph tells from now on to a sink, whenever the client spins.

    Args:
        client: a client of that graph.
        sink: takes the data.
    """

    def __init__(self, client: GraphClient, sink: Sink) -> None:
        self._client = client
        self._subscriptions = [
            self._listen(ros.RobotState, "robot_state", lambda m: sink.on_state(robot_state_from_msg(m)), EVERY),
            self._listen(ros.WorldState, "sim/world_state", lambda m: sink.on_world(world_from_msg(m)), EVERY),
            self._listen(ros.SafetyEvent, "safety/events", lambda m: sink.on_event(event_from_msg(m)), EVERY),
            self._listen(
                ros.SafetyState,
                "safety/state",
                lambda m: sink.on_mode(time_from_msg(m.header.stamp), m.mode_name, m.reason),
                LATCHED,
            ),
            self._listen(ros.Scene, "scene", lambda m: sink.on_scene(scene_from_msg(m)), LATCHED),
            self._listen(
                ros.Plan, "plan", lambda m: sink.on_plan(time_from_msg(m.header.stamp), plan_from_msg(m)), LATCHED
            ),
        ]

    def close(self) -> None:
        """Stop listening."""
        for subscription in self._subscriptions:
            self._client.node.destroy_subscription(subscription)

    def _listen(self, kind: Any, topic: str, callback: Callable[[Any], None], qos: QoSProfile) -> Any:
        return self._client.node.create_subscription(kind, topic, callback, qos)
