"""Stages of bring-up: none is left out, what each lets through, and a dry run that is like a run and moves nothing."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from reins.contracts.errors import ReinsError
from reins.hardware.conformance.motion import all_joints
from reins.hardware.conformance.subject import Subject
from reins.hardware.conformance.suite import Ending, run_checks
from reins.hardware.profile import load_profile
from reins.hardware.reduced import REDUCED_SHARE
from reins.hardware.robot import SafeCommand, StopCategory
from reins.hardware.stages import ORDER, Stage, StagedArm, next_stage, require_step, start_stage
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.world import load_world

PROFILE = load_profile("franka")
WORLD = load_world("tabletop")
HOME = PROFILE.home
PERIOD = 0.01


class Arm(MujocoRobot):
    """Counts what is written to it."""

    def __init__(self) -> None:
        super().__init__(PROFILE, WORLD, 0)
        self.written = 0

    def write(self, command: SafeCommand) -> None:
        self.written += 1
        super().write(command)


def staged(stage: Stage) -> tuple[Arm, StagedArm]:
    arm = Arm()
    robot = StagedArm(arm, PROFILE, stage)
    robot.connect()
    return arm, robot


def command(robot: StagedArm, velocity: np.ndarray, sequence: int = 1) -> SafeCommand:
    state = robot.read()
    return SafeCommand(sequence, state.stamp, PERIOD, state.reference.copy(), velocity)


@pytest.mark.parametrize("now, wanted", [*product(ORDER, ORDER)])
def test_up_goes_one_step_at_a_time_and_down_at_once(now: Stage, wanted: Stage) -> None:
    allowed = ORDER.index(wanted) <= ORDER.index(now) + 1
    if allowed:
        require_step(now, wanted)
    else:
        following = next_stage(now)
        assert following is not None
        with pytest.raises(ReinsError, match=f"'{following.value}' is next"):
            require_step(now, wanted)


@pytest.mark.parametrize(
    "asked, simulated, stage",
    [("auto", True, Stage.FULL), ("auto", False, Stage.UNARMED), ("reduced", True, Stage.REDUCED)],
)
def test_what_is_not_known_to_be_simulated_starts_unarmed(asked: str, simulated: bool, stage: Stage) -> None:
    assert start_stage(asked, simulated) is stage


def test_unarmed_a_command_stops_and_reaches_nobody() -> None:
    arm, robot = staged(Stage.UNARMED)
    robot.write(command(robot, np.zeros(7)))
    assert arm.written == 0
    assert "a command came in stage 'unarmed'" in robot.read().fault


@pytest.mark.parametrize("share, passes", [(REDUCED_SHARE, True), (1.05 * REDUCED_SHARE, False)])
def test_reduced_speed_is_seen_to(share: float, passes: bool) -> None:
    for joint in range(7):
        arm, robot = staged(Stage.REDUCED)
        velocity = np.zeros(7)
        velocity[joint] = -share * PROFILE.velocity[joint]
        robot.write(command(robot, velocity))
        assert (arm.written == 1) is passes
        assert (robot.read().fault == "") is passes
        assert passes or PROFILE.joint_names[joint] in robot.read().fault


def follow_positions(arm: Arm, robot: StagedArm, speed: float, seconds: float) -> int:
    """Have one joint's positions go on with `speed` [rad/s] at 100 Hz, telling none; how many commands there were."""
    position, velocity = arm.read().reference.copy(), np.zeros(7)
    count = round(seconds / PERIOD)
    for sequence in range(1, count + 1):
        position[3] += speed * PERIOD
        robot.write(SafeCommand(sequence, arm.read().stamp, PERIOD, position.copy(), velocity))
        robot.step(PERIOD)
    return count


SLOW = REDUCED_SHARE * float(PROFILE.velocity[3])


