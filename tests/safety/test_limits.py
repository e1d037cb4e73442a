"""The limits as pure functions: what must be true, on both sides of each edge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.hardware.robot import FloatArray
from reins.safety.limits import braked, braking_time, reachable, stopping_distance, stopping_speed, velocity_interval

HOLD = 0.06
PERIOD = 0.01

DISTANCES = st.floats(0.0, 6.0)
DECELERATIONS = st.floats(0.1, 30.0)
SPEEDS = st.floats(0.0, 6.0)
VELOCITIES = st.floats(-6.0, 6.0)
GAPS = st.lists(st.floats(0.0, HOLD), min_size=1, max_size=200)


def one(value: float) -> FloatArray:
    return np.array([value])


@given(SPEEDS, DECELERATIONS)
def test_stopping_speed_and_distance_are_each_others_inverse(speed: float, deceleration: float) -> None:
    distance = stopping_distance(one(speed), one(deceleration), HOLD)
    assert stopping_speed(distance, one(deceleration), HOLD)[0] == pytest.approx(speed, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("distance", [0.0, -1e-12, -1.0])
def test_no_speed_is_allowed_at_and_past_the_limit(distance: float) -> None:
    assert stopping_speed(one(distance), one(10.0), HOLD)[0] == 0.0


@given(DISTANCES, DECELERATIONS, GAPS)
def test_a_joint_at_the_stopping_speed_can_always_brake_in_time(
    distance: float, deceleration: float, gaps: list[float]
) -> None:
    """Whatever time each command acts: braking by a·elapsed each time never passes the limit."""
    speed, room = float(stopping_speed(one(distance), one(deceleration), HOLD)[0]), distance
    for gap in gaps:
        room -= speed * gap
        speed = max(speed - deceleration * gap, 0.0)
        assert room >= -1e-12
        assert speed <= stopping_speed(one(room), one(deceleration), HOLD)[0] + 1e-9


@pytest.mark.parametrize("factor, stops_in_time", [(1.0 - 1e-6, True), (1.0 + 1e-6, False)])
@pytest.mark.parametrize("distance", [1e-3, 0.1, 2.0])
def test_the_stopping_speed_is_exact(distance: float, factor: float, stops_in_time: bool) -> None:
    speed = stopping_speed(one(distance), one(10.0), HOLD) * factor
    assert bool(stopping_distance(speed, one(10.0), HOLD)[0] <= distance) is stops_in_time


@given(VELOCITIES, DECELERATIONS, st.floats(0.0, HOLD))
def test_reachable_velocities_keep_the_acceleration_limit(velocity: float, acceleration: float, elapsed: float) -> None:
    low, high = (float(bound[0]) for bound in reachable(one(velocity), one(acceleration), elapsed, PERIOD))
    assert low <= velocity <= high
    assert max(high - velocity, velocity - low) <= acceleration * elapsed + 1e-12
    gained = max(abs(low), abs(high)) - abs(velocity)
    assert gained <= acceleration * min(elapsed, PERIOD) + 1e-12


@given(VELOCITIES, DECELERATIONS, st.floats(0.0, HOLD))
def test_the_hardest_braking_is_reachable(velocity: float, acceleration: float, elapsed: float) -> None:
    low, high = (float(bound[0]) for bound in reachable(one(velocity), one(acceleration), elapsed, PERIOD))
    slower = np.sign(velocity) * max(abs(velocity) - acceleration * elapsed, 0.0)
    assert low - 1e-12 <= slower <= high + 1e-12


def test_a_gap_lets_a_joint_brake_harder_but_not_speed_up_harder() -> None:
    low, high = reachable(one(1.0), one(10.0), 0.05, PERIOD)
    assert low[0] == pytest.approx(0.5)
    assert high[0] == pytest.approx(1.1)
    low, high = reachable(one(0.0), one(10.0), 0.05, PERIOD)
    assert (low[0], high[0]) == (pytest.approx(-0.1), pytest.approx(0.1))


def interval(position: float, velocity: float, elapsed: float = PERIOD, speed: float = 2.0) -> tuple[float, float]:
    reach = reachable(one(velocity), one(10.0), elapsed, PERIOD)
    low, high = velocity_interval(
        one(position), reach, lower=one(-1.0), upper=one(1.0), speed=one(speed), acceleration=one(10.0), hold=HOLD
    )
    return float(low[0]), float(high[0])


@given(st.floats(-3.0, 3.0), VELOCITIES, st.floats(0.0, HOLD), st.floats(0.01, 5.0))
def test_the_interval_is_never_empty_and_always_reachable(
    position: float, velocity: float, elapsed: float, speed: float
) -> None:
    low, high = interval(position, velocity, elapsed, speed)
    slowest, fastest = reachable(one(velocity), one(10.0), elapsed, PERIOD)
    assert slowest[0] <= low <= high <= fastest[0]


def test_in_the_open_only_the_acceleration_counts() -> None:
    assert interval(0.0, 0.5) == (pytest.approx(0.4), pytest.approx(0.6))


def test_at_the_limit_only_the_way_back_is_open() -> None:
    assert interval(1.0, 0.0) == (pytest.approx(-0.1), 0.0)
    assert interval(-1.0, 0.0) == (0.0, pytest.approx(0.1))


def test_past_the_limit_standing_still_is_allowed_and_coming_back_too() -> None:
    assert interval(1.2, 0.0) == (pytest.approx(-0.1), 0.0)


def test_a_limit_that_was_tightened_is_braked_to_not_jumped_to() -> None:
    low, high = interval(0.0, 2.0, speed=0.5)
    assert low == high == pytest.approx(1.9)


VECTORS = st.lists(VELOCITIES, min_size=7, max_size=7).map(np.array)


@given(VECTORS, st.floats(0.0, 1.0))
def test_braking_stays_on_the_path_and_within_the_acceleration(velocity: FloatArray, elapsed: float) -> None:
    acceleration = np.array([10.0, 5.0, 8.0, 10.0, 12.0, 10.0, 3.0])
    slower = braked(velocity, acceleration, elapsed)
    assert (np.abs(velocity - slower) <= acceleration * elapsed + 1e-9).all()
    largest = int(np.argmax(np.abs(velocity)))
    share = float(slower[largest] / velocity[largest]) if velocity.any() else 0.0
    assert 0.0 <= share <= 1.0
    np.testing.assert_allclose(slower, share * velocity, atol=1e-9)


@given(VECTORS)
def test_braking_ends_exactly_at_rest_when_its_time_is_over(velocity: FloatArray) -> None:
    acceleration = np.full(7, 10.0)
    total = braking_time(velocity, acceleration)
    assert not braked(velocity, acceleration, total).any()
    assert not braked(velocity, acceleration, total + 0.01).any()
    if np.abs(velocity).max() > 1e-3:
        assert braked(velocity, acceleration, total * 0.999).any()
