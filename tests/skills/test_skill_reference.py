"""Reference motions: they start where they are told, stay within their bounds, and end at rest at the goal."""

from math import pi

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError
from reins.hardware.kinematics import ToolPose
from reins.skills.reference import JointMotion, MotionLimits, ToolMotion
from reins.skills.scripted.hand import pointing_down

LIMITS = MotionLimits()
poses = st.builds(
    pointing_down, st.floats(0.2, 0.7), st.floats(-0.5, 0.5), st.floats(0.02, 0.6), st.floats(-0.9 * pi, 0.9 * pi)
)


def samples(motion: ToolMotion) -> list[tuple[ToolPose, np.ndarray]]:
    return [motion.at(time) for time in np.linspace(0.0, motion.duration, 80)]


@given(poses, poses, st.floats(0.1, 1.0))
def test_a_motion_from_rest_keeps_its_bounds_and_arrives(start: ToolPose, goal: ToolPose, scale: float) -> None:
    limits = LIMITS.scaled(scale)
    motion = ToolMotion(start, goal, np.zeros(6), limits)
    for _, twist in samples(motion):
        assert np.linalg.norm(twist[:3]) <= limits.speed + 1e-6
        assert np.linalg.norm(twist[3:]) <= limits.turn_speed + 1e-6
    first, twist = motion.at(0.0)
    np.testing.assert_allclose(first.position, start.position, atol=1e-9)
    np.testing.assert_allclose(first.rotation, start.rotation, atol=1e-9)
    np.testing.assert_allclose(twist, np.zeros(6), atol=1e-9)
    last, twist = motion.at(motion.duration + 1.0)
    np.testing.assert_allclose(last.position, goal.position, atol=1e-9)
    np.testing.assert_allclose(last.rotation, goal.rotation, atol=1e-9)
    np.testing.assert_allclose(twist, np.zeros(6), atol=1e-6)


@given(poses, poses)
@example(pointing_down(0.5, 0.0, 0.5625, 1.75), pointing_down(0.25, 0.0, 0.25, 0.0))  # the turn needs the most time
@example(pointing_down(0.5, 0.0, 0.25, 0.0), pointing_down(0.5 + 1e-12, 1e-8, 0.3, 1e-10))
def test_a_motion_from_rest_is_a_straight_line(start: ToolPose, goal: ToolPose) -> None:
    way = goal.position - start.position
    for pose, _ in samples(ToolMotion(start, goal, np.zeros(6), LIMITS)):
        off = np.cross(pose.position - start.position, way)
        assert np.linalg.norm(off) <= 1e-6 * max(float(np.linalg.norm(way)), 1e-3)


@given(poses, poses, poses, st.floats(0.0, 1.0))
def test_a_new_goal_takes_over_without_a_jump(start: ToolPose, goal: ToolPose, other: ToolPose, share: float) -> None:
    motion = ToolMotion(start, goal, np.zeros(6), LIMITS)
    pose, twist = motion.at(share * motion.duration)
    taken = ToolMotion(pose, other, twist, LIMITS)
    after, twist_after = taken.at(0.0)
    np.testing.assert_allclose(after.position, pose.position, atol=1e-9)
    np.testing.assert_allclose(twist_after, twist, atol=1e-6)
    np.testing.assert_allclose(taken.at(taken.duration)[0].position, other.position, atol=1e-9)


@given(poses, poses, st.floats(0.05, 0.95))
def test_the_twist_is_the_derivative_of_the_pose(start: ToolPose, goal: ToolPose, share: float) -> None:
    motion = ToolMotion(start, goal, np.zeros(6), LIMITS)
    time, step = share * motion.duration, 1e-5
    (before, twist), (after, _) = motion.at(time), motion.at(time + step)
    np.testing.assert_allclose((after.position - before.position) / step, twist[:3], atol=1e-3)
    np.testing.assert_allclose(pin.log3(after.rotation @ before.rotation.T) / step, twist[3:], atol=2e-3)


def test_joints_arrive_together_within_their_bounds() -> None:
    start, goal = np.array([0.0, 1.0, -0.5]), np.array([1.0, 0.9, 0.5])
    speed, acceleration, jerk = np.full(3, 0.5), np.full(3, 2.0), np.full(3, 20.0)
    motion = JointMotion(start, np.zeros(3), goal, speed, acceleration, jerk)
    for time in np.linspace(0.0, motion.duration, 50):
        assert np.all(np.abs(motion.at(time)[1]) <= speed + 1e-9)
    np.testing.assert_allclose(motion.at(0.0)[0], start)
    np.testing.assert_allclose(motion.at(motion.duration)[0], goal, atol=1e-9)


def test_joints_from_rest_go_a_straight_way() -> None:
    start, goal = np.array([0.0, 1.0, -0.5]), np.array([1.0, 0.9, 0.5])
    motion = JointMotion(
        start, np.zeros(3), goal, np.array([0.5, 0.2, 2.0]), np.array([2.0, 0.1, 1.0]), np.array([20.0, 20.0, 5.0])
    )
    for time in np.linspace(0.0, motion.duration, 50):
        share = (motion.at(time)[0] - start) / (goal - start)
        np.testing.assert_allclose(share, share[0], atol=1e-6)


def test_a_goal_that_is_no_number_is_refused() -> None:
    goal = pointing_down(float("nan"), 0.0, 0.2, 0.0)
    with pytest.raises(ReinsError, match="no motion"):
        ToolMotion(pointing_down(0.5, 0.0, 0.2, 0.0), goal, np.zeros(6), LIMITS)
