"""What an operator did to the table, told as an onlooker would."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_tables import SIZES, TABLETOP, scene_of, tabletop, thing

from reins.contracts.facts import MOVED_LEAST
from reins.contracts.scene import ROBOT, SITTING, STANDING, Relation, Scene, by_id
from reins.planning.changes import changes, changes_text

BLOCKS = [name for name in TABLETOP if name.endswith("block")]


def moved(scene: Scene, name: str, dx: float, dy: float = 0.0) -> Scene:
    """The scene with one object somewhere else."""
    x, y, z = scene.objects[name].position
    things = {**scene.objects, name: replace(scene.objects[name], position=(x + dx, y + dy, z))}
    return scene_of(things.values(), scene.held())


def without(scene: Scene, name: str) -> Scene:
    return scene_of(item for item in scene.objects.values() if item.id != name)


def test_nothing_changed() -> None:
    assert changes(tabletop(), tabletop()) == []
    assert changes_text(tabletop(), tabletop()) == "while you drove: nothing changed"


def test_a_block_was_pushed_next_to_the_bowl_and_another_one_was_taken_away() -> None:
    before = tabletop("red_block", "blue_bowl", "green_block")
    beside = before.objects["blue_bowl"].position[0] - SIZES["bowl"][0] / 2 - 0.03
    bowl_y = before.objects["blue_bowl"].position[1]
    x, y, _ = before.objects["red_block"].position
    after = without(moved(before, "red_block", beside - x, bowl_y - y), "green_block")
    far = 100 * ((beside - x) ** 2 + (bowl_y - y) ** 2) ** 0.5
    told = f"while you drove: green_block gone; red_block moved {far:.0f} cm, now beside blue_bowl"
    assert changes_text(before, after) == told


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (tabletop(red_block="in blue_bowl"), tabletop(), "now on table"),
        (tabletop(), tabletop(red_block="in blue_bowl"), "now in blue_bowl"),
        (tabletop(), tabletop(red_block="on green_block"), "now on green_block"),
    ],
)
def test_where_it_was_put(before: Scene, after: Scene, told: str) -> None:
    (change,) = changes(before, after)
    assert change.startswith("red_block moved ") and change.endswith(told)


def test_a_block_that_left_its_neighbour_is_no_longer_beside_it() -> None:
    before = scene_of([thing("red_block", 0.5, 0.0), thing("green_block", 0.5, 0.06)])
    assert changes(before, moved(before, "red_block", -0.1)) == ["red_block moved 10 cm, no longer beside green_block"]


def test_what_the_hand_took_and_let_go() -> None:
    assert changes(tabletop(), tabletop(held="red_block")) == ["red_block now held"]
    assert changes(tabletop(held="red_block"), tabletop()) == ["red_block no longer held, now on table"]
    assert changes(tabletop(held="red_block"), moved(tabletop(held="red_block"), "red_block", 0.3)) == []


def test_something_new() -> None:
    plain = without(tabletop(), "red_block")
    assert changes(plain, tabletop()) == ["red_block new, now on table"]
    assert changes(plain, tabletop(held="red_block")) == ["red_block new, now held"]


@pytest.mark.parametrize(("far", "told"), [(MOVED_LEAST - 1e-6, 0), (MOVED_LEAST + 1e-6, 1)])
def test_moved_begins_where_noise_ends(far: float, told: int) -> None:
    assert len(changes(tabletop(), moved(tabletop(), "blue_block", -far))) == told


@given(moves=st.dictionaries(st.sampled_from(BLOCKS), st.floats(-0.5, 0.5), max_size=4))
def test_exactly_what_moved_is_told_in_order(moves: dict[str, float]) -> None:
    after = tabletop()
    for name, dx in moves.items():
        after = moved(after, name, dx)
    told = [change.split()[0] for change in changes(tabletop(), after)]
    assert told == sorted(name for name, dx in moves.items() if abs(dx) >= MOVED_LEAST)


@given(names=st.sets(st.sampled_from(list(TABLETOP))), others=st.sets(st.sampled_from(list(TABLETOP))))
def test_what_is_gone_one_way_is_new_the_other_way(names: set[str], others: set[str]) -> None:
    scenes = [scene_of(by_id(tabletop().objects[name] for name in group).values()) for group in (names, others)]
    gone = {change.split()[0] for change in changes(*scenes) if change.endswith(" gone")}
    new = {change.split()[0] for change in changes(*reversed(scenes)) if " new" in change}
    assert gone == new == names - others


def walker(x: float, *relations: Relation) -> Scene:
    """What a robot sees of a box and a door that has walked x [m] towards them."""
    seen = {"blue_box": (3.0 - x, 0.0, 0.0), "red_door": (5.0 - x, 1.0, 0.7)}
    things = [replace(thing("red_block", 0.0, 0.0), id=name, position=at) for name, at in seen.items()]
    return Scene(0.0, "test", by_id(things), frozenset(relations))


UP, DOWN = Relation(ROBOT, "is", STANDING), Relation(ROBOT, "is", SITTING)
AT_BOX = Relation(ROBOT, "at", "blue_box")


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (walker(0.0, UP), walker(0.5, UP), []),
        (walker(0.0, DOWN), walker(1.0, UP, AT_BOX), ["robot now at blue_box and standing"]),
        (walker(1.0, UP, AT_BOX), walker(0.0, UP), ["robot no longer at blue_box"]),
    ],
)
def test_what_a_robot_walked_past_has_not_moved(before: Scene, after: Scene, told: list[str]) -> None:
    assert changes(before, after) == told
    away = replace(after, objects=by_id([after.objects["red_door"]]))
    assert changes(before, away) == [*told, "blue_box gone"]
