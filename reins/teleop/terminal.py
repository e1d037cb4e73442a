"""Keys from a terminal, one at a time, without waiting for the return key."""

import os
import select
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from reins.contracts.errors import ReinsError

_ESCAPE: Final = "\x1b"
"""Begins the sequences of arrow and function keys."""


class Keys:
    """Keys of a terminal in raw mode; made by `raw_terminal`."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def read(self, timeout: float) -> list[str]:
        """The keys pressed, waiting for the first of them for at most `timeout` [s]; empty if none.

        Arrow and function keys are dropped: they are escape sequences, whose letters would be taken for keys.
        """
        ready, _, _ = select.select([self._descriptor], [], [], timeout)
        if not ready:
            return []
        text = os.read(self._descriptor, 1024).decode("utf-8", errors="ignore")
        return list(_without_sequences(text))


def _without_sequences(text: str) -> Iterator[str]:
    rest = iter(text)
    for letter in rest:
        if letter != _ESCAPE:
            yield letter
            continue
        if next(rest, "") in ("[", "O"):
            for inner in rest:
                if inner.isalpha() or inner == "~":
                    break


@contextmanager
def raw_terminal(descriptor: int | None = None) -> Iterator[Keys]:
    """Read single keys from a terminal; its settings are restored on the way out, whatever happens.

    Ctrl-C still interrupts.

    Args:
        descriptor: the terminal; standard input by default.

    Raises:
        ReinsError: it is not a terminal.
    """
    number = sys.stdin.fileno() if descriptor is None else descriptor
    if not os.isatty(number):
        raise ReinsError(
            "the keyboard needs a terminal, and standard input is not one; run teleop in a terminal of its own"
        )
    before = termios.tcgetattr(number)
    try:
        tty.setcbreak(number)
        yield Keys(number)
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)
