"""The symbolic planner: stages, what is kept, and planning again from what has happened so far."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from planning_tables import at, tabletop

from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.planner import History, StepRecord
from reins.planning.symbolic import SymbolicPlanner
from reins.planning.verifier import verify
from reins.skills.library import SKILLS

PLANNER = SymbolicPlanner(SKILLS)


def steps(plan: Plan) -> list[str]:
    assert plan.steps is not None, plan
    return [" ".join((call.skill, *map(str, call.arguments.values()))) for call in plan.steps]


def plan(instruction: str, scene: Scene, history: History | None = None) -> Plan:
    return PLANNER.plan(instruction, scene, history or History(scene))


def done(skill: str, before: Scene, after: Scene, **arguments: str | float) -> StepRecord:
    return StepRecord(SkillCall(skill=skill, arguments=arguments), True, "", before, after)


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("put the red block in the blue bowl", ["pick red_block", "place_in blue_bowl"]),
        ("place the green block on the white plate", ["pick green_block", "place_on white_plate"]),
        ("stack the red block on the blue block", ["pick red_block", "place_on blue_block"]),
        ("put the yellow block beside the blue bowl", ["pick yellow_block", "place_beside blue_bowl"]),
        ("put the yellow block left of the bowl", ["pick yellow_block", "place_beside blue_bowl left_of"]),
        ("push the green block left", ["push green_block left"]),
        ("push the green block 5 cm left", ["push green_block left 0.05"]),
        ("pick up the red block and put it in the bowl", ["pick red_block", "place_in blue_bowl"]),
        (
            "push the green block left and then put the red block on it",
            ["push green_block left", "pick red_block", "place_on green_block"],
        ),
        (
            "put the red block in the bowl, then push the red block left",
            ["pick red_block", "place_in blue_bowl", "pick red_block", "place_on table", "push red_block left"],
        ),
        ("pick up the red block, then open the gripper", ["pick red_block", "place_on table", "open_gripper"]),
        ("pick up the red block, then go home", ["pick red_block", "home"]),
        ("move to the red block and then to the blue bowl", ["move_to red_block", "move_to blue_bowl"]),
    ],
)
def test_plans(instruction: str, expected: list[str]) -> None:
    scene = tabletop()
    found = plan(instruction, scene)
    assert steps(found) == expected
    assert verify(found, scene, SKILLS) == []
    assert found.thought


DOCUMENTED = [
    line
    for block in re.findall(
        r"```text\n(.*?)```", (Path(__file__).parents[2] / "docs" / "instructions.md").read_text(), re.S
    )
    for line in block.splitlines()
]


@pytest.mark.parametrize("instruction", DOCUMENTED)
def test_the_documented_sentences_are_understood(instruction: str) -> None:
    scene = tabletop()
    found = plan(instruction, scene)
    assert found.steps is not None, found
    assert verify(found, scene, SKILLS) == []


def test_constraints_are_part_of_the_plan() -> None:
    found = plan("carefully put the red block in the bowl but don't touch the yellow block", tabletop())
    assert set(found.constraints) == {
        Constraint(kind="avoid", object="yellow_block"),
        Constraint(kind="speed", scale=0.5),
    }


@pytest.mark.parametrize(
    ("instruction", "where", "named"),
    [
        ("put the plate in the bowl", {}, ["white_plate", "not a block"]),
        ("pick up the yellow block but don't touch the yellow block", {}, ["touching yellow_block"]),
        ("pick up all the blocks", {}, ["at one time"]),
        ("put red on green and green on red", {}, ["at one time"]),
        ("go to the red block", {"held": "red_block"}, ["move_to red_block", "not held"]),
        ("put red on green without touching the blue block", {"blue_block": "on green_block"}, ["touching blue_block"]),
    ],
)
def test_refuses_with_the_reason(instruction: str, where: dict[str, str], named: list[str]) -> None:
    found = plan(instruction, tabletop(**where))
    assert found.refusal is not None and all(text in found.refusal for text in named), found


def test_asks() -> None:
    found = plan("put the block in the bowl", tabletop())
    assert found.question is not None and "red_block" in found.question


def test_what_cannot_be_kept_is_not_kept() -> None:
    found = plan("put red on green, then put green in the bowl", tabletop())
    assert steps(found)[-2:] == ["pick green_block", "place_in blue_bowl"]


def test_what_can_be_kept_is_restored() -> None:
    found = plan("put red on green, then put green on the plate", tabletop())
    assert steps(found)[-4:] == ["pick green_block", "place_on white_plate", "pick red_block", "place_on green_block"]


def test_words_mean_what_they_meant_when_they_were_said() -> None:
    before = tabletop("red_block", "green_block", "blue_bowl")
    after = tabletop("red_block", "green_block", "blue_bowl", held="red_block")
    text = "put the leftmost block in the bowl"
    assert steps(plan(text, before)) == ["pick red_block", "place_in blue_bowl"]
    moved_on = History(before, (done("pick", before, after, object="red_block"),))
    assert steps(plan(text, after, moved_on)) == ["place_in blue_bowl"], "green is the leftmost on the table now"


def test_a_stage_that_was_reached_is_not_reached_again() -> None:
    text = "push the green block left and then go home and then put the red block in the bowl"
    start = tabletop()
    pushed = at(2.0)
    item = pushed.objects["green_block"]
    x, y, z = item.position
    pushed = replace(pushed, objects={**pushed.objects, "green_block": replace(item, position=(x, y + 0.1, z))})
    first = History(start, (done("push", start, pushed, object="green_block", direction="left"),))
    assert steps(plan(text, pushed, first)) == ["home", "pick red_block", "place_in blue_bowl"]
    second = first.then(done("home", pushed, pushed))
    assert steps(plan(text, pushed, second)) == ["pick red_block", "place_in blue_bowl"]
    assert PLANNER.unmet(text, pushed, second) == ["red_block is not in blue_bowl"]


def test_an_act_counts_only_if_it_succeeded_and_once() -> None:
    scene = tabletop()
    failed = History(scene, (StepRecord(SkillCall(skill="home"), False, "stuck", scene, scene),))
    assert PLANNER.unmet("go home", scene, failed) == ["home is not done"]
    once = History(scene, (done("home", scene, scene),))
    assert PLANNER.unmet("go home", scene, once) == []
    assert PLANNER.unmet("go home, then go home", scene, once) == ["home is not done"]


def test_what_came_undone_is_planned_again() -> None:
    text = "put the red block in the bowl and then go home"
    start, there = tabletop(), tabletop(red_block="in blue_bowl")
    history = History(
        start,
        (
            done("place_in", start, there, container="blue_bowl"),
            done("home", there, there),
        ),
    )
    assert PLANNER.unmet(text, there, history) == []
    assert PLANNER.unmet(text, start, history) == ["red_block is not in blue_bowl"]
    assert steps(plan(text, start, history)) == ["pick red_block", "place_in blue_bowl"]


def test_what_is_out_of_sight_is_named() -> None:
    start = tabletop()
    gone = tabletop("green_block", "blue_bowl", "white_plate")
    found = plan("put the red block in the bowl but don't touch the yellow block", gone, History(start))
    assert found.refusal is not None
    assert "red_block and yellow_block" in found.refusal


def test_the_same_question_gets_the_same_answer() -> None:
    scene = tabletop()
    text = "put all the blocks on the plate"
    assert plan(text, scene) == plan(text, scene) == SymbolicPlanner(SKILLS).plan(text, scene, History(scene))
