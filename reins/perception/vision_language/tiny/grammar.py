"""Which tokens of the tiny model may come next: whatever is said by it can be read."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.perception.vision_language.description import MOST_OBJECTS
from reins.perception.vision_language.tiny.words import (
    ATTRIBUTE,
    BESIDE,
    COLOUR,
    EDGE,
    END,
    KIND,
    MOST_BESIDE,
    NUMBER,
    REFERRING,
    SIZE,
    STAND,
    Span,
)

_BOX: Final = ("left", "top", "right", "bottom")
_PARTS: Final = ("colour", *_BOX, "stands")
"""What follows on a kind, in order."""


class Grammar:
    """What was said so far, as far as it decides what may follow. Begins after BEGIN."""

    def __init__(self) -> None:
        self._part = "thing"
        self._box: list[int] = []
        self.number = 0
        """Of the thing that is being said, from one; 0 before the first."""
        self._attribute = ATTRIBUTE.first
        self._beside = 0
        self._neighbours = 0

    @property
    def between(self) -> bool:
        """Whether every thing that was begun can end here."""
        return self._part in ("thing", "more")

    def allowed(self) -> NDArray[np.bool_]:
        """(SIZE,) which tokens may come next; at least one."""
        found = np.zeros(SIZE, bool)
        part = self._part
        if part in ("thing", "more"):
            found[END] = True
            found[KIND.first : KIND.end] = self.number < MOST_OBJECTS
            found[BESIDE] = part == "more" and self._beside < self.number - 1 and self._neighbours < MOST_BESIDE
        elif part == "colour":
            _allow(found, COLOUR)
        elif part in ("left", "top"):
            found[EDGE.first : EDGE.end - 1] = True
        elif part in ("right", "bottom"):
            found[self._box[len(self._box) - 2] + 1 : EDGE.end] = True
        elif part == "stands":
            found[self._attribute : ATTRIBUTE.end] = True
            _allow(found, STAND)
            found[list(REFERRING)] = self.number > 1
        else:  # a number of an earlier thing
            first = NUMBER.token(self._beside) if part == "beside" else NUMBER.first
            found[first : NUMBER.first + self.number - 1] = True
        return found

    def take(self, token: int) -> None:
        """Go on after a token that is allowed."""
        part = self._part
        if token in KIND:
            self.number += 1
            self._box, self._attribute, self._beside, self._neighbours = [], ATTRIBUTE.first, 0, 0
            self._part = "colour"
        elif token in ATTRIBUTE:
            self._attribute = token + 1
        elif token in STAND:
            self._part = "under" if token in REFERRING else "more"
        elif token == BESIDE:
            self._part = "beside"
        elif token in NUMBER:
            if part == "beside":
                self._beside, self._neighbours = NUMBER.index(token) + 1, self._neighbours + 1
            self._part = "more"
        elif token == END:
            self._part = "end"
        else:
            if part in _BOX:
                self._box.append(token)
            self._part = _PARTS[_PARTS.index(part) + 1]


def _allow(found: NDArray[np.bool_], span: Span) -> None:
    found[span.first : span.end] = True
