"""How long to leave something alone that fails: longer from failure to failure, within a bound."""


class Backoff:
    """Doubles the pause from one failure to the next. Reads no clock and owns no lock.

    Args:
        first: pause after the first failure [s].
        longest: the pause grows up to this [s]; 0 for no pause at all.
    """

    def __init__(self, first: float, longest: float) -> None:
        self._first, self._longest = min(first, longest), longest
        self._pause = self._first
        self._until = float("-inf")

    def failed(self, now: float) -> float:
        """It failed at `now` [s]: how long it is to be left alone [s]."""
        pause, self._pause = self._pause, min(2.0 * self._pause, self._longest)
        self._until = now + pause
        return pause

    def worked(self) -> None:
        """It works: the pause is over, and the next one is the first again."""
        self._pause = self._first
        self._until = float("-inf")

    def left(self, now: float) -> float:
        """What is left of the pause at `now` [s]; 0 if there is none."""
        return max(self._until - now, 0.0)
