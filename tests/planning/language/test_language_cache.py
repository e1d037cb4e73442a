"""The same question in the same situation is answered without a model, and nothing else is."""

from dataclasses import replace

import pytest
from language_models import Parrot, planner_of, steps
from planning_tables import at, scene_of, tabletop, thing

from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene
from reins.language_models.model import ModelError
from reins.planning.language.cache import PlanCache, key_of
from reins.planning.planner import History, StepRecord

SCENE = tabletop()
ASKED = "would you pop the red cube into the bowl for me, pal"
GOOD = steps("pick red_block", "place_in blue_bowl")


def moved(name: str, x: float, y: float) -> Scene:
    """The tabletop with one object somewhere else."""
    others = [item for item in SCENE.objects.values() if item.id != name]
    return scene_of([*others, thing(name, x, y)])


def test_the_second_time_no_model_is_asked() -> None:
    model = Parrot(GOOD)
    planner = planner_of(model)
    first = planner.plan(ASKED, SCENE, History(SCENE))
    later = at(9.0)
    assert planner.plan(f"  {ASKED} ", later, History(later)) == first
    assert len(model.prompts) == 1
    assert (planner.cache.hits, planner.cache.misses, planner.cache.rate) == (1, 1, 0.5)


def test_it_can_be_switched_off() -> None:
    model = Parrot(GOOD)
    planner = planner_of(model, cache=0)
    for _ in range(2):
        planner.plan(ASKED, SCENE, History(SCENE))
    assert len(model.prompts) == 2 and planner.cache.rate == 0.0


def test_what_the_symbolic_planner_planned_is_not_kept() -> None:
    model = Parrot(ModelError("down"), GOOD)
    planner = planner_of(model)
    known = "put the red block in the blue bowl"
    assert "without the language model" in planner.plan(known, SCENE, History(SCENE)).thought
    assert "without the language model" not in planner.plan(known, SCENE, History(SCENE)).thought


def test_a_millimetre_makes_no_difference_and_another_order_does() -> None:
    key = key_of(ASKED, SCENE, History(SCENE))
    near = moved("red_block", 0.45, 0.301)
    assert key_of(ASKED, near, History(near)) == key
    swapped = moved("red_block", 0.45, -0.35)
    assert key_of(ASKED, swapped, History(swapped)) != key


NAMED = replace(
    SCENE, objects={**SCENE.objects, "red_block": replace(SCENE.objects["red_block"], name="mug", attributes=("full",))}
)


@pytest.mark.parametrize(
    "other",
    [
        key_of(ASKED, NAMED, History(SCENE)),
        key_of("would you pop the green cube into the bowl for me, pal", SCENE, History(SCENE)),
        key_of(ASKED, at(1.0, held="red_block"), History(SCENE)),
        key_of(ASKED, SCENE, History(tabletop(red_block="in blue_bowl"))),
        key_of(ASKED, SCENE, History(SCENE, problems=("no",))),
        key_of(ASKED, SCENE, History(SCENE, forbidden=frozenset({"red_block"}))),
        key_of(ASKED, SCENE, History(SCENE, left=(SkillCall(skill="home"),))),
        key_of(ASKED, SCENE, History(SCENE, agreed=(Constraint(kind="speed", scale=0.5),))),
        key_of(ASKED, SCENE, History(SCENE, (StepRecord(SkillCall(skill="home"), False, "x", SCENE, SCENE),))),
        key_of(ASKED, replace(SCENE, objects={**SCENE.objects, "x": thing("red_block", 0.3, 0.0)}), History(SCENE)),
    ],
)
def test_whatever_a_plan_depends_on_makes_another_question(other: object) -> None:
    assert other != key_of(ASKED, SCENE, History(SCENE))


def test_the_plan_that_was_not_used_for_longest_makes_room() -> None:
    cache, plans = PlanCache(2), {name: Plan(question=name) for name in "abc"}
    cache.put("a", plans["a"])
    cache.put("b", plans["b"])
    assert cache.get("a") == plans["a"]
    cache.put("c", plans["c"])
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (plans["a"], None, plans["c"])
