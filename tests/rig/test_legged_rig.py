"""Skills of a legged robot in physics, through the whole stack: words, plan, gait and safety monitor."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from reins.contracts.errors import UnknownName
from reins.contracts.plan import Constraint, SkillCall
from reins.contracts.scene import PERSON, ROBOT, SITTING, STANDING, Relation
from reins.legged_rig import LeggedRig, LeggedRigSettings, LeggedTick
from reins.safety.legged.limits import speed_use
from reins.safety.legged.mover import LeggedMover
from reins.sim.legged.ground import load_ground
from reins.sim.legged.outlook import edge_distance, named
from reins.skills.controller import Status

YARD = load_ground("yard")
THINGS = dict(named(YARD))


def rig(seed: int = 1, **settings: Any) -> LeggedRig:
    return LeggedRig(LeggedRigSettings(**settings), YARD, seed)


def test_round_the_box_to_the_door_then_sit_and_away_from_the_person() -> None:
    ticks: list[LeggedTick] = []
    with rig() as legs:
        footprint = legs.profile.body.footprint
        assert Relation(ROBOT, "is", SITTING) in legs.scene.relations
        legs.on_tick = ticks.append
        result = legs.run("walk around the blue box to the red door, then sit, and keep a metre away from the person")
        assert (result.outcome, result.reason) == ("succeeded", "done: stand, go_to red_door and sit")
        place = legs.state.odometry.position[:2]
        assert legs.scene.relations >= {Relation(ROBOT, "is", SITTING), Relation(ROBOT, "at", "red_door")}
    assert edge_distance(THINGS["red_door"], place) - footprint == pytest.approx(0.3, abs=0.3)
    nearest = {
        name: min(edge_distance(thing, tick.state.odometry.position[:2]) for tick in ticks) - footprint
        for name, thing in THINGS.items()
    }
    assert nearest[PERSON] >= 1.0
    assert min(nearest["blue_box"], nearest["red_door"]) >= 0.1
    commands = [tick.command for tick in ticks if tick.command is not None]
    assert max(speed_use(command.velocity, legs.profile.body.velocity) for command in commands) <= 1.0
    most = legs.profile.acceleration / legs.profile.rates.command + 1e-9
    assert all((np.abs(after.velocity - before.velocity) <= 2.0 * most).all() for before, after in pairwise(commands))
    assert {event.kind for event in result.events} <= {"constraint_added", "constraint_removed", "in_charge"} | {
        "limit_clipped"
    }


@pytest.mark.slow
def test_by_its_own_eyes_it_goes_where_it_has_seen_that_to_be() -> None:
    with rig(perception="geometric") as legs:
        assert legs.scene.source == "geometric" and "white_door" not in legs.scene.objects
        refused = legs.run("walk to the white door")
        assert refused.outcome == "refused" and not refused.skills and "there is no white door here" in refused.reason
        assert legs.run("stand up, then look around").outcome == "succeeded"
        assert legs.scene.objects.keys() == THINGS.keys()
        nearest = np.inf

        def watch(tick: LeggedTick) -> None:
            nonlocal nearest
            nearest = min(nearest, edge_distance(THINGS[PERSON], tick.state.odometry.position[:2]))

        legs.on_tick = watch
        result = legs.run("walk to the white door, then to the red door, and keep a metre away from the person")
        assert result.outcome == "succeeded", result.reason
        place, footprint = legs.state.odometry.position[:2], legs.profile.body.footprint
        assert edge_distance(THINGS["red_door"], place) - footprint == pytest.approx(0.3, abs=0.3)
        assert nearest - footprint >= 1.0


@pytest.mark.slow
def test_safety_keeps_away_from_what_only_the_camera_has_seen() -> None:
    with rig(perception="geometric") as legs:
        assert legs.run("stand up, then look around").outcome == "succeeded"
        mover = legs._monitor._mover
        assert isinstance(mover, LeggedMover)
        regions = {item.id for item in mover._surroundings.keep_outs}
        assert {"blue_box", "red_door", PERSON} <= regions and not any("marker" in name for name in regions)


def test_two_rigs_of_one_seed_do_the_same() -> None:
    ends = []
    for _ in range(2):
        with rig(3) as legs:
            assert legs.run("turn left, then walk half a metre forward").outcome == "succeeded"
            ends.append((legs.state.odometry.position.tolist(), legs.state.stamp))
    assert ends[0] == ends[1]


def test_what_cannot_be_done_moves_nothing() -> None:
    with rig() as legs:
        result = legs.run("walk to the purple door")
        assert result.outcome == "refused" and "there is no purple door here" in result.reason
        assert legs.run("walk to the door").outcome == "question"
        assert not result.skills and legs.state.odometry.position[2] < legs.profile.height.lowest


def test_a_skill_that_cannot_begin_says_why() -> None:
    with rig() as legs:
        output = legs.run_skill(SkillCall(skill="go_to", arguments={"object": "green_door"}))
        assert output.status is Status.FAILED and "no object 'green_door'" in output.reason


def test_safety_keeps_a_distance_that_no_skill_knows_of() -> None:
    with rig() as legs:
        assert legs.run_skill(SkillCall(skill="stand")).status is Status.SUCCEEDED
        assert Relation(ROBOT, "is", STANDING) in legs.scene.relations
        far = Constraint(kind="avoid", object="blue_box", distance=1.5)
        legs._hold_to((far,))
        before = edge_distance(THINGS["blue_box"], legs.state.odometry.position[:2])
        legs._held_to = ()  # as if it had been an operator who asked
        legs.run_skill(SkillCall(skill="go_to", arguments={"object": "blue_box"}))
        after = edge_distance(THINGS["blue_box"], legs.state.odometry.position[:2])
        assert after >= before - 0.1, "the robot is nearer than 1.5 m already, and comes no deeper"


def test_a_task_that_takes_too_long_ends() -> None:
    with rig(task_time_limit=1.0) as legs:
        result = legs.run("stand up, then sit down, then stand up")
        assert result.outcome == "cancelled" and "took longer than 1 s" in result.reason


def test_an_unknown_perception_is_told_with_those_that_serve_legs() -> None:
    with pytest.raises(UnknownName, match=r"no perception backend of legged robots 'hybrid'.*geometric"):
        rig(perception="hybrid")


def test_an_unknown_planner_is_told_with_those_that_know_legs() -> None:
    with pytest.raises(UnknownName, match=r"no planner of legged robots 'llama'.*symbolic"):
        LeggedRig(LeggedRigSettings(planner="llama"), YARD, 1)
