"""Numbers of plans stay within the workspace: both sides of every wall, for what is pushed, hovered over, handled."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_tables import scene_of, tabletop, thing
from planning_world import World

from reins.contracts.facts import AXES
from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.executor import TaskExecutor
from reins.planning.planner import History
from reins.planning.reach import Reach, out_of_reach
from reins.planning.symbolic import SymbolicPlanner
from reins.planning.verifier import verify
from reins.skills.library import SKILLS

REACH = Reach((0.15, -0.55, 0.01), (0.75, 0.55, 0.45))
COORDINATE = {"x": st.floats(-1.0, 2.0), "y": st.floats(-2.0, 2.0)}


def call(skill: str, **arguments: str | float) -> SkillCall:
    return SkillCall(skill=skill, arguments=arguments)


def beyond(scene: Scene, *steps: SkillCall) -> list[str]:
    return out_of_reach(steps, scene, SKILLS, REACH)


def with_red_at(x: float, y: float) -> Scene:
    return scene_of([thing("red_block", x, y), thing("blue_bowl", 0.5, 0.2), thing("white_plate", 0.5, -0.2)])


@given(st.floats(-1.0, 2.0), st.floats(-2.0, 2.0))
def test_what_is_handled_is_within_reach(x: float, y: float) -> None:
    is_inside = 0.15 <= x <= 0.75 and -0.55 <= y <= 0.55
    assert (beyond(with_red_at(x, y), call("pick", object="red_block")) == []) == is_inside


@given(
    st.floats(0.2, 0.7), st.floats(-0.5, 0.5), st.sampled_from(sorted(AXES)), st.floats(0.02, 0.2), st.floats(0.1, 1.0)
)
def test_a_push_ends_inside_or_is_refused_and_a_shorter_one_is_as_good(
    x: float, y: float, direction: str, distance: float, share: float
) -> None:
    axis, sign = AXES[direction]
    end = (x, y)[axis] + sign * distance
    scene = with_red_at(x, y)
    found = beyond(scene, call("push", object="red_block", direction=direction, distance=distance))
    assert (found == []) == (REACH.lower[axis] <= end <= REACH.upper[axis])
    if not found:
        assert beyond(scene, call("push", object="red_block", direction=direction, distance=share * distance)) == []


@pytest.mark.parametrize(("offset", "passes"), [(-1e-6, True), (1e-6, False)])
def test_exactly_at_the_ceiling(offset: float, passes: bool) -> None:
    top = REACH.upper[2] - 0.30 + offset
    low = replace(thing("red_block", 0.5, 0.0), position=(0.5, 0.0, top - 0.02))
    found = beyond(scene_of([low]), call("move_to", target="red_block", height=0.30))
    assert (found == []) == passes
    if not passes:
        assert found == [
            "step 1, move_to red_block 0.3: it leads the hand to z 0.45 m, where the workspace ends at 0.45 m"
        ]


def test_pushes_add_up() -> None:
    push = call("push", object="red_block", direction="forward", distance=0.2)
    assert beyond(with_red_at(0.3, 0.0), push, push) == []
    found = beyond(with_red_at(0.3, 0.0), push, push, push)
    assert found == [
        "step 3, push red_block forward 0.2: it leads red_block to x 0.90 m, where the workspace ends at 0.75 m"
    ]


def test_a_default_counts_as_said() -> None:
    assert beyond(with_red_at(0.70, 0.0), call("push", object="red_block", direction="forward")) != []


def test_what_was_carried_is_where_it_was_put() -> None:
    in_bowl = (call("pick", object="red_block"), call("place_in", container="blue_bowl"))
    assert beyond(with_red_at(0.74, 0.0), *in_bowl, call("move_to", target="red_block")) == []
    to_table = (call("pick", object="red_block"), call("place_on", support="table"))
    push = call("push", object="red_block", direction="forward", distance=0.2)
    assert beyond(with_red_at(0.74, 0.0), *to_table, push) == [], "where on the table it goes is the skill's choice"


def test_wrong_steps_are_left_to_the_verifier() -> None:
    assert beyond(tabletop(), call("juggle"), call("pick", object="unicorn"), call("move_to")) == []


def test_the_verifier_says_it_only_if_it_is_told_the_workspace() -> None:
    plan, scene = Plan(steps=(call("push", object="red_block", direction="left", distance=0.2),)), with_red_at(0.5, 0.5)
    assert verify(plan, scene, SKILLS) == []
    (problem,) = verify(plan, scene, SKILLS, reach=REACH)
    assert problem.startswith("step 1, push red_block left 0.2: it leads red_block to y 0.70 m")
    assert verify(plan, scene, SKILLS, start=1, reach=REACH) == []


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan"), 0.0199, 0.2001, -0.1])
def test_numbers_beyond_their_bounds_are_refused_whatever_they_are(number: float) -> None:
    plan = Plan(steps=(call("push", object="red_block", direction="left", distance=number),))
    assert any("must be a number from" in text for text in verify(plan, tabletop(), SKILLS, reach=REACH))


def test_the_symbolic_planner_refuses_and_the_executor_sends_back() -> None:
    scene = with_red_at(0.5, 0.5)
    asked = "push the red block 20 cm to the left"
    plan = SymbolicPlanner(SKILLS, REACH).plan(asked, scene, History(scene))
    assert plan.refusal is not None and "does not reach" in plan.refusal and "0.70 m" in plan.refusal
    blind = World(scene)
    done = blind.drive(TaskExecutor(SymbolicPlanner(SKILLS), SKILLS, asked, reach=REACH))
    assert done.outcome == "failed" and "0.70 m" in done.reason and blind.ran == []
