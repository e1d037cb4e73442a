"""Text to tokens: the longest phrase of the vocabulary wins; a word that is in none is named."""

import re
from difflib import get_close_matches
from typing import Final

from reins.contracts.scene import Scene
from reins.planning.answers import CannotDo
from reins.planning.english.lexicon import VERBS, Kind, Token, Vocabulary, vocabulary
from reins.planning.words import listed

MAX_WORDS: Final = 200
"""Longest instruction that is read."""

_WORD: Final = re.compile(r"\d+(?:\.\d+)?|[^\W\d](?:\w|['-](?=\w))*|[^\w\s]")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_LONGEST: Final = 7
_NAMING: Final = (Kind.COLOUR, Kind.NOUN, Kind.PLURAL, Kind.RANK, Kind.OTHER)
_CLAUSE_STARTS: Final = (Kind.AND, Kind.THEN)
_NAME_STARTS: Final = (Kind.ARTICLE, Kind.ALL, Kind.COLOUR, Kind.RANK, Kind.OTHER)


def tokenise(text: str, scene: Scene) -> list[Token]:
    """The tokens of an instruction, politeness left out.

    Raises:
        CannotDo: a word is not known; names it, the nearest that is, and what exists.
    """
    words = _WORD.findall(text.lower().replace("\u2019", "'").replace('"', " "))
    if len(words) > MAX_WORDS:
        raise CannotDo(f"the instruction has {len(words)} words; I read at most {MAX_WORDS}")
    known = vocabulary(scene)
    tokens: list[Token] = []
    position = 0
    while position < len(words):
        token, length = _longest(words, position, known)
        if token is None:
            raise CannotDo(_unknown(words[position], tokens[-1] if tokens else None, known, scene))
        if token.kind is not Kind.FILLER:
            tokens.append(token)
        position += length
    return tokens


def _longest(words: list[str], position: int, known: Vocabulary) -> tuple[Token | None, int]:
    if _NUMBER.fullmatch(words[position]):
        return Token(Kind.NUMBER, words[position], words[position]), 1
    for length in range(min(_LONGEST, len(words) - position), 0, -1):
        phrase = " ".join(words[position : position + length])
        if phrase not in known:
            continue
        kind, value = known[phrase]
        following = words[position + length] if position + length < len(words) else ""
        if length > 1 and kind in (Kind.SIDE, Kind.DIRECTION) and known.get(following, (None,))[0] in _NAMING:
            continue  # "on the left block" is on, the left block
        return Token(kind, value, phrase), length
    return None, 1


def _unknown(word: str, before: Token | None, known: Vocabulary, scene: Scene) -> str:
    if before is None or before.kind in _CLAUSE_STARTS:
        hint = _did_you_mean(word, known, (Kind.VERB,))
        return f"I do not know how to '{word}'{hint} (I can {listed(VERBS, 'or')})"
    if before.kind in _NAME_STARTS:
        return f"I do not know any '{word}'{_did_you_mean(word, known, _NAMING)} (I see {listed(scene.objects)})"
    return f"I do not know the word '{word}'{_did_you_mean(word, known, tuple(Kind))}"


def _did_you_mean(word: str, known: Vocabulary, kinds: tuple[Kind, ...]) -> str:
    single = [phrase for phrase, (kind, _) in known.items() if kind in kinds and phrase.isalpha() and len(phrase) > 2]
    close = get_close_matches(word, single, n=1, cutoff=0.65)
    return f"; did you mean '{close[0]}'?" if close else ""
