"""Heartbeats and their deadlines."""

import math
from collections.abc import Mapping


class Watchdog:
    """Knows which watched nodes are late. Time is a parameter [s]; only differences count.

    Args:
        deadlines: how long each watched node may go without a heartbeat [s].
    """

    def __init__(self, deadlines: Mapping[str, float]) -> None:
        self._deadlines = dict(deadlines)
        self._last = dict.fromkeys(self._deadlines, -math.inf)

    def beat(self, node: str, t: float) -> None:
        """`node` was alive at `t`. Nodes that are not watched are ignored."""
        if node in self._last:
            self._last[node] = max(self._last[node], t)

    def forget(self, node: str) -> None:
        """`node` is known to be gone: it is late until it is heard of again."""
        if node in self._last:
            self._last[node] = -math.inf

    def late(self, t: float) -> dict[str, float]:
        """Watched nodes past their deadline at `t`, with the time since their last heartbeat [s]; inf if there
        was none."""
        return {node: t - last for node, last in self._last.items() if t - last > self._deadlines[node]}
