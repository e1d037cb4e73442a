"""Success is what physics shows, on both sides of every edge."""

from dataclasses import replace

import pytest

from reins.contracts.event import LANGUAGE_MODEL, SafetyEvent, Severity
from reins.contracts.plan import Plan, SkillCall
from reins.demo.criteria import by_the_model, forbidden_by, goals_of, judge, within_limits
from reins.demo.recording import Recording
from reins.demo.report import Outcome
from reins.hardware.profile import RobotProfile
from reins.sim.world_state import WorldState


def moved(world: WorldState, name: str, position: tuple[float, float, float], *, touched: bool = False) -> WorldState:
    item = replace(world.find(name), position=position, touched=touched)
    return replace(world, stamp=world.stamp + 1.0, objects={**world.objects, name: item})


def after(recording: Recording, world: WorldState) -> Recording:
    return replace(recording, worlds=[recording.worlds[0], world])


def test_a_block_in_the_bowl_is_in_the_bowl_and_one_beside_it_is_not(recording: Recording) -> None:
    world = recording.worlds[0]
    bowl = world.find("blue_bowl")
    x, y, _ = bowl.position
    goal = [("in", "red_block", "blue_bowl")]
    inside, beside = ((x, y, 0.03), (x + bowl.size[0], y, 0.02))
    (met,) = judge(goal, [], after(recording, moved(world, "red_block", inside)))
    (unmet,) = judge(goal, [], after(recording, moved(world, "red_block", beside)))
    assert met.met and "red_block is in blue_bowl" in met.text
    assert not unmet.met and "140 mm apart" in unmet.measured


def test_what_the_gripper_still_holds_is_not_in_the_bowl(recording: Recording) -> None:
    world = recording.worlds[0]
    x, y, _ = world.find("blue_bowl").position
    held = replace(moved(world, "red_block", (x, y, 0.03)), held="red_block")
    (criterion,) = judge([("in", "red_block", "blue_bowl")], [], after(recording, held))
    assert not criterion.met


@pytest.mark.parametrize("touched", [True, False])
def test_a_forbidden_touch_is_seen(recording: Recording, touched: bool) -> None:
    world = recording.worlds[0]
    where = world.find("yellow_block").position
    end = after(recording, moved(world, "yellow_block", where, touched=touched))
    (criterion,) = judge([], ["yellow_block"], end)
    assert criterion.met is not touched


def test_a_plan_in_the_model_s_place_is_seen(recording: Recording) -> None:
    assert by_the_model("llama_cpp", recording).met
    report = SafetyEvent(1.0, Severity.ERROR, LANGUAGE_MODEL, "planner", "the file does not load")
    criterion = by_the_model("llama_cpp", replace(recording, events=[report]))
    assert not criterion.met and criterion.measured == "the file does not load"


def test_limits_are_those_of_the_profile(recording: Recording, profile: RobotProfile) -> None:
    assert within_limits(recording, profile).met
    fast = replace(recording.states[-1], velocity=profile.velocity * 1.01)
    assert not within_limits(replace(recording, states=[recording.states[0], fast]), profile).met
    far = replace(recording.states[-1], position=profile.upper + 1e-3)
    assert not within_limits(replace(recording, states=[recording.states[0], far]), profile).met


def call(skill: str, **arguments: str | float) -> SkillCall:
    return SkillCall(skill=skill, arguments=arguments)


@pytest.mark.parametrize(
    ("calls", "goals"),
    [
        (
            [call("pick", object="red_block"), call("place_in", container="blue_bowl")],
            {("in", "red_block", "blue_bowl")},
        ),
        ([call("pick", object="red_block")], {("held", "red_block")}),
        ([call("pick", object="red_block"), call("place_on", support="table")], {("on", "red_block", "table")}),
        ([call("home")], set()),
    ],
)
def test_goals_come_from_what_the_skills_declare(calls: list[SkillCall], goals: set[tuple[str, ...]]) -> None:
    assert set(goals_of(calls)) == goals


def test_what_is_forbidden_comes_from_the_plan(plan: Plan) -> None:
    assert forbidden_by(plan) == ["yellow_block"]
    assert forbidden_by(None) == []


@pytest.mark.parametrize(
    ("said", "met", "success"), [("succeeded", True, True), ("succeeded", False, False), ("failed", True, False)]
)
def test_both_the_task_and_physics_must_say_so(
    recording: Recording, plan: Plan, profile: RobotProfile, said: str, met: bool, success: bool
) -> None:
    criterion = replace(within_limits(recording, profile), met=met)
    assert Outcome(said, "", 0, 1.0, plan, [criterion]).success is success
