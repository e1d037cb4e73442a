"""A clock for deadlines of others: the time in which this process was able to look at them."""

import time


class RunningClock:
    """Steady time less the stalls of the thread that ticks it.

    A watchdog that was itself kept from running, because the machine stood still or was busy, knows nothing of what the
    others did meanwhile: that time counts against nobody. A watchdog of its own must cover a stall of this process
    alone; the driver host's does.

    Args:
        longest: time between two ticks beyond which it is a stall [s].
    """

    def __init__(self, longest: float) -> None:
        self._longest = longest
        self._lost = 0.0
        self._last = time.monotonic()

    def tick(self) -> float:
        """Call it at a steady rate, before deadlines are looked at; how long the thread was stalled, 0 if it was not
        [s]."""
        now = time.monotonic()
        gap, self._last = now - self._last, now
        if gap <= self._longest:
            return 0.0
        stall = gap - self._longest
        self._lost += stall
        return stall

    def now(self) -> float:
        """Running time [s]."""
        return time.monotonic() - self._lost
