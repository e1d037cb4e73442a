"""Robot time between states: it goes on when states are lost, so that braking goes on too."""

import math


class RobotClock:
    """The newest stamp, and what follows it when no newer one comes.

    Args:
        lost_after: time without a state after which robot time is extrapolated [s].
    """

    def __init__(self, lost_after: float) -> None:
        self._lost_after = lost_after
        self.stamp = 0.0
        """Robot time of the newest state [s]."""
        self.ended = False
        """The process that sends the states has ended, so that robot time goes on without them at once."""
        self._arrived = -math.inf

    def set(self, stamp: float, t: float) -> None:
        """A state of robot time `stamp` [s] arrived at steady time `t` [s]."""
        self.stamp, self._arrived = stamp, t

    def silence(self, t: float) -> float:
        """How long no state has come at steady time `t` [s]; inf before the first."""
        return t - self._arrived

    def now(self, t: float) -> float:
        """Robot time at steady time `t` [s]: the newest stamp, and more once states are lost."""
        if self._arrived == -math.inf:
            return self.stamp
        patience = 0.0 if self.ended else self._lost_after
        return self.stamp + max(0.0, self.silence(t) - patience)
