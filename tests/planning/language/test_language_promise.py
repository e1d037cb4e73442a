"""Plans are held to the words that are known: what the symbolic planner plans passes, and less than that does not."""

import pytest
from planning_tables import tabletop

from reins.contracts.plan import SkillCall
from reins.planning.english.meaning import read
from reins.planning.language.promise import falls_short
from reins.planning.planner import History
from reins.planning.symbolic import SymbolicPlanner
from reins.skills.library import SKILLS

INSTRUCTIONS = [
    "put all the blocks on the plate",
    "stack the red block on the blue block on the green block",
    "put the yellow block to the left of the bowl and the red one in it",
    "push the green block left and then put the red block on it",
    "pick up the red block",
    "pick up the red block and put it in the bowl",
    "go 15 cm above the blue bowl, then go home",
    "open the gripper",
]


def call(skill: str, **arguments: str | float) -> SkillCall:
    return SkillCall(skill=skill, arguments=arguments)


def short(instruction: str, *steps: SkillCall) -> list[str]:
    scene = tabletop()
    return falls_short(steps, read(instruction, scene, SKILLS), scene, SKILLS)


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_the_symbolic_planners_steps_suffice_and_none_of_them_is_needless(instruction: str) -> None:
    scene = tabletop()
    steps = SymbolicPlanner(SKILLS).plan(instruction, scene, History(scene)).steps
    assert steps and short(instruction, *steps) == []
    assert short(instruction, *steps[:-1]) != []


def test_what_is_undone_is_told() -> None:
    red = call("pick", object="red_block"), call("place_in", container="blue_bowl")
    both = "put the red block and the green block in the bowl"
    assert short(both, *red) == ["green_block is not in blue_bowl"]
    assert short("go home", call("open_gripper")) == ["home is not done"]
    assert short("put the red block in the bowl", call("pick", object="red_block")) == ["red_block is not in blue_bowl"]


def test_what_is_done_has_to_last() -> None:
    steps = call("pick", object="red_block"), call("place_in", container="blue_bowl"), call("pick", object="red_block")
    assert short("put the red block in the bowl", *steps) == ["red_block is not in blue_bowl"]


def test_the_order_of_stages_counts() -> None:
    push, home = call("push", object="green_block", direction="left"), call("home")
    assert short("go home, then push the green block left", home, push) == []
    assert short("go home, then push the green block left", push, home) == ["green_block has not moved left"]
    assert short("push the green block left, then go home", home, push) == ["home is not done"]


@pytest.mark.parametrize(("height", "is_enough"), [(0.15, True), (0.145, True), (0.16, True), (0.17, False)])
def test_numbers_of_an_act_may_be_rounded(height: float, is_enough: bool) -> None:
    step = call("move_to", target="blue_bowl", height=height)
    assert (short("go 15 cm above the blue bowl", step) == []) == is_enough


def test_what_is_so_already_needs_no_steps() -> None:
    scene = tabletop(red_block="in blue_bowl")
    task = read("put the red block in the bowl", scene, SKILLS)
    assert falls_short((), task, scene, SKILLS) == []
