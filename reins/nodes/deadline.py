"""How long a client waits for a goal: a limit that stands still while the goal is paused, and how long it is silent."""


class Deadline:
    """Counts the time of one goal. `t` is a steady time of the caller's [s].

    Args:
        limit: how long it may take, pauses not counted [s].

    Attributes:
        paused: as the newest feedback said.
    """

    def __init__(self, limit: float) -> None:
        self.paused = False
        self._left = limit
        self._counted: float | None = None
        self._heard = 0.0

    def start(self, t: float) -> None:
        """The goal was accepted."""
        self._counted = self._heard = t

    def heard(self, t: float, paused: bool) -> None:
        """There was feedback, and it said whether the goal is paused."""
        self._count(t)
        self._heard, self.paused = t, paused

    def passed(self, t: float) -> bool:
        """Whether the limit is over."""
        self._count(t)
        return self._left <= 0.0

    def silence(self, t: float) -> float:
        """Time since the last feedback [s]."""
        return t - self._heard

    def _count(self, t: float) -> None:
        if self._counted is None:
            return  # not accepted yet
        if not self.paused:
            self._left -= t - self._counted
        self._counted = t
