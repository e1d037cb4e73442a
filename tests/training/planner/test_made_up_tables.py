"""Made-up scenes and the table on which skills do what they declare."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.facts import facts_of
from reins.contracts.plan import SkillCall
from reins.contracts.relations import distance, radius
from reins.contracts.scene import TABLE
from reins.skills.library import SKILLS
from reins.training.planner.histories import expected
from reins.training.planner.scenes import SceneStyle, draw_scene
from reins.training.planner.table import Table

SEEDS = st.integers(0, 100_000)


@given(SEEDS)
def test_a_scene_is_the_same_for_the_same_seed(seed: int) -> None:
    assert draw_scene(Random(seed), SceneStyle()) == draw_scene(Random(seed), SceneStyle())


@given(SEEDS)
def test_what_stands_on_the_table_stands_apart(seed: int) -> None:
    scene = draw_scene(Random(seed), SceneStyle())
    standing = [scene.objects[name] for name in scene.related("on", TABLE)]
    assert all(distance(a, b) >= radius(a) + radius(b) for a in standing for b in standing if a.id < b.id)


@given(SEEDS)
def test_everything_is_somewhere_and_at_most_one_thing_is_held(seed: int) -> None:
    scene = draw_scene(Random(seed), SceneStyle())
    placed = {r.subject for r in scene.relations if r.predicate in ("in", "on", "held")}
    assert placed == set(scene.objects)
    assert sum(r.predicate == "held" for r in scene.relations) <= 1


@given(SEEDS)
def test_pairs_that_must_not_occur_do_not(seed: int) -> None:
    without = frozenset({("red", "block"), ("blue", "bowl")})
    scene = draw_scene(Random(seed), SceneStyle(without=without))
    assert not without & {(item.colour, item.label) for item in scene.objects.values()}


def test_pairs_that_are_asked_for_occur() -> None:
    scene = draw_scene(Random(1), SceneStyle(), force=[("cyan", "bowl")])
    assert ("cyan", "bowl") in {(item.colour, item.label) for item in scene.objects.values()}


@pytest.mark.parametrize(
    "steps",
    [
        [SkillCall(skill="pick", arguments={"object": "red_block"})],
        [SkillCall(skill="push", arguments={"object": "red_block", "direction": "left", "distance": 0.04})],
        *(
            [
                SkillCall(skill="pick", arguments={"object": "red_block"}),
                SkillCall(skill=skill, arguments={**arguments}),
            ]
            for skill, arguments in (
                ("place_in", {"container": "blue_bowl"}),
                ("place_on", {"support": "white_plate"}),
                ("place_on", {"support": TABLE}),
                ("place_beside", {"object": "blue_bowl"}),
                ("place_beside", {"object": "white_plate", "side": "behind"}),
            )
        ),
    ],
    ids=lambda steps: " ".join(map(str, steps)),
)
def test_a_skill_does_what_it_declares(steps: list[SkillCall]) -> None:
    kinds = [("red", "block"), ("blue", "bowl"), ("white", "plate")]
    style = SceneStyle(renamed=0.0, loaded=0.0, holding=0.0, without=frozenset(kinds))
    table = Table(draw_scene(Random(3), style, force=kinds))
    for call in steps:
        before = table.scene()
        table.do(call)
        assert expected(call, before, SKILLS) - _sides(call) <= facts_of(table.scene(), before)


def _sides(call: SkillCall) -> set[tuple[str, ...]]:
    """The unbound effect of a side that nobody asked for."""
    return {("beside", "red_block", "red_block")} if call.skill != "place_beside" else set()


def test_what_stands_on_a_thing_goes_with_it() -> None:
    kinds = [("red", "block"), ("white", "plate")]
    style = SceneStyle(renamed=0.0, loaded=0.0, holding=0.0, without=frozenset(kinds))
    table = Table(draw_scene(Random(5), style, force=kinds))
    table.load("red_block", "white_plate")
    table.move("white_plate", (0.5, 0.1))
    assert ("on", "red_block", "white_plate") in facts_of(table.scene())
