"""Text to tokens: the longest phrase of the vocabulary wins; a word that is in none is named."""

from typing import Final

from reins.contracts.scene import Scene
from reins.planning.answers import CannotDo
from reins.planning.english.lexicon import VERBS, Kind, vocabulary
from reins.planning.phrasebook import DIGITS, MAX_WORDS, Token, Vocabulary, nearest, phrases_at, words_of
from reins.planning.words import listed

_NAMING: Final = (Kind.COLOUR, Kind.NOUN, Kind.PLURAL, Kind.RANK, Kind.OTHER)
_CLAUSE_STARTS: Final = (Kind.AND, Kind.THEN)
_NAME_STARTS: Final = (Kind.ARTICLE, Kind.ALL, Kind.COLOUR, Kind.RANK, Kind.OTHER)


def tokenise(text: str, scene: Scene) -> list[Token]:
    """The tokens of an instruction, politeness left out.

    Raises:
        CannotDo: a word is not known; names it, the nearest that is, and what exists.
    """
    words = words_of(text)
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
    if DIGITS.fullmatch(words[position]):
        return Token(Kind.NUMBER, words[position], words[position]), 1
    for token, length in phrases_at(words, position, known):
        following = words[position + length] if position + length < len(words) else ""
        if length > 1 and token.kind in (Kind.SIDE, Kind.DIRECTION) and known.get(following, (None,))[0] in _NAMING:
            continue  # "on the left block" is on, the left block
        return token, length
    return None, 1


def _unknown(word: str, before: Token | None, known: Vocabulary, scene: Scene) -> str:
    if before is None or before.kind in _CLAUSE_STARTS:
        hint = _did_you_mean(word, known, (Kind.VERB,))
        return f"I do not know how to '{word}'{hint} (I can {listed(VERBS, 'or')})"
    if before.kind in _NAME_STARTS:
        return f"I do not know any '{word}'{_did_you_mean(word, known, _NAMING)} (I see {listed(scene.objects)})"
    return f"I do not know the word '{word}'{_did_you_mean(word, known, tuple(Kind))}"


def _did_you_mean(word: str, known: Vocabulary, kinds: tuple[Kind, ...]) -> str:
    close = nearest(word, [phrase for phrase, (kind, _) in known.items() if kind in kinds and len(phrase) > 2], 0.65)
    return f"; did you mean '{close}'?" if close else ""
