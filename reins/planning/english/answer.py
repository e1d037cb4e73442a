"""Answers to "which one?" in English: "the left one", "red", "the one on the plate", "the second", "both"."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from reins.contracts.scene import Scene
from reins.planning.answers import CannotDo, Unclear
from reins.planning.english.grammar import parse
from reins.planning.english.reader import narrowed
from reins.planning.english.reference import Referents
from reins.planning.english.tokens import tokenise

ORDINALS: Final = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1, "former": 0, "latter": -1}
"""Words for a place in the list that the question gave → index."""

_ORDINAL: Final = re.compile(rf"(?:the )?({'|'.join(ORDINALS)})(?: one| of them)?")
_ANY: Final = re.compile(
    r"(?:any|either|whichever|whatever)(?: one)?(?: of (?:them|these|those))?(?: you (?:like|want))?|"
    r"i (?:don't|do not) (?:care|mind)|(?:it )?(?:doesn't|does not) matter|you choose|up to you"
)
_ALL: Final = re.compile(r"(?:all|both|each)(?: of (?:them|these|those))?")
_ARTICLE: Final = re.compile(r"(?:the|that|this)\s+")


def choose(answer: str, choices: Sequence[str], scene: Scene) -> tuple[str, ...]:
    """Ids of the objects that an answer means; see `reins.planning.clarify.Choosing`.

    Args:
        answer: controlled English.
        choices: ids of what was asked about; any object of the scene may be meant if there are none.
        scene: what was seen then.

    Raises:
        CannotDo, Unclear: it means none of them, or again several.
    """
    said = answer.lower().replace("\u2019", "'")
    here = tuple(name for name in choices if name in scene.objects)
    if here and (ordinal := _ORDINAL.fullmatch(said)) and -1 <= ORDINALS[ordinal[1]] < len(choices):
        return (choices[ORDINALS[ordinal[1]]],)
    if here and _ANY.fullmatch(said):
        return here[:1]
    if here and _ALL.fullmatch(said) and (len(here) == 2 or not said.startswith("both")):
        return here
    for form in _forms(said):
        try:
            return _things(form, here, scene)
        except (CannotDo, Unclear) as problem:
            why = problem
    raise why


def _forms(said: str) -> Iterator[str]:
    """The answer as an instruction to pick something up."""
    yield said
    yield f"pick up {said}"
    yield f"pick up the {_ARTICLE.sub('', said, count=1)} one"
    yield f"pick up the one {said}"


def _things(text: str, among: Sequence[str], scene: Scene) -> tuple[str, ...]:
    """What a text says is to be picked up."""
    clauses = parse(tokenise(text, scene)).clauses
    if len(clauses) != 1 or clauses[0].verb != "take" or not clauses[0].themes or clauses[0].direction:
        raise CannotDo(f"'{text}' names nothing")
    referents = Referents(scene)
    themes = narrowed(clauses[0], clauses[0].places).themes
    names = [name for phrase in themes for name in referents.resolve(phrase, among=among)]
    if among and not set(names) <= set(among):
        raise CannotDo(f"'{text}' is none of those that were asked about")
    return tuple(dict.fromkeys(names))
