"""The same question in the same situation is answered without a model, and nothing else is."""

from dataclasses import replace

import pytest
from language_models import Parrot, planner_of, steps
from planning_tables import at, scene_of, tabletop, thing
from planning_world import World

from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene
from reins.language_models.model import ModelError
from reins.planning.cadence import Cadence
from reins.planning.executor import TaskExecutor
from reins.planning.factory import make_planner
from reins.planning.language.cache import PlanCache, key_of
from reins.planning.language.planner import LanguagePlanner
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History, StepRecord
from reins.planning.reach import Reach
from reins.planning.tracing.notebook import Notebook
from reins.planning.tracing.page import line_of
from reins.skills.library import SKILLS

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
    assert cache.get("a", passes) == plans["a"]
    cache.put("c", plans["c"])
    assert [cache.get(name, passes) for name in "abc"] == [plans["a"], None, plans["c"]]


def passes(_plan: Plan) -> bool:
    return True


def test_a_plan_that_no_longer_passes_is_no_hit() -> None:
    push = '{"skill":"push","arguments":{"object":"red_block","direction":"left","distance":0.1}}'
    model, reach = Parrot(f'{{"thought":"","steps":[{push}]}}', GOOD), Reach((0.0, -0.45, 0.0), (0.8, 0.405, 0.8))
    planner = LanguagePlanner("parrot", lambda: model, SKILLS, LanguageSettings(), lambda _: None, reach=reach)
    edge = moved("red_block", 0.45, 0.31)
    assert key_of(ASKED, edge, History(edge)) == key_of(ASKED, SCENE, History(SCENE))
    planner.plan(ASKED, SCENE, History(SCENE))
    assert planner.memory == (0, 1)
    planner.plan(ASKED, edge, History(edge))
    assert len(model.prompts) == 2 and planner.memory == (0, 2) and planner.cache.rate == 0.0
    planner.plan(ASKED, edge, History(edge))
    assert len(model.prompts) == 2 and planner.memory == (1, 2) and planner.cache.rate == pytest.approx(1 / 3)


class TestTold:
    """How many plans were remembered is told of each task, not of all since the planner began."""

    def test_at_the_end_of_its_trace(self) -> None:
        notes, model = Notebook(), Parrot(GOOD, steps("place_in blue_bowl"))
        planner = LanguagePlanner("parrot", lambda: model, SKILLS, LanguageSettings(), lambda _: None, notes)
        for hits in (0, 2):
            notes.clear()
            notes.write("task", instruction=ASKED, planner="parrot")
            task = TaskExecutor(planner, SKILLS, ASKED, trace=notes, cadence=Cadence("closed_loop"))
            assert World(SCENE).drive(task).outcome == "succeeded"
            story = notes.story()
            assert story is not None
            figures = story.figures()
            assert (figures["cache_hits"], figures["cache_misses"]) == (hits, 2 - hits)
            assert figures["cache_rate"] == hits / 2
            assert line_of(story.entries[-1]).endswith(f"; {hits} of 2 plans were remembered")

    def test_of_planners_without_a_memory_nothing(self) -> None:
        notes = Notebook()
        instruction = "put the red block in the blue bowl"
        World(SCENE).drive(TaskExecutor(make_planner("symbolic", SKILLS), SKILLS, instruction, trace=notes))
        story = notes.story()
        assert story is not None and "remembered" not in line_of(story.entries[-1])
        assert story.figures()["cache_rate"] == 0.0
