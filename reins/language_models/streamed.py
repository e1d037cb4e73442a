"""A reply that comes from a server piece by piece."""

import codecs
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from reins.language_models.model import MOST_REPLY, ModelError
from reins.language_models.wire import Usage


@dataclass
class Reply:
    """A reply as it comes. Half signs are joined across pieces, and one that stays alone is replaced.

    Attributes:
        server: what it is called in errors.
        begun: when it was asked [s, monotonic clock].
        on_text: called with every piece.
        text: so far.
        first: from `begun` to the first text [s].
        usage: what it cost, where the server says so.
        end: why it ended; empty before.
    """

    server: str
    begun: float
    on_text: Callable[[str], None]
    text: str = ""
    first: float = 0.0
    usage: Usage = field(default_factory=Usage)
    end: str = ""
    _joiner: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-16-le")("replace")
    )

    def add(self, piece: str) -> None:
        """One more piece.

        Raises:
            ModelError: it is longer than MOST_REPLY.
        """
        if piece:
            self.first = self.first or time.monotonic() - self.begun
            self._hear(self._joiner.decode(piece.encode("utf-16-le", "surrogatepass")))

    def finish(self) -> None:
        """That was the last piece."""
        self._hear(self._joiner.decode(b"", final=True))

    def _hear(self, piece: str) -> None:
        if not piece:
            return
        self.text += piece
        if len(self.text) > MOST_REPLY:
            raise ModelError(f"the reply of {self.server} has no end: it is longer than {MOST_REPLY} characters")
        self.on_text(piece)
