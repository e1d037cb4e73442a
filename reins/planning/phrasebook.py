"""What the readers of controlled language share: a table of phrases, and text to tokens by it; the longest phrase wins.

What kinds of phrase there are, and which ones exist, is each language's own.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from functools import lru_cache
from typing import Final

MAX_WORDS: Final = 200
"""Longest instruction that is read."""

LONGEST: Final = 8
"""No phrase has more words."""

COLOURS: Final = (
    *("red", "green", "blue", "yellow", "white", "black", "orange", "purple", "violet", "pink", "brown", "cyan"),
    *("magenta", "turquoise", "silver", "golden"),
)
"""Colours that are known as words, wherever they are seen or not."""

DIGITS: Final = re.compile(r"\d+(?:\.\d+)?")
"""A number."""

_WORD: Final = re.compile(rf"{DIGITS.pattern}|[^\W\d](?:\w|['-](?=\w))*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Token:
    """A phrase: what it is, the value that stands for all its synonyms, and how it was written."""

    kind: Enum
    value: str
    text: str


Phrases = Mapping[tuple[Enum, str], str]
"""What a phrase is and the value that it shares with its synonyms → these, separated by ", "; a comma itself is \\,."""

Vocabulary = Mapping[str, tuple[Enum, str]]
"""Phrase → what it is, and its value."""


def vocabulary_of(phrases: Phrases) -> Vocabulary:
    """The table the other way round.

    Raises:
        ValueError: a phrase stands in it twice.
    """
    table: dict[str, tuple[Enum, str]] = {}
    for meaning, synonyms in phrases.items():
        for phrase in synonyms.split(", "):
            phrase = phrase.replace("\\", "")
            if phrase in table:
                raise ValueError(f"'{phrase}' stands twice in the lexicon")
            table[phrase] = meaning
    return table


def words_of(text: str) -> list[str]:
    """The words of a text, numbers and signs among them, in lower case and without quotation marks."""
    return _WORD.findall(text.lower().replace("\u2019", "'").replace('"', " "))


def phrases_at(words: list[str], position: int, known: Vocabulary, joint: str = " ") -> Iterator[tuple[Token, int]]:
    """The phrases that begin there, longest first, with how many words each has.

    Args:
        words: of the text.
        position: where to look.
        known: every phrase that there is.
        joint: what stands between the words of a phrase.
    """
    for length in range(min(LONGEST, len(words) - position), 0, -1):
        phrase = joint.join(words[position : position + length])
        if phrase in known:
            yield Token(*known[phrase], phrase), length


def nearest(word: str, phrases: Iterable[str], cutoff: float) -> str:
    """The phrase of one word that is most like this one; empty if none is."""
    return _nearest(word, tuple(phrase for phrase in phrases if phrase.isalpha()), cutoff)


@lru_cache(maxsize=128)
def _nearest(word: str, phrases: tuple[str, ...], cutoff: float) -> str:
    """Remembered, for an instruction that is not understood is read several times, and this takes most of the time."""
    close = get_close_matches(word, phrases, n=1, cutoff=cutoff)
    return close[0] if close else ""
