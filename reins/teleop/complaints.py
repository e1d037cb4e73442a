"""Which complaints are worth telling: a stream that cannot be used must not flood the log, whatever it says."""

import math


class Complaints:
    """About one stream of messages.

    Args:
        pause: see `is_news` [s].
    """

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._text = ""
        self._told = self._heard = -math.inf

    def is_news(self, text: str, t: float) -> bool:
        """Whether to tell a complaint that came up at steady time `t` [s].

        The same one again is news after a pause without any; another one is, a pause after the last that was told.
        """
        since = self._heard if text == self._text else self._told
        self._heard = t
        if t - since <= self._pause:
            return False
        self._text, self._told = text, t
        return True
