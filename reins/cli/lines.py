"""Lines that a person types while something else goes on: nothing here waits."""

import os
import select
from typing import Final

CHUNK: Final = 4096


class TypedLines:
    """Complete lines from a file descriptor, as they come.

    Args:
        descriptor: to read from, or None where there is none.

    Attributes:
        closed: nothing more will come.
    """

    def __init__(self, descriptor: int | None) -> None:
        self.closed = descriptor is None
        self._descriptor = descriptor
        self._begun = b""

    def next(self) -> str | None:
        """The next line without its end, or None if none is complete yet. What is not UTF-8 is replaced."""
        while b"\n" not in self._begun and self._read():
            pass
        if b"\n" not in self._begun and not (self.closed and self._begun):
            return None
        line, _, self._begun = self._begun.partition(b"\n")
        return line.decode("utf-8", errors="replace").rstrip("\r")

    def _read(self) -> bool:
        """Take what is there; whether there was anything."""
        if self.closed or self._descriptor is None:
            return False
        try:
            ready, _, _ = select.select([self._descriptor], [], [], 0.0)
            chunk = os.read(self._descriptor, CHUNK) if ready else None
        except (OSError, ValueError):
            chunk = b""
        self.closed = chunk == b""
        self._begun += chunk or b""
        return bool(chunk)


def descriptor_of(stream: object) -> int | None:
    """The file descriptor of a stream, or None where it has none."""
    try:
        number: int = stream.fileno()  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return None
    return number
