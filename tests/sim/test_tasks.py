"""Predicates on the truth, and tasks: drawn, doable, and measured."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_mover import Mover

from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.facts import AXES
from reins.hardware.profile import RobotProfile
from reins.perception.state import StatePerception
from reins.planning.factory import make_planner
from reins.planning.planner import History
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.placement import TablePose, place
from reins.sim.predicates import MOVED, evaluate
from reins.sim.tasks import TabletopTask, evaluate_task, generate_task
from reins.sim.world import load_world
from reins.skills.library import SKILLS

seeds = st.integers(0, 2**31 - 1)


def test_predicates_measure_the_world(robot: MujocoRobot, put: Callable[..., None]) -> None:
    put("blue_bowl", 0.5, 0.2)
    put("white_plate", 0.5, -0.2)
    put("red_block", 0.5, 0.2, bottom=0.006)
    put("green_block", 0.5, -0.2, bottom=0.006)
    put("blue_block", 0.4, 0.0)
    put("yellow_block", 0.4, 0.07)
    state = robot.world_state()
    for predicate in (
        ("in", "red_block", "blue_bowl"),
        ("on", "green_block", "white_plate"),
        ("on", "blue_block", "table"),
        ("beside", "yellow_block", "blue_block"),
        ("left_of", "yellow_block", "blue_block"),
        ("right_of", "white_plate", "blue_bowl"),
    ):
        assert evaluate(predicate, state), predicate
    unmet: tuple[tuple[str, ...], ...] = (
        ("in", "green_block", "white_plate"),
        ("on", "red_block", "table"),
        ("beside", "red_block", "green_block"),
        ("held", "red_block"),
        ("touched", "red_block"),
    )
    for wrong in unmet:
        assert not evaluate(wrong, state), wrong


@pytest.mark.parametrize("direction", sorted(AXES))
@pytest.mark.parametrize("past, moved", [(-1e-6, False), (1e-6, True)])
def test_moved_needs_a_distance_along_its_direction(
    robot: MujocoRobot, put: Callable[..., None], direction: str, past: float, moved: bool
) -> None:
    axis, sign = AXES[direction]
    place_ = [0.5, 0.0]
    place_[axis] += sign * (MOVED + past)
    put("red_block", *place_)
    start = {"red_block": TablePose(0.5, 0.0, 0.0)}
    assert evaluate(("moved", "red_block", direction), robot.world_state(), start) is moved


@pytest.mark.parametrize(
    "predicate, error, complaint",
    [
        (("inside", "red_block", "blue_bowl"), UnknownName, "no predicate 'inside'"),
        (("in", "red_block", "green_bowl"), UnknownName, "no object 'green_bowl'"),
        (("in", "pink_block", "blue_bowl"), UnknownName, "no object 'pink_block'"),
        (("in", "red_block"), ReinsError, "wrong number"),
        (("moved", "red_block", "left"), ReinsError, "at the start"),
    ],
)
def test_bad_predicates_are_told(
    robot: MujocoRobot, predicate: tuple[str, ...], error: type[ReinsError], complaint: str
) -> None:
    with pytest.raises(error, match=complaint):
        evaluate(predicate, robot.world_state())


def test_an_unknown_direction_is_told(robot: MujocoRobot) -> None:
    start = {"red_block": TablePose(0.5, 0.0, 0.0)}
    with pytest.raises(UnknownName, match="forward"):
        evaluate(("moved", "red_block", "forwards"), robot.world_state(), start)


@given(seed=seeds)
@settings(max_examples=40)
def test_tasks_are_about_their_world_and_forbid_nothing_they_need(seed: int) -> None:
    task = generate_task(seed)
    world = load_world(task.world)
    assert task == generate_task(seed)
    assert 1 <= len(task.goal) <= 2
    assert task.instruction.count(" and then ") == len(task.goal) - 1
    needed = [name for predicate in task.goal for name in predicate[1:] if name not in AXES]
    assert set(needed) <= set(world.by_id) and len(set(needed)) == len(needed)
    assert set(task.forbidden) <= set(world.by_id) - set(needed)
    for name in (*needed, *task.forbidden):
        assert f"the {world.by_id[name].colour} {world.by_id[name].label}" in task.instruction
    assert ("don't touch" in task.instruction) is bool(task.forbidden)


@pytest.mark.parametrize("seed", range(12))
def test_nothing_is_done_before_it_begins(profile: RobotProfile, seed: int) -> None:
    task = generate_task(seed)
    robot = MujocoRobot(profile, load_world(task.world), task.seed)
    outcome = evaluate_task(task, robot.world_state())
    assert outcome.unmet == task.goal
    assert not outcome.success and not outcome.forbidden_touches


@pytest.mark.parametrize("seed", range(8))
def test_the_planner_understands_every_sentence(profile: RobotProfile, seed: int) -> None:
    task = generate_task(seed)
    robot = MujocoRobot(profile, load_world(task.world), task.seed)
    scene = StatePerception().update_from_truth(robot.world_state())
    plan = make_planner("symbolic", SKILLS).plan(task.instruction, scene, History(initial=scene))
    assert plan.steps is not None, plan
    assert tuple(constraint.object for constraint in plan.constraints) == task.forbidden


def test_every_kind_of_task_is_drawn() -> None:
    tasks = [generate_task(seed) for seed in range(120)]
    assert {predicate[0] for task in tasks for predicate in task.goal} == {"in", "on", "beside", "moved"}
    assert {task.world for task in tasks} == {"tabletop", "tableware", "blocks"}
    assert 0.2 < sum(len(task.goal) == 2 for task in tasks) / 120 < 0.4
    assert 0.3 < sum(bool(task.forbidden) for task in tasks) / 120 < 0.6
    assert {task.instruction.split()[0] for task in tasks} == {"put", "place", "stack", "push"}


def task_of(robot: MujocoRobot, *goal: tuple[str, ...], forbidden: tuple[str, ...] = ()) -> TabletopTask:
    return TabletopTask("", robot.world.name, robot.seed, goal, forbidden)


def test_success_is_every_goal_and_no_forbidden_touch(
    mover: Mover, robot: MujocoRobot, put: Callable[..., None]
) -> None:
    start = place(robot.world, robot.seed)["red_block"]
    task = task_of(
        robot, ("in", "green_block", "blue_bowl"), ("moved", "red_block", "left"), forbidden=("yellow_block",)
    )
    x, y, _ = robot.world_state().find("blue_bowl").position
    put("green_block", x, y, bottom=0.006)
    half = evaluate_task(task, robot.world_state())
    assert not half.success and half.unmet == (("moved", "red_block", "left"),)
    put("red_block", start.x, start.y + 0.04)
    assert evaluate_task(task, robot.world_state()).success
    mover.pick("yellow_block")
    touched = evaluate_task(task, robot.world_state())
    assert touched.forbidden_touches == ("yellow_block",) and not touched.success and not touched.unmet


def test_a_state_of_another_world_is_refused(robot: MujocoRobot) -> None:
    task = TabletopTask("", "blocks", robot.seed, (("on", "red_block", "table"),), ())
    with pytest.raises(ReinsError, match="world 'blocks'"):
        evaluate_task(task, robot.world_state())
