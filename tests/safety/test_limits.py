"""The limits as pure functions: what must be true, on both sides of each edge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.hardware.robot import FloatArray
from reins.safety.limits import (
    braked,
    braking_time,
    fastest_reachable,
    ramped,
    stopping_distance,
    stopping_speed,
)

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


def reach(velocity: float, acceleration: float, elapsed: float) -> tuple[float, float]:
    """Lowest and highest velocity that may come next."""
    high = fastest_reachable(one(velocity), one(acceleration), elapsed, PERIOD)
    low = -fastest_reachable(one(-velocity), one(acceleration), elapsed, PERIOD)
    return float(low[0]), float(high[0])


@given(VELOCITIES, DECELERATIONS, st.floats(0.0, HOLD))
def test_reachable_velocities_keep_the_acceleration_limit(velocity: float, acceleration: float, elapsed: float) -> None:
    low, high = reach(velocity, acceleration, elapsed)
    assert low <= velocity <= high
    assert max(high - velocity, velocity - low) <= acceleration * elapsed + 1e-12
    gained = max(abs(low), abs(high)) - abs(velocity)
    assert gained <= acceleration * min(elapsed, PERIOD) + 1e-12


@given(VELOCITIES, DECELERATIONS, st.floats(0.0, HOLD))
def test_the_hardest_braking_is_reachable(velocity: float, acceleration: float, elapsed: float) -> None:
    low, high = reach(velocity, acceleration, elapsed)
    slower = np.sign(velocity) * max(abs(velocity) - acceleration * elapsed, 0.0)
    assert low - 1e-12 <= slower <= high + 1e-12


def test_a_gap_lets_a_joint_brake_harder_but_not_speed_up_harder() -> None:
    assert reach(1.0, 10.0, 0.05) == pytest.approx((0.5, 1.1))
    assert reach(0.0, 10.0, 0.05) == pytest.approx((-0.1, 0.1))
    assert reach(0.05, 10.0, 0.05) == pytest.approx((-0.05, 0.15))


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


@given(VECTORS, VECTORS)
def test_a_ramp_goes_straight_towards_what_is_wanted(velocity: FloatArray, wanted: FloatArray) -> None:
    acceleration = np.full(7, 10.0)
    highest = fastest_reachable(velocity, acceleration, PERIOD, PERIOD)
    lowest = -fastest_reachable(-velocity, acceleration, PERIOD, PERIOD)
    reached = ramped(velocity, wanted, lowest, highest)
    assert (reached >= lowest).all() and (reached <= highest).all()
    change = wanted - velocity
    largest = int(np.argmax(np.abs(change)))
    share = float((reached - velocity)[largest] / change[largest]) if change[largest] else 1.0
    assert 0.0 < share <= 1.0
    np.testing.assert_allclose(reached, velocity + share * change, atol=1e-9)
    if share < 1.0 - 1e-9:
        at_limit = np.isclose(reached, lowest, atol=1e-9) | np.isclose(reached, highest, atol=1e-9)
        assert at_limit.any()


def test_a_ramp_in_figures() -> None:
    """The first joint may change by 0.25 of the 0.5 that it wants, so all go half of their way."""
    velocity, wanted = np.array([0.0, 0.5, 0.25]), np.array([0.5, 0.25, 0.25])
    reached = ramped(velocity, wanted, velocity - 0.25, velocity + 0.25)
    np.testing.assert_array_equal(reached, [0.25, 0.375, 0.25])


@pytest.mark.parametrize("wanted, reached", [(1.0, 0.5), (-1.0, -0.25), (0.75, 0.5), (0.25, 0.25), (-0.125, -0.125)])
def test_a_ramp_has_other_room_upwards_than_downwards(wanted: float, reached: float) -> None:
    assert ramped(one(0.0), one(wanted), one(-0.25), one(0.5))[0] == reached


def test_a_ramp_that_has_arrived_stays_there() -> None:
    """Also where nothing else would be in reach."""
    velocity = np.array([0.5, -0.5])
    np.testing.assert_array_equal(ramped(velocity, velocity.copy(), velocity, velocity), velocity)


def test_braking_in_figures() -> None:
    """The first joint takes 0.5 s; after 0.125 s all have lost a quarter of their speed."""
    velocity, acceleration = np.array([1.0, -0.5]), np.array([2.0, 4.0])
    assert braking_time(velocity, acceleration) == 0.5
    np.testing.assert_array_equal(braked(velocity, acceleration, 0.125), [0.75, -0.375])


def test_at_rest_there_is_nothing_to_brake() -> None:
    still = np.zeros(2)
    assert not braked(still, np.ones(2), 0.0).any()


def test_without_time_a_ramp_goes_nowhere() -> None:
    velocity = np.array([0.5, -0.5])
    np.testing.assert_array_equal(ramped(velocity, np.array([1.0, 1.0]), velocity, velocity), velocity)
