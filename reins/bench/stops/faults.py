"""The faults of a graph: emergency stops, commands, stick, publishers, robot time, cameras, nodes killed and frozen."""

import signal
from collections.abc import Iterator
from functools import partial
from typing import Final

from reins_msgs import msg as ros

from reins.bench.stops.cameras import CAMERA_FROZEN
from reins.bench.stops.clock import step_clock
from reins.bench.stops.commands import command_faults
from reins.bench.stops.estops import ESTOPS, estops_in_each_mode
from reins.bench.stops.fault import AT_ONCE, BEGINS, DEATH, HANGS, STALE, STICK_LOST, Act, Deadline, Fault
from reins.bench.stops.moving import SKILL, TELEOP, MovingGraph
from reins.hardware.profile import RobotProfile

NODES: Final = ("safety", "robot", "skills", "planner", "perception", "teleop", "sim_cameras", "supervisor")

SHOWN: Final = {
    "safety": "the safety node",
    "robot": "the robot node",
    "sim_cameras": "the node of the simulation's cameras",
    "supervisor": "the supervisor",
}
"""Nodes that have a row of the table."""

BOTH: Final = (SKILL, TELEOP)
"""Whoever drives."""

STEP: Final = 5
"""By which robot time jumps [s]."""


def all_faults(profile: RobotProfile) -> tuple[Fault, ...]:
    """Of a robot; those first that leave the graph alive."""
    made = (
        *ESTOPS,
        *estops_in_each_mode(),
        *command_faults(profile),
        *_other_sources(),
        CAMERA_FROZEN,
        *(_kill(node) for node in NODES),
        *(_freeze(node) for node in NODES),
    )
    return tuple(sorted(made, key=lambda fault: (fault.ends_graph, fault.cameras)))


def _other_sources() -> Iterator[Fault]:
    """Of the stick, and of topics on which somebody else publishes."""
    lost = r"joystick_lost \(teleop\): no message of the joystick while its dead-man was held"
    yield Fault("stick unplugged", _unplug, STICK_LOST, (lost,), begin=BEGINS[TELEOP], sources=(TELEOP,))
    second = (
        r"robot_stopped \(robot\): command/safe has 2 publishers",
        r"publishers \(robot\): .* command/safe: .*reins_client",
    )
    yield Fault("second publisher of command/safe", _publish_too, AT_ONCE, second, sources=BOTH)
    for way, seconds, jump in (("back", -STEP, r"-\d"), ("forth", STEP, r"\+\d")):
        told = rf"clock_jump \(robot\): .*robot time jumped by {jump}"
        inject = partial(step_clock, seconds)
        row = "robot time jumps back or forth"
        yield Fault(f"clock {way}", inject, AT_ONCE, (told,), sources=BOTH, row=row, always=told)


def _unplug(graph: MovingGraph) -> None:
    graph.stick = None


def _publish_too(graph: MovingGraph) -> None:
    graph.add_rogue(ros.SafeCommand, "command/safe")


def _kill(node: str) -> Fault:
    told = rf"heartbeat_lost \({node}\): .*the heartbeat of {node} never came or its process ended"
    if node == "safety":
        told = r"robot_stopped \(robot\): node 'safety' has ended"
    inject: Act = lambda graph: graph.signal(node, signal.SIGKILL)  # noqa: E731 - one of many like it
    row = f"{SHOWN.get(node, 'another node')} is killed"
    return _ending(node, f"kill {node}", row, inject, DEATH, told, rf"/{node} died: killed by SIGKILL")


def _freeze(node: str) -> Fault:
    deadline, told, printed = HANGS, rf"heartbeat_lost \({node}\): .*the heartbeat of {node} is \d+ ms old", ""
    if node == "safety":
        deadline, told, printed = STALE, r"robot_stopped \(robot\): no command/safe for", r"\[safety\]: stalled for"
    elif node == "robot":
        deadline, told = STALE, r"robot_state_lost \(robot\): .*no robot state for"
    row = f"{SHOWN.get(node, 'another node')} freezes{', and its simulation, until both go on' * (node == 'robot')}"
    return _ending(node, f"freeze {node}", row, lambda graph: graph.freeze(node), deadline, told, printed)


def _ending(node: str, name: str, row: str, act: Act, deadline: Deadline, told: str, printed: str) -> Fault:
    """One that no fault before it hides; the graph ends with it."""
    return Fault(
        name,
        act,
        deadline,
        (told,),
        sources=BOTH,
        row=row,
        always=told,
        printed=printed,
        ends_graph=True,
        ends_safety=node == "safety",
        cameras=node == "sim_cameras",
    )
