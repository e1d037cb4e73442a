"""The faults: how each is injected into a moving graph, and how it is taken back."""

import copy
import math
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Final

import numpy as np
from reins_msgs import msg as ros
from reins_msgs.srv import EmergencyStop
from std_msgs.msg import Bool

from reins.bench.stops.moving import SKILL, TELEOP, MovingGraph, Tamper
from reins.hardware.robot import FloatArray
from reins.nodes.qos import CONTROL

Act = Callable[[MovingGraph], None]

NODES: Final = ("safety", "robot", "skills", "planner", "perception", "teleop", "sim_cameras", "supervisor")

SEQUENCE: Final = "random sequence"

PAUSE: Final = 0.1
"""Longest time between two faults of a sequence [s]."""

KNOWN: Final = 0.1
"""How long listeners may take to know a publisher that knows them [s]; until then they hear nothing of it."""

TOLD: Final = 3
"""How often a robot state of another time is sent."""

LATE: Final = 0.3
"""How late delayed commands are [s]."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault.

    Attributes:
        name: kind and what it hits.
        inject: makes it happen, to a moving graph.
        mend: takes it back; the arm must go on standing then.
        source: who drives meanwhile: skill or teleop.
        ends_graph: the graph ends with it, so that each trial needs one of its own.
        cameras: the graph renders.
    """

    name: str
    inject: Act
    mend: Act = lambda _graph: None
    source: str = SKILL
    ends_graph: bool = False
    cameras: bool = False


def _kill(node: str) -> Fault:
    inject: Act = lambda graph: graph.signal(node, signal.SIGKILL)  # noqa: E731 - one of many like it
    return Fault(f"kill {node}", inject, ends_graph=True, cameras=node == "sim_cameras")


def _freeze(node: str) -> Fault:
    return Fault(
        f"freeze {node}",
        lambda graph: graph.signal(node, signal.SIGSTOP),
        lambda graph: graph.signal(node, signal.SIGCONT),
        ends_graph=True,
        cameras=node == "sim_cameras",
    )


def _tampered(name: str, make: Callable[[MovingGraph], Tamper]) -> Fault:
    """Of the commands; they stay so until the next trial."""

    def inject(graph: MovingGraph) -> None:
        graph.tamper = make(graph)

    return Fault(f"commands {name}", inject)


def _always(tamper: Tamper) -> Callable[[MovingGraph], Tamper]:
    return lambda _graph: tamper


def _with_velocity(value: float, command: ros.JointCommand) -> list[ros.JointCommand]:
    command.velocity[3] = value
    return [command]


def _short(command: ros.JointCommand) -> list[ros.JointCommand]:
    command.velocity = command.velocity[:-1]
    return [command]


def _swapped(command: ros.JointCommand) -> list[ros.JointCommand]:
    names = command.joint_names
    names[0], names[1] = names[1], names[0]
    command.joint_names = names
    return [command]


def _bad_gripper(command: ros.JointCommand) -> list[ros.JointCommand]:
    command.has_gripper, command.gripper_width = True, math.nan
    return [command]


def _shifted(seconds: int, command: ros.JointCommand) -> list[ros.JointCommand]:
    command.header.stamp.sec = max(0, command.header.stamp.sec + seconds)
    return [command]


def _nobody(command: ros.JointCommand) -> list[ros.JointCommand]:
    command.source = "somebody"
    return [command]


def _dropped(_command: ros.JointCommand) -> list[ros.JointCommand]:
    return []


def _repeated(graph: MovingGraph) -> Tamper:
    """The last one that was as it should be, again and again."""
    heard = copy.deepcopy(graph.heard)
    return lambda _command: [heard]


def _delayed(_graph: MovingGraph) -> Tamper:
    waiting: list[tuple[float, ros.JointCommand]] = []

    def tamper(command: ros.JointCommand) -> list[ros.JointCommand]:
        now = time.monotonic()
        waiting.append((now + LATE, copy.copy(command)))
        due = [late for at, late in waiting if at <= now]
        del waiting[: len(due)]
        return due

    return tamper


def _backwards(graph: MovingGraph) -> Tamper:
    """Down from the last number that was heard: each command has a lower one than that before it."""
    numbers = count(graph.heard.sequence, -1)

    def tamper(command: ros.JointCommand) -> list[ros.JointCommand]:
        command.sequence = max(0, next(numbers))
        return [command]

    return tamper


