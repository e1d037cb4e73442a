"""A plan does no more than what was asked for: what it moves, it needs to move."""

from dataclasses import replace

import pytest
from language_models import Parrot, planner_of, steps
from planning_tables import at, tabletop

from reins.contracts.plan import SkillCall
from reins.contracts.scene import Scene
from reins.planning.english.meaning import read
from reins.planning.language.compact import FORMAT, kind_names
from reins.planning.language.excess import goes_beyond
from reins.planning.planner import History, StepRecord
from reins.planning.symbolic import SymbolicPlanner
from reins.skills.library import SKILLS

RED = "put the red block in the blue bowl"
GOOD = ("pick red_block", "place_in blue_bowl")


def call(text: str) -> SkillCall:
    """A call from "skill value value", in the order of the skill's parameters."""
    skill, *values = text.split()
    named = zip(SKILLS[skill].parameters, values, strict=False)
    return SkillCall(
        skill=skill, arguments={item.name: float(value) if item.kind == "number" else value for item, value in named}
    )


def beyond(instruction: str, *calls: str, scene: Scene | None = None) -> list[str]:
    scene = scene or tabletop()
    return goes_beyond([call(text) for text in calls], read(instruction, scene, SKILLS), scene, SKILLS)


@pytest.mark.parametrize(
    "calls",
    [
        ("push green_block left", *GOOD),
        (*GOOD, "push green_block left"),
        ("pick green_block", "place_on white_plate", *GOOD),
        (*GOOD, "pick green_block"),
        ("pick green_block", "place_beside yellow_block", *GOOD, "pick green_block", "place_in blue_bowl"),
    ],
)
def test_what_nobody_asked_to_move_is_told(calls: tuple[str, ...]) -> None:
    assert beyond(RED, *calls) == ["green_block need not be moved"]


@pytest.mark.parametrize("other", ["home", "open_gripper", "close_gripper", "move_to green_block"])
def test_what_moves_nothing_is_let_pass(other: str) -> None:
    assert beyond(RED, other, *GOOD, other) == []


def test_to_go_to_a_thing_is_not_to_move_it() -> None:
    there = "move_to red_block 0.15"
    assert beyond("go 15 cm above the red block", there) == []
    assert beyond("go 15 cm above the red block", there, *GOOD) == ["red_block need not be moved"]


def test_each_thing_is_told() -> None:
    more = ("push green_block left", "pick blue_block", "place_on yellow_block")
    assert beyond(RED, *more, *GOOD) == ["green_block need not be moved", "blue_block need not be moved"]


def test_things_that_are_moved_for_each_other_alone_are_both_told() -> None:
    scene = tabletop(green_block="on yellow_block")
    more = ("pick green_block", "place_on table", "pick yellow_block", "place_on white_plate")
    assert beyond(RED, *more, *GOOD, scene=scene) == ["green_block need not be moved", "yellow_block need not be moved"]


class TestInTheWay:
    """What is in the way may be moved, and only that."""

    CLEAR = ("pick green_block", "place_on table")

    @pytest.mark.parametrize(
        ("where", "needed"),
        [
            ({"green_block": "on red_block"}, True),
            ({"green_block": "in blue_bowl", "yellow_block": "in blue_bowl"}, True),
            ({"green_block": "in blue_bowl"}, False),
            ({"green_block": "on blue_block"}, False),
            ({}, False),
        ],
        ids=["on it", "in a bowl that is full", "in a bowl with room", "on something else", "on the table"],
    )
    def test_only_what_is_in_the_way(self, where: dict[str, str], needed: bool) -> None:
        scene = tabletop(**where)
        assert (beyond(RED, *self.CLEAR, *GOOD, scene=scene) == []) == needed

    def test_where_it_goes_is_left_open(self) -> None:
        scene = tabletop(green_block="on red_block")
        assert beyond(RED, "pick green_block", "place_on white_plate", *GOOD, scene=scene) == []

    def test_of_a_full_bowl_one_is_enough(self) -> None:
        scene = tabletop(green_block="in blue_bowl", yellow_block="in blue_bowl")
        both = (*self.CLEAR, "pick yellow_block", "place_on table")
        assert beyond(RED, *both, *GOOD, scene=scene) == ["yellow_block need not be moved"]

    def test_what_is_held_may_be_put_down(self) -> None:
        assert beyond(RED, "place_on table", *GOOD, scene=tabletop(held="green_block")) == []


