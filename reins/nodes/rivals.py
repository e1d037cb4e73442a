"""Publishers of a topic that is meant for one: whether several of them send, and what their nodes are called."""

import math
from collections.abc import Callable
from typing import Final

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node

LOOK_PERIOD: Final = 0.1
"""Time between two looks for names [s]."""

LOOKS: Final = 20
"""Looks after which those are told that are known: discovery brings a node's name after its publishers."""

NAMELESS: Final = "_NODE_NAME_UNKNOWN_"
"""What rmw calls the node of a topic whose process it has discovered, but not yet the node's name."""


class Rivals:
    """Notices when several publishers send on one topic.

    Each publisher numbers its own messages one by one, so that the numbers of several do not follow each other. A
    publisher that sends nothing is no rival: discovery knows a process that was killed for a while, and some tools
    announce what they never send. Where the middleware does not tell the numbers, it is one.

    Args:
        pause: how long the numbers must follow each other until the topic is one publisher's again [s].
    """

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._last: int | None = None
        self._until = -math.inf

    def send(self, publishers: int, number: int | None, t: float) -> bool:
        """Whether several send, as far as is known with the newest message.

        Args:
            publishers: how many the topic has.
            number: the message's, as its publisher counts; None where nobody tells.
            t: steady time of its arrival [s].
        """
        follows = number is not None and number == (number if self._last is None else self._last + 1)
        self._last = number
        if publishers > 1 and not follows:
            self._until = t + self._pause
        return t < self._until


class PublisherNames:
    """Tells the nodes that publish on a topic. A query of the graph may wait for discovery, so the executor makes it.

    Args:
        node: whose executor it is; made while that node is configured.
        topic: full name of the topic.
        tell: takes their names, separated by commas; called from the executor.
    """

    def __init__(self, node: Node, topic: str, tell: Callable[[str], None]) -> None:
        self._node, self._topic, self._tell = node, topic, tell
        self._looks = 0
        self._timer = node.create_timer(LOOK_PERIOD, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._timer.cancel()

    def ask(self) -> None:
        """Tell them soon; from any thread."""
        if self._node.executor is not None:
            self._looks = LOOKS
            self._node.executor.create_task(self._timer.reset)

    def _look(self) -> None:
        infos = self._node.get_publishers_info_by_topic(self._topic)
        names = sorted(f"{info.node_namespace.rstrip('/')}/{info.node_name}" for info in infos)
        self._looks -= 1
        if self._looks > 0 and any(info.node_name == NAMELESS for info in infos):
            return
        self._timer.cancel()
        self._tell(", ".join(names))
