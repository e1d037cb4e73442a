"""The monitor's journal: every stop, refusal and change, told once and then counted, so that a bad
source cannot flood it."""

from collections import deque
from dataclasses import dataclass
from typing import Final

from reins.contracts.event import SafetyEvent

_MOST_KEPT: Final = 1000
"""Events kept for a caller that does not collect them; the oldest go first."""


@dataclass(slots=True)
class _Repeats:
    since: float
    count: int
    last: SafetyEvent


class EventLog:
    """Collects events. Repeats of one kind, source and code within `window` [s] are summed up in one event
    at its end."""

    def __init__(self, window: float) -> None:
        self._window = window
        self._events: deque[SafetyEvent] = deque(maxlen=_MOST_KEPT)
        self._repeats: dict[tuple[str, str, str], _Repeats] = {}

    def tell(self, event: SafetyEvent) -> None:
        """Tell it in any case: mode changes, stops, what an operator did."""
        self._events.append(event)

    def tell_repeated(self, event: SafetyEvent, code: str) -> None:
        """Tell it unless the same kind of thing was told within the window; then count it.

        Args:
            event: what happened.
            code: what makes it the same; never text that a source chose, so that the number of codes is bounded.
        """
        key = (event.kind, event.source, code)
        repeats = self._repeats.get(key)
        if repeats is None:
            self._repeats[key] = _Repeats(event.stamp, 0, event)
            self._events.append(event)
            return
        repeats.count += 1
        repeats.last = event

    def close_windows(self, stamp: float) -> None:
        """Sum up what was counted in windows that are over at robot time `stamp` [s]; call it often."""
        if not self._repeats:
            return
        for key in [key for key, repeats in self._repeats.items() if not 0.0 <= stamp - repeats.since < self._window]:
            repeats = self._repeats.pop(key)
            if repeats.count:
                last = repeats.last
                text = f"{last.reason} (and {repeats.count} more like it)" if repeats.count > 1 else last.reason
                self.tell_repeated(SafetyEvent(stamp, last.severity, last.kind, last.source, text), key[2])

    def take(self) -> list[SafetyEvent]:
        """The events since the last call, oldest first."""
        events = list(self._events)
        self._events.clear()
        return events
