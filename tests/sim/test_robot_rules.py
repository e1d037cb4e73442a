"""What every driver must do, run over every driver that needs no hardware. A new driver joins by a line in DRIVERS."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_mover import ENGINES

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import FloatArray, Robot, SafeCommand, StopCategory
from reins.sim.simulators import make_simulator
from reins.sim.world import load_world

PERIOD = 0.01
SMALL = 1e-3
"""A joint that moved less than this stood still [rad]."""

DRIVERS: dict[str, Callable[[RobotProfile], Robot]] = {
    name: partial(make_simulator, name, world=load_world("tabletop"), seed=1) for name in ENGINES
}


@pytest.fixture(params=sorted(DRIVERS))
def robot(request: pytest.FixtureRequest, profile: RobotProfile) -> Iterator[Robot]:
    made = DRIVERS[request.param](profile)
    made.connect()
    yield made
    made.close()


def command(sequence: int, position: FloatArray, velocity: FloatArray) -> SafeCommand:
    return SafeCommand(sequence, 0.0, PERIOD, position, velocity)


def drive(robot: Robot, speed: FloatArray, periods: int) -> FloatArray:
    """Track a constant joint speed; returns the position after the last period."""
    position = robot.read().reference.copy()
    for number in range(periods):
        robot.write(command(number + 1, position, speed))
        robot.step(PERIOD)
        position = position + speed * PERIOD
    return position


def some_speed(robot: Robot) -> FloatArray:
    return np.linspace(0.2, 0.5, len(robot.spec.joint_names))


def test_says_what_it_is(robot: Robot, profile: RobotProfile) -> None:
    assert robot.spec.name == profile.name
    assert robot.spec.joint_names == profile.joint_names
    assert robot.spec.simulated


def test_holds_its_position_until_the_first_command(robot: Robot) -> None:
    before = robot.read()
    for _ in range(50):
        robot.step(PERIOD)
    after = robot.read()
    assert after.fault == ""
    assert after.stamp - before.stamp == pytest.approx(0.5)
    np.testing.assert_allclose(after.position, before.position, atol=SMALL)


@pytest.mark.parametrize("dt", [0.001, 0.003, 0.01, 0.0333])
def test_time_passes_as_told(robot: Robot, dt: float) -> None:
    for _ in range(30):
        robot.step(dt)
    assert robot.read().stamp == pytest.approx(30 * dt, abs=0.0021)


def test_tracks_position_and_velocity(robot: Robot) -> None:
    speed = some_speed(robot)
    target = drive(robot, speed, 100)
    state = robot.read()
    np.testing.assert_allclose(state.reference, target, atol=1e-9)
    np.testing.assert_allclose(state.position, target, atol=0.005)
    np.testing.assert_allclose(state.velocity, speed, atol=0.02)
    assert state.sequence == 100


def test_follows_the_velocity_within_a_period(robot: Robot) -> None:
    start, speed = robot.read().reference.copy(), some_speed(robot)
    robot.write(command(1, start, speed))
    robot.step(0.4 * PERIOD)
    np.testing.assert_allclose(robot.read().reference, start + speed * 0.4 * PERIOD, atol=1e-9)


@pytest.mark.parametrize("late, stops", [(-0.002, False), (0.002, True)])
def test_stops_by_itself_when_commands_go_stale(robot: Robot, profile: RobotProfile, late: float, stops: bool) -> None:
    robot.write(command(1, robot.read().reference.copy(), some_speed(robot)))
    robot.step(profile.rates.stale_after + late)
    assert bool(robot.read().fault) is stops


def test_a_stale_stop_brakes_within_the_limits_and_holds(robot: Robot, profile: RobotProfile) -> None:
    drive(robot, some_speed(robot), 50)
    before = robot.read()
    references = [before.reference.copy()]
    for _ in range(200):
        robot.step(0.002)
        references.append(robot.read().reference.copy())
    speeds = np.diff(references, axis=0) / 0.002
    accelerations = np.abs(np.diff(speeds, axis=0)) / 0.002
    assert (accelerations <= profile.acceleration * 1.001).all()
    assert np.abs(speeds[-1]).max() == 0.0
    after = robot.read()
    assert "no command" in after.fault
    braking = some_speed(robot) ** 2 / profile.acceleration
    assert (np.abs(after.position - before.position) < some_speed(robot) * profile.rates.stale_after + braking).all()


@pytest.mark.parametrize("category", list(StopCategory))
def test_a_stop_brings_it_to_rest_and_later_commands_are_ignored(robot: Robot, category: StopCategory) -> None:
    drive(robot, some_speed(robot), 50)
    robot.stop(category, "because")
    for _ in range(30):
        robot.step(PERIOD)
    rest = robot.read()
    drive(robot, some_speed(robot), 20)
    after = robot.read()
    assert np.abs(rest.velocity).max() < 0.005
    assert after.fault == "because"
    assert after.sequence == rest.sequence
    np.testing.assert_allclose(after.position, rest.position, atol=SMALL)


def test_a_cut_stops_sooner_than_a_controlled_stop(robot: Robot) -> None:
    travelled = {}
    for category in StopCategory:
        drive(robot, some_speed(robot), 50)
        before = robot.read().position
        robot.stop(category, "because")
        for _ in range(30):
            robot.step(PERIOD)
        travelled[category] = np.abs(robot.read().position - before).max()
        robot.recover()
    assert travelled[StopCategory.CUT] < travelled[StopCategory.CONTROLLED]


def test_a_stop_works_at_rest_and_during_a_stop(robot: Robot) -> None:
    robot.stop(StopCategory.CONTROLLED, "first")
    robot.stop(StopCategory.CUT, "second")
    robot.step(PERIOD)
    assert robot.read().fault == "first"


def test_after_recovery_it_holds_and_no_earlier_command_resumes(robot: Robot) -> None:
    drive(robot, some_speed(robot), 50)
    robot.stop(StopCategory.CONTROLLED, "because")
    robot.step(PERIOD)
    robot.recover()
    rest = robot.read()
    for _ in range(50):
        robot.step(PERIOD)
    after = robot.read()
    assert after.fault == ""
    np.testing.assert_allclose(after.reference, rest.position)
    np.testing.assert_allclose(after.position, rest.position, atol=0.02)
    assert np.abs(after.velocity).max() < 0.005


def test_moves_again_after_recovery(robot: Robot) -> None:
    robot.stop(StopCategory.CUT, "because")
    robot.step(PERIOD)
    robot.recover()
    target = drive(robot, some_speed(robot), 20)
    np.testing.assert_allclose(robot.read().position, target, atol=0.005)


def test_a_setpoint_from_the_measured_state_does_not_jerk(robot: Robot) -> None:
    drive(robot, some_speed(robot), 50)
    before = robot.read()
    robot.write(command(51, before.position.copy(), before.velocity.copy()))
    robot.step(PERIOD)
    after = robot.read()
    assert after.fault == ""
    assert np.abs(after.velocity - before.velocity).max() < 0.1


@pytest.mark.parametrize("excess, refused", [(-1e-6, False), (1e-3, True)])
def test_a_jump_is_refused(robot: Robot, excess: float, refused: bool) -> None:
    limit = 0.1
    state = robot.read()
    target = state.reference.copy()
    target[2] += limit + excess + abs(state.position[2] - state.reference[2])
    robot.write(command(1, target, np.zeros_like(target)))
    fault = robot.read().fault
    assert bool(fault) is refused
    assert not refused or robot.spec.joint_names[2] in fault


@pytest.mark.parametrize("share, refused", [(1.0, False), (1.1, True), (50.0, True)])
def test_a_setpoint_that_is_too_fast_is_refused(
    robot: Robot, profile: RobotProfile, share: float, refused: bool
) -> None:
    """Though it begins where the robot is: it would be gone by the next one."""
    before = robot.read()
    speed = np.zeros_like(before.reference)
    speed[3] = -share * profile.velocity[3]
    robot.write(command(1, before.reference, speed))
    after = robot.read()
    assert bool(after.fault) is refused
    if refused:
        assert robot.spec.joint_names[3] in after.fault and "is its limit" in after.fault
        robot.step(PERIOD)
        np.testing.assert_allclose(robot.read().reference, before.reference)


@pytest.mark.parametrize("length", [0, 1, 6, 8])
def test_a_wrong_length_is_an_error(robot: Robot, length: int) -> None:
    with pytest.raises(ReinsError, match="7 positions"):
        robot.write(command(1, np.zeros(length), np.zeros(length)))


def test_close_twice(robot: Robot) -> None:
    robot.close()
    robot.close()


@pytest.mark.parametrize("name", sorted(DRIVERS))
def test_what_is_not_finite_stops_it(name: str) -> None:
    robot = DRIVERS[name](load_profile("franka"))
    robot.connect()
    joints = len(robot.spec.joint_names)

    @settings(max_examples=40)
    @given(
        index=st.integers(0, joints - 1),
        value=st.sampled_from([np.nan, np.inf, -np.inf]),
        in_velocity=st.booleans(),
    )
    def check(index: int, value: float, in_velocity: bool) -> None:
        robot.recover()
        before = robot.read()
        position, velocity = before.reference.copy(), np.zeros(joints)
        (velocity if in_velocity else position)[index] = value
        robot.write(command(1, position, velocity))
        robot.step(PERIOD)
        after = robot.read()
        assert "not finite" in after.fault
        np.testing.assert_allclose(after.position, before.position, atol=SMALL)

    check()
