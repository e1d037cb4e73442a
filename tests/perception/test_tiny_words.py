"""The words of the tiny model: what it knows can be said, and whatever it says can be read."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError
from reins.perception.colours import COLOURS
from reins.perception.vision_language.description import (
    HELD,
    MOST_OBJECTS,
    MOST_RELATIONS,
    OFF_TABLE,
    PERCHED,
    Description,
)
from reins.perception.vision_language.tiny.grammar import Grammar
from reins.perception.vision_language.tiny.speech import description_of, edge_of, place_of_edge, tokens_of
from reins.perception.vision_language.tiny.words import (
    ATTRIBUTES,
    BEGIN,
    EDGES,
    END,
    KIND,
    MOST_BESIDE,
    SAID_KINDS,
    SIZE,
    STANDS,
)


@st.composite
def descriptions(draw: st.DrawFn) -> Description:
    """Of what the tiny model has words for; boxes are on its grid."""
    objects, stands, beside = [], [], []
    for number in range(1, draw(st.integers(0, MOST_OBJECTS)) + 1):
        left, top = draw(st.integers(0, EDGES - 1)), draw(st.integers(0, EDGES - 1))
        right, bottom = draw(st.integers(left + 1, EDGES)), draw(st.integers(top + 1, EDGES))
        words = [word for word in ATTRIBUTES if draw(st.booleans())]
        stand = draw(st.sampled_from(STANDS if number > 1 else ("on the table", HELD, PERCHED)))
        kind, colour = draw(st.sampled_from(SAID_KINDS)), draw(st.sampled_from(COLOURS))
        places = [place_of_edge(edge) for edge in (left, top, right, bottom)]
        objects.append(
            {
                "name": f"{colour} {kind}",
                "kind": kind,
                "colour": colour,
                "attributes": [*words, stand] if stand in OFF_TABLE else words,
                "box": dict(zip(("left", "top", "right", "bottom"), places, strict=True)),
            }
        )
        if stand == "on the table":
            stands.append({"subject": number, "relation": "on", "object": 0})
        elif stand in ("in", "on"):
            stands.append({"subject": number, "relation": stand, "object": draw(st.integers(1, number - 1))})
        if number > 1:
            near = draw(st.sets(st.integers(1, number - 1), max_size=MOST_BESIDE))
            beside += [{"subject": number, "relation": "beside", "object": other} for other in sorted(near)]
    return Description.model_validate({"objects": objects, "relations": [*stands, *beside][:MOST_RELATIONS]})


@given(descriptions())
def test_what_is_said_is_read_as_it_was_meant(said: Description) -> None:
    tokens, grammar = tokens_of(said), Grammar()
    for token in tokens[1:]:
        assert grammar.allowed()[token]
        grammar.take(token)
    heard = description_of(tokens)
    assert (heard.objects, heard.relations) == (said.objects, said.relations)
    assert heard.caption


@given(st.randoms(use_true_random=False), st.integers(1, 150))
def test_whatever_the_grammar_allows_can_be_read_wherever_it_is_cut(random: Random, length: int) -> None:
    tokens, grammar = [BEGIN], Grammar()
    while len(tokens) < length and tokens[-1] != END:
        allowed = np.flatnonzero(grammar.allowed())
        tokens.append(int(random.choice(list(allowed))))
        grammar.take(tokens[-1])
        assert tokens[-1] < SIZE
    begun = sum(token in KIND for token in tokens)
    whole = len(description_of(tokens).objects)
    assert whole == begun if tokens[-1] == END else begun - 1 <= whole <= begun


@given(st.integers(0, EDGES))
def test_edges_are_places(edge: int) -> None:
    assert edge_of(place_of_edge(edge)) == edge


def block(**changes: object) -> dict[str, object]:
    box = {"left": 100, "top": 100, "right": 200, "bottom": 200}
    return {"name": "red block", "kind": "block", "colour": "red", "box": box, **changes}


@pytest.mark.parametrize(
    ("objects", "relations", "why"),
    [
        ([block(kind="other")], [], "object 1"),
        ([block(colour="other")], [], "object 1"),
        ([block(attributes=["upside down"])], [], "object 1"),
        ([block(), block()], [(1, "on", 2)], "object 2 comes later"),
        ([block(), block(attributes=[HELD])], [(2, "on", 1)], "one thing at most"),
    ],
)
def test_what_it_has_no_words_for_is_told(
    objects: list[dict[str, object]], relations: list[tuple[int, str, int]], why: str
) -> None:
    related = [{"subject": one, "relation": word, "object": other} for one, word, other in relations]
    said = Description.model_validate({"objects": objects, "relations": related})
    with pytest.raises(ReinsError, match=why):
        tokens_of(said)


def test_a_box_between_two_edges_stays_a_box() -> None:
    thin = {"left": 999, "top": 500, "right": 1000, "bottom": 501}
    heard = description_of(tokens_of(Description.model_validate({"objects": [block(box=thin)]})))
    assert heard.objects[0].box.right == 1000 and heard.objects[0].box.left < 1000


def test_certainties_and_a_caption_are_said_of_what_was_read() -> None:
    said = Description.model_validate(
        {
            "objects": [block(kind="bowl", colour="blue"), block(), block(attributes=[HELD])],
            "relations": [{"subject": 2, "relation": "in", "object": 1}],
        }
    )
    heard = description_of(tokens_of(said), [0.9, 0.5, 0.25])
    assert [thing.certain for thing in heard.objects] == [0.9, 0.5, 0.25]
    assert "the red block is in the blue bowl" in heard.caption and "The gripper holds" in heard.caption
