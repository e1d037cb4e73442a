"""One child process: started in a process group of its own, watched through a pidfd, ended in bounded steps."""

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from typing import Final

from reins.contracts.errors import ReinsError
from reins.launching.description import NodeProcess

STOP_STEPS: Final = ((signal.SIGINT, 5.0), (signal.SIGTERM, 3.0), (signal.SIGKILL, 2.0))
"""Signals of a stop, and how long each may take [s]; the first two as long as upstream's."""

_PR_SET_PDEATHSIG: Final = 1
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


def _prepare_child() -> None:
    """A group, not a session: Linux weighs niceness within a session, and niced nodes must yield to the others."""
    os.setpgid(0, 0)
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


class Child:
    """A running node.

    The child gets SIGTERM from the kernel should this process be killed. It sees no Ctrl-C of the terminal: the runner
    passes it on, once and in order.

    Args:
        node: what to start.

    Raises:
        ReinsError: it cannot be started.
    """

    def __init__(self, node: NodeProcess) -> None:
        self.node = node
        try:
            self._process = subprocess.Popen(
                node.command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=dict(node.environment),
                preexec_fn=_prepare_child,
            )
        except OSError as error:
            raise ReinsError(f"{node.place}: cannot start {node.command[0]}: {error.strerror}") from error
        assert self._process.stdout is not None
        self.output: Final[int] = self._process.stdout.fileno()
        os.set_blocking(self.output, False)
        self.pid: Final = self._process.pid
        self.pidfd: Final = os.pidfd_open(self.pid)
        self.returncode: int | None = None
        self.asked_to_stop = False
        self._steps = iter(STOP_STEPS)
        self._deadline = float("inf")
        self._partial = b""

    @property
    def next_step_at(self) -> float:
        """When the next step of the stop is due on the steady clock [s]; infinity while none is."""
        return self._deadline

    def escalate(self) -> signal.Signals | None:
        """Send the next signal of a stop to the child's whole process group; the signal, or None if none is left."""
        self.asked_to_stop = True
        step = next(self._steps, None)
        if step is None or self.returncode is not None:
            self._deadline = float("inf")
            return None
        number, patience = step
        self._deadline = time.monotonic() + patience
        self._signal_group(number)
        return number

    def read_lines(self) -> list[str]:
        """The complete lines that came since the last call."""
        try:
            data = os.read(self.output, 65536)
        except BlockingIOError:
            return []
        *lines, self._partial = (self._partial + data).split(b"\n")
        if not data and self._partial:
            lines, self._partial = [self._partial], b""
        return [line.decode(errors="replace") for line in lines]

    def reap(self) -> int:
        """Take the exit status of a child that ended, and end what it left in its process group."""
        self.returncode = self._process.wait()
        self._deadline = float("inf")
        self._signal_group(signal.SIGKILL)
        return self.returncode

    def close(self) -> None:
        """Close the descriptors of a child that was reaped."""
        os.close(self.pidfd)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)


def describe_exit(returncode: int) -> str:
    """ "exit status 1" or "killed by SIGKILL"."""
    if returncode >= 0:
        return f"exit status {returncode}"
    try:
        return f"killed by {signal.Signals(-returncode).name}"
    except ValueError:
        return f"killed by signal {-returncode}"
