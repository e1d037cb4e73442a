"""What in, on, beside and the directions mean, on both sides of their edges."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import UnknownName
from reins.contracts.relations import (
    BESIDE_GAP,
    IN_RADIUS,
    ON_GAP,
    SIDE_MARGIN,
    SPATIAL,
    holds,
    is_beside,
    is_in,
    is_left_of,
    is_on,
    is_on_table,
    relations_between,
)
from reins.contracts.scene import Relation
from reins.sim.world_state import TruthObject

EPSILON = 1e-6
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def block(x: float = 0.0, y: float = 0.0, bottom: float = 0.0, name: str = "red_block") -> TruthObject:
    return TruthObject(name, "block", "red", (x, y, bottom + 0.02), UPRIGHT, (0.04, 0.04, 0.04), False)


def bowl(x: float = 0.0, y: float = 0.0) -> TruthObject:
    return TruthObject("blue_bowl", "bowl", "blue", (x, y, 0.0225), UPRIGHT, (0.14, 0.14, 0.045), False)


def plate(x: float = 0.0, y: float = 0.0) -> TruthObject:
    return TruthObject("white_plate", "plate", "white", (x, y, 0.006), UPRIGHT, (0.15, 0.15, 0.012), False)


SIDES = [(-EPSILON, True), (EPSILON, False)]


@pytest.mark.parametrize("past, inside", SIDES)
def test_in_ends_at_the_wall(past: float, inside: bool) -> None:
    assert is_in(block(x=IN_RADIUS * 0.07 + past, bottom=0.006), bowl()) is inside


@pytest.mark.parametrize("past, inside", SIDES)
def test_in_ends_at_the_rim(past: float, inside: bool) -> None:
    assert is_in(block(bottom=0.045 - 0.02 + past), bowl()) is inside


def test_only_bowls_contain() -> None:
    assert not is_in(block(bottom=0.006), plate())


@pytest.mark.parametrize("past, resting", SIDES)
def test_on_ends_where_it_would_tip(past: float, resting: bool) -> None:
    assert is_on(block(y=0.02 + past, bottom=0.04), block(name="blue_block")) is resting


@pytest.mark.parametrize("past, resting", SIDES)
def test_on_ends_above_the_support(past: float, resting: bool) -> None:
    assert is_on(block(bottom=0.04 + ON_GAP + past), block(name="blue_block")) is resting


def test_on_a_plate_is_below_its_rim() -> None:
    assert is_on(block(bottom=0.006), plate())
    assert not is_on_table(block(bottom=0.006), [plate()])
    assert is_on_table(block(x=0.2), [plate()])


@pytest.mark.parametrize("past, near", SIDES)
def test_beside_ends_at_the_gap(past: float, near: bool) -> None:
    assert is_beside(block(x=0.02 + 0.07 + BESIDE_GAP + past), bowl()) is near


def test_beside_is_at_the_same_height() -> None:
    assert not is_beside(block(x=0.05, bottom=0.04), block(name="blue_block"))
    assert not is_beside(block(bottom=0.006), bowl())


@pytest.mark.parametrize("past, left", [(-EPSILON, False), (EPSILON, True)])
def test_left_needs_a_margin(past: float, left: bool) -> None:
    assert is_left_of(block(y=SIDE_MARGIN + past), bowl()) is left


coordinates = st.floats(-0.5, 0.5)
blocks = st.builds(block, x=coordinates, y=coordinates, bottom=st.floats(0.0, 0.3))


@given(
    a=blocks,
    b=st.one_of(blocks.map(lambda one: replace(one, id="blue_block")), st.builds(bowl, coordinates, coordinates)),
)
def test_opposites_and_symmetry(a: TruthObject, b: TruthObject) -> None:
    assert holds("left_of", a, b) == holds("right_of", b, a)
    assert holds("behind", a, b) == holds("in_front_of", b, a)
    assert holds("beside", a, b) == holds("beside", b, a)
    assert not (holds("left_of", a, b) and holds("left_of", b, a))
    assert not (holds("in", a, b) and holds("on", a, b))
    assert not (holds("beside", a, b) and (holds("in", a, b) or holds("on", a, b)))


@given(a=blocks)
def test_nothing_is_related_to_itself(a: TruthObject) -> None:
    assert all(relation.subject != relation.object for relation in relations_between([a, a], held=None))


def test_relations_between_tells_all() -> None:
    found = relations_between([block(bottom=0.006), bowl(), block(x=0.3, y=0.4, name="blue_block")], held=None)
    assert Relation("red_block", "in", "blue_bowl") in found
    assert Relation("blue_bowl", "on", "table") in found and Relation("blue_block", "on", "table") in found
    assert Relation("red_block", "on", "table") not in found
    assert Relation("blue_block", "left_of", "blue_bowl") in found
    assert Relation("blue_bowl", "right_of", "blue_block") in found


def test_what_is_held_is_nowhere_else() -> None:
    found = relations_between([block(bottom=0.006), bowl()], held="red_block")
    assert {relation for relation in found if "red_block" in (relation.subject, relation.object)} == {
        Relation("red_block", "held", "gripper")
    }


def test_an_unknown_relation_lists_those_that_exist() -> None:
    with pytest.raises(UnknownName, match="in_front_of"):
        holds("infront_of", block(), bowl())
    assert set(SPATIAL) == {"in", "on", "beside", "left_of", "right_of", "behind", "in_front_of"}
