"""Awaiting with a bound, in callbacks: nothing here blocks the executor's thread."""

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.task import Future

T = TypeVar("T")

_STEADY = Clock(clock_type=ClockType.STEADY_TIME)


def wake(node: Node) -> None:
    """Make the node's executor look at what it awaits; for futures that another thread completed."""
    executor = node.executor
    if executor is not None:
        executor.wake()


async def first_of(node: Node, timeout: float, *futures: Future) -> bool:
    """Wait until one of `futures` is done, at most `timeout` [s, steady clock]; whether one is.

    In a service's or topic's callback, what is awaited (a client, say) must be in another callback group than that
    callback: a mutually exclusive group runs nothing else until it has returned.
    """
    over: list[bool] = []
    group = ReentrantCallbackGroup()
    timer = node.create_timer(max(timeout, 0.0), lambda: over.append(True), callback_group=group, clock=_STEADY)
    try:
        await _Until(lambda: bool(over) or any(future.done() for future in futures))
    finally:
        node.destroy_timer(timer)
    return any(future.done() for future in futures)


class _Until:
    """Awaitable: the executor looks at the condition whenever it has done something."""

    def __init__(self, condition: Callable[[], bool]) -> None:
        self._condition = condition

    def __await__(self) -> Any:
        while not self._condition():
            yield


class Thinking(Generic[T]):
    """A function that runs in a thread of its own, so that a slow one holds up no callback.

    Args:
        node: whose executor awaits it.
        function: what to run.

    Attributes:
        done: a future that completes when the function has returned or raised.
    """

    def __init__(self, node: Node, function: Callable[[], T]) -> None:
        self.done = Future()
        self._node, self._function = node, function
        threading.Thread(target=self._run, name="thinking", daemon=True).start()

    def _run(self) -> None:
        try:
            self.done.set_result(self._function())
        except Exception as error:  # handed to whoever asks for the result
            self.done.set_exception(error)
        wake(self._node)

    def result(self) -> T:
        """What the function returned; raises what it raised."""
        value: T = self.done.result()
        return value