def _second_publisher(graph: MovingGraph) -> None:
    graph.rogues.append(graph.node.create_publisher(ros.SafeCommand, "command/safe", CONTROL))


def _no_rogues(graph: MovingGraph) -> None:
    while graph.rogues:
        graph.node.destroy_publisher(graph.rogues.pop())


def _clock_steps(seconds: int, graph: MovingGraph) -> None:
    """Somebody else publishes robot states of another time."""
    rogue = graph.node.create_publisher(ros.RobotState, "robot_state", CONTROL)
    graph.rogues.append(rogue)
    topic, node = rogue.topic_name, graph.node
    graph.until(lambda: rogue.get_subscription_count() >= node.count_subscribers(topic), "listener of robot_state", 5.0)
    time.sleep(KNOWN)
    wrong = copy.deepcopy(graph.states[-1][1])
    stamp = wrong.header.stamp
    if stamp.sec + seconds < 0:  # the graph is young
        stamp.sec = stamp.nanosec = 0
    else:
        stamp.sec += seconds
    graph.injected = time.time()
    for _ in range(TOLD):  # readers keep the newest alone, and a true one may follow at once
        rogue.publish(wrong)
        time.sleep(0.002)


def _estop_service(graph: MovingGraph) -> None:
    graph.estop_service.call_async(EmergencyStop.Request(requested_by="benchmark", reason="a trial"))


def _estop_topic(graph: MovingGraph) -> None:
    graph.estop_topic.publish(Bool(data=True))


def _estop_button(graph: MovingGraph) -> None:
    graph.press_estop()


def _unplugged(graph: MovingGraph) -> None:
    graph.stick = None


ESTOPS: Final = (
    Fault("estop service", _estop_service),
    Fault("estop topic", _estop_topic),
    Fault("estop topic, teleop", _estop_topic, source=TELEOP),
    Fault("estop button", _estop_button),
    Fault("estop button, teleop", _estop_button, source=TELEOP),
)

FAULTS: Final = (
    *ESTOPS,
    _tampered("with NaN", _always(partial(_with_velocity, math.nan))),
    _tampered("with infinity", _always(partial(_with_velocity, math.inf))),
    _tampered("with a NaN gripper", _always(_bad_gripper)),
    _tampered("too short", _always(_short)),
    _tampered("in another joint order", _always(_swapped)),
    _tampered("of nobody", _always(_nobody)),
    _tampered("from the past", _always(partial(_shifted, -1))),
    _tampered("from the future", _always(partial(_shifted, 1))),
    _tampered("dropped", _always(_dropped)),
    _tampered("repeated", _repeated),
    _tampered("delayed", _delayed),
    _tampered("in reverse order", _backwards),
    Fault("stick unplugged", _unplugged, source=TELEOP),
    Fault("second publisher of command/safe", _second_publisher, _no_rogues),
    Fault("clock back", partial(_clock_steps, -5), _no_rogues),
    Fault("clock forth", partial(_clock_steps, 5), _no_rogues),
    *(_kill(node) for node in NODES),
    *(_freeze(node) for node in NODES),
)
"""All of them, those first that leave the graph alive."""


def random_sequences(faults: Sequence[Fault], count: int, seed: int) -> list[Fault]:
    """Two to four of `faults` that a skill is driving through, one soon after the other, as one fault."""
    generator = np.random.default_rng(seed)
    usable = [fault for fault in faults if fault.source == SKILL]

    def sequence() -> Fault:
        count = min(int(generator.integers(2, 5)), len(usable))
        chosen = [usable[i] for i in generator.choice(len(usable), count, replace=False)]
        pauses = generator.uniform(0.0, PAUSE, len(chosen))
        return Fault(SEQUENCE, partial(_one_after_the_other, chosen, pauses), partial(_mend_all, chosen))

    return [sequence() for _ in range(count if len(usable) > 1 else 0)]


def _one_after_the_other(faults: Sequence[Fault], pauses: FloatArray, graph: MovingGraph) -> None:
    began = graph.injected
    for fault, pause in zip(faults, pauses, strict=True):
        fault.inject(graph)
        time.sleep(pause)
    graph.injected = began


def _mend_all(faults: Sequence[Fault], graph: MovingGraph) -> None:
    for fault in faults:
        fault.mend(graph)
