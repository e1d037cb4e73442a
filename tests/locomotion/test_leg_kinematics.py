"""Kinematics of legs: there and back, and their derivatives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.locomotion.kinematics import LegKinematics

GO2 = load_profile("go2", QuadrupedProfile)
LEGS = LegKinematics(GO2.build.legs)
ANGLES = st.tuples(st.floats(-0.7, 0.7), st.floats(-0.3, 1.8), st.floats(-2.6, -0.9))
JOINTS = st.tuples(ANGLES, ANGLES, ANGLES, ANGLES).map(np.array)


@given(JOINTS)
def test_there_and_back(joints: np.ndarray) -> None:
    feet = LEGS.feet(joints)
    assert LEGS.feet(LEGS.joints(feet)) == pytest.approx(feet, abs=1e-9)
    below = feet[:, 2] < -0.05  # above its hip a foot can be reached with the hip turned the other way, too
    assert LEGS.joints(feet)[below] == pytest.approx(joints[below], abs=1e-6)


@given(JOINTS)
def test_the_jacobian_is_the_derivative(joints: np.ndarray) -> None:
    step = 1e-6
    columns = [(LEGS.feet(joints + step * axis) - LEGS.feet(joints - step * axis)) / (2 * step) for axis in np.eye(3)]
    assert LEGS.jacobians(joints) == pytest.approx(np.stack(columns, axis=-1), abs=1e-7)


@given(JOINTS)
def test_left_and_right_are_mirror_images(joints: np.ndarray) -> None:
    joints[1], joints[3] = joints[0] * [-1, 1, 1], joints[2] * [-1, 1, 1]
    feet = LEGS.feet(joints)
    assert feet[1] == pytest.approx(feet[0] * [1, -1, 1])
    assert feet[3] == pytest.approx(feet[2] * [1, -1, 1])


def test_what_is_out_of_reach_is_reached_for() -> None:
    far = LEGS.shoulders + np.array([0.3, 0.0, -0.6])
    found = LEGS.feet(LEGS.joints(far)) - LEGS.shoulders
    assert np.linalg.norm(found, axis=1) == pytest.approx(GO2.build.legs.thigh + GO2.build.legs.calf)
    wanted = far - LEGS.shoulders
    assert found / np.linalg.norm(found, axis=1)[:, None] == pytest.approx(
        wanted / np.linalg.norm(wanted, axis=1)[:, None], abs=1e-6
    )


def test_many_robots_at_once_are_each_as_one_alone() -> None:
    joints = np.random.default_rng(0).uniform(GO2.lower, GO2.upper, (5, 12)).reshape(5, 4, 3)
    together = LEGS.feet(joints)
    for one, feet in zip(joints, together, strict=True):
        assert LEGS.feet(one) == pytest.approx(feet)
