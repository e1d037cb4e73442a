"""The ONNX policy runtime: what does not fit is refused with the reason, what fits runs, and can be swapped."""

import json
from pathlib import Path

import numpy as np
import pytest
from closed_loop import Loop
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from policy_files import PROFILE, N, contract, linear_policy, twist_contract, with_metadata

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint
from reins.contracts.scene import Scene
from reins.hardware.kinematics import Kinematics, ToolPose
from reins.hardware.robot import FloatArray, RobotState
from reins.models.metadata import ActionSpec, ObservationTerm
from reins.skills.controller import Status
from reins.skills.observation import ObservationBuilder, PolicyInput
from reins.skills.onnx_factory import OnnxFactory, PolicyArm
from reins.skills.policy import OnnxPolicy, PolicySlot, load_policy
from reins.skills.scripted.hand import pointing_down

KINEMATICS = Kinematics(PROFILE)
GOAL = pointing_down(0.5, 0.1, 0.2, 0.3)


def state_at(position: FloatArray, time: float = 0.0) -> RobotState:
    zero = np.zeros(N)
    return RobotState(time, position, zero, zero, position, 0.08, False, 0)


def inputs_at(position: FloatArray, goal: ToolPose = GOAL) -> PolicyInput:
    return PolicyInput(state_at(position), KINEMATICS.tool_pose(position), goal, np.zeros(N))


def policy_of(data: bytes, name: str = "test") -> OnnxPolicy:
    return OnnxPolicy(data, PROFILE, name)


GOOD = linear_policy(contract())
SIX_JOINTS = contract(
    joint_names=PROFILE.joint_names[:6], action=ActionSpec(meaning="joint_velocity", scale=(0.5,) * 6)
)
NO_TERM = ObservationTerm(name="heart_rate", size=N + 3, scale=1.0, clip=1.0)
WRONG_SIZE = ObservationTerm(name="goal_offset", size=N + 3, scale=1.0, clip=1.0)
OTHER_JOINTS = (*PROFILE.joint_names[1:], PROFILE.joint_names[0])
NAN = np.full(N, np.nan)


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"", "not an ONNX file, or a truncated one"),
        (b"\x08\x01 hello", "not an ONNX file, or a truncated one"),
        (GOOD[: len(GOOD) // 2], "not an ONNX file, or a truncated one"),
        (GOOD[:-3], "not an ONNX file, or a truncated one"),
        (linear_policy(None), "has no metadata 'reins.policy'"),
        (with_metadata(GOOD, "{"), "is not JSON"),
        (with_metadata(GOOD, "{}"), "incomplete or wrong"),
        (with_metadata(GOOD, json.dumps({**contract().model_dump(mode="json"), "rate": -1.0})), "wrong: rate"),
        (linear_policy(contract(robot="ur10e")), "for robot 'ur10e', and this is 'franka'"),
        (linear_policy(contract(joint_names=OTHER_JOINTS)), "'fr3_joint2' where 'fr3_joint1' is"),
        (linear_policy(SIX_JOINTS), "joints differ"),
        (linear_policy(contract(rate=50.0)), "runs at 50 Hz, and 'franka' is controlled at 100 Hz"),
        (linear_policy(contract(), inputs=N), r"its contract asks for \[1, 10\]"),
        (linear_policy(contract(), outputs=N - 1), r"its contract asks for \[1, 7\]"),
        (linear_policy(contract(), bias=NAN), "weights bias are not finite"),
        (linear_policy(contract(), weight=np.full((N + 3, N), np.inf)), "weights weight are not finite"),
        (linear_policy(contract(opset=16)), "says opset 16 and the file has 17"),
        (linear_policy(contract(opset=9), opset=9), "needs opset 9; 13 to 21 are supported"),
        (linear_policy(contract(observation=(NO_TERM,))), "no observation term 'heart_rate'"),
        (
            linear_policy(contract(observation=(WRONG_SIZE,))),
            "'goal_offset' has 3 numbers, and the policy wants 10",
        ),
        (linear_policy(contract(action=ActionSpec(meaning="torque", scale=(0.5,) * N))), "no action meaning 'torque'"),
        (
            linear_policy(contract(action=ActionSpec(meaning="joint_velocity", scale=(9.0,) * N))),
            "faster than the profile of 'franka' allows",
        ),
    ],
)  # fmt: skip
def test_a_policy_that_does_not_fit_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(ReinsError, match=rf"policy 'test' is refused: .*{reason}"):
        policy_of(data)