@pytest.mark.parametrize(
    ("strokes", "told"),
    [
        (("left 0.1",), []),
        (("left",), []),
        (("left 0.05", "left 0.05"), []),
        (("left 0.11",), []),
        (("left 0.12",), ["green_block goes 0.12 m left, not 0.1 m"]),
        (("left 0.1", "left 0.1"), ["green_block goes 0.2 m left, not 0.1 m"]),
        (("right 0.05", "left 0.1"), ["green_block goes 0.05 m right, not 0 m"]),
    ],
)
def test_strokes_go_as_far_as_asked_for_all_together(strokes: tuple[str, ...], told: list[str]) -> None:
    pushes = [f"push green_block {stroke}" for stroke in strokes]
    assert beyond("push the green block 10 cm to the left", *pushes) == told


def test_pushes_that_are_asked_for_twice_add_up() -> None:
    twice = "push the green block left and then push the green block left"
    assert beyond(twice, "push green_block left", "push green_block left") == []


@pytest.mark.parametrize(
    "instruction",
    [
        "put all the blocks on the plate",
        "stack the red block on the blue block on the green block",
        "put the yellow block to the left of the bowl and the red one in it",
        "push the green block left and then put the red block on it",
        "pick up the red block and put it in the bowl",
        "go 15 cm above the blue bowl, then go home",
    ],
)
@pytest.mark.parametrize("where", [{}, {"yellow_block": "on red_block"}, {"blue_block": "on white_plate"}])
def test_the_symbolic_planners_steps_are_all_needed(instruction: str, where: dict[str, str]) -> None:
    scene = tabletop(**where)
    plan = SymbolicPlanner(SKILLS).plan(instruction, scene, History(scene))
    assert plan.steps and goes_beyond(plan.steps, read(instruction, scene, SKILLS), scene, SKILLS) == []


@pytest.mark.parametrize("takes", ["chat", FORMAT])
def test_a_model_is_told_and_plans_again(takes: str) -> None:
    scene = tabletop()
    model = Parrot(steps("push green_block left", *GOOD), steps(*GOOD), takes=takes)
    plan = planner_of(model).plan(RED, scene, History(scene))
    assert list(plan.steps or ()) == [call(text) for text in GOOD]
    told = "that is more than was asked for: green_block need not be moved"
    assert (kind_names(scene, scene).told(told) if takes == FORMAT else told) in model.prompts[1]


def test_one_that_insists_is_done_without() -> None:
    scene = tabletop()
    plan = planner_of(Parrot(steps("push green_block left", *GOOD))).plan(RED, scene, History(scene))
    assert list(plan.steps or ()) == [call(text) for text in GOOD] and plan.doubts


def test_a_later_plan_of_the_task_is_held_to_it_too() -> None:
    held, before = at(2.0, held="red_block"), tabletop()
    history = History(before, (StepRecord(call(GOOD[0]), True, "", before, held),))
    for reply, accepted in ((GOOD[1:], True), ((*GOOD[1:], "push green_block left"), False)):
        model = Parrot(steps(*reply), steps(*GOOD[1:]))
        assert list(planner_of(model).plan(RED, held, history).steps or ()) == [call(GOOD[1])]
        assert (len(model.prompts) == 1) == accepted


def test_what_is_done_is_not_done_again() -> None:
    """A push that came to its end is no longer asked for."""
    before, later = tabletop(), at(2.0)
    green = later.objects["green_block"]
    shifted = replace(green, position=(green.position[0], green.position[1] + 0.1, green.position[2]))
    after = replace(later, objects={**later.objects, "green_block": shifted})
    said = "push the green block left and then put the red block in the bowl"
    history = History(before, (StepRecord(call("push green_block left"), True, "", before, after),))
    model = Parrot(steps("push green_block left", *GOOD), steps(*GOOD))
    assert list(planner_of(model).plan(said, after, history).steps or ()) == [call(text) for text in GOOD]


def test_where_a_word_is_not_known_the_model_is_heard() -> None:
    scene, model = tabletop(), Parrot(steps("push green_block left", *GOOD))
    plan = planner_of(model).plan("tidy up in your own way", scene, History(scene))
    assert len(plan.steps or ()) == 3 and len(model.prompts) == 1
