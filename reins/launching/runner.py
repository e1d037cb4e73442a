"""Runs the processes of a launch file until the operator stops them or one that is required ends.

One thread waits for output, exits and signals alike; nothing polls, and every wait of a stop is bounded.
"""

import os
import selectors
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rich.console import Console

from reins.contracts.errors import ReinsError
from reins.launching.description import Description
from reins.launching.display import Display, full_name
from reins.launching.evaluate import evaluate
from reins.launching.process import Child, describe_exit
from reins.launching.report import parse_state_line

_STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_CLEAN: Final = (
    0,
    -signal.SIGINT,
    -signal.SIGTERM,
    128 + signal.SIGINT,
    128 + signal.SIGTERM,
)
"""Exit statuses of a node that was asked to stop; one that is still starting dies of the signal."""
_DRAIN_ROUNDS: Final = 16


def run_launch(path: Path, given: Mapping[str, str], console: Console | None = None) -> int:
    """Start what a launch file describes and stay until it has ended.

    Ctrl-C, SIGTERM and SIGHUP stop every process: SIGINT, then SIGTERM, then SIGKILL, each with a bounded wait; another
    Ctrl-C goes to the next step at once. No process is left behind.

    Args:
        path: the launch file.
        given: its arguments.
        console: where to print; standard output by default.

    Returns:
        0 when the operator stopped it and every node ended as it should, 1 when a node died or had to be killed.

    Raises:
        ReinsError: the file or the arguments are not valid; nothing was started.
    """
    description = evaluate(path, given, _child_environment())
    if not description.nodes:
        raise ReinsError(f"{path} starts no node with these arguments")
    with Display(console or Console()) as display:
        return _Run(description, display).until_ended()


def _child_environment() -> dict[str, str]:
    """Ours, but with output that comes line by line: pipes would hold it back."""
    return dict(os.environ) | {"PYTHONUNBUFFERED": "1"}


class _Run:
    """The processes of one launch."""

    def __init__(self, description: Description, display: Display) -> None:
        self._description, self._display = description, display
        self._selector = selectors.DefaultSelector()
        self._children: list[Child] = []
        self._states: dict[Child, str] = {}
        self._problems: list[str] = []
        self._stopping = False

    def until_ended(self) -> int:
        """Start all, wait for all; the exit status."""
        with _signals_as_descriptor() as signals:
            self._selector.register(signals, selectors.EVENT_READ, None)
            try:
                for node in self._description.nodes:
                    self._start(Child(node))
            except ReinsError as error:
                self._problem(str(error))
                self._stop("a node could not be started")
            self._display.table(self._children, self._states)
            while any(child.returncode is None for child in self._children):
                self._wait(signals)
        self._selector.close()
        for child in self._children:
            child.close()
        for problem in self._problems:
            self._display.say(problem, style="bold red")
        return 1 if self._problems else 0

    def _start(self, child: Child) -> None:
        self._children.append(child)
        self._selector.register(child.output, selectors.EVENT_READ, child)
        self._selector.register(child.pidfd, selectors.EVENT_READ, child)
        self._display.say(f"{full_name(child)} started, pid {child.pid}", style="dim")

    def _wait(self, signals: int) -> None:
        due = min(child.next_step_at for child in self._children)
        timeout = None if due == float("inf") else max(0.0, due - time.monotonic())
        for key, _events in self._selector.select(timeout):
            if key.fd == signals:
                number = signal.Signals(os.read(signals, 1)[0])
                self._stop(f"got {number.name}", again=self._stopping)
            elif key.fd == key.data.pidfd:
                self._ended(key.data)
            else:
                self._output(key.data)
        now = time.monotonic()
        for child in self._children:
            if child.next_step_at <= now and (sent := child.escalate()):
                self._problem(f"{full_name(child)} did not stop in time: {sent.name} sent")

    def _output(self, child: Child) -> None:
        lines = child.read_lines()
        for line in lines:
            self._display.line(child.node.name, line)
            if told := parse_state_line(line):
                self._set_state(child, *told)

    def _set_state(self, teller: Child, name: str, state: str) -> None:
        for child in self._children:
            if (child.node.name, child.node.namespace) == (name, teller.node.namespace):
                self._states[child] = state
        self._display.table(self._children, self._states)

    def _ended(self, child: Child) -> None:
        code = child.reap()
        self._selector.unregister(child.pidfd)
        for _ in range(_DRAIN_ROUNDS):
            self._output(child)
        self._selector.unregister(child.output)
        how = describe_exit(code)
        if not child.asked_to_stop:
            self._problem(f"{full_name(child)} died: {how}")
            if child.node.required:
                self._stop(f"{full_name(child)} ended")
        elif code not in _CLEAN:
            self._problem(f"{full_name(child)} did not stop cleanly: {how}")
        self._display.table(self._children, self._states)

    def _stop(self, why: str, again: bool = False) -> None:
        if self._stopping and not again:
            return
        if not self._stopping:
            self._display.say(f"stopping: {why}")
        self._stopping = True
        for child in self._children:
            child.escalate()

    def _problem(self, text: str) -> None:
        self._problems.append(text)
        self._display.say(text, style="bold red")


@contextmanager
def _signals_as_descriptor() -> Iterator[int]:
    """A descriptor that gives one byte, the number, for each stop signal; the handlers from before come back after
    it."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    os.set_blocking(read_end, False)
    wakeup = signal.set_wakeup_fd(write_end)
    before = {number: signal.signal(number, lambda *_: None) for number in _STOP_SIGNALS}
    try:
        yield read_end
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(wakeup)
        os.close(read_end)
        os.close(write_end)
