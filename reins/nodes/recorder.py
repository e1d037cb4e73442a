"""Plain data from a graph's topics, to whoever records it."""

from collections.abc import Callable
from typing import Protocol

from reins_msgs import msg as ros

from reins.contracts.event import SafetyEvent
from reins.contracts.plan import Plan
from reins.contracts.scene import Scene
from reins.hardware.robot import RobotState, SafeCommand
from reins.nodes.client import GraphClient
from reins.nodes.convert import event_from_msg, robot_state_from_msg, safe_command_from_msg, time_from_msg
from reins.nodes.convert_scene import plan_from_msg, scene_from_msg, world_from_msg
from reins.nodes.qos import EVENTS, LATCHED
from reins.nodes.watch import EVERY
from reins.sim.world_state import WorldState


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
        on_command: takes every safe command, if given.
    """

    def __init__(
        self, client: GraphClient, sink: Sink, on_command: Callable[[SafeCommand], None] | None = None
    ) -> None:
        self._client = client
        self._taps = [
            client.listen(ros.RobotState, "robot_state", EVERY, lambda m: sink.on_state(robot_state_from_msg(m))),
            client.listen(ros.WorldState, "sim/world_state", EVERY, lambda m: sink.on_world(world_from_msg(m))),
            client.listen(ros.SafetyEvent, "safety/events", EVENTS, lambda m: sink.on_event(event_from_msg(m))),
            client.listen(
                ros.SafetyState,
                "safety/state",
                LATCHED,
                lambda m: sink.on_mode(time_from_msg(m.header.stamp), m.mode_name, m.reason),
            ),
            client.listen(ros.Scene, "scene", LATCHED, lambda m: sink.on_scene(scene_from_msg(m))),
            client.listen(
                ros.Plan, "plan", LATCHED, lambda m: sink.on_plan(time_from_msg(m.header.stamp), plan_from_msg(m))
            ),
        ]
        if on_command is not None:
            take = on_command
            self._taps.append(
                client.listen(ros.SafeCommand, "command/safe", EVERY, lambda m: take(safe_command_from_msg(m)))
            )

    def close(self) -> None:
        """Stop listening."""
        for tap in self._taps:
            self._client.ignore(tap)
