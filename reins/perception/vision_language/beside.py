"""Slow work beside a fast loop: in a thread of its own, one thing at a time; its newest result is there at any time."""

import threading
import time
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from reins.contracts.errors import ReinsError
from reins.language_models.backoff import Backoff
from reins.language_models.model import Cancel, Cancelled

LONGEST_PAUSE: Final = 60.0
"""After failures the pause doubles from one to the next, up to this [s]."""

CLOSING: Final = 2.0
"""How long the thread may take to end [s]."""

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")


class Beside(Generic[TaskT, ResultT]):
    """Does work that is offered, if it has nothing to do. Only `settle` and `close` wait for it, and have a bound.

    Args:
        work: from a task to a result; raises ReinsError where there is none, and Cancelled soon after a cancel.
        period: between the beginnings of two tasks at least [s].
    """

    def __init__(self, work: Callable[[TaskT, Cancel], ResultT], period: float) -> None:
        self._work, self._period = work, period
        self._ready = threading.Condition()  # guards what follows
        self._task: TaskT | None = None
        self._busy = False
        self._cancel = Cancel()
        self._result: ResultT | None = None
        self._trouble = ""
        self._backoff = Backoff(2.0 * period, max(LONGEST_PAUSE, period))
        self._next = float("-inf")
        self._round = 0
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="beside", daemon=True)
        self._thread.start()

    @property
    def wants(self) -> bool:
        """Whether a task that is offered now would be done."""
        with self._ready:
            idle = self._task is None and not self._busy and not self._closed
            now = time.monotonic()
            return idle and now >= self._next and not self._backoff.left(now)

    @property
    def newest(self) -> ResultT | None:
        """The newest result; None before there is one."""
        with self._ready:
            return self._result

    @property
    def trouble(self) -> str:
        """Why the newest task came to no result; empty if it did."""
        with self._ready:
            return self._trouble

    def offer(self, task: TaskT) -> None:
        """Do this, unless it is not wanted now. Never waits."""
        with self._ready:
            if self._task is None and not self._busy and not self._closed:
                self._task = task
                self._ready.notify_all()

    def settle(self, seconds: float) -> bool:
        """Wait until nothing is being done, at most so long [s]; whether that is so."""
        with self._ready:
            return self._ready.wait_for(lambda: self._task is None and not self._busy, seconds)

    def interrupt(self) -> None:
        """Leave what is being done, for something else needs what it uses; that is no failure."""
        with self._ready:
            self._cancel.give()

    def forget(self) -> None:
        """Drop the newest result, what is waiting, and what is being done."""
        with self._ready:
            self._task, self._result, self._trouble = None, None, ""
            self._backoff.worked()
            self._next = float("-inf")
            self._round += 1
            self._cancel.give()

    def close(self) -> None:
        """End the thread, within CLOSING if its work can be cancelled."""
        with self._ready:
            self._closed = True
            self._cancel.give()
            self._ready.notify_all()
        self._thread.join(CLOSING)

    def _run(self) -> None:
        while True:
            with self._ready:
                while self._task is None and not self._closed:
                    self._ready.wait()
                if self._closed or self._task is None:
                    return
                task, self._task, self._busy = self._task, None, True
                self._next = time.monotonic() + self._period
                self._cancel = cancel = Cancel()
                begun_in = self._round
            self._do(task, cancel, begun_in)

    def _do(self, task: TaskT, cancel: Cancel, begun_in: int) -> None:
        result: ResultT | None = None
        trouble = ""
        interrupted = False
        try:
            result = self._work(task, cancel)
        except Cancelled:
            interrupted = True
        except ReinsError as error:
            trouble = str(error)
        except Exception as error:  # other people's code may raise anything, and the loop beside it must go on
            trouble = f"{type(error).__name__}: {error}"
        with self._ready:
            self._busy = False
            self._ready.notify_all()
            if interrupted or begun_in != self._round:
                return
            self._trouble = trouble
            if result is not None:
                self._result = result
                self._backoff.worked()
            else:
                self._backoff.failed(time.monotonic())
