"""A trace in memory: what an operator asks about is looked up here, without a file and while the task still runs."""

import time
from collections.abc import Callable
from typing import Any, Final

from reins.planning.tracing.reading import Entry, Story

LONG: Final = ("prompt", "reply")
"""What of an entry is not kept: the texts of a model, which are long."""


class Notebook:
    """The entries of one task. Written to from any thread.

    Args:
        also: given every entry, whole.
    """

    def __init__(self, also: Callable[..., None] | None = None) -> None:
        self._also: Final = also
        self._entries: list[Entry] = []

    def clear(self) -> None:
        """Another task begins."""
        self._entries = []

    def write(self, kind: str, **entry: Any) -> None:
        """One entry."""
        kept = {name: value for name, value in entry.items() if name not in LONG}
        self._entries.append({"at": round(time.time(), 3), "kind": kind, **kept})
        if self._also is not None:
            self._also(kind, **entry)

    def story(self) -> Story | None:
        """The task as far as it is, or None before the first."""
        entries = tuple(self._entries)
        return Story(entries) if entries else None
