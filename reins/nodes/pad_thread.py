"""Reads the gamepad of this machine in a thread of its own, while no `joy` node sends."""

import os
import threading
from collections.abc import Callable
from typing import Final, Protocol

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.nodes.scheduling import set_scheduling
from reins.teleop.gamepad import Gamepad, Reading

PERIOD: Final = 0.01
"""Time between two readings of a pad [s]."""

SEARCH: Final = 0.5
"""Time between two looks for a pad, and for a joy node [s]."""

PATIENCE: Final = 3.0
"""How long SDL may take to start on a busy machine before its thread is left behind [s], which can crash an interpreter
that ends; below the patience with a whole node."""


class Pad(Protocol):
    """What is read; `Gamepad` is one."""

    name: str

    def read(self) -> Reading | None: ...
    def close(self) -> None: ...


class PadThread:
    """Gives readings away until it is stopped. A pad that is unplugged, or that a joy node takes over, is told as None,
    once.

    Args:
        take: takes each reading; called from the thread.
        others: whether some joy node sends; the pad is then left to it.
        log: takes severity and text.
        make: opens the pad, in the thread.
    """

    def __init__(
        self,
        take: Callable[[Reading | None], None],
        others: Callable[[], bool],
        log: Callable[[Severity, str], None],
        make: Callable[[], Pad] = Gamepad,
    ) -> None:
        self._take, self._others, self._log, self._make = take, others, log, make
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="gamepad", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """Read no more; waits for the thread, for PATIENCE at most."""
        self._over.set()
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        set_scheduling(os.SCHED_OTHER, 0, [threading.get_native_id()])  # to start SDL takes a second of a core
        try:
            pad = self._make()
        except ReinsError as error:
            self._log(Severity.INFO, f"no gamepad is read directly: {error}")
            return
        try:
            self._read(pad)
        finally:
            pad.close()

    def _read(self, pad: Pad) -> None:
        name, looks = "", 0
        while not self._over.is_set():
            if looks % round(SEARCH / PERIOD) == 0:
                left_to_others = self._others()
            reading = None if left_to_others else pad.read()
            if reading is not None:
                if not name:
                    name = pad.name
                    self._log(Severity.INFO, f"gamepad: {name}")
                self._take(reading)
            elif name:
                why = "a joy node reads it now" if left_to_others else "unplugged"
                self._log(Severity.WARN, f"gamepad {name}: {why}")
                name = ""
                self._take(None)
            looks = looks + 1 if name else 0
            self._over.wait(PERIOD if name else SEARCH)
