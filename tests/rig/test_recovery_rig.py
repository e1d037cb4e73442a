"""A robot that fell, through the whole stack: a fault that latches, an operator who resets, words, and legs again."""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from reins.contracts.errors import ReinsError
from reins.contracts.plan import SkillCall
from reins.contracts.scene import FALLEN, ROBOT, STANDING, Relation
from reins.legged_rig import LeggedRig, LeggedRigSettings
from reins.safety.modes import Mode
from reins.sim.legged.ground import load_ground
from reins.skills.controller import Status


@pytest.fixture
def fallen() -> Iterator[LeggedRig]:
    """It lies on its back, and safety has stopped it for that."""
    with LeggedRig(LeggedRigSettings(), load_ground("flat"), 1) as legs:
        folded = np.tile(legs.profile.build.folded, 4)
        legs.robot.drop(np.array([0.0, 0.0, 0.45]), Rotation.from_euler("x", 2.6).as_quat(), folded)
        legs.robot.connect()
        legs.wait(0.2)
        assert mode(legs) in (Mode.STOPPING, Mode.STOPPED)
        legs.wait(2.0)
        assert mode(legs) is Mode.STOPPED and Relation(ROBOT, "is", FALLEN) in legs.scene.relations
        yield legs


def mode(legs: LeggedRig) -> Mode:
    return legs._monitor.status(legs.state.stamp).mode


def reset(legs: LeggedRig) -> None:
    legs.robot.recover()
    legs._host.arm(publishers=1)
    legs._monitor.reset("anna", legs.state.stamp)
    legs.wait(0.1)
    assert mode(legs) is Mode.READY


def test_without_a_reset_it_stays_where_it_lies(fallen: LeggedRig) -> None:
    place = fallen.state.odometry.position.copy()
    fallen._runner.start(SkillCall(skill="recover"), (), fallen.state, fallen.scene)
    for _ in range(200):
        fallen._tick(running=True)
    assert mode(fallen) is Mode.STOPPED and fallen.profile.has_fallen(fallen.state.orientation)
    assert fallen.state.odometry.position == pytest.approx(place, abs=0.05)


@pytest.mark.parametrize("words", ["recover", "stand up", "翻身"])
def test_after_one_it_turns_over_and_stands(fallen: LeggedRig, words: str) -> None:
    reset(fallen)
    result = fallen.run(words)
    assert (result.outcome, result.skills[0][0].skill) == ("succeeded", "recover"), result.reason
    assert Relation(ROBOT, "is", STANDING) in fallen.scene.relations
    assert mode(fallen) in (Mode.READY, Mode.ACTIVE_SKILL)


def test_no_other_skill_begins_on_its_back(fallen: LeggedRig) -> None:
    reset(fallen)
    for call in (SkillCall(skill="stand"), SkillCall(skill="turn", arguments={"angle": 1.0})):
        output = fallen.run_skill(call)
        assert output.status is Status.FAILED
        assert "lies on its back; run 'recover' first" in output.reason


def test_one_on_its_belly_just_stands_up() -> None:
    with LeggedRig(LeggedRigSettings(), load_ground("flat"), 1) as legs:
        result = legs.run("recover")
        assert (result.outcome, result.reason) == ("succeeded", "done: stand")


def test_a_robot_that_cannot_turn_over_says_so_and_is_stopped_again(fallen: LeggedRig) -> None:
    reset(fallen)
    aim = fallen.robot.engine.aim
    fallen.robot.engine.aim = lambda joints, grip: aim(joints, grip / 12.0)  # type: ignore[method-assign]
    output = fallen.run_skill(SkillCall(skill="recover"))
    assert output.status is Status.FAILED
    assert "still lies on its back after 10 s of turning over" in output.reason
    fallen.wait(0.2)
    assert mode(fallen) is Mode.STOPPED
    with pytest.raises(ReinsError, match="mend this first"):
        fallen._monitor.reset("anna", fallen.state.stamp)
