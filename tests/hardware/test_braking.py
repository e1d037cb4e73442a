"""Braking that fails: noticed as soon as the arm could not stand in time any more, and no sooner."""

from collections.abc import Callable
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.hardware.braking import MARGIN, SETTLED, STANDS, ArmBraking, Unwatched, braking_of
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray, RobotState, SafeCommand

PROFILE: Final = load_profile("franka")
N: Final = len(PROFILE.joints)
BRAKES: Final = PROFILE.acceleration
STEP: Final = 0.001
EDGE: Final = 1e-6
LONG: Final = 3.0
START: Final = 100.0

Law = Callable[[float], FloatArray]
"""Velocity (n,) [rad/s] of the arm so many seconds after the stop."""


@pytest.fixture
def watch() -> ArmBraking:
    return ArmBraking(PROFILE)


def one(speed: float, joint: int = 1) -> FloatArray:
    velocity = np.zeros(N)
    velocity[joint] = speed
    return velocity


def command(velocity: FloatArray) -> SafeCommand:
    return SafeCommand(1, 0.0, 0.01, PROFILE.home, velocity)


def state(after: float, velocity: FloatArray) -> RobotState:
    still = np.zeros(N)
    return RobotState(START + after, PROFILE.home, velocity, still, PROFILE.home, 0.0, False, 1)


def failed_at(watch: ArmBraking, law: Law, step: float = STEP) -> float:
    """When the watch says that the braking failed [s after the stop]; inf if it never does."""
    for after in np.arange(0.0, LONG, step).tolist():
        if watch.failure(state(after, law(after))):
            return after
    return np.inf


def braked(velocity: FloatArray, late: float, share: float = 1.0) -> Law:
    """Braking along the path with a share of the limits, from so many seconds after the stop on."""
    total = float((np.abs(velocity) / BRAKES).max()) / share
    return lambda after: velocity * (1.0 - np.clip((after - late) / total, 0.0, 1.0)) if total else velocity


@given(
    shares=st.lists(st.floats(-1.0, 1.0), min_size=N, max_size=N),
    late=st.floats(0.0, MARGIN - EDGE),
    step=st.sampled_from([0.001, 0.002, 0.01]),
)
def test_an_arm_that_brakes_at_its_limits_and_in_time_never_fails(
    shares: list[float], late: float, step: float
) -> None:
    velocity = np.array(shares) * PROFILE.velocity
    watch = ArmBraking(PROFILE)
    watch.told(command(velocity))
    watch.stopped()
    assert failed_at(watch, braked(velocity, late), step) == np.inf


@pytest.mark.parametrize("late, fails", [(MARGIN - EDGE, False), (MARGIN + EDGE, True)])
def test_it_may_begin_so_late_and_no_later(watch: ArmBraking, late: float, fails: bool) -> None:
    watch.stopped()
    assert (failed_at(watch, braked(one(2.0), late)) < np.inf) is fails


@pytest.mark.parametrize("longer, fails", [(MARGIN - 0.02, False), (MARGIN + 0.02, True)])
def test_it_may_brake_so_gently_and_no_more_gently(watch: ArmBraking, longer: float, fails: bool) -> None:
    """The last of its way, slower than what counts as standing, is not watched."""
    shortest = 2.0 / float(BRAKES[1])
    watch.stopped()
    assert (failed_at(watch, braked(one(2.0), 0.0, shortest / (shortest + longer))) < np.inf) is fails


def test_an_arm_that_just_goes_on_fails_as_soon_as_it_is_too_late_to_brake(watch: ArmBraking) -> None:
    watch.stopped()
    assert failed_at(watch, lambda _: one(2.0)) == pytest.approx(MARGIN, abs=1.1 * STEP)


def test_one_that_gains_speed_fails_the_sooner(watch: ArmBraking) -> None:
    watch.stopped()
    assert failed_at(watch, lambda after: one(1.0 + BRAKES[1] * after)) == pytest.approx(MARGIN / 2, abs=1.1 * STEP)


def test_the_margin_is_the_one_that_is_asked_for() -> None:
    watch = ArmBraking(PROFILE, margin=0.1)
    watch.stopped()
    assert failed_at(watch, lambda _: one(2.0)) == pytest.approx(0.1, abs=1.1 * STEP)


@pytest.mark.parametrize("speed, fails", [(STANDS, False), (STANDS + EDGE, True)])
def test_an_arm_that_creeps_does_not_stand(watch: ArmBraking, speed: float, fails: bool) -> None:
    watch.stopped()
    assert (failed_at(watch, lambda _: one(-speed)) < np.inf) is fails


