"""How often a planner is asked while its plan goes well. When it goes badly it is asked in any case."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

Mode = Literal["front_end", "closed_loop", "advisor"]

LEAST_PROGRESS: Final = 0.01
"""A step that has come no farther than this makes no progress, of 0 … 1."""


@dataclass(frozen=True, slots=True)
class Cadence:
    """When to ask for another plan although the one at hand can go on.

    Attributes:
        mode: "front_end" never; "closed_loop" after every step; "advisor" now and then, when something new is seen, and
            when a step makes no progress, in the middle of a step, too.
        period: longest time between two plans of an "advisor" [s].
        stall: how long a step may make no progress before an "advisor" is asked [s].
    """

    mode: Mode = "front_end"
    period: float = 30.0
    stall: float = 8.0


class Occasions:
    """What has happened since a planner was asked last. Times are robot time [s].

    Args:
        cadence: how often it is to be asked.
    """

    def __init__(self, cadence: Cadence) -> None:
        self._cadence: Final = cadence
        self._asked_at = 0.0
        self._seen: frozenset[str] = frozenset()
        self._progress = 0.0
        self._risen_at = 0.0

    def asked(self, objects: Collection[str], t: float) -> None:
        """It is asked now, while these objects are there."""
        self._asked_at, self._seen = t, frozenset(objects)
        self._risen_at = t

    def begins(self, t: float) -> None:
        """A step begins."""
        self._progress, self._risen_at = 0.0, t

    def between(self, steps: int, objects: Collection[str], t: float) -> bool:
        """Whether to ask between two steps, `steps` of which were done since the last plan."""
        if self._cadence.mode == "closed_loop":
            return steps > 0
        return self._cadence.mode == "advisor" and self._is_due(objects, t)

    def amid(self, progress: float, objects: Collection[str], t: float) -> bool:
        """Whether to ask in the middle of a step, which has come this far, of 0 … 1."""
        if progress >= self._progress + LEAST_PROGRESS:
            self._progress, self._risen_at = progress, t
        stalls = t - self._risen_at >= self._cadence.stall
        return self._cadence.mode == "advisor" and (stalls or self._is_due(objects, t))

    def _is_due(self, objects: Collection[str], t: float) -> bool:
        return t - self._asked_at >= self._cadence.period or not self._seen.issuperset(objects)
