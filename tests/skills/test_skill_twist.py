"""Tool twists: the hand goes where the action says, keeps pointing down, and no limit is exceeded on the way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from policy_files import PROFILE, contract, linear_policy

from reins.contracts.errors import ReinsError
from reins.hardware.kinematics import Kinematics, ToolPose
from reins.hardware.robot import FloatArray, RobotState
from reins.models.metadata import ActionSpec, ObservationTerm, PolicyMetadata, StyleSpec
from reins.skills.action import (
    DAMPING,
    FLOOR,
    JOINT_MARGIN,
    LEAD,
    POSTURE,
    RAMP_SHARE,
    SPEED_SHARE,
    UPRIGHT,
    WALL,
    TwistDecoder,
    clipped,
)
from reins.skills.observation import ObjectView, ObservationBuilder, PolicyInput
from reins.skills.policy import OnnxPolicy
from reins.skills.scripted.hand import pointing_down, tool_yaw

SCALE = (0.25, 0.25, 0.25, 1.5, 0.08)
SPEC = ActionSpec(meaning="tool_twist", scale=SCALE)
KINEMATICS = Kinematics(PROFILE)
HOLD = 2
PERIOD = 1.0 / PROFILE.rates.command
ACTION = st.lists(st.floats(-1.0, 1.0), min_size=5, max_size=5).map(np.array)


def twist_contract(**changes: object) -> PolicyMetadata:
    terms = (ObservationTerm(name="object_offset", size=3, scale=1.0, clip=1.0),)
    return contract(**{"action": SPEC, "rate": 50.0, "observation": terms, "style": StyleSpec(slowest=0.4), **changes})


def drive(action: FloatArray, steps: int, share: float = 1.0) -> tuple[list[ToolPose], list[FloatArray], FloatArray]:
    """Follow one action from home: tool poses and velocities of every control period, and the last joint position."""
    decoder = TwistDecoder(SPEC, PROFILE)
    joints = np.array(PROFILE.home)
    poses, velocities = [], []
    for step in range(steps):
        pose, jacobian = KINEMATICS.tool_jacobian(joints)
        if step % HOLD == 0:
            decoder.aim(action, share, joints, joints, pose.position, pose.rotation, jacobian)
        velocity = decoder.step()
        joints = joints + PERIOD * velocity
        poses.append(pose)
        velocities.append(velocity)
    return poses, velocities, joints


@given(ACTION)
@settings(max_examples=30)
def test_whatever_is_asked_no_limit_is_exceeded(action: FloatArray) -> None:
    poses, velocities, _ = drive(action, 400)
    before = np.zeros(len(PROFILE.joints))
    for pose, velocity in zip(poses, velocities, strict=True):
        assert np.all(np.abs(velocity) <= PROFILE.velocity)
        assert np.all(np.abs(velocity - before) <= PROFILE.acceleration * PERIOD)
        assert np.all(pose.position >= np.array(PROFILE.workspace.lower) + FLOOR / 2)
        before = velocity


@given(ACTION)
@settings(max_examples=30)
def test_joint_limits_are_kept(action: FloatArray) -> None:
    *_, joints = drive(action, 400)
    assert np.all(joints >= PROFILE.lower + JOINT_MARGIN / 2) and np.all(joints <= PROFILE.upper - JOINT_MARGIN / 2)


@pytest.mark.parametrize("share", [0.4, 1.0])
@pytest.mark.parametrize("axis, sign", [(0, 1), (0, -1), (1, 1), (1, -1), (2, -1)])
def test_the_tool_goes_where_the_action_says_at_the_allowed_speed(axis: int, sign: int, share: float) -> None:
    action = np.zeros(5)
    action[axis] = sign
    poses, *_ = drive(action, 40, share)
    moved = (poses[-1].position - poses[-11].position) / (10 * PERIOD)
    wanted = np.zeros(3)
    wanted[axis] = sign * share * SCALE[axis]
    np.testing.assert_allclose(moved, wanted, atol=0.01)
    assert poses[-1].rotation[2, 2] < -0.9995


def test_the_hand_turns_and_stays_where_it_is() -> None:
    poses, *_ = drive(np.array([0.0, 0.0, 0.0, 0.5, 0.0]), 60)
    assert tool_yaw(poses[-1]) - tool_yaw(poses[-11]) == pytest.approx(0.5 * 1.5 * 10 * PERIOD, abs=0.01)
    assert np.linalg.norm(poses[-1].position - poses[0].position) < 0.005


@pytest.mark.parametrize("number, width", [(-1.0, 0.0), (0.0, 0.0), (0.5, 0.04), (1.0, 0.08)])
def test_the_gripper_closes_at_zero_and_below(number: float, width: float) -> None:
    command = TwistDecoder(SPEC, PROFILE).gripper(np.array([0.0, 0.0, 0.0, 0.0, number]))
    assert command.width == pytest.approx(width) and command.force == PROFILE.gripper.grasp_force


@pytest.mark.parametrize(
    "scale, reason",
    [
        ((0.9, 0.9, 0.9, 1.0, 0.08), "tool faster than"),
        ((0.2, 0.2, 0.2, 3.0, 0.08), "turn the tool faster"),
        ((0.2, 0.2, 0.2, 1.0, 0.09), "wider than"),
    ],
)
def test_a_twist_beyond_the_profile_is_refused(scale: tuple[float, ...], reason: str) -> None:
    with pytest.raises(ReinsError, match=reason):
        OnnxPolicy(
            linear_policy(twist_contract(action=ActionSpec(meaning="tool_twist", scale=scale)), outputs=5), PROFILE, "p"
        )


@pytest.mark.parametrize("rate, fits", [(100.0, True), (50.0, True), (25.0, True), (40.0, False), (200.0, False)])
def test_a_twist_policy_runs_at_a_whole_part_of_the_command_rate(rate: float, fits: bool) -> None:
    data = linear_policy(twist_contract(rate=rate), outputs=5)
    if fits:
        OnnxPolicy(data, PROFILE, "p")
    else:
        with pytest.raises(ReinsError, match="Hz"):
            OnnxPolicy(data, PROFILE, "p")


def test_a_policy_that_looks_at_an_object_acts_on_it_and_says_when_there_is_none() -> None:
    weight = np.zeros((3, 5))
    weight[0, 1] = 2.0
    policy = OnnxPolicy(linear_policy(twist_contract(), weight=weight, outputs=5), PROFILE, "p")
    zero = np.zeros(7)
    state = RobotState(0.0, PROFILE.home, zero, zero, PROFILE.home, 0.08, False, 0)
    tool = KINEMATICS.tool_pose(PROFILE.home)
    view = ObjectView(tool.position + np.array([0.2, 0.0, 0.0]), 0.0, np.full(3, 0.04))
    inputs = PolicyInput(state, tool, tool, np.zeros(5), target=view)
    np.testing.assert_allclose(policy.act(inputs), [0.0, 0.4, 0.0, 0.0, 0.0], atol=1e-6)
    with pytest.raises(ReinsError, match="looks at an object"):
        policy.act(PolicyInput(state, tool, tool, np.zeros(5)))
    with pytest.raises(ReinsError, match="no joint velocity"):
        policy.step(inputs)


@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.integers(-3, 3))
def test_a_quarter_turn_of_the_object_looks_the_same(tool: float, block: float, quarters: int) -> None:
    term = ObservationTerm(name="object_yaw", size=2, scale=1.0, clip=1.0)
    zero = np.zeros(7)
    state = RobotState(0.0, zero, zero, zero, zero, 0.08, False, 0)
    pose = pointing_down(0.5, 0.0, 0.1, tool)
    seen = []
    for yaw in (block, block + quarters * np.pi / 2):
        view = ObjectView(np.zeros(3), yaw, np.full(3, 0.04))
        seen.append(ObservationBuilder([term], 7).build(PolicyInput(state, pose, pose, zero, target=view)).copy())
    np.testing.assert_allclose(seen[0], seen[1], atol=1e-5)
    np.testing.assert_allclose(seen[0][0], [np.sin(4 * (block - tool)), np.cos(4 * (block - tool))], atol=1e-5)


@pytest.mark.parametrize("lead, share", [(0.0, 1.0), (0.02, 1.0), (0.035, 0.5), (0.05, 0.0), (0.2, 0.0)])
def test_an_arm_that_is_held_up_waits(lead: float, share: float) -> None:
    decoder = TwistDecoder(SPEC, PROFILE)
    joints = np.array(PROFILE.home)
    pose, jacobian = KINEMATICS.tool_jacobian(joints)
    action = np.array([0.0, 0.1, 0.0, 0.0, 0.0])

    def aimed(reference: FloatArray) -> FloatArray:
        decoder.reset()
        decoder.aim(action, 1.0, joints, reference, pose.position, pose.rotation, jacobian)
        return decoder.step()

    free = aimed(joints)
    ahead = lead * free / np.abs(free).max()
    np.testing.assert_allclose(aimed(joints + ahead), share * free, atol=1e-9)
    np.testing.assert_allclose(aimed(joints - ahead), free, atol=1e-9)


POSTURES = arrays(np.float64, 7, elements=st.floats(0.0, 1.0)).map(
    lambda part: PROFILE.lower + part * (PROFILE.upper - PROFILE.lower)
)
SMALL = arrays(np.float64, 7, elements=st.floats(-0.06, 0.06))


def as_documented(
    action: FloatArray, share: float, joints: FloatArray, lead: FloatArray, before: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What `TwistDecoder` aims at, and its velocities in the first two periods: the formulas, with arrays alone."""
    pose, jacobian = KINEMATICS.tool_jacobian(joints)
    lower, upper = np.array(PROFILE.workspace.lower) + FLOOR, np.array(PROFILE.workspace.upper) - FLOOR
    linear = np.minimum(share * action[:3] * SCALE[:3], WALL * (upper - pose.position))
    linear = np.maximum(linear, WALL * (lower - pose.position))
    upright = UPRIGHT * np.cross(pose.rotation[:, 2], [0.0, 0.0, -1.0])
    twist = np.array([*linear, upright[0], upright[1], share * action[3] * SCALE[3]])
    pull = POSTURE * (PROFILE.home - joints) * [1, 1, 1, 1, 1, 1, 0]
    normal = jacobian @ jacobian.T + DAMPING**2 * np.eye(6)
    aim = jacobian.T @ np.linalg.solve(normal, twist - jacobian @ pull) + pull
    room = np.where(aim > 0.0, PROFILE.upper - JOINT_MARGIN - joints, joints - PROFILE.lower - JOINT_MARGIN)
    bound = np.minimum(SPEED_SHARE * PROFILE.velocity, WALL * np.maximum(room, 1e-6))
    aim = aim / max(1.0, np.abs(aim / bound).max())
    if np.abs(lead).max() > LEAD[0] and lead @ aim > 0.0:
        aim = aim * max(0.0, (LEAD[1] - np.abs(lead).max()) / (LEAD[1] - LEAD[0]))
    velocities = [before]
    for _ in range(2):
        change = aim - velocities[-1]
        most = np.abs(change / (RAMP_SHARE * PROFILE.acceleration * PERIOD)).max()
        velocities.append(velocities[-1] + change / max(1.0, most))
    return aim, np.array(velocities[1:])


