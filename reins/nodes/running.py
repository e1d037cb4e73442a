"""A node as a process: started, stopped by a signal, and what it leaves behind when it fails."""

import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import try_shutdown

from reins.contracts.errors import ReinsError
from reins.nodes.base import ManagedNode
from reins.nodes.middleware import avoid_shared_memory
from reins.nodes.scheduling import make_middleware_real_time, real_time_allowed
from reins.nodes.stop_signals import STOP_SIGNALS

STOP_WITHIN = 4.5
"""A node that has not stopped this long after the signal ends at once [s]; launch's own patience is 5 s."""

SWITCH_INTERVAL = 0.0005
"""How long one Python thread may keep another, such as the heartbeat's, waiting for the interpreter [s]; the default
is 5 ms."""


def run(node_class: Callable[[], ManagedNode[Any]], shared_memory: bool = False) -> int:
    """Run one node until SIGINT or SIGTERM, then stop it cleanly. The body of every node's `main`.

    The executor spins in a thread while this one waits for a signal, so that a node can still publish and stop what
    moves after the signal came. A second signal changes nothing: a terminal and a launcher may both send one, and the
    stop has a bound.

    Args:
        node_class: makes the node when called without arguments.
        shared_memory: let the middleware use it; only for what moves pictures (see `middleware`).

    Returns:
        Exit status: 0 after a signal, 1 after a fault.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    sys.setswitchinterval(SWITCH_INTERVAL)
    if not shared_memory:
        avoid_shared_memory()
    rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = node_class()
    except ReinsError as error:
        print(f"error: {error}", file=sys.stderr)
        try_shutdown()
        return 1
    node.start_heartbeat()
    make_middleware_real_time()
    if node.niceness and not real_time_allowed():
        os.nice(node.niceness)  # on Linux, of this thread and of those that it starts from now on
    executor = node.make_executor()
    executor.add_node(node)
    stopping = threading.Event()
    thread = threading.Thread(target=_spin, args=(executor, node, stopping), name="executor", daemon=True)
    gc.collect()
    gc.freeze()  # what start-up made lives to the end: the collector need not look at it again
    thread.start()
    signal.sigwait(STOP_SIGNALS)
    stopping.set()
    watchdog = threading.Timer(STOP_WITHIN, os._exit, args=(1,))
    watchdog.daemon = True
    watchdog.start()
    executor.create_task(lambda: None)  # work to do, so that the executor comes round and sees it
    thread.join()
    for fault in node.faults:
        expected = isinstance(fault, ReinsError)
        node.get_logger().fatal(str(fault) if expected else "".join(traceback.format_exception(fault)).rstrip())
    node.destroy_node()
    try_shutdown()
    return 1 if node.faults else 0


def _spin(executor: Executor, node: ManagedNode[Any], stopping: threading.Event) -> None:
    """Spin, then stop the node in the same thread: what it made may belong to that thread, as graphics contexts do."""
    try:
        while not stopping.is_set():
            executor.spin_once()
    except ExternalShutdownException:
        pass
    except Exception as fault:
        node.fail(fault)
    if not stopping.is_set():
        os.kill(os.getpid(), signal.SIGTERM)  # wakes the main thread
    node.close()
