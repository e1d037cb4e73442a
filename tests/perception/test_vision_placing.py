"""Which thing a named thing is: in the scene before, and in another camera's picture."""

from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.scene import SceneObject
from reins.perception.vision_language.description import Box, SaidObject
from reins.perception.vision_language.placing import SAME_PLACE, Placed, ids_of, joined


def item(name: str, x: float, y: float = 0.0, z: float = 0.02, side: float = 0.04) -> SceneObject:
    colour, label = name.split("_")[:2]
    return SceneObject(name, label, colour, (x, y, z), (0.0, 0.0, 0.0, 1.0), (side, side, side), 0.9, 1.0)


def said(of: SceneObject) -> Placed:
    box = Box(left=0, top=0, right=10, bottom=10)
    thing = {"name": "toy", "kind": of.label, "colour": of.colour, "attributes": (), "box": box}
    return SaidObject.model_validate(thing), of


RED, GREEN, BLUE = item("red_block", 0.50), item("green_block", 0.545), item("blue_block", 0.59)


class TestIds:
    @pytest.mark.parametrize("order", list(permutations((RED, GREEN, BLUE))))
    def test_neighbours_keep_theirs_in_whatever_order_they_are_named(self, order: Sequence[SceneObject]) -> None:
        assert ids_of(order, (RED, GREEN, BLUE)) == [one.id for one in order]

    @pytest.mark.parametrize("turned", [False, True])
    def test_so_do_those_of_a_stack(self, turned: bool) -> None:
        stack = [item("red_block", 0.5, z=0.02), item("green_block", 0.5, z=0.06)]
        found = stack[::-1] if turned else stack
        assert ids_of(found, stack) == [one.id for one in found]

    def test_the_nearest_of_two_alike_is_meant(self) -> None:
        twins = [item("red_block", 0.50), item("red_block_2", 0.53)]
        assert ids_of([item("red_block", 0.535), item("red_block", 0.505)], twins) == ["red_block_2", "red_block"]

    def test_a_thing_that_is_lifted_or_looks_otherwise_is_itself(self) -> None:
        assert ids_of([item("red_block", 0.50, z=0.15)], [RED]) == ["red_block"]
        assert ids_of([item("grey_block", 0.51)], [RED]) == ["red_block"]

    @pytest.mark.parametrize(("way", "same"), [(SAME_PLACE - 0.001, True), (SAME_PLACE + 0.001, False)])
    def test_a_thing_farther_away_is_a_new_one(self, way: float, same: bool) -> None:
        assert (ids_of([item("red_block", 0.50 + way)], [RED]) == ["red_block"]) is same
        assert ids_of([item("red_bowl", 0.50)], [RED]) == ["red_bowl"]

    @given(
        st.lists(st.tuples(st.sampled_from(["red", "green"]), st.floats(0.3, 0.6), st.floats(-0.3, 0.3)), max_size=6)
    )
    def test_no_two_things_have_one(self, places: list[tuple[str, float, float]]) -> None:
        things = [item(f"{colour}_block", x, y) for colour, x, y in places]
        first = ids_of(things, ())
        assert len(set(first)) == len(things)
        again = ids_of(things, [item(name, x, y) for name, (_, x, y) in zip(first, places, strict=True)])
        assert len(set(again)) == len(things)


class TestJoined:
    def test_twins_in_two_pictures_are_two(self) -> None:
        one, other = item("red_block", 0.500), item("red_block", 0.545)
        seen_again = [said(item("red_block", 0.543)), said(item("red_block", 0.502))]
        found = joined([said(one), said(other)], seen_again)
        assert sorted(thing.position[0] for _, thing in found) == pytest.approx([0.50, 0.545])
        assert len(found) == 2

    def test_the_picture_that_shows_more_of_a_thing_says_how_large_it_is(self) -> None:
        part, whole = item("red_block", 0.5, side=0.02), item("red_block", 0.505, side=0.04)
        for first, second in ((part, whole), (whole, part)):
            ((_, thing),) = joined([said(first)], [said(second)])
            assert thing is whole