@given(ACTION, st.floats(0.1, 1.0), POSTURES, SMALL, SMALL)
def test_it_computes_what_it_says(
    action: FloatArray, share: float, joints: FloatArray, lead: FloatArray, before: FloatArray
) -> None:
    decoder, reference = TwistDecoder(SPEC, PROFILE), joints + lead
    pose, jacobian = KINEMATICS.tool_jacobian(joints)
    decoder.reset(before)
    decoder.aim(action, share, joints, reference, pose.position, pose.rotation, jacobian)
    aim, expected = as_documented(action, share, joints, reference - joints, before)
    np.testing.assert_allclose([decoder.step(), decoder.step()], expected, atol=1e-9)
    for _ in range(200):
        last = decoder.step()
    np.testing.assert_allclose(last, aim, atol=1e-9)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("place", range(4))
def test_what_is_no_number_is_not_turned_into_one(place: int, wrong: float) -> None:
    decoder, joints = TwistDecoder(SPEC, PROFILE), np.array(PROFILE.home)
    pose, jacobian = KINEMATICS.tool_jacobian(joints)
    action = np.zeros(5)
    action[place] = wrong
    with np.errstate(invalid="ignore"):
        decoder.aim(clipped(action), 1.0, joints, joints, pose.position, pose.rotation, jacobian)
        assert np.isfinite(decoder.step()).all() == np.isinf(wrong)  # infinity is clipped to one


@given(st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=8))
def test_actions_are_clipped_to_one_either_way(numbers: list[float]) -> None:
    np.testing.assert_array_equal(clipped(numbers), np.clip(numbers, -1.0, 1.0))
