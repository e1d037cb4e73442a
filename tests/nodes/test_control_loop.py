"""A control thread takes its messages itself, ticks on time, and says what went wrong."""

import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import Int64

from reins.demo.session import free_domain
from reins.nodes.control_loop import ControlLoop, Inbox
from reins.nodes.qos import EVERY_CHANGE, LATCHED

pytestmark = pytest.mark.ros

DEPTH = QoSProfile(depth=10)
SOON = 5.0


@pytest.fixture
def node() -> Iterator[Node]:
    context = Context()
    rclpy.init(args=[], context=context, domain_id=free_domain())
    node = Node("loop", context=context, use_global_arguments=False)
    yield node
    node.destroy_node()
    context.try_shutdown()


def nothing(_due: float) -> None:
    """A tick that does nothing."""


def unexpected(fault: Exception) -> None:
    """For loops that must not fail; ends the test through the thread's unraisable exception."""
    raise fault


def connected(node: Node, topic: str, qos: QoSProfile = DEPTH) -> Any:
    """A publisher whose subscription is there."""
    publisher = node.create_publisher(Int64, topic, qos)
    end = time.monotonic() + SOON
    while publisher.get_subscription_count() == 0:
        assert time.monotonic() < end
        time.sleep(0.01)
    return publisher


def test_handlers_get_every_message_in_order_and_in_one_thread(node: Node) -> None:
    heard: list[int] = []
    threads: set[int] = set()
    done = threading.Event()

    def handle(message: Int64) -> None:
        heard.append(message.data)
        threads.add(threading.get_ident())
        if message.data == 9:
            done.set()

    def tick(_due: float) -> None:
        threads.add(threading.get_ident())

    loop = ControlLoop(node, 0.005, tick, [(Inbox(node, Int64, "numbers", DEPTH), handle)], unexpected)
    loop.start()
    publisher = connected(node, "numbers")
    for number in range(10):
        publisher.publish(Int64(data=number))
    assert done.wait(SOON)
    loop.stop()
    assert heard == list(range(10))
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_the_executor_leaves_an_inbox_alone(node: Node) -> None:
    inbox = Inbox(node, Int64, "numbers", DEPTH)
    publisher = connected(node, "numbers")
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    for number in range(3):
        publisher.publish(Int64(data=number))
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        executor.spin_once(timeout_sec=0.05)
    assert [message.data for message in inbox.drain()] == [0, 1, 2]
    assert inbox.take() is None
    executor.shutdown()


@pytest.mark.parametrize(("qos", "expected"), [(DEPTH, [2]), (LATCHED, [1, 2]), (EVERY_CHANGE, [1, 2])])
def test_what_waited_before_the_start_is_forgotten_unless_it_holds_until_the_next(
    node: Node, qos: QoSProfile, expected: list[int]
) -> None:
    """A mode that is published once, as it changes, would never be known."""
    heard: list[int] = []
    inbox = Inbox(node, Int64, "numbers", qos)
    publisher = connected(node, "numbers", qos)
    publisher.publish(Int64(data=1))
    time.sleep(0.2)
    loop = ControlLoop(node, 0.01, nothing, [(inbox, lambda message: heard.append(message.data))], unexpected)
    loop.start()
    time.sleep(0.05)  # of a depth of one the second would take the place of the first
    publisher.publish(Int64(data=2))
    end = time.monotonic() + SOON
    while len(heard) < len(expected) and time.monotonic() < end:
        time.sleep(0.01)
    loop.stop()
    assert heard == expected


def test_ticks_keep_to_their_grid_and_a_long_stall_is_not_made_up_for(node: Node) -> None:
    due: list[float] = []

    def tick(when: float) -> None:
        due.append(when)
        if len(due) == 20:
            time.sleep(0.2)

    loop = ControlLoop(node, 0.01, tick, [], unexpected)
    loop.start()
    time.sleep(0.7)
    loop.stop()
    steps = np.diff(due)
    assert np.median(steps) == pytest.approx(0.01, abs=1e-6)
    assert steps.max() > 0.15, "the stall shows"
    assert len(due) < 65, "ticks that were missed are not all made up for"


def test_calls_run_in_the_loop_and_bring_back_results_and_errors(node: Node) -> None:
    threads: list[int] = []

    def answer() -> int:
        threads.append(threading.get_ident())
        return 42

    def refuse() -> None:
        raise ValueError("no")

    loop = ControlLoop(node, 10.0, nothing, [], unexpected)
    loop.start()
    assert loop.call(answer) == 42
    assert threads[0] != threading.get_ident()
    with pytest.raises(ValueError, match="no"):
        loop.call(refuse)
    loop.stop()
    with pytest.raises(TimeoutError):
        loop.call(lambda: 1, timeout=0.1)


