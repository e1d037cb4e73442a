"""A control thread that takes its messages itself: the executor is left to rare traffic.

A message through rclpy's executor costs about half a millisecond of Python (it builds a wait set over every entity of
the node, and a task per callback). On the control path a thread of its own waits on just the subscriptions that matter,
takes each message directly and calls its handler, then ticks at a fixed rate. Those subscriptions are in a callback
group that never lets the executor run them.
"""

import gc
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, Generic, TypeVar, cast

from rclpy.callback_groups import CallbackGroup
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile

from reins.nodes.scheduling import make_ordinary, make_real_time

MessageT = TypeVar("MessageT")

_NANOSECONDS = 1_000_000_000
_LATE_PERIODS = 5
"""A loop that is later than this gives up catching up."""


class UnspunGroup(CallbackGroup):
    """Callback group of subscriptions that no executor may run."""

    def can_execute(self, entity: object) -> bool:
        """Never."""
        return False

    def beginning_execution(self, entity: object) -> bool:
        """Never."""
        return False

    def ending_execution(self, entity: object) -> None:
        """Nothing to do."""


class Inbox(Generic[MessageT]):
    """A subscription whose messages its owner takes when it wants them.

    Args:
        node: the owner.
        message_type: the message class.
        topic: its topic.
        qos: depth is how many messages wait here at most; the oldest is dropped first.
    """

    def __init__(self, node: Node, message_type: type[MessageT], topic: str, qos: QoSProfile) -> None:
        self._subscription = node.create_subscription(
            message_type,
            topic,
            lambda _message: None,
            qos,
            callback_group=UnspunGroup(),
        )
        self._type = message_type
        self.depth = max(1, qos.depth)
        """How many messages wait here at most."""
        self.holds = qos.durability == DurabilityPolicy.TRANSIENT_LOCAL
        """Whether a message holds until the next, so that those who come later must still hear it."""
        self.number: int | None = None
        """Of the message that was taken last, as its publisher counts; None where the middleware does not tell."""

    @property
    def handle(self) -> Any:
        """The middleware's handle, for a wait set."""
        return self._subscription.handle

    @property
    def topic(self) -> str:
        """The topic's full name."""
        return str(self._subscription.topic_name)

    def publishers(self) -> int:
        """How many publishers it hears now. Costs 2 µs; a query of the whole graph may wait for discovery."""
        return int(self._subscription.get_publisher_count())

    def take(self) -> MessageT | None:
        """The oldest message that waits, or None."""
        handle = self._subscription.handle
        with handle:
            taken = handle.take_message(self._type, False)
        if taken is None:
            return None
        message, about = taken
        self.number = about["publication_sequence_number"]
        return cast("MessageT", message)

    def drain(self) -> list[MessageT]:
        """Everything that waits, oldest first. What comes meanwhile stays: a flood must not hold the owner."""
        messages: list[MessageT] = []
        while len(messages) < self.depth and (message := self.take()) is not None:
            messages.append(message)
        return messages


