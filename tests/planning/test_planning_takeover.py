"""An operator takes over in the middle of a task: it waits, looks again, says what changed, and finishes."""

from dataclasses import replace

import pytest
from planning_tables import at, tabletop
from planning_world import World

from reins.contracts.errors import ReinsError
from reins.planning.actions import Done, Limits, Look, RunSkill
from reins.planning.executor import TaskExecutor
from reins.planning.factory import make_planner
from reins.skills.library import SKILLS

RED_IN_BOWL = "put the red block in the blue bowl"


def executor(instruction: str = RED_IN_BOWL, planner: str = "symbolic") -> TaskExecutor:
    return TaskExecutor(make_planner(planner, SKILLS), SKILLS, instruction)


def until_a_skill_runs(task: TaskExecutor, world: World) -> RunSkill:
    while isinstance(action := task.next(world.scene(), world.t), Look):
        world.t += 0.5
    assert isinstance(action, RunSkill)
    return action


def test_the_task_finishes_after_the_hand_back_and_says_what_changed() -> None:
    world, task = World(tabletop()), executor()
    until_a_skill_runs(task, world)
    task.skill_finished(False, "the operator drives by hand", world.t, interrupted=True)
    task.pause(world.scene())
    assert task.stage == "paused"
    world.put("red_block", "on", "white_plate")
    world.t += 20.0
    task.resume(world.t)
    done = world.drive(task)
    assert (done.outcome, task.replans) == ("succeeded", 0)
    assert task.notes == [done.reason.partition("; ")[2]]
    assert "while you drove: red_block moved " in done.reason and "now on white_plate" in done.reason
    assert world.calls == ["pick(object=red_block)", "place_in(container=blue_bowl)"]


def test_what_the_operator_did_for_it_is_not_done_again() -> None:
    world, task = World(tabletop()), executor()
    until_a_skill_runs(task, world)
    task.skill_finished(False, "", world.t, interrupted=True)
    task.pause(world.scene())
    world.put("red_block", "in", "blue_bowl")
    task.resume(world.t)
    done = world.drive(task)
    assert (done.outcome, world.calls) == ("succeeded", [])
    assert "now in blue_bowl" in done.reason


def test_nothing_is_planned_while_it_is_paused_and_only_scenes_from_after_the_hand_back_count() -> None:
    task = executor()
    task.next(at(1.0), 1.0)
    task.pause(at(1.0))
    with pytest.raises(ReinsError, match="resume"):
        task.next(at(2.0), 2.0)
    task.resume(5.0)
    looks_until = 5.0 + Limits().settle
    assert task.next(at(looks_until), looks_until) == Look(looks_until)
    assert isinstance(task.next(at(looks_until + 0.1), looks_until + 0.1), RunSkill)
    with pytest.raises(ReinsError, match="still running"):
        task.pause(None)


def test_without_scenes_after_the_hand_back_it_gives_up_in_time() -> None:
    task = executor()
    task.next(at(1.0), 1.0)
    task.pause(at(1.0))
    task.resume(5.0)
    assert isinstance(task.next(at(1.0), 5.0 + Limits().look), Look)
    done = task.next(at(1.0), 5.1 + Limits().look)
    assert isinstance(done, Done) and "perception" in done.reason


def test_an_effect_that_the_operator_undid_before_it_was_judged_is_not_held_against_the_skill() -> None:
    world, task = World(tabletop()), executor()
    success, reason = world.run(until_a_skill_runs(task, world))
    task.skill_finished(success, reason, world.t)  # picked, not yet seen
    task.pause(world.scene())
    world.to_table("red_block")
    task.resume(world.t)
    done = world.drive(task)
    assert (done.outcome, task.replans) == ("succeeded", 0)
    assert "red_block no longer held" in done.reason
    assert done.reason.startswith("done: pick red_block, pick red_block and place_in")


def test_an_effect_that_was_never_seen_is_forgotten() -> None:
    world, task = World(tabletop()), executor()
    world.lies = {("pick", 0)}
    success, reason = world.run(until_a_skill_runs(task, world))
    task.skill_finished(success, reason, world.t)
    task.pause(world.scene())
    task.resume(world.t)
    done = world.drive(task)
    assert (done.outcome, task.replans) == ("succeeded", 0)
    assert done.reason == "done: pick red_block and place_in blue_bowl; while you drove: nothing changed"


def test_the_left_block_stays_the_one_that_was_left_when_it_was_asked_for() -> None:
    task = executor("put the left block in the blue bowl")
    task.next(at(1.0), 1.0)
    task.pause(at(1.1))
    task.resume(2.0)
    swapped = at(9.0)
    red, green = swapped.objects["red_block"], swapped.objects["green_block"]
    objects = {**swapped.objects, "red_block": replace(red, position=green.position)}
    objects["green_block"] = replace(green, position=red.position)
    action = task.next(replace(swapped, objects=objects), 9.0)
    assert isinstance(action, RunSkill) and action.call.arguments == {"object": "red_block"}


def test_an_object_that_the_operator_hid_is_looked_for_with_the_arm_away() -> None:
    world, task = World(tabletop()), executor()
    until_a_skill_runs(task, world)
    task.skill_finished(False, "", world.t, interrupted=True)
    task.pause(world.scene())
    world.hidden.add("red_block")
    world.events[1] = lambda world: world.hidden.clear()
    task.resume(world.t)
    done = world.drive(task)
    assert done.outcome == "succeeded" and "red_block gone" in done.reason
    assert world.calls[0] == "home()"


def test_it_may_be_paused_any_number_of_times_and_every_change_is_told() -> None:
    world, task = World(tabletop()), executor()
    for _ in range(2 * Limits().replans):
        until_a_skill_runs(task, world)
        task.skill_finished(False, "", world.t, interrupted=True)
        task.pause(world.scene())
        world.to_table("red_block")
        task.resume(world.t)
    done = world.drive(task)
    assert (done.outcome, task.replans, len(task.notes)) == ("succeeded", 0, 2 * Limits().replans)


def test_a_second_takeover_before_it_could_look_again_counts_from_the_first() -> None:
    world, task = World(tabletop()), executor()
    until_a_skill_runs(task, world)
    task.skill_finished(False, "", world.t, interrupted=True)
    task.pause(world.scene())
    world.put("red_block", "on", "white_plate")
    task.resume(world.t)
    task.pause(world.scene())
    task.resume(world.t)
    done = world.drive(task)
    assert len(task.notes) == 1 and "now on white_plate" in done.reason


def test_cancelled_while_paused() -> None:
    task = executor()
    task.next(at(1.0), 1.0)
    task.pause(at(1.0))
    task.cancel("changed my mind")
    assert task.next(at(2.0), 2.0) == Done("cancelled", "changed my mind", None)
