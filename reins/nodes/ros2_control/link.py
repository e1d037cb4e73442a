"""A node of the driver's own in the ROS graph. One thread uses it; nothing spins unless an answer is waited for."""

import os
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

import rclpy
from rclpy.action.client import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from rclpy.topic_endpoint_info import TopicEndpointInfo

from reins.nodes.middleware import avoid_shared_memory
from reins.nodes.rivals import NAMELESS

NAME: Final = "reins_driver"
"""How the driver's nodes are called, before the number of the process."""


APPEAR: Final = 4.0
"""How long joint states and controllers may take to be discovered [s]."""

T = TypeVar("T")


def wait_for(look: Callable[[], T | None]) -> T | None:
    """What `look` gives as soon as it gives something; None when it does not within `APPEAR`."""
    end = time.monotonic() + APPEAR
    while (found := look()) is None and time.monotonic() < end:
        time.sleep(0.005)
    return found


def absolute(name: str) -> str:
    """A ROS name that does not depend on a namespace."""
    return f"/{name.strip('/')}"


class Link:
    """Joins the graph of this process's ROS_DOMAIN_ID, in no namespace.

    Args:
        part: what it is for; ends the node's name.
    """

    def __init__(self, part: str) -> None:
        avoid_shared_memory()
        self._context = Context()
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        name = f"{NAME}_{os.getpid()}_{part}_{id(self) % 0xFFFF:04x}"
        self.node = Node(
            name,
            context=self._context,
            use_global_arguments=False,
            enable_rosout=False,
            start_parameter_services=False,
        )
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)

    def ask(self, kind: Any, name: str, request: Any, timeout: float) -> Any | None:
        """The answer of a service; None when there is none within `timeout` [s]."""
        end = time.monotonic() + timeout
        client = self.node.create_client(kind, name)
        try:
            if not client.wait_for_service(timeout_sec=timeout):
                return None
            future = client.call_async(request)
            return future.result() if self.wait(future, end - time.monotonic()) else None
        finally:
            self.node.destroy_client(client)

    def wait(self, future: Future, timeout: float) -> bool:
        """Whether an answer comes within `timeout` [s]."""
        self._executor.spin_until_future_complete(future, timeout_sec=max(0.0, timeout))
        return bool(future.done())

    def look(self) -> None:
        """Take the answers that have come; never waits."""
        self._executor.spin_once(timeout_sec=0.0)

    def action_client(self, kind: Any, name: str) -> ActionClient:
        """A client of an action."""
        return ActionClient(self.node, kind, name)

    def others(self, topic: str) -> list[str]:
        """Names of the nodes other than this one that publish a topic, as far as they are discovered.

        Discovery brings a node's name after its publishers, and a stop does not wait for it.
        """
        return self._names_of(self.node.get_publishers_info_by_topic(topic))

    def clients(self, service: str) -> list[str]:
        """Names of the nodes other than this one that have a client of a service, as far as they are discovered."""
        return self._names_of(self.node.get_publishers_info_by_topic(f"rq{service}Request", no_mangle=True))

    def _names_of(self, infos: list[TopicEndpointInfo]) -> list[str]:
        return sorted(
            "a node whose name is not known yet"
            if info.node_name == NAMELESS
            else f"{info.node_namespace.rstrip('/')}/{info.node_name}"
            for info in infos
            if info.node_name != self.node.get_name()
        )

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown(timeout_sec=1.0)
        self.node.destroy_node()
        self._context.try_shutdown()
