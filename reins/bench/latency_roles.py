"""The processes of the latency benchmark, one role each: `python -m reins.bench.latency_roles ROLE SECONDS NAMESPACE`.

Bare roles are what anyone would write with rclpy: a node, a subscription or a timer, the default executor. The
collector is the same for both sides, so that what it adds to a figure it adds to both.
"""

import contextlib
import json
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.utilities import try_shutdown
from reins_msgs.msg import JointCommand, RobotState, SafeCommand
from reins_msgs.srv import Arm
from sensor_msgs.msg import JointState
from std_msgs.msg import Int64

from reins.contracts.errors import ReinsError
from reins.hardware.profile import load_profile
from reins.nodes.control_loop import ControlLoop, Inbox
from reins.nodes.lifecycle_clients import LifecycleClients, wait_for
from reins.nodes.qos import CONTROL, EVENTS, STANDARD

PROFILE: Final = "franka"
WARM_UP: Final = 2.0
"""Discovery and first messages, not counted [s]."""
START_TIMEOUT: Final = 40.0
"""How long the processes may take to be there [s]."""


def bare_source(node: Node, _seconds: float) -> None:
    """Sends a joint command at the command rate."""
    profile = load_profile(PROFILE)
    publisher = node.create_publisher(JointCommand, "command/skill", CONTROL)
    message = JointCommand(source="skill", joint_names=list(profile.joint_names), velocity=[0.0] * len(profile.joints))
    message.period = 1.0 / profile.rates.command

    def send() -> None:
        message.sequence += 1
        message.trace_ns = time.monotonic_ns()
        publisher.publish(message)

    node.create_timer(message.period, send)
    _spin(node)


def bare_relay(node: Node, _seconds: float) -> None:
    """Makes a safe command out of each joint command and sends it on."""
    publisher = node.create_publisher(SafeCommand, "command/safe", CONTROL)
    message = SafeCommand(position=[0.0] * len(load_profile(PROFILE).joints))

    def relay(command: JointCommand) -> None:
        message.sequence, message.period = command.sequence, command.period
        message.velocity, message.trace_ns = command.velocity, command.trace_ns
        publisher.publish(message)

    node.create_subscription(JointCommand, "command/skill", relay, CONTROL)
    _spin(node)


def bare_sink(node: Node, _seconds: float) -> None:
    """Takes the safe commands and tells how long each was under way."""
    publisher = node.create_publisher(Int64, "robot/command_latency", EVENTS)

    def arrived(command: SafeCommand) -> None:
        publisher.publish(Int64(data=time.monotonic_ns() - command.trace_ns))

    node.create_subscription(SafeCommand, "command/safe", arrived, CONTROL)
    _spin(node)


def bare_joint_states(node: Node, _seconds: float) -> None:
    """Sends joint states at the state rate from a timer."""
    profile = load_profile(PROFILE)
    publisher = node.create_publisher(JointState, "joint_states", STANDARD)
    zeros = [0.0] * len(profile.joints)
    message = JointState(name=list(profile.joint_names), position=zeros, velocity=zeros, effort=zeros)
    node.create_timer(1.0 / profile.rates.state, lambda: publisher.publish(message))
    _spin(node)


def source(node: Node, _seconds: float) -> None:
    """Brings safety and robot up, then stands where the skills node stands: a command on each state's arrival."""
    executor = threading.Thread(target=_spin, args=(node,), daemon=True)
    executor.start()
    lifecycle = LifecycleClients(node, ("robot", "safety"))
    lifecycle.wait_until_there(START_TIMEOUT)
    for transition in ("configure", "activate"):
        lifecycle.change(("robot", "safety"), transition, START_TIMEOUT)
    _arm(node)
    profile = load_profile(PROFILE)
    publisher = node.create_publisher(JointCommand, "command/skill", CONTROL)
    message = JointCommand(source="skill", joint_names=list(profile.joint_names), velocity=[0.0] * len(profile.joints))
    message.period = 1.0 / profile.rates.command

    def send(state: RobotState) -> None:
        if message.sequence == 0:
            message.activation = state.header.stamp
        message.header.stamp = state.header.stamp
        message.sequence += 1
        message.trace_ns = time.monotonic_ns()
        publisher.publish(message)

    faults: list[Exception] = []
    states: Inbox[RobotState] = Inbox(node, RobotState, "robot_state", CONTROL)
    loop = ControlLoop(node, 0.1, lambda _due: None, [(states, send)], faults.append, real_time=True)
    loop.start()
    executor.join()
    loop.stop()
    if faults:
        raise faults[0]


def _arm(node: Node) -> None:
    client = node.create_client(Arm, "robot/arm")
    end = time.monotonic() + START_TIMEOUT
    answer = "no answer"
    while time.monotonic() < end:
        response = wait_for(client.call_async(Arm.Request(arm=True, requested_by="benchmark")), 2.0)
        if response is not None and response.accepted:
            return
        answer = response.message if response is not None else answer
        time.sleep(0.1)
    raise ReinsError(f"the robot could not be armed: {answer}")


def collector(node: Node, seconds: float) -> None:
    """Waits for both streams, then listens; prints `{"latency_us": […], "arrival_s": […]}`.

    It takes the messages as quickly as the machine lets it, so that it adds as little as possible to either side.
    """
    latencies: list[float] = []
    arrivals: list[float] = []
    counting = threading.Event()

    def note_latency(message: Int64) -> None:
        if counting.is_set():
            latencies.append(message.data * 1e-3)
        both[0].set()

    def note_arrival(_message: JointState) -> None:
        if counting.is_set():
            arrivals.append(time.monotonic())
        both[1].set()

    both = threading.Event(), threading.Event()
    ways: list[tuple[Inbox[Any], Callable[[Any], None]]] = [
        (Inbox(node, JointState, "joint_states", STANDARD), note_arrival),
        (Inbox(node, Int64, "robot/command_latency", EVENTS), note_latency),
    ]
    faults: list[Exception] = []
    loop = ControlLoop(node, 0.1, lambda _due: None, ways, faults.append, real_time=True)
    loop.start()
    for event, what in zip(both, ("command latencies", "joint states"), strict=True):
        if not event.wait(START_TIMEOUT):
            raise ReinsError(f"no {what} came within {START_TIMEOUT:.0f} s")
    time.sleep(WARM_UP)
    counting.set()
    time.sleep(seconds)
    counting.clear()
    loop.stop()
    if faults:
        raise faults[0]
    print(json.dumps({"latency_us": latencies, "arrival_s": arrivals}), flush=True)


def _spin(node: Node) -> None:
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(node)


ROLES: Final[dict[str, Callable[[Node, float], None]]] = {
    role.__name__: role for role in (bare_source, bare_relay, bare_sink, bare_joint_states, source, collector)
}


def main() -> int:
    """Play one role until SIGTERM, or until it is done."""
    role, seconds, namespace = sys.argv[1:4]
    if role in ("robot", "safety"):
        from importlib import import_module

        return int(import_module(f"reins.nodes.{role}").main())
    rclpy.init(args=[])
    node = rclpy.create_node(role, namespace=namespace)
    try:
        ROLES[role](node, float(seconds))
    except ReinsError as error:
        print(f"{role}: {error}", file=sys.stderr)
        return 1
    finally:
        try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
