"""The words for legged robots, and text to tokens: the longest known phrase wins; a word that is not known is named."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum, auto
from functools import cache
from typing import Final

from reins.contracts.scene import PERSON, Scene
from reins.planning.answers import CannotDo
from reins.planning.english.lexicon import COLOURS
from reins.planning.words import listed

MAX_WORDS: Final = 200
"""Longest instruction that is read."""


class Kind(Enum):
    """What a phrase is."""

    VERB = auto()
    ARTICLE = auto()
    ALL = auto()
    COLOUR = auto()
    NOUN = auto()
    PEOPLE = auto()
    PRONOUN = auto()
    OBJECT = auto()
    TO = auto()
    AROUND = auto()
    DIRECTION = auto()
    KEEP = auto()
    AWAY = auto()
    AVOID = auto()
    NUMBER = auto()
    UNIT = auto()
    FOR = auto()
    ADVERB = auto()
    LINK = auto()
    FILLER = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A phrase: what it is, the value that stands for all its synonyms, and how it was written."""

    kind: Kind
    value: str
    text: str


VERBS: Final = ("walk to", "turn", "follow", "look around", "stand up", "sit down", "wait", "stop")
"""The verbs to tell people of; there are synonyms."""

_PHRASES: Final[Mapping[tuple[Kind, str], str]] = {
    (Kind.VERB, "go"): "walk, go, move, come, run, head, trot, step, return, visit, approach, navigate, proceed",
    (Kind.VERB, "turn"): "turn, rotate, spin",
    (Kind.VERB, "follow"): "follow, walk behind, go after, walk after, accompany",
    (Kind.VERB, "look_around"): "look around, look round, have a look around, look about, scan the area",
    (Kind.VERB, "stand"): "stand up, stand, get up, rise",
    (Kind.VERB, "sit"): "sit down, sit, lie down, lay down",
    (Kind.VERB, "wait"): "wait, wait there, wait here, pause, rest",
    (Kind.VERB, "stop"): "stop, halt, stand still, freeze",
    (Kind.ARTICLE, "the"): "the, this, that, my, your",
    (Kind.ARTICLE, "a"): "any",
    (Kind.ALL, "all"): "all, all the, every, everybody who is a",
    (Kind.NOUN, "box"): "box, crate, carton",
    (Kind.NOUN, "door"): "door, doorway, gate",
    (Kind.NOUN, "marker"): "marker, mark, spot, mat",
    (Kind.NOUN, PERSON): "person, man, woman, human, operator",
    (Kind.PEOPLE, PERSON): "people, everybody, everyone, anybody, anyone, persons, humans, somebody, someone",
    (Kind.PRONOUN, "it"): "it, them, him, her",
    (Kind.TO, "to"): (
        "to, over to, up to, towards, toward, in front of, near, next to, beside, close to, onto, on, on to, at, before"
    ),
    (Kind.AROUND, "around"): "around, round, past, by",
    (Kind.DIRECTION, "left"): "left, to the left, to your left, leftwards, sideways to the left",
    (Kind.DIRECTION, "right"): "right, to the right, to your right, rightwards, sideways to the right",
    (Kind.DIRECTION, "forward"): "forward, forwards, ahead, straight ahead, straight on, straight",
    (Kind.DIRECTION, "back"): "back, backward, backwards",
    (Kind.KEEP, "keep"): "keep, stay, remain, keeping, staying, always keep, always stay, keep a distance of",
    (Kind.AWAY, "away"): "away from, from, clear of, off, of distance from, distance from, distance to",
    (Kind.AVOID, "avoid"): (
        "avoid, avoiding, keep away from, keeping away from, stay away from, staying away from, keep clear of, "
        "do not go near, don't go near, do not come near, don't come near, never go near, without going near"
    ),
    (Kind.UNIT, "m"): "m, metre, metres, meter, meters",
    (Kind.UNIT, "cm"): "cm, centimetre, centimetres, centimeter, centimeters",
    (Kind.UNIT, "s"): "s, sec, second, seconds",
    (Kind.UNIT, "min"): "min, minute, minutes",
    (Kind.UNIT, "deg"): "deg, degree, degrees, °",
    (Kind.FOR, "for"): "for",
    (Kind.ADVERB, "0.5"): "carefully, cautiously, with care, slowly, gently",
    (Kind.ADVERB, "0.3"): "very slowly, very carefully",
    (Kind.LINK, "then"): (
        "and, then, and then, after that, afterwards, next, finally, first, but, while, ;, ., !, \\,, and finally"
    ),
    (Kind.FILLER, ""): (
        "please, can you, could you, would you, now, just, at least, always, robot, dog, the robot, ok, okay, hey, "
        "there, over, at a distance of, with, too, also, again, all the time, at all times"
    ),
    **{(Kind.COLOUR, colour): colour for colour in (*COLOURS, "grey")},
    **{
        (Kind.NUMBER, str(value)): word
        for value, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1)
    },
    (Kind.NUMBER, "0.5"): "half a, half an",
    (Kind.NUMBER, "1.5"): "one and a half",
    (Kind.NUMBER, "1"): "one, a, an",
}
"""What a phrase is, and the value that it shares with its synonyms. A comma as a word is written \\,."""

_WORD: Final = re.compile(r"\d+(?:\.\d+)?|[^\W\d](?:\w|['-](?=\w))*|[^\w\s]")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_LONGEST: Final = 5

Vocabulary = Mapping[str, tuple[Kind, str]]


def tokenise(text: str, scene: Scene) -> list[Token]:
    """The tokens of an instruction, politeness left out.

    Raises:
        CannotDo: a word is not known; names it, and the nearest that is.
    """
    words = _WORD.findall(text.lower().replace("\u2019", "'"))
    if len(words) > MAX_WORDS:
        raise CannotDo(f"the instruction has {len(words)} words; I read at most {MAX_WORDS}")
    own = {item.id: (Kind.OBJECT, item.id) for item in scene.objects.values() if item.id != PERSON}
    labels = {item.label: (Kind.NOUN, item.label) for item in scene.objects.values()}
    colours = {item.colour: (Kind.COLOUR, item.colour) for item in scene.objects.values()}
    known: Vocabulary = {**labels, **colours, **own, **_always()}
    tokens: list[Token] = []
    position = 0
    while position < len(words):
        token, length = _longest(words, position, known)
        if token.kind is not Kind.FILLER:
            tokens.append(token)
        position += length
    return tokens


@cache
def _always() -> Vocabulary:
    table: dict[str, tuple[Kind, str]] = {}
    for meaning, phrases in _PHRASES.items():
        for phrase in phrases.split(", "):
            table[phrase.replace("\\", "")] = meaning
    return table


def _longest(words: list[str], position: int, known: Vocabulary) -> tuple[Token, int]:
    if _NUMBER.fullmatch(words[position]):
        return Token(Kind.NUMBER, words[position], words[position]), 1
    for length in range(min(_LONGEST, len(words) - position), 0, -1):
        phrase = " ".join(words[position : position + length])
        if phrase in known:
            return Token(*known[phrase], phrase), length
    word = words[position]
    close = get_close_matches(word, [phrase for phrase in known if phrase.isalpha()], n=1, cutoff=0.7)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    raise CannotDo(f"I do not know the word '{word}'{hint} (I can {listed(VERBS, 'or')})")
