"""Kinematics against the simulator's own, and the Jacobian against differences."""

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import FloatArray
from reins.sim.model import build_model
from reins.sim.world import load_world

PROFILE = load_profile("franka")
KINEMATICS = Kinematics(PROFILE)
MODEL = build_model(PROFILE, load_world("blocks"), pretty=False)

shares = st.lists(st.floats(0.0, 1.0), min_size=7, max_size=7)


def joints(share: list[float]) -> FloatArray:
    return PROFILE.lower + np.array(share) * (PROFILE.upper - PROFILE.lower)


@given(shares)
def test_the_tool_is_where_the_simulated_hand_has_it(share: list[float]) -> None:
    data = mujoco.MjData(MODEL)
    data.qpos[:7] = joints(share)
    mujoco.mj_kinematics(MODEL, data)
    hand = data.body("hand")
    pose = KINEMATICS.tool_pose(joints(share))
    expected = hand.xpos + hand.xmat.reshape(3, 3) @ np.array(PROFILE.tool.xyz)
    np.testing.assert_allclose(pose.position, expected, atol=1e-6)
    np.testing.assert_allclose(pose.rotation, hand.xmat.reshape(3, 3), atol=1e-6)


@given(shares, st.integers(0, 6))
def test_the_jacobian_is_the_derivative_of_the_pose(share: list[float], joint: int) -> None:
    position, step = joints(share), 1e-6
    pose, jacobian = KINEMATICS.tool_jacobian(position)
    position[joint] += step
    moved = KINEMATICS.tool_pose(position)
    np.testing.assert_allclose((moved.position - pose.position) / step, jacobian[:3, joint], atol=1e-5)
    turn = (moved.rotation @ pose.rotation.T - np.eye(3)) / step
    np.testing.assert_allclose([turn[2, 1], turn[0, 2], turn[1, 0]], jacobian[3:, joint], atol=1e-5)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"tool": PROFILE.tool.model_copy(update={"link": "nose"})}, "has no link 'nose'"),
        ({"joints": PROFILE.joints[::-1]}, "joint order of profile 'franka' differs"),
        (
            {"joints": (PROFILE.joints[0].model_copy(update={"model_name": "knee"}), *PROFILE.joints[1:])},
            "has no joint knee",
        ),
    ],
)
def test_a_profile_that_does_not_fit_its_urdf_is_refused(change: dict[str, object], complaint: str) -> None:
    wrong: RobotProfile = PROFILE.model_copy(update=change)
    wrong.__dict__.pop("joint_names", None)
    with pytest.raises(ReinsError, match=complaint):
        Kinematics(wrong)