def test_one_that_swings_does_not_stand_though_it_rests_at_times(watch: ArmBraking) -> None:
    watch.stopped()
    assert failed_at(watch, lambda after: one(0.5 * np.cos(20.0 * after))) < 2 * MARGIN


@pytest.mark.parametrize("rest, fails", [(SETTLED - 2 * STEP, True), (SETTLED + 2 * STEP, False)])
def test_who_pushes_an_arm_that_has_stood_makes_no_failure_of_it(watch: ArmBraking, rest: float, fails: bool) -> None:
    watch.stopped()
    assert (failed_at(watch, lambda after: one(0.0 if after < rest else 1.0)) < np.inf) is fails


def test_what_is_commanded_counts_where_the_arm_has_not_got_up_to_it_yet(watch: ArmBraking) -> None:
    watch.told(command(one(2.0)))
    watch.stopped()
    lags = braked(one(2.0), 0.05)
    assert failed_at(watch, lambda after: one(0.5) if after < 0.05 else lags(after)) == np.inf


def test_what_was_commanded_counts_for_one_stop(watch: ArmBraking) -> None:
    watch.told(command(one(2.0)))
    watch.stopped()
    assert failed_at(watch, braked(one(2.0), 0.0)) == np.inf
    watch.stopped()
    assert failed_at(watch, lambda _: one(0.1)) == pytest.approx(MARGIN, abs=1.1 * STEP)


@pytest.mark.parametrize("speed", [1e9, np.inf, np.nan])
def test_a_command_that_no_driver_takes_buys_no_more_time_than_one_at_the_limit(
    watch: ArmBraking, speed: float
) -> None:
    watch.told(command(one(speed)))
    watch.stopped()
    longest = PROFILE.velocity[1] / BRAKES[1] + MARGIN
    assert failed_at(watch, lambda _: one(0.1)) == pytest.approx(longest - 0.1 / BRAKES[1], abs=1.1 * STEP)


def test_a_velocity_that_is_no_number_does_not_stand(watch: ArmBraking) -> None:
    watch.stopped()
    assert failed_at(watch, lambda _: one(np.nan)) < np.inf


def test_a_command_to_stand_still_after_one_to_move_is_a_stop(watch: ArmBraking) -> None:
    watch.told(command(one(2.0)))
    assert not watch.failure(state(-1.0, one(2.0)))
    watch.told(command(one(0.0)))
    assert failed_at(watch, lambda _: one(2.0)) == pytest.approx(MARGIN, abs=1.1 * STEP)


def test_further_commands_to_stand_still_and_further_stops_give_no_further_time(watch: ArmBraking) -> None:
    watch.told(command(one(2.0)))
    watch.told(command(one(0.0)))

    def law(_: float) -> FloatArray:
        watch.told(command(one(0.0)))
        watch.stopped()
        return one(2.0)

    assert failed_at(watch, law) == pytest.approx(MARGIN, abs=1.1 * STEP)


def test_an_arm_that_is_told_to_move_again_is_watched_no_more(watch: ArmBraking) -> None:
    watch.told(command(one(2.0)))
    watch.told(command(one(0.0)))
    assert not watch.failure(state(0.0, one(2.0)))
    watch.told(command(one(1.0)))
    assert failed_at(watch, lambda _: one(2.0)) == np.inf


def test_an_arm_that_was_told_nothing_may_be_moved_by_hand(watch: ArmBraking) -> None:
    watch.told(command(one(0.0)))
    assert failed_at(watch, lambda _: one(2.0)) == np.inf


def test_what_is_forgotten_is_not_watched(watch: ArmBraking) -> None:
    watch.told(command(one(2.0)))
    watch.stopped()
    watch.forget()
    assert failed_at(watch, lambda _: one(2.0)) == np.inf
    watch.told(command(one(0.0)))
    assert failed_at(watch, lambda _: one(2.0)) == np.inf


def test_it_is_told_once_and_says_which_joint_how_fast_and_how_long(watch: ArmBraking) -> None:
    watch.stopped()
    velocity = one(-2.0, 3) + one(1.0, 5)
    said = [watch.failure(state(after, velocity)) for after in (0.0, MARGIN + 0.001, MARGIN + 0.002)]
    assert said == [
        "",
        "fr3_joint4 moves at 2.00 rad/s 251 ms after it was told to stop: the braking failed",
        "",
    ]


def test_a_legged_robot_is_not_judged() -> None:
    watch = braking_of(load_profile("go2", QuadrupedProfile))
    assert isinstance(watch, Unwatched)
    watch.told(None)
    watch.stopped()
    watch.forget()
    assert watch.failure(None) == ""