@given(st.integers(0, len(GOOD) - 1))
def test_a_truncated_file_is_refused_wherever_it_ends(size: int) -> None:
    with pytest.raises(ReinsError, match="is refused"):
        policy_of(GOOD[:size])


@given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
def test_a_damaged_file_is_refused_or_still_gives_finite_actions(place: int, change: int) -> None:
    damaged = bytearray(GOOD)
    damaged[place] ^= change
    try:
        policy = policy_of(bytes(damaged))
    except ReinsError:
        return
    assert np.isfinite(policy.step(inputs_at(PROFILE.home))).all()


@pytest.mark.parametrize(
    "error, said", [(RuntimeError("no such node\nat 3"), "no such node"), (RuntimeError(), "RuntimeError")]
)
def test_what_onnx_runtime_refuses_is_refused_whether_it_says_why_or_not(
    monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("reins.skills.policy.ort.InferenceSession", refuse)
    with pytest.raises(ReinsError, match=f"is refused: ONNX Runtime does not load it: {said}$"):
        policy_of(GOOD)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReinsError, match=r"'reach\.onnx' cannot be read: No such file"):
        load_policy(tmp_path / "reach.onnx", PROFILE)


@given(arrays(np.float64, N, elements=st.floats(-1.0, 1.0)), arrays(np.float64, 3, elements=st.floats(-1.0, 1.0)))
def test_a_step_is_the_network_of_the_scaled_terms(away: FloatArray, offset: FloatArray) -> None:
    random = np.random.default_rng(0)
    weight, bias = random.normal(size=(N + 3, N)) * 0.1, random.normal(size=N) * 0.1
    policy = policy_of(linear_policy(contract(), weight, bias))
    position = PROFILE.home + away * 0.3
    tool = KINEMATICS.tool_pose(position)
    goal = ToolPose(tool.position + offset, tool.rotation)
    observation = np.concatenate((np.clip(position, -4.0, 4.0), np.clip(2.0 * offset, -1.0, 1.0)))
    expected = 0.5 * np.clip(observation @ weight + bias, -1.0, 1.0)
    np.testing.assert_allclose(policy.step(inputs_at(position, goal)), expected, atol=1e-5)
    np.testing.assert_allclose(policy.last_action, expected / 0.5, atol=1e-5)


@pytest.mark.parametrize(
    "name, expected",
    [
        ("joint_position", PROFILE.home),
        ("joint_velocity", np.zeros(N)),
        ("tool_position", KINEMATICS.tool_pose(PROFILE.home).position),
        ("tool_orientation", [1.0, 0.0, 0.0, 0.0, -1.0, 0.0]),
        ("goal_position", GOAL.position),
        ("goal_orientation", [*GOAL.rotation[:, 0], *GOAL.rotation[:, 1]]),
        ("goal_offset", GOAL.position - KINEMATICS.tool_pose(PROFILE.home).position),
        ("goal_turn", [0.0, 0.0, 0.3]),
        ("last_action", np.zeros(N)),
    ],
)
def test_every_term_means_what_it_says(name: str, expected: FloatArray) -> None:
    terms = [ObservationTerm(name=name, size=len(expected), scale=1.0, clip=10.0)]
    built = ObservationBuilder(terms, N).build(inputs_at(PROFILE.home))
    np.testing.assert_allclose(built[0], expected, atol=1e-5)


def test_a_swap_takes_effect_between_steps_and_keeps_the_last_action() -> None:
    slot = PolicySlot(policy_of(linear_policy(contract(), bias=np.full(N, 0.4)), "first"), PROFILE)
    slot.policy.step(inputs_at(PROFILE.home))
    slot.swap(linear_policy(contract(), bias=np.full(N, -0.4)), "second")
    assert slot.policy.name == "second"
    np.testing.assert_allclose(slot.policy.last_action, 0.4, atol=1e-6)
    np.testing.assert_allclose(slot.policy.step(inputs_at(PROFILE.home)), -0.2, atol=1e-6)


@pytest.mark.parametrize("data", [GOOD[:-3], linear_policy(contract(skills=("home",)))])
def test_a_swap_that_is_refused_changes_nothing(data: bytes) -> None:
    slot = PolicySlot(policy_of(linear_policy(contract(), bias=np.full(N, 0.4)), "first"), PROFILE)
    with pytest.raises(ReinsError, match="policy 'second' is refused"):
        slot.swap(data, "second")
    assert slot.policy.name == "first"
    np.testing.assert_allclose(slot.policy.step(inputs_at(PROFILE.home)), 0.2, atol=1e-6)