class ControlLoop:
    """Calls `tick` at a fixed rate, and each handler as soon as a message comes.

    Handlers and tick run in one thread, so that a core behind them needs no lock. An exception in them ends the loop
    and is given to `on_fault`. No inbox, however fast it fills, keeps the others or the tick waiting for more than what
    it holds.

    Args:
        node: the owner; its context ends the loop.
        period: between ticks [s, steady clock].
        tick: called with the steady time [s] it was due at.
        handlers: each inbox with what to do with its messages; the first is looked into first.
        on_fault: called once, from the loop's thread.
        real_time: run the whole process under SCHED_FIFO while the loop runs, where the user may (as ros2_control
            does); for short work on the control path only.
    """

    def __init__(
        self,
        node: Node,
        period: float,
        tick: Callable[[float], None],
        handlers: Sequence[tuple[Inbox[Any], Callable[[Any], None]]],
        on_fault: Callable[[Exception], None],
        real_time: bool = False,
    ) -> None:
        assert node.context.handle is not None, "the node's context is initialised"
        self._context_handle: Any = node.context.handle
        self._period, self._tick, self._handlers, self._on_fault = (
            period,
            tick,
            list(handlers),
            on_fault,
        )
        self._real_time = real_time
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._wake = node.create_guard_condition(lambda: None, callback_group=UnspunGroup())
        self._destroy_wake = lambda: node.destroy_guard_condition(self._wake)
        self._phantoms: set[Inbox[Any]] = set()
        self._calls: deque[Callable[[], None]] = deque()
        self._last_tick = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="control", daemon=True)

    def start(self) -> None:
        """Forget what came before and does not hold any more, then begin ticking."""
        for inbox, _handler in self._handlers:
            if not inbox.holds:
                inbox.drain()
        gc.collect()
        gc.freeze()
        if self._real_time:
            make_real_time()
        self._last_tick = time.monotonic()
        self._thread.start()

    def stop(self) -> None:
        """Tick no more; returns when the thread has ended (at most 2 s)."""
        self._stop.set()
        self._wake.trigger()
        if self._thread.ident is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=2.0)
        if self._real_time:
            make_ordinary()
        self._destroy_wake()

    def call(self, function: Callable[[], MessageT], timeout: float = 1.0, even_late: bool = False) -> MessageT:
        """Run `function` between two steps of the loop and give what it returns; for services that touch the core.

        Args:
            function: what to run.
            timeout: how long to wait [s].
            even_late: run it as soon as the loop comes to it although the caller has given up, as a stop must be.
                Otherwise it is withdrawn: what was said to have failed does not happen afterwards.

        Raises:
            TimeoutError: the loop has ended, or did not get to it in time.
        """
        done = threading.Event()
        result: list[MessageT] = []
        error: list[Exception] = []

        def run() -> None:
            try:
                result.append(function())
            except Exception as fault:
                error.append(fault)
            done.set()

        if self._stop.is_set():
            raise TimeoutError("the control loop has ended")
        with self._lock:
            self._calls.append(run)
        self._wake.trigger()
        if not done.wait(timeout) and (even_late or self._withdraw(run) or not done.wait(timeout)):
            raise TimeoutError(f"the control loop did not answer within {timeout} s")
        if error:
            raise error[0]
        return result[0]

    def _withdraw(self, call: Callable[[], None]) -> bool:
        """Take back what the loop has not begun; False where it has."""
        with self._lock:
            if call not in self._calls:
                return False
            self._calls.remove(call)
            return True

    def alive(self, patience: float) -> bool:
        """Whether the loop ticked within the last `patience` [s]."""
        return time.monotonic() - self._last_tick < patience

    def _run(self) -> None:
        try:
            self._loop()
        except Exception as fault:
            if not self._stop.is_set():
                self._on_fault(fault)

    def _loop(self) -> None:
        handles = [(inbox.handle, inbox, handler) for inbox, handler in self._handlers]
        context, wake = self._context_handle, self._wake.handle
        with context, wake, ExitStack() as entered:
            for handle, _inbox, _handler in handles:
                entered.enter_context(handle)
            wait_set = rclpy_implementation.WaitSet(len(handles), 1, 0, 0, 0, 0, context)
            due = time.monotonic() + self._period
            while not self._stop.is_set():
                self._wait(wait_set, handles, wake, due)
                now = time.monotonic()
                if now >= due:
                    self._last_tick = now
                    self._tick(due)
                    due += self._period
                    if now - due > _LATE_PERIODS * self._period:
                        due = now + self._period

    def _wait(
        self,
        wait_set: Any,
        handles: list[tuple[Any, Inbox[Any], Any]],
        wake: Any,
        due: float,
    ) -> None:
        """Wait for messages until `due`, and handle those that came.

        After a publisher has left, Fast DDS may call a reader ready for ever that has nothing to take. Such an inbox is
        not waited for, which would spin, but looked into whenever the loop wakes, until it gives a message again.
        """
        wait_set.clear_entities()
        for handle, inbox, _handler in handles:
            if inbox not in self._phantoms:
                wait_set.add_subscription(handle)
        wait_set.add_guard_condition(wake)
        wait_set.wait(max(0, int((due - time.monotonic()) * _NANOSECONDS)))
        ready = wait_set.get_ready_entities("subscription")
        for handle, inbox, handler in handles:
            if handle.pointer in ready or inbox in self._phantoms:
                took = 0
                while took < inbox.depth and (message := inbox.take()) is not None:
                    took += 1
                    handler(message)
                (self._phantoms.discard if took else self._phantoms.add)(inbox)
        self._run_calls()

    def _run_calls(self) -> None:
        """What was asked for; each can be withdrawn until its turn."""
        while self._calls:
            with self._lock:
                call = self._calls.popleft() if self._calls else None
            if call is not None:
                call()
