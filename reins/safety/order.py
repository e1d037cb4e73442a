"""Which goals count, and in which order commands come; the same for every kind of robot."""

import math
from dataclasses import dataclass
from typing import Protocol

from reins.safety.validate import SOURCES, Rejection


class Ordered(Protocol):
    """A command, as far as its order is concerned."""

    @property
    def source(self) -> str: ...

    @property
    def sequence(self) -> int: ...

    @property
    def activation(self) -> float: ...


@dataclass(slots=True)
class _Stream:
    """What is known of one source: its newest goal and command, and since when goals count."""

    activation: float = -math.inf
    sequence: int = -1
    not_before: float = math.inf
    barred: float = -math.inf


class Order:
    """Of the commands of every source. All are barred until `open_from` is called for them."""

    def __init__(self) -> None:
        self._streams = {source: _Stream() for source in SOURCES}

    def check(self, command: Ordered) -> Rejection | None:
        """Why `command` of a known source is out of order; None, and it is taken note of, if it is not."""
        stream = self._streams[command.source]
        if command.activation < stream.activation:
            return Rejection("superseded", "belongs to an older goal than the command before it")
        if command.activation == stream.activation and command.sequence <= stream.sequence:
            return Rejection("out_of_sequence", f"sequence {command.sequence} after {stream.sequence}")
        stream.activation, stream.sequence = command.activation, command.sequence
        return None

    def open_from(self, source: str, now: float) -> None:
        """From robot time `now` [s] on, goals that begin are fresh."""
        stream = self._streams[source]
        stream.not_before, stream.barred = now, stream.activation

    def restart(self) -> None:
        """Robot time went back: what was seen says nothing any more. Every source is barred again."""
        self._streams = {source: _Stream() for source in SOURCES}

    def is_fresh(self, command: Ordered) -> bool:
        """Whether a command that passed `check` belongs to a goal that may move the robot."""
        stream = self._streams[command.source]
        return command.activation >= stream.not_before and command.activation > stream.barred
