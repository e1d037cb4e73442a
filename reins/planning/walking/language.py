"""What the languages for legged robots have in common, and the shape of what each says of itself."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from typing import Final

from reins.planning.phrasebook import Phrases, Vocabulary, vocabulary_of
from reins.planning.wording import Wording


class Kind(Enum):
    """What a phrase is."""

    VERB = auto()
    """Its value is one of PARTS, and may go on with a direction: "go back"."""
    ARTICLE = auto()
    ALL = auto()
    COLOUR = auto()
    NOUN = auto()
    PEOPLE = auto()
    PRONOUN = auto()
    OBJECT = auto()
    TO = auto()
    AROUND = auto()
    PAST = auto()
    """What stands behind the thing, where what stands before it says only from where."""
    DIRECTION = auto()
    BEHIND = auto()
    """Where one walks who follows somebody; of any other thing it is a place that robots are not sent to."""
    AT = auto()
    """What stands behind a thing and adds nothing; behind a verb it would be a time."""
    KEEP = auto()
    AWAY = auto()
    WITH = auto()
    """What keeps a distance from something, or joins two things."""
    FAR = auto()
    """A distance that nobody measures."""
    AVOID = auto()
    WITHIN = auto()
    """Of what is avoided, a distance goes with it; of anything else it would be the opposite."""
    NUMBER = auto()
    HALF = auto()
    UNIT = auto()
    FOR = auto()
    ADVERB = auto()
    NOT = auto()
    JOIN = auto()
    LINK = auto()
    AFTER = auto()
    FILLER = auto()


NAMING: Final = (Kind.ARTICLE, Kind.ALL, Kind.COLOUR, Kind.NOUN, Kind.PEOPLE, Kind.PRONOUN, Kind.OBJECT)
"""What the name of a thing begins with."""

AMOUNT: Final = (Kind.NUMBER, Kind.HALF)
"""What a measure begins with."""

PARTS: Final[Mapping[str, tuple[Kind, ...]]] = {
    "go": (Kind.AROUND, Kind.TO, Kind.DIRECTION, *NAMING, *AMOUNT),
    "turn": (Kind.AROUND, Kind.DIRECTION, *AMOUNT),
    "follow": (Kind.BEHIND, Kind.FOR, *NAMING, *AMOUNT),
    "wait": (Kind.FOR, *AMOUNT),
    "look_around": (),
    "stand": (),
    "sit": (),
    "recover": (),
    "stop": (),
}
"""What belongs to a verb, in any order."""

UNITS: Final[Mapping[str, tuple[str, float]]] = {
    "m": ("length", 1.0),
    "cm": ("length", 0.01),
    "s": ("time", 1.0),
    "min": ("time", 60.0),
    "deg": ("angle", math.pi / 180.0),
    "circle": ("angle", math.tau),
}
"""What a unit measures, and how much it is [m], [s], [rad]."""

MEASURES: Final[Mapping[str, str]] = {"go": "length", "turn": "angle", "follow": "time", "wait": "time"}
"""What is measured of a verb."""

Numeral = Callable[[list[str], int], tuple[float, int] | None]
"""Of words and a position: the number that begins there and how many words it has; None if none does."""


@dataclass(frozen=True)
class Language:
    """One language.

    Attributes:
        phrases: its words.
        verbs: to tell people of; there are synonyms.
        walk: the verb of a clause that has none.
        wording: says the sentences of `meaning` and `grammar`.
        split: a text to its words.
        numeral: reads numbers.
        joint: what is written between words.
        leading: what may stand before its verb, or without one.
        idle: verbs that say nothing more behind what is followed or walked to.
        tenths: units behind which a lone digit counts tenths.
    """

    phrases: Phrases
    verbs: tuple[str, ...]
    walk: str
    wording: Wording
    split: Callable[[str], list[str]]
    numeral: Numeral
    joint: str = " "
    leading: frozenset[Kind] = field(default=frozenset())
    idle: frozenset[str] = field(default=frozenset())
    tenths: frozenset[str] = field(default=frozenset())

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Phrase → what it is."""
        return vocabulary_of(self.phrases)
