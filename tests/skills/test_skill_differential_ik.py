"""Differential inverse kinematics: every bound holds, whatever is asked; the tool moves as asked where it can."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import FloatArray
from reins.skills.differential_ik import DifferentialIk

PROFILE: RobotProfile = load_profile("franka")
IK = DifferentialIk(PROFILE)
PERIOD = 1.0 / PROFILE.rates.command
N = len(PROFILE.joints)

twists = arrays(np.float64, 6, elements=st.floats(-2.0, 2.0))
shares = arrays(np.float64, N, elements=st.floats(0.0, 1.0))
speeds = arrays(np.float64, N, elements=st.floats(-0.5, 0.5))


def posture(share: FloatArray) -> FloatArray:
    """A joint position `share` of the way through the limits."""
    return PROFILE.lower + share * (PROFILE.upper - PROFILE.lower)


def loose(share: float) -> tuple[FloatArray, FloatArray]:
    """Bounds that hardly matter."""
    return -share * PROFILE.velocity, share * PROFILE.velocity


@given(twists, shares, speeds)
def test_every_velocity_is_within_its_bounds(twist: FloatArray, share: FloatArray, last: FloatArray) -> None:
    velocity = IK.step(posture(share), twist, PROFILE.home, last, PERIOD)
    assert np.isfinite(velocity).all()
    assert np.all(np.abs(velocity - last) <= IK.settings.acceleration_share * PROFILE.acceleration * PERIOD + 1e-9)
    fastest = np.maximum(IK.settings.velocity_share * PROFILE.velocity, np.abs(last))
    assert np.all(np.abs(velocity) <= fastest + 1e-9)


@settings(max_examples=25)
@given(arrays(np.float64, (6, 6), elements=st.floats(-1.5, 1.5)), arrays(np.float64, N, elements=st.floats(0.15, 0.85)))
def test_no_sequence_of_twists_passes_a_position_limit(sequence: FloatArray, share: FloatArray) -> None:
    position, velocity, acting = posture(share), np.zeros(N), np.zeros(N)
    for twist in np.repeat(sequence, 25, axis=0):
        ahead = position + PERIOD * velocity
        velocity, acting = IK.step(ahead, twist, PROFILE.home, velocity, PERIOD), velocity
        position = position + PERIOD * acting
        assert np.all(position >= PROFILE.lower) and np.all(position <= PROFILE.upper)


@given(arrays(np.float64, 6, elements=st.floats(-0.3, 0.3)))
def test_the_tool_moves_as_asked_where_nothing_binds(twist: FloatArray) -> None:
    lower, upper = loose(1.0)
    velocity = IK.solve(PROFILE.home, twist, np.zeros(N), lower, upper)
    _, jacobian = IK.kinematics.tool_jacobian(PROFILE.home)
    np.testing.assert_allclose(jacobian @ velocity, twist, atol=1e-3)


@given(arrays(np.float64, N, elements=st.floats(-1.0, 1.0)))
def test_the_null_space_does_not_move_the_tool(pull: FloatArray) -> None:
    velocity = IK.solve(PROFILE.home, np.zeros(6), pull, *loose(1.0))
    _, jacobian = IK.kinematics.tool_jacobian(PROFILE.home)
    np.testing.assert_allclose(jacobian @ velocity, np.zeros(6), atol=1e-3)


@given(arrays(np.float64, 3, elements=st.floats(-1.0, 1.0)).filter(lambda way: np.linalg.norm(way) > 0.1))
def test_a_twist_that_is_too_fast_is_slowed_along_its_direction(way: FloatArray) -> None:
    twist = np.concatenate((3.0 * way / np.linalg.norm(way), np.zeros(3)))
    lower, upper = loose(0.1)
    velocity = IK.solve(PROFILE.home, twist, np.zeros(N), lower, upper)
    assert np.all(velocity >= lower - 1e-9) and np.all(velocity <= upper + 1e-9)
    _, jacobian = IK.kinematics.tool_jacobian(PROFILE.home)
    moved = jacobian @ velocity
    assert np.linalg.norm(moved) > 0.02
    assert moved @ twist / (np.linalg.norm(moved) * np.linalg.norm(twist)) > 0.98


@pytest.mark.parametrize("joint", range(N))
def test_it_moves_away_from_a_limit_that_was_passed(joint: int) -> None:
    position = np.array(PROFILE.home)
    position[joint] = PROFILE.upper[joint] - 0.01  # inside the limit, inside the margin that is kept from it
    lower, upper = IK.bounds(position, np.zeros(N), PERIOD)
    assert upper[joint] < 0.0
    assert np.all(lower <= upper)


@given(shares, speeds)
def test_bounds_are_never_crossed(share: FloatArray, last: FloatArray) -> None:
    lower, upper = IK.bounds(posture(share), last, PERIOD)
    assert np.all(lower <= upper + 1e-12)


def test_a_stretched_arm_stays_calm() -> None:
    straight = np.array([0.0, 0.0, 0.0, -0.16, 0.0, 1.6, 0.0])
    velocity = IK.solve(straight, np.array([0.3, 0.0, 0.3, 0.0, 0.0, 0.0]), np.zeros(N), *loose(0.6))
    assert np.isfinite(velocity).all()
    assert np.all(np.abs(velocity) <= 0.6 * PROFILE.velocity + 1e-9)
