"""Calls to the lifecycle services of other nodes, from a thread that may wait; every wait has a bound."""

import threading
from collections.abc import Iterable
from typing import Any, Final

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future

from reins.contracts.errors import ReinsError

TRANSITIONS: Final = {
    "configure": Transition.TRANSITION_CONFIGURE,
    "activate": Transition.TRANSITION_ACTIVATE,
}


class LifecycleClients:
    """Moves nodes through their states. Call it from any thread but the executor's.

    Args:
        node: makes the clients; its executor must spin.
        names: the other nodes, in the same namespace.
    """

    def __init__(self, node: Node, names: Iterable[str]) -> None:
        self._clients: dict[str, Client] = {
            name: node.create_client(ChangeState, f"{name}/change_state") for name in names
        }

    def wait_until_there(self, timeout: float) -> None:
        """Wait until every node offers its service, at most `timeout` [s] each.

        Raises:
            ReinsError: one does not; names it.
        """
        for name, client in self._clients.items():
            if not client.wait_for_service(timeout):
                raise ReinsError(f"node '{name}' did not come up within {timeout:.0f} s; see its output")

    def change(self, names: Iterable[str], transition: str, timeout: float) -> None:
        """Send a transition to several nodes at once and wait for all.

        Raises:
            ReinsError: a node refuses, or does not answer within `timeout` [s]; names it.
        """
        request = ChangeState.Request(transition=Transition(id=TRANSITIONS[transition]))
        futures = {name: self._clients[name].call_async(request) for name in names}
        for name, future in futures.items():
            response = wait_for(future, timeout)
            if response is None:
                raise ReinsError(f"node '{name}' did not {transition} within {timeout:.0f} s; see its output")
            if not response.success:
                raise ReinsError(f"node '{name}' refused to {transition}; its output says why")


def wait_for(future: Future, timeout: float) -> Any:
    """The result of a future that an executor in another thread completes, or None after `timeout` [s]."""
    done = threading.Event()
    future.add_done_callback(lambda _future: done.set())
    if not done.wait(timeout):
        future.cancel()
        return None
    return future.result()
