"""Errors that a person can act on: what is wrong, what is valid, what to do next."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TypeVar

EntryT = TypeVar("EntryT")


class ReinsError(Exception):
    """A fault with a one-sentence explanation; the command line prints it without a traceback."""


class UnknownName(ReinsError):
    """A name that does not exist, told together with the names that do.

    Args:
        kind: what was named, e.g. "skill".
        name: the name that was given.
        known: the names that exist.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        close = get_close_matches(name, self.known, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        choices = ", ".join(self.known) or "none"
        super().__init__(f"no {kind} '{name}'{hint} (known: {choices})")


def look_up(kind: str, name: str, known: Mapping[str, EntryT]) -> EntryT:
    """The entry of that name.

    Raises:
        UnknownName: no such entry; lists those that exist.
    """
    if name not in known:
        raise UnknownName(kind, name, known)
    return known[name]
