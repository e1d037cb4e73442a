"""Descriptions as rows of tokens, and back."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.scene import TABLE, Relation, SceneObject
from reins.perception.caption import caption_of
from reins.perception.colours import COLOURS
from reins.perception.vision_language.description import (
    GRID,
    HELD,
    MOST_RELATIONS,
    MOST_TEXT,
    OFF_TABLE,
    PERCHED,
    TABLE_NUMBER,
    Box,
    Description,
    SaidObject,
    SaidRelation,
)
from reins.perception.vision_language.tiny.words import (
    ATTRIBUTE,
    ATTRIBUTES,
    BEGIN,
    BESIDE,
    COLOUR,
    EDGE,
    EDGES,
    END,
    KIND,
    NUMBER,
    REFERRING,
    SAID_KINDS,
    STAND,
    STANDS,
)

_BOX: Final = ("left", "top", "right", "bottom")


def tokens_of(said: Description) -> list[int]:
    """The tokens of a description, BEGIN and END included; names and the caption have none.

    Raises:
        ReinsError: the tiny model has no words for it.
    """
    found = [BEGIN]
    for number, thing in enumerate(said.objects, start=1):
        relations = [relation for relation in said.relations if relation.subject == number]
        try:
            found += _tokens_of_thing(thing, relations, number)
        except ValueError as error:
            raise ReinsError(f"the tiny model has no words for object {number}: {error}") from error
    return [*found, END]


def description_of(tokens: Sequence[int], certain: Sequence[float] = ()) -> Description:
    """The description that tokens say, which the grammar allows; whatever follows on its last whole thing is left out.

    Args:
        tokens: from BEGIN on.
        certain: of each thing how sure the model is of it, 0 … 1; empty where that is not known.
    """
    starts = [at for at, token in enumerate(tokens) if token in KIND]
    ends = [*starts[1:], next((at for at, token in enumerate(tokens) if token == END), len(tokens))]
    objects: list[SaidObject] = []
    stands: list[SaidRelation] = []
    beside: list[SaidRelation] = []
    for number, (start, end) in enumerate(zip(starts, ends, strict=False), start=1):  # nothing has an end, too
        row = tokens[start:end]
        if not _is_whole(row):
            break
        objects.append(_thing(row, certain[number - 1] if certain else None))
        for relation in _relations(row, number):
            (beside if relation.relation == "beside" else stands).append(relation)
    said = Description(objects=tuple(objects), relations=tuple([*stands, *beside][:MOST_RELATIONS]))
    return said.model_copy(update={"caption": _caption(said)})


def edge_of(place: float) -> int:
    """The nearest edge, 0 … EDGES, to a place in thousandths of the picture."""
    return min(max(round(place * EDGES / GRID), 0), EDGES)


def place_of_edge(edge: int) -> int:
    """The place of an edge in thousandths of the picture."""
    return round(edge * GRID / EDGES)


def _tokens_of_thing(thing: SaidObject, relations: Sequence[SaidRelation], number: int) -> list[int]:
    """Raises ValueError where there is no word."""
    left, top, right, bottom = (edge_of(getattr(thing.box, side)) for side in _BOX)
    right, bottom = max(right, left + 1), max(bottom, top + 1)
    if right > EDGES:
        left, right = EDGES - 1, EDGES
    if bottom > EDGES:
        top, bottom = EDGES - 1, EDGES
    found = [KIND.token(SAID_KINDS.index(thing.kind)), COLOUR.token(COLOURS.index(thing.colour))]
    found += [EDGE.token(edge) for edge in (left, top, right, bottom)]
    found += sorted(ATTRIBUTE.token(ATTRIBUTES.index(word)) for word in thing.attributes if word not in OFF_TABLE)
    under = [relation for relation in relations if relation.relation != "beside"]
    if len(under) > 1 or (under and OFF_TABLE & set(thing.attributes)):
        raise ValueError("it stands on one thing at most")
    if HELD in thing.attributes:
        found.append(STAND.token(STANDS.index(HELD)))
    elif not under:
        found.append(STAND.token(STANDS.index(PERCHED)))
    elif under[0].object == TABLE_NUMBER:
        found.append(STAND.token(STANDS.index("on the table")))
    else:
        found += [STAND.token(STANDS.index(under[0].relation)), _earlier(under[0], number)]
    for relation in sorted(relations, key=lambda relation: relation.object):
        if relation.relation == "beside":
            found += [BESIDE, _earlier(relation, number)]
    return found


def _earlier(relation: SaidRelation, number: int) -> int:
    """The token of the other thing of a relation; raises ValueError if it comes later."""
    if relation.object >= number:
        raise ValueError(f"object {relation.object} comes later")
    return NUMBER.token(relation.object - 1)


def _is_whole(row: Sequence[int]) -> bool:
    """Whether the tokens of a thing say all that has to be said, and do not end where a number has to follow."""
    return any(token in STAND for token in row) and row[-1] != BESIDE and row[-1] not in REFERRING


def _thing(row: Sequence[int], certain: float | None) -> SaidObject:
    kind, colour = SAID_KINDS[KIND.index(row[0])], COLOURS[COLOUR.index(row[1])]
    places = {side: place_of_edge(EDGE.index(token)) for side, token in zip(_BOX, row[2:6], strict=True)}
    words = [ATTRIBUTES[ATTRIBUTE.index(token)] for token in row if token in ATTRIBUTE]
    words += [word for word in STANDS if word in OFF_TABLE and STAND.token(STANDS.index(word)) in row]
    return SaidObject(
        name=f"{colour} {kind}", kind=kind, colour=colour, attributes=tuple(words), box=Box(**places), certain=certain
    )


def _relations(row: Sequence[int], number: int) -> list[SaidRelation]:
    found = []
    for at, token in enumerate(row):
        if token == BESIDE:
            found.append(_relation(number, "beside", NUMBER.index(row[at + 1]) + 1))
        elif token in REFERRING:
            found.append(_relation(number, STANDS[STAND.index(token)], NUMBER.index(row[at + 1]) + 1))
        elif token == STAND.first:
            found.append(_relation(number, "on", TABLE_NUMBER))
    return found


def _relation(subject: int, word: str, other: int) -> SaidRelation:
    return SaidRelation.model_validate({"subject": subject, "relation": word, "object": other})


def _caption(said: Description) -> str:
    """The description in words, as perception's own captions are."""
    counted: Counter[str] = Counter()
    names = {TABLE_NUMBER: TABLE}
    objects = {}
    for number, thing in enumerate(said.objects, start=1):
        name = f"{thing.colour}_{thing.kind}"
        counted[name] += 1
        names[number] = name if counted[name] == 1 else f"{name}_{counted[name]}"
        objects[names[number]] = _unplaced(names[number], thing)
    relations = [Relation(names[one.subject], one.relation, names[one.object]) for one in said.relations]
    held = [names[number] for number, thing in enumerate(said.objects, start=1) if HELD in thing.attributes]
    told = caption_of(objects, [*relations, *(Relation(name, "held", "gripper") for name in held)])
    return told if len(told) <= MOST_TEXT else f"There are {len(objects)} things on the table."


def _unplaced(name: str, thing: SaidObject) -> SceneObject:
    """A thing for a caption, which is not about places."""
    zero = (0.0, 0.0, 0.0)
    return SceneObject(name, thing.kind, thing.colour, zero, (0.0, 0.0, 0.0, 1.0), zero, 0.0, 0.0)
