"""An instruction to tokens of its language; a word that is not known is named, never skipped."""

from typing import Final

from reins.contracts.scene import PERSON, Scene
from reins.planning.answers import CannotDo
from reins.planning.phrasebook import MAX_WORDS, Token, Vocabulary, nearest, phrases_at
from reins.planning.walking.language import NAMING, Kind, Language

_NAME_FOLLOWS: Final = (Kind.TO, Kind.AROUND, Kind.AVOID, Kind.AWAY, Kind.WITH, *NAMING)
"""An unknown word behind these is likely to be the name of something."""


def tokenise(text: str, scene: Scene, language: Language) -> list[Token]:
    """The tokens of an instruction, politeness left out.

    Raises:
        CannotDo: a word is not known; names it, the nearest that is, and what can be said there.
    """
    words = language.split(text)
    if len(words) > MAX_WORDS:
        raise CannotDo(language.wording.say("long", count=len(words), most=MAX_WORDS))
    known = _known(scene, language)
    tokens: list[Token] = []
    position = 0
    while position < len(words):
        found = _token(words, position, known, language)
        if found is None:
            raise CannotDo(_unknown(words, position, tokens, known, scene, language))
        token, length = found
        if token.kind is not Kind.FILLER:
            tokens.append(token)
        position += length
    return tokens


def _known(scene: Scene, language: Language) -> Vocabulary:
    """The language's phrases, and the scene's own labels, colours and ids, which are the same in every language."""
    things = scene.objects.values()
    labels = {item.label: (Kind.NOUN, item.label) for item in things}
    colours = {item.colour: (Kind.COLOUR, item.colour) for item in things}
    own = {item.id: (Kind.OBJECT, item.id) for item in things if item.id != PERSON}
    return {**labels, **colours, **own, **language.vocabulary}


def _token(words: list[str], position: int, known: Vocabulary, language: Language) -> tuple[Token, int] | None:
    """The longest phrase or number that begins there, and how many words it has."""
    phrase = next(phrases_at(words, position, known, language.joint), None)
    number = language.numeral(words, position)
    if number is None or (phrase is not None and phrase[1] >= number[1]):
        return phrase
    value, length = number
    return Token(Kind.NUMBER, repr(value), language.joint.join(words[position : position + length])), length


def _is_part(words: list[str], start: int, end: int) -> bool:
    """Whether a word goes on there: letters, one of which each "word" is where they are written without gaps."""
    return end < len(words) and all(len(words[at]) == 1 and words[at].isalpha() for at in (start, end))


def _unknown(
    words: list[str], position: int, before: list[Token], known: Vocabulary, scene: Scene, language: Language
) -> str:
    """What is said of the unknown word: up to what is known again, where words are written without gaps."""
    end = position + 1
    while not language.joint and _is_part(words, position, end) and _token(words, end, known, language) is None:
        end += 1
    word, wording = "".join(words[position:end]), language.wording
    close = nearest(word, known, 0.7)
    hint = wording.say("hint", phrase=close) if close else ""
    last = before[-1] if before else None
    key = "unknown"
    if last is not None and last.kind in _NAME_FOLLOWS:
        key = "unknown_thing"
    elif last is not None and last.value in ("go", "follow"):
        key = "unknown_either"
    verbs, seen = wording.either(language.verbs), wording.listed(scene.objects)
    return wording.say(key, word=word, hint=hint, verbs=verbs, seen=seen)
