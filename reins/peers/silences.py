"""How long a robot waited for the commands of a motion: a peer is more patient than an arm, and says so."""


class Silences:
    """Counted while a motion runs.

    Args:
        most: a real arm stops after waiting this long [s].
    """

    def __init__(self, most: float) -> None:
        self._most = most
        self._heard: float | None = None
        self.begin()

    def begin(self) -> None:
        """Forget what was counted."""
        self._late, self._longest = 0, 0.0

    def heard(self, now: float) -> None:
        """A command of the motion came at `now` [s]."""
        if self._heard is not None:
            self._late += now - self._heard > self._most
            self._longest = max(self._longest, now - self._heard)
        self._heard = now

    def rest(self) -> None:
        """No motion runs: the next command ends no silence."""
        self._heard = None

    def told(self) -> dict[str, float]:
        """`late`, how often it was longer than an arm waits, and `longest_silence` [s]."""
        return {"late": self._late, "longest_silence": self._longest}
