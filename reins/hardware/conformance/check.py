"""A check, what it may need, and how it ends."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Broken(Exception):
    """The driver does not do what it must; one sentence with the figures."""


class Need(Enum):
    """What a check needs beside a driver; the value is said when it is missing."""

    GRIPPER = "the robot has no gripper"
    NETWORK = "the driver has no network: every one that is made is a robot of its own"
    TAMPERING = "needs a peer whose network and faults the suite controls"


@dataclass(frozen=True, slots=True)
class Entry:
    """One check of the list.

    Attributes:
        name: as `--only` names it.
        says: what must be true, one line.
        run: the check of a `Subject`; raises `Broken`, returns what it measured, for the table.
        moves: whether the robot is commanded: it then moves by intent, or where the driver fails the check.
        needs: what has to be there, else the check is left out.
    """

    name: str
    says: str
    run: Callable[[Any], str]
    moves: bool = False
    needs: tuple[Need, ...] = ()


def require(holds: bool, sentence: str) -> None:
    """Raise `Broken` with this sentence unless it holds."""
    if not holds:
        raise Broken(sentence)
