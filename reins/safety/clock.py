"""Robot time between states: it goes on when states stop coming, so that braking goes on too."""

from typing import Final

OVERDUE: Final = 2.0
"""Periods without a robot state after which robot time is extrapolated."""


class RobotClock:
    """The newest stamp, and from when on it is overdue.

    Args:
        period: between two states [s].
    """

    def __init__(self, period: float) -> None:
        self._overdue = OVERDUE * period
        self.stamp = 0.0
        """Robot time of the newest state [s]."""
        self._arrived = float("-inf")

    def set(self, stamp: float, t: float) -> None:
        """A state of robot time `stamp` [s] arrived at steady time `t` [s]."""
        self.stamp, self._arrived = stamp, t

    def silence(self, t: float) -> float:
        """How long no state has come at steady time `t` [s]; inf before the first."""
        return t - self._arrived

    def now(self, t: float) -> float:
        """Robot time at steady time `t` [s]: the newest stamp, and more once the next state is overdue."""
        if self._arrived == float("-inf"):
            return self.stamp
        return self.stamp + max(0.0, self.silence(t) - self._overdue)
