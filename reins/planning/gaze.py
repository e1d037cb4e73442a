"""Which scenes a task decides on: those from after its last motion; and how long it waits for them."""

from typing import Final

from reins.contracts.scene import Scene
from reins.planning.actions import Limits, Look


class Gaze:
    """Where a task is with looking. Times are robot time [s].

    Args:
        limits: how long it waits for scenes, and for effects to be seen.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits: Final = limits
        self._newer_than: float | None = None
        self._waiting_since = 0.0
        self._settled_at = float("-inf")

    def look(self, scene: Scene | None, t: float) -> Look | None:
        """What to look for before anything is decided; None where `scene` is new enough. The first call begins it."""
        if self._newer_than is None:
            self.past(t, t)
        newer_than = self._newer_than or 0.0
        return Look(newer_than) if scene is None or scene.stamp <= newer_than else None

    def waits_too_long(self, t: float) -> bool:
        """Whether no scene has come for longer than the limit."""
        return t - self._waiting_since > self._limits.look

    def past(self, stamp: float, t: float) -> Look:
        """From now on only scenes that are newer than `stamp` count."""
        self._newer_than, self._waiting_since = stamp, t
        return Look(stamp)

    def settle(self, t: float) -> None:
        """Something ended at `t`, whose effects may take a while to be seen."""
        self._settled_at = t + self._limits.settle

    def is_settled(self, t: float) -> bool:
        """Whether what is not seen by now counts as missing."""
        return t >= self._settled_at
