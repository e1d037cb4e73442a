"""The heartbeat: "I am alive", at a steady rate, from a thread of its own."""

import os
import threading
import time
from collections.abc import Callable, Iterable

from rclpy.node import Node
from reins_msgs.msg import Heartbeat

from reins.nodes.qos import HEARTBEAT
from reins.nodes.scheduling import set_scheduling
from reins.safety.processes import ProcessWatch, this_machine

HEARTBEAT_RATE = 20.0
"""Beats per second [Hz]; several of them fit into the watchdogs' deadline. The end of a process is noticed without."""

BEAT_PRIORITY = 20
"""SCHED_FIFO priority of the beating thread where the user may: a busy machine must not look like a dead node."""


MACHINE_SHOWN = 8
"""Characters of a machine's id that are shown."""

ABANDONED = 1.0
"""A process that was silent for this long may be succeeded by another of the same name [s]."""


Process = tuple[str, int]
"""Machine and process id."""


class NodeWatch:
    """Which beats count, and whose process has ended. One thread uses it.

    The process that beats under a name owns the name while it lives: a second graph that is started by mistake beside
    the first neither keeps a dead node of it alive, nor does its end count as theirs.

    Args:
        names: of the nodes that matter; beats of others cost nothing, however many names there are.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._processes = ProcessWatch()
        self._owners: dict[str, tuple[Process, float]] = {}
        self._second: dict[str, Process] = {}
        self._untold: list[str] = []

    def counts(self, beat: Heartbeat, now: float) -> bool:
        """Whether this beat, which came at steady time `now` [s], is of the process that owns a name that matters."""
        if beat.node not in self._names:
            return False
        process = (beat.machine, beat.pid)
        owner, heard = self._owners.get(beat.node, (process, now))
        if owner != process and now - heard < ABANDONED:
            if beat.node not in self._second:
                self._second[beat.node] = process
                self._untold.append(_twice(beat.node, owner, process))
            return False
        self._owners[beat.node] = (process, now)
        self._processes.watch(beat.node, beat.machine, beat.pid)
        return True

    def known(self, node: str) -> bool:
        """Whether a process owns that name."""
        return node in self._owners

    def ended(self) -> list[str]:
        """Nodes whose process has ended since the last call; each is told once."""
        names = self._processes.ended()
        for name in names:
            self._owners.pop(name, None)
            self._second.pop(name, None)
        return names

    def twice(self) -> list[str]:
        """A sentence for each name under which a second process beats, as seen since the last call; once while its
        owner lives."""
        told, self._untold = self._untold, []
        return told

    def close(self) -> None:
        """Watch nothing any more."""
        self._processes.close()


def _twice(node: str, owner: Process, second: Process) -> str:
    first, other = (f"process {pid} of machine {machine[:MACHINE_SHOWN]}" for machine, pid in (owner, second))
    return (
        f"two nodes are called '{node}': {first}, which is watched, and {other}; end the second, or give it another "
        "namespace, for both hear the same requests"
    )


class Heartbeats:
    """Publishes `heartbeat` while the process lives and `pulse` says so.

    A slow callback does not stop it; a killed or frozen process does, and so does a control loop that hangs when
    `pulse` looks at it. Deadlines of those who listen count on the steady clock, not on the stamp.

    Args:
        node: the node that is alive.
        state: its lifecycle state in words.
        pulse: False withholds the beat.
    """

    def __init__(self, node: Node, state: Callable[[], str], pulse: Callable[[], bool]) -> None:
        self._node, self._state, self._pulse = node, state, pulse
        self._publisher = node.create_publisher(Heartbeat, "heartbeat", HEARTBEAT)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Beat from now on."""
        self._thread.start()

    def stop(self) -> None:
        """No further beat."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=1.0)

    def _run(self) -> None:
        set_scheduling(os.SCHED_FIFO, BEAT_PRIORITY, [threading.get_native_id()])
        message = Heartbeat(node=self._node.get_name(), pid=os.getpid(), machine=this_machine())
        period = 1.0 / HEARTBEAT_RATE
        due = time.monotonic()
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            due = max(due + period, time.monotonic())
            if not self._pulse():
                continue
            message.sequence += 1
            message.state = self._state()
            self._publisher.publish(message)
