"""Notices at once that a process of this machine has ended, without waiting for a heartbeat's deadline.

A heartbeat can only say "late", and a deadline short enough for a killed process would stop the robot whenever a busy
machine makes a node late. The kernel knows the difference: a pidfd becomes readable when its process ends.
"""

import os
import select
from pathlib import Path


def this_machine() -> str:
    """Names the set of process numbers that this process lives in: the boot and the PID namespace.

    Process numbers mean the same to two processes only where this is equal; it differs between hosts and containers.
    """
    boot = Path("/proc/sys/kernel/random/boot_id").read_bytes().strip().decode()
    return f"{boot}/{os.stat('/proc/self/ns/pid').st_ino}"


class ProcessWatch:
    """Watches processes by name. One thread uses it."""

    def __init__(self) -> None:
        self._machine = this_machine()
        self._poll = select.poll()
        self._names: dict[int, str] = {}
        self._processes: dict[str, tuple[str, int]] = {}

    def watch(self, name: str, machine: str, pid: int) -> None:
        """Watch the process that calls itself `name`; cheap to call again. One of another machine is left alone.

        Args:
            name: of the node.
            machine: what `this_machine` says there.
            pid: process number there.
        """
        if self._processes.get(name) == (machine, pid):
            return
        self._processes[name] = (machine, pid)
        self._forget(name)
        if machine != self._machine:
            return
        try:
            descriptor = os.pidfd_open(pid)
        except (OSError, OverflowError):
            return  # it ended before we could look, or there is no such number: the heartbeat's deadline is left
        self._names[descriptor] = name
        self._poll.register(descriptor, select.POLLIN)

    def ended(self) -> list[str]:
        """Names of the watched processes that have ended since the last call; each is told once."""
        names = []
        for descriptor, _ in self._poll.poll(0):
            name = self._names[descriptor]
            self._forget(name)
            names.append(name)
        return names

    def close(self) -> None:
        """Watch nothing any more. Safe to call twice."""
        for name in list(self._names.values()):
            self._forget(name)

    def _forget(self, name: str) -> None:
        for descriptor in [descriptor for descriptor, known in self._names.items() if known == name]:
            self._poll.unregister(descriptor)
            os.close(descriptor)
            del self._names[descriptor]
