"""The limits of a walking body as pure functions: what must be true, on both sides of each edge."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from legged_walker import heading, tilted
from scipy.spatial.transform import Rotation

from reins.hardware.quadruped import BodySpeed, QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.safety.legged.limits import deceleration_along, share_left, speed_use, tilt_of, yaw_of

ANGLES = st.floats(-math.pi, math.pi)
SPEED = BodySpeed(forward=2.0, backward=1.0, sideways=0.5, turn=1.5)
VELOCITIES = st.tuples(*[st.floats(-5.0, 5.0)] * 3).map(np.array)


class TestTilt:
    @given(angle=st.floats(0.0, math.pi), direction=ANGLES, yaw=ANGLES)
    def test_it_is_the_angle_whatever_the_direction_and_the_heading(
        self, angle: float, direction: float, yaw: float
    ) -> None:
        turned = Rotation.from_euler("z", yaw) * Rotation.from_quat(tilted(angle, direction))
        assert tilt_of(turned.as_quat()) == pytest.approx(angle, abs=1e-7)

    @given(yaw=ANGLES)
    def test_turning_is_no_tilt(self, yaw: float) -> None:
        assert tilt_of(heading(yaw)) == 0.0

    @given(quaternion=st.tuples(*[st.floats(-1.0, 1.0)] * 4).map(np.array))
    def test_it_is_what_the_rotated_vertical_says(self, quaternion: FloatArray) -> None:
        assume(np.linalg.norm(quaternion) > 1e-3)
        up = Rotation.from_quat(quaternion).as_matrix()[2, 2]
        expected = math.acos(min(max(up, -1.0), 1.0))
        assert tilt_of(quaternion / np.linalg.norm(quaternion)) == pytest.approx(expected, abs=1e-6)

    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_both_quaternions_of_a_rotation_mean_the_same(self, sign: float) -> None:
        assert tilt_of(sign * tilted(0.4)) == pytest.approx(0.4)
        assert yaw_of(sign * heading(0.4)) == pytest.approx(0.4)


@given(yaw=st.floats(-3.1, 3.1), pitch=st.floats(-1.2, 1.2), roll=st.floats(-1.2, 1.2))
def test_yaw_is_the_heading_on_the_ground(yaw: float, pitch: float, roll: float) -> None:
    quaternion = Rotation.from_euler("xyz", [roll, pitch, yaw]).as_quat()
    assert yaw_of(quaternion) == pytest.approx(yaw, abs=1e-9)


class TestShareLeft:
    @pytest.mark.parametrize(
        ("value", "share"), [(-9.0, 1.0), (1.0, 1.0), (1.5, 0.6), (2.0, 0.2), (2.0 + 1e-9, 0.2), (9.0, 0.2)]
    )
    def test_rising_quantities(self, value: float, share: float) -> None:
        assert share_left(value, 1.0, 2.0, 0.2) == pytest.approx(share)

    @pytest.mark.parametrize(("value", "share"), [(1.0, 1.0), (0.25, 1.0), (0.175, 0.6), (0.1, 0.2), (0.0, 0.2)])
    def test_falling_quantities(self, value: float, share: float) -> None:
        assert share_left(value, 0.25, 0.1, 0.2) == pytest.approx(share)

    @given(
        slow=st.floats(-9.0, 9.0), way=st.floats(0.01, 9.0), least=st.floats(0.0, 0.99), value=st.floats(-30.0, 30.0)
    )
    def test_it_never_leaves_its_ends_and_never_rises_towards_the_stop(
        self, slow: float, way: float, least: float, value: float
    ) -> None:
        share, nearer = (share_left(at, slow, slow + way, least) for at in (value, value + 0.1))
        assert least - 1e-12 <= nearer <= share <= 1.0
        assert (share < 1.0) is (value > slow) or 0.0 < value - slow < 1e-6


class TestSpeedUse:
    @pytest.mark.parametrize(
        "velocity", [(2.0, 0, 0), (-1.0, 0, 0), (0, 0.5, 0), (0, -0.5, 0), (0, 0, 1.5), (0, 0, -1.5)]
    )
    def test_each_axis_ends_at_its_limit(self, velocity: tuple[float, float, float]) -> None:
        assert speed_use(np.array(velocity, dtype=float), SPEED) == 1.0

    def test_forward_and_sideways_share_an_ellipse_and_turning_does_not(self) -> None:
        half = math.sqrt(0.5)
        assert speed_use(np.array([2.0 * half, 0.5 * half, 1.5]), SPEED) == pytest.approx(1.0)
        assert speed_use(np.array([2.0, 0.5, 0.0]), SPEED) == pytest.approx(math.sqrt(2.0))

    @given(velocity=VELOCITIES, factor=st.floats(0.0, 3.0))
    def test_twice_the_velocity_uses_twice_as_much(self, velocity: FloatArray, factor: float) -> None:
        assert speed_use(factor * velocity, SPEED) == pytest.approx(factor * speed_use(velocity, SPEED))

    @given(one=VELOCITIES, other=VELOCITIES, share=st.floats(0.0, 1.0))
    def test_between_two_velocities_none_is_faster_than_both(
        self, one: FloatArray, other: FloatArray, share: float
    ) -> None:
        between = speed_use(one + share * (other - one), SPEED)
        assert between <= max(speed_use(one, SPEED), speed_use(other, SPEED)) + 1e-9


class TestDecelerationAlong:
    @given(angle=ANGLES)
    def test_it_is_the_most_that_both_axes_can_give(self, angle: float, quadruped: QuadrupedProfile) -> None:
        direction = np.array([[math.cos(angle), math.sin(angle)]])
        limits = quadruped.acceleration[:2]
        used = np.abs(deceleration_along(direction, limits)[0] * direction[0]) / limits
        assert used.max() == pytest.approx(1.0)
        assert (used <= 1.0 + 1e-12).all()

    def test_along_the_axes_it_is_the_axis_limit(self) -> None:
        axes = np.array([[1.0, 0.0], [0.0, -1.0]])
        np.testing.assert_allclose(deceleration_along(axes, np.array([2.0, 1.5, 6.0])), [2.0, 1.5])
