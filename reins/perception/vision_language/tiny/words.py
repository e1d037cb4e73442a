"""The words of the tiny model: each is a token, and a description is a row of them.

BEGIN, then of every thing: kind, colour, four edges of its box, attributes, what it stands on, what it is beside; END.
Things are counted from one in the order in which they are said, and only those that were said already are spoken of.
"""

from dataclasses import dataclass
from typing import Final

from reins.perception.colours import COLOURS
from reins.perception.vision_language.description import EMPTY, HELD, KINDS, MOST_OBJECTS, OTHER, PERCHED

FORMAT: Final = "tiny-1"
"""Name of this order of words; models say in their files which one they speak."""

SAID_KINDS: Final = tuple(kind for kind in KINDS if kind != OTHER)
"""Kinds that it knows; whatever else lies about is left out."""

FULL, PARTLY_HIDDEN = "full", "partly hidden"

ATTRIBUTES: Final = (EMPTY, FULL, PARTLY_HIDDEN)
"""What it says of things besides, in this order; HELD and PERCHED are attributes, too, and said by `STANDS`."""

STANDS: Final = ("on the table", HELD, "in", "on", PERCHED)
"""What a thing stands on; a number follows on "in" and "on"."""

EDGES: Final = 160
"""Steps into which the picture's width and height are divided for the edges of boxes."""

MOST_BESIDE: Final = 4
"""Things that one is said to be beside."""


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens that follow each other, one for each word of a list.

    Attributes:
        first: token of the first word.
        size: how many words.
    """

    first: int
    size: int

    @property
    def end(self) -> int:
        """The token after the last one."""
        return self.first + self.size

    def __contains__(self, token: int) -> bool:
        return self.first <= token < self.end

    def token(self, index: int) -> int:
        """The token of a word, by its index in the list.

        Raises:
            ValueError: there is no such word.
        """
        if not 0 <= index < self.size:
            raise ValueError(f"{index} is none of {self.size} words")
        return self.first + index

    def index(self, token: int) -> int:
        """The index in the list of a token's word."""
        return token - self.first


BEGIN: Final = 0
END: Final = 1
BESIDE: Final = 2
"""A number follows."""

KIND: Final = Span(3, len(SAID_KINDS))
COLOUR: Final = Span(KIND.end, len(COLOURS))
ATTRIBUTE: Final = Span(COLOUR.end, len(ATTRIBUTES))
STAND: Final = Span(ATTRIBUTE.end, len(STANDS))
NUMBER: Final = Span(STAND.end, MOST_OBJECTS)
"""Of things: the first word is the first thing."""
EDGE: Final = Span(NUMBER.end, EDGES + 1)
"""Edges of boxes, from the left or the top."""

SIZE: Final = EDGE.end
"""How many tokens there are."""

REFERRING: Final = frozenset(STAND.token(STANDS.index(word)) for word in ("in", "on"))
"""Tokens that a number has to follow, besides BESIDE."""
