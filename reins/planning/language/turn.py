"""One at a time, where whoever waits may be told not to."""

import threading

from reins.language_models.model import Cancel


class Turn:
    """Is taken by one, and by the next when it is given back."""

    def __init__(self) -> None:
        self._changed = threading.Condition()  # guards what follows
        self._is_taken = False

    def take(self, limit: float, cancel: Cancel) -> bool:
        """Wait for it, `limit` [s] at most; whether it is taken now.

        Raises:
            Cancelled: it was cancelled.
        """
        with cancel.calls(self._wake), self._changed:
            self._changed.wait_for(lambda: not self._is_taken or cancel.given, limit)
            cancel.check()
            if self._is_taken:
                return False
            self._is_taken = True
            return True

    def give_back(self) -> None:
        """The next one may."""
        with self._changed:
            self._is_taken = False
            self._changed.notify_all()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