def test_a_swap_while_moving_does_not_jump() -> None:
    slot = PolicySlot(policy_of(linear_policy(contract(), bias=np.full(N, 0.4))), PROFILE)
    arm = PolicyArm(PROFILE, slot)
    position, velocities = np.array(PROFILE.home), []
    arm.go_to(GOAL, state_at(position))
    for index in range(60):
        if index == 30:
            slot.swap(linear_policy(contract(), bias=np.full(N, -0.9)), "second")
        velocities.append(arm.step(state_at(position, index * 0.01)))
        position = position + 0.01 * velocities[-1]
    changes = np.abs(np.diff(np.array(velocities), axis=0))
    assert np.all(changes <= 0.7 * PROFILE.acceleration * 0.01 + 1e-9)
    assert velocities[29][0] > 0.1 > -0.1 > velocities[-1][0]


def test_a_skill_without_a_policy_is_refused_and_told_which_have_one() -> None:
    factory = OnnxFactory(PROFILE, [policy_of(GOOD)])
    with pytest.raises(ReinsError, match=r"no policy for skill 'pick' \(skills with a policy: move_to \(test\)\)"):
        factory("pick", {"object": "red_block"}, state_at(PROFILE.home), Scene(0.0, "test"), ())


def test_two_policies_for_one_skill_are_refused() -> None:
    with pytest.raises(ReinsError, match="'one' and 'two' both do move_to"):
        OnnxFactory(PROFILE, [policy_of(GOOD, "one"), policy_of(GOOD, "two")])


def test_a_policy_from_a_file_takes_the_place_of_the_one_for_its_skill(tmp_path: Path) -> None:
    factory, path = OnnxFactory(PROFILE, [policy_of(GOOD, "first")]), tmp_path / "second.onnx"
    path.write_bytes(GOOD)
    factory.use(factory.accept(path))
    assert factory.slot("move_to").policy.name == "second"


@pytest.mark.parametrize(
    "data, reason",
    [
        (linear_policy(contract(skills=("pick",))), r"no policy for skill 'pick' \(skills with a policy: move_to"),
        (GOOD[:-3], "policy 'second' is refused: .*truncated"),
        (linear_policy(contract(), bias=NAN), "policy 'second' is refused: .*not finite"),
        (
            linear_policy(twist_contract(skills=("move_to",)), outputs=5),
            "policy 'second' is refused: its actions are no joint_velocity of 7",
        ),
    ],
)
def test_a_policy_from_a_file_that_does_not_fit_changes_nothing(tmp_path: Path, data: bytes, reason: str) -> None:
    factory, path = OnnxFactory(PROFILE, [policy_of(GOOD, "first")]), tmp_path / "second.onnx"
    path.write_bytes(data)
    with pytest.raises(ReinsError, match=reason):
        factory.accept(path)
    assert factory.slot("move_to").policy.name == "first"


def test_a_policy_that_goes_nowhere_is_noticed() -> None:
    loop = Loop(seed=1)
    arm = PolicyArm(PROFILE, PolicySlot(policy_of(GOOD), PROFILE))
    state = loop.robot.read()
    arm.go_to(GOAL, state)
    for index in range(200):
        arm.step(state_at(state.position, index * 0.01))
    assert arm.stuck and not arm.arrived(state)


@pytest.mark.parametrize("seed", range(4))
def test_move_to_by_the_trained_policy(seed: int) -> None:
    loop = Loop(seed=seed, skills="onnx")
    output = loop.run("move_to", [Constraint(kind="avoid", object="yellow_block")], target="red_block", height=0.1)
    assert output.status is Status.SUCCEEDED, output.reason
    tool = loop.kinematics.tool_pose(loop.robot.read().position).position
    block = loop.scene.find("red_block")
    assert np.linalg.norm(tool - [*block.position[:2], block.top + 0.1]) < 0.012
    velocity = np.array([command.velocity for command in loop.commands])
    assert np.all(np.abs(np.diff(velocity, axis=0, prepend=0.0)) <= 0.8 * PROFILE.acceleration * 0.01)
    assert not any(item.touched for item in loop.robot.world_state().objects.values())
