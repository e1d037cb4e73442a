"""How far apart turned blocks and round dishes are, and which of them touch."""

from dataclasses import replace
from math import cos, hypot, pi, sin

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reins.contracts.footprints import Footprint
from reins.contracts.relations import ON_GAP, TOUCH_GAP, contacts_between, is_touching
from reins.contracts.scene import Relation
from reins.sim.world_state import TruthObject

EPSILON = 1e-6


def block(
    x: float = 0.0,
    y: float = 0.0,
    yaw: float = 0.0,
    size: tuple[float, float] = (0.04, 0.04),
    bottom: float = 0.0,
    name: str = "red_block",
) -> TruthObject:
    turned = (0.0, 0.0, sin(yaw / 2), cos(yaw / 2))
    return TruthObject(name, "block", "red", (x, y, bottom + 0.02), turned, (*size, 0.04), False)


def bowl(x: float = 0.0, y: float = 0.0) -> TruthObject:
    return TruthObject("blue_bowl", "bowl", "blue", (x, y, 0.0225), (0.0, 0.0, 0.0, 1.0), (0.14, 0.14, 0.045), False)


def gap(a: TruthObject, b: TruthObject) -> float:
    return Footprint(a).gap(Footprint(b))


def outline(thing: TruthObject) -> np.ndarray:
    """(n, 2) points all over a footprint, edges included [m]."""
    yaw = 2 * np.arctan2(thing.orientation[2], thing.orientation[3])
    grid = np.linspace(-0.5, 0.5, 41)
    u, v = (axis.ravel() for axis in np.meshgrid(grid * thing.size[0], grid * thing.size[1]))
    if thing.label != "block":
        inside = np.hypot(u, v) <= thing.size[0] / 2
        u, v = u[inside], v[inside]
    turned = np.stack([u * np.cos(yaw) - v * np.sin(yaw), u * np.sin(yaw) + v * np.cos(yaw)], axis=1)
    return turned + thing.position[:2]


places = st.tuples(st.floats(-0.15, 0.15), st.floats(-0.15, 0.15))
blocks = st.builds(
    lambda place, yaw, size: block(place[0], place[1], yaw, size),
    places,
    st.floats(-pi, pi),
    st.tuples(st.floats(0.02, 0.08), st.floats(0.02, 0.08)),
)
things = st.one_of(blocks, st.builds(lambda place: bowl(place[0], place[1]), places))


@given(things, things)
def test_a_gap_is_the_least_distance_of_any_two_points(a: TruthObject, b: TruthObject) -> None:
    apart = np.linalg.norm(outline(a)[:, None] - outline(b)[None], axis=2).min()
    step = max(*a.size[:2], *b.size[:2]) / 40
    assert apart - 2 * step <= gap(a, b) <= apart + EPSILON
    assert gap(a, b) == pytest.approx(gap(b, a), abs=EPSILON)


@given(blocks, things, places)
def test_it_does_not_depend_on_where_both_are(a: TruthObject, b: TruthObject, way: tuple[float, float]) -> None:
    moved = [
        replace(one, position=(one.position[0] + way[0], one.position[1] + way[1], one.position[2])) for one in (a, b)
    ]
    assert gap(*moved) == pytest.approx(gap(a, b), abs=EPSILON)


def test_of_blocks_that_stand_corner_to_side() -> None:
    corner = 0.02 * hypot(1, 1)
    assert gap(block(), block(x=0.02 + corner + 0.01, yaw=pi / 4)) == pytest.approx(0.01)
    assert gap(block(), block(x=0.05)) == pytest.approx(0.01)
    assert gap(block(), bowl(x=0.02 + 0.07 + 0.01)) == pytest.approx(0.01)


@pytest.mark.parametrize(("past", "touching"), [(-EPSILON, True), (EPSILON, False)])
def test_touching_ends_with_the_gap(past: float, touching: bool) -> None:
    assert is_touching(block(), block(x=0.04 + TOUCH_GAP + past)) is touching
    assert is_touching(block(), block(bottom=0.04 + ON_GAP + past)) is touching


@given(things, things)
def test_touching_is_mutual(a: TruthObject, b: TruthObject) -> None:
    assert is_touching(a, b) == is_touching(b, a)


def test_contacts() -> None:
    stack = [block(name="a"), block(bottom=0.04, name="b"), block(x=0.3, name="c"), bowl(x=0.09)]
    both = {("a", "b"), ("a", "blue_bowl"), ("b", "blue_bowl")}
    assert contacts_between(stack, None) == {Relation(x, "touching", y) for p in both for x, y in (p, p[::-1])}
    assert {one.subject for one in contacts_between(stack, "a")} == {"b", "blue_bowl"}


@given(st.lists(blocks, max_size=4))
def test_nothing_touches_itself(found: list[TruthObject]) -> None:
    assume(len({one.id for one in found}) == len(found))
    assert all(one.subject != one.object for one in contacts_between(found, None))