@pytest.mark.parametrize("speed, passes", [(SLOW, True), (-SLOW, True), (1.5 * SLOW, False), (5.0, False)])
def test_reduced_speed_is_also_that_of_the_positions(speed: float, passes: bool) -> None:
    """Which the driver follows, whatever velocity is told with them."""
    arm, robot = staged(Stage.REDUCED)
    count = follow_positions(arm, robot, speed, 1.0)
    assert (arm.written == count) is passes
    assert ("fr3_joint4 was told to be" in robot.read().fault) is not passes
    way = float(np.abs(arm.read().reference - HOME).max())
    assert way <= abs(SLOW) * 1.0 * 1.02 + SLOW * PROFILE.rates.stale_after + 1e-9


def test_reduced_positions_that_come_late_and_together_pass() -> None:
    arm, robot = staged(Stage.REDUCED)
    position = arm.read().reference.copy()
    for sequence in range(1, 41):
        position[3] += SLOW * PERIOD
        if sequence % 4 == 0:
            robot.step(4 * PERIOD)
        robot.write(SafeCommand(sequence, arm.read().stamp, PERIOD, position.copy(), np.zeros(7)))
    assert robot.read().fault == "" and arm.written == 40


def test_after_a_recovery_reduced_positions_begin_where_the_arm_is() -> None:
    arm, robot = staged(Stage.REDUCED)
    follow_positions(arm, robot, 5.0, 0.1)
    assert robot.read().fault
    for _ in range(50):
        robot.step(PERIOD)
    robot.recover()
    written = arm.written
    count = follow_positions(arm, robot, SLOW, 0.5)
    assert robot.read().fault == "" and arm.written - written == count


def test_a_reduced_stage_leaves_a_command_that_is_none_to_the_driver() -> None:
    _arm, robot = staged(Stage.REDUCED)
    with pytest.raises(ReinsError, match="7 positions"):
        robot.write(command(robot, np.zeros(3)))
    robot.write(command(robot, np.full(7, np.nan)))
    assert "not finite" in robot.read().fault


def test_full_passes_everything_on() -> None:
    arm, robot = staged(Stage.FULL)
    robot.write(command(robot, PROFILE.velocity.copy()))
    assert arm.written == 1 and robot.read().fault == ""


def test_a_dry_run_conforms_as_a_run_does_and_writes_nothing_to_the_arm() -> None:
    arms: list[Arm] = []

    def make() -> StagedArm:
        arms.append(Arm())
        return StagedArm(arms[-1], PROFILE, Stage.DRY_RUN)

    subject = Subject(make, PROFILE)
    subject.open()
    results = list(run_checks(subject))
    failed = {result.name: result.detail for result in results if result.ending is Ending.FAILED}
    assert failed.keys() == {"recovery"}, "where the twin goes back to the arm"
    for arm in arms:
        assert arm.written == 0
        np.testing.assert_allclose(arm.read().position, HOME, atol=2e-3)


def test_after_a_dry_run_the_arm_is_told_as_it_is() -> None:
    arm, robot = staged(Stage.DRY_RUN)
    subject = Subject(lambda: robot, PROFILE)
    nudge = all_joints(PROFILE, HOME)
    subject.follow(nudge)
    assert np.abs(robot.read().position - HOME).max() > 0.01
    np.testing.assert_array_equal(robot.measured().position, arm.read().position)
    robot.enter(Stage.REDUCED)
    np.testing.assert_allclose(robot.read().position, HOME, atol=2e-3)


def test_a_dry_run_begins_where_the_arm_is_again_after_a_recovery() -> None:
    _arm, robot = staged(Stage.DRY_RUN)
    subject = Subject(lambda: robot, PROFILE)
    subject.follow(all_joints(PROFILE, HOME))
    robot.stop(StopCategory.CONTROLLED, "enough")
    subject.wait(0.2)
    assert robot.read().fault == "enough"
    robot.recover()
    np.testing.assert_allclose(robot.read().position, HOME, atol=2e-3)


@pytest.mark.parametrize("stage", ORDER)
def test_a_fault_of_the_arm_is_told_in_every_stage(stage: Stage) -> None:
    arm, robot = staged(stage)
    arm.stop(StopCategory.CUT, "a collision")
    assert robot.read().fault == "a collision"
    if stage is Stage.DRY_RUN:
        robot.write(replace(command(robot, np.zeros(7)), sequence=9))
        assert robot.read().fault == "a collision"
