"""A place in a row of tokens, for readers of controlled language that descend recursively."""

from collections.abc import Sequence
from enum import Enum

from reins.planning.phrasebook import Token


class Cursor:
    """Reads tokens one after the other, and looks at others on the way.

    Args:
        tokens: all of them.
        end: stands for what is before the first and after the last.

    Attributes:
        index: how many have been taken.
    """

    def __init__(self, tokens: Sequence[Token], end: Token) -> None:
        self._tokens, self._end = tokens, end
        self.index = 0

    @property
    def is_over(self) -> bool:
        """Whether all of them are taken."""
        return self.index >= len(self._tokens)

    def peek(self, ahead: int = 0) -> Token:
        """The one that is taken next, or one further on; negative for those that were taken."""
        index = self.index + ahead
        return self._tokens[index] if 0 <= index < len(self._tokens) else self._end

    def take(self) -> Token:
        """Take the next one; the end if there is none."""
        token = self.peek()
        self.index += 1
        return token

    def accept(self, *kinds: Enum) -> Token | None:
        """Take the next one if it is of one of these kinds."""
        return self.take() if not self.is_over and self.peek().kind in kinds else None

    def text(self, start: int, joint: str = " ") -> str:
        """Those that were taken since there were `start`, as they were written."""
        return joint.join(token.text for token in self._tokens[start : self.index])