def test_what_its_caller_gave_up_is_not_done_later(node: Node) -> None:
    done: list[str] = []
    release = threading.Event()
    loop = ControlLoop(node, 10.0, nothing, [], unexpected)
    loop.start()
    busy = threading.Thread(target=lambda: loop.call(lambda: release.wait(SOON), SOON))
    busy.start()
    for name, even_late in (("arm", False), ("stop", True)):
        with pytest.raises(TimeoutError):
            loop.call(partial(done.append, name), timeout=0.1, even_late=even_late)
    release.set()
    busy.join(SOON)
    assert loop.call(lambda: list(done)) == ["stop"]
    loop.stop()


def test_what_has_begun_in_time_is_waited_for(node: Node) -> None:
    loop = ControlLoop(node, 10.0, nothing, [], unexpected)
    loop.start()

    def slow() -> int:
        time.sleep(0.3)
        return 42

    assert loop.call(slow, timeout=0.2) == 42
    loop.stop()


def test_a_flood_keeps_neither_the_tick_nor_others_waiting(node: Node) -> None:
    ticks, heard = list[float](), list[float]()
    over = threading.Event()

    def slowly(_message: Int64) -> None:
        time.sleep(0.002)

    inboxes: list[tuple[Inbox[Int64], Any]] = [
        (Inbox(node, Int64, "flood", DEPTH), slowly),
        (Inbox(node, Int64, "button", DEPTH), lambda _message: heard.append(time.monotonic())),
    ]
    loop = ControlLoop(node, 0.01, ticks.append, inboxes, unexpected)
    loop.start()
    flood, button = connected(node, "flood"), connected(node, "button")

    def pour() -> None:
        while not over.is_set():
            flood.publish(Int64())
            time.sleep(0.0002)

    pouring = threading.Thread(target=pour)
    pouring.start()
    time.sleep(0.3)
    ticks.clear()
    pressed = time.monotonic()
    button.publish(Int64())
    time.sleep(0.5)
    over.set()
    pouring.join(SOON)
    loop.stop()
    assert heard and heard[0] - pressed < 0.3
    assert len(ticks) > 5


def test_emptying_an_inbox_that_fills_meanwhile_ends(node: Node) -> None:
    class Full(Inbox[Int64]):
        def take(self) -> Int64:
            return Int64()

    assert len(Full(node, Int64, "numbers", DEPTH).drain()) == DEPTH.depth


def test_a_fault_ends_the_loop_and_is_told_once(node: Node) -> None:
    faults: list[Exception] = []
    told = threading.Event()

    def tick(_due: float) -> None:
        raise RuntimeError("broken")

    def on_fault(fault: Exception) -> None:
        faults.append(fault)
        told.set()

    loop = ControlLoop(node, 0.01, tick, [], on_fault)
    loop.start()
    assert told.wait(SOON)
    time.sleep(0.1)
    assert [str(fault) for fault in faults] == ["broken"]
    assert not loop.alive(0.05)
    loop.stop()


class Phantom(Inbox[Int64]):
    """The middleware calls it ready, and for a while there is nothing to take."""

    def __init__(self, node: Node, topic: str) -> None:
        super().__init__(node, Int64, topic, DEPTH)
        self.empty, self.looks = True, 0

    def take(self) -> Int64 | None:
        self.looks += 1
        return None if self.empty else super().take()


def test_a_reader_that_is_ready_for_ever_with_nothing_to_take_does_not_make_the_loop_spin(node: Node) -> None:
    inbox, heard = Phantom(node, "numbers"), list[int]()
    publisher = connected(node, "numbers")
    loop = ControlLoop(node, 0.02, nothing, [(inbox, lambda message: heard.append(message.data))], unexpected)
    loop.start()
    inbox.looks = 0
    publisher.publish(Int64(data=1))
    time.sleep(0.5)
    assert 1 <= inbox.looks < 100, "once a tick, or it spins"
    inbox.empty = False
    publisher.publish(Int64(data=2))
    end = time.monotonic() + SOON
    while len(heard) < 2 and time.monotonic() < end:
        time.sleep(0.005)
    loop.stop()
    assert heard == [1, 2]
