"""A command that is not well-formed or not timely is refused with the figures, on both sides of every edge."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import GripperCommand, JointCommand, RobotState
from reins.safety.gate import Gate
from reins.safety.settings import SafetySettings
from reins.safety.validate import Rejection, check_shape, check_state, check_timing

SETTINGS = SafetySettings()
NOW = 10.0


def good(profile: RobotProfile, **changes: Any) -> JointCommand:
    command = JointCommand("skill", 1, NOW, 0.01, profile.joint_names, np.zeros(len(profile.joints)), NOW - 1.0)
    return replace(command, **changes)


def state(profile: RobotProfile, **changes: Any) -> RobotState:
    n = len(profile.joints)
    made = RobotState(NOW, profile.home.copy(), np.zeros(n), np.zeros(n), profile.home.copy(), 0.04, False, 0)
    return replace(made, **changes)


def verdict(profile: RobotProfile, **changes: Any) -> Rejection | None:
    command = good(profile, **changes)
    return check_shape(command, profile) or check_timing(command, state(profile), SETTINGS)


def test_a_good_command_passes(profile: RobotProfile) -> None:
    assert verdict(profile) is None
    assert verdict(profile, gripper=GripperCommand(0.0, 0.0)) is None


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_one_bad_number_anywhere_in_the_velocity_is_refused_and_named(profile: RobotProfile, value: float) -> None:
    for joint in range(len(profile.joints)):
        velocity = np.zeros(len(profile.joints))
        velocity[joint] = value
        refused = verdict(profile, velocity=velocity)
        assert refused is not None and refused.code == "not_finite"
        assert profile.joint_names[joint] in refused.reason


@pytest.mark.parametrize("field", ["stamp", "activation"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_times_that_are_no_numbers(profile: RobotProfile, field: str, value: float) -> None:
    refused = verdict(profile, **{field: value})
    assert refused is not None and refused.code == "not_finite"


@pytest.mark.parametrize("length", [0, -1, +1])
def test_wrong_length(profile: RobotProfile, length: int) -> None:
    wrong = np.zeros(len(profile.joints) + length if length else 0)
    refused = verdict(profile, velocity=wrong)
    assert refused is not None and refused.code == "wrong_length"
    assert verdict(profile, velocity=np.zeros((len(profile.joints), 1))) is not None


def test_another_joint_order_is_refused_and_called_so(profile: RobotProfile) -> None:
    refused = verdict(profile, joint_names=profile.joint_names[::-1])
    assert refused is not None and refused.code == "wrong_joints"
    assert "order" in refused.reason


def test_unknown_joints_are_named(profile: RobotProfile) -> None:
    refused = verdict(profile, joint_names=("elbow", *profile.joint_names[1:]))
    assert refused is not None and "elbow" in refused.reason


def test_a_joint_named_twice(profile: RobotProfile) -> None:
    doubled = (profile.joint_names[1], *profile.joint_names[1:])
    refused = verdict(profile, joint_names=doubled)
    assert refused is not None and refused.code == "wrong_joints"


def test_too_few_joint_names(profile: RobotProfile) -> None:
    refused = verdict(profile, joint_names=profile.joint_names[:-1])
    assert refused is not None and str(len(profile.joints)) in refused.reason


@pytest.mark.parametrize("source", ["", "planner", "Skill", "operator"])
def test_a_source_that_may_not_command(profile: RobotProfile, source: str) -> None:
    refused = verdict(profile, source=source)
    assert refused is not None and refused.code == "wrong_source"
    assert "skill" in refused.reason and "teleop" in refused.reason


@pytest.mark.parametrize("period", [0.0, -0.01, np.nan, np.inf, SETTINGS.max_period + 1e-9])
def test_period_out_of_range(profile: RobotProfile, period: float) -> None:
    refused = verdict(profile, period=period)
    assert refused is not None and refused.code == "period_range"


def test_the_longest_period_is_allowed(profile: RobotProfile) -> None:
    assert verdict(profile, period=SETTINGS.max_period) is None


def edges(profile: RobotProfile) -> list[tuple[GripperCommand, bool]]:
    grip = profile.gripper
    return [
        (GripperCommand(0.0, grip.max_force), True),
        (GripperCommand(grip.max_width, 0.0), True),
        (GripperCommand(-1e-9, 1.0), False),
        (GripperCommand(grip.max_width + 1e-9, 1.0), False),
        (GripperCommand(0.01, grip.max_force + 1e-6), False),
        (GripperCommand(0.01, -1e-6), False),
        (GripperCommand(np.nan, 1.0), False),
        (GripperCommand(0.01, np.nan), False),
        (GripperCommand(np.inf, 1.0), False),
    ]


def test_gripper_out_of_range(profile: RobotProfile) -> None:
    for gripper, passes in edges(profile):
        refused = verdict(profile, gripper=gripper)
        assert (refused is None) is passes, gripper
        assert refused is None or refused.code == "gripper_range"


@pytest.mark.parametrize("offset, passes", [(-1e-6, True), (1e-6, False)])
def test_stale(profile: RobotProfile, offset: float, passes: bool) -> None:
    refused = verdict(profile, stamp=NOW - SETTINGS.command_max_age - offset, activation=0.0)
    assert (refused is None) is passes
    assert refused is None or refused.code == "stale"


@pytest.mark.parametrize("offset, passes", [(-1e-6, True), (1e-6, False)])
def test_from_the_future(profile: RobotProfile, offset: float, passes: bool) -> None:
    refused = verdict(profile, stamp=NOW + SETTINGS.command_max_lead + offset)
    assert (refused is None) is passes
    assert refused is None or refused.code == "from_the_future"


def test_a_goal_cannot_begin_after_the_state_it_was_computed_from(profile: RobotProfile) -> None:
    assert verdict(profile, activation=NOW) is None
    refused = verdict(profile, activation=NOW + 1e-6)
    assert refused is not None and refused.code == "from_the_future"


class TestOrder:
    @pytest.fixture
    def gate(self, profile: RobotProfile) -> Gate:
        return Gate(profile, SETTINGS)

    def code(self, gate: Gate, profile: RobotProfile, **changes: Any) -> str:
        refused = gate.check(good(profile, **changes), state(profile))
        return refused.code if refused else ""

    def test_growing_sequences_pass_gaps_too(self, gate: Gate, profile: RobotProfile) -> None:
        assert [self.code(gate, profile, sequence=number) for number in (1, 2, 5, 6)] == ["", "", "", ""]

    def test_a_repeat_and_a_step_back_are_refused(self, gate: Gate, profile: RobotProfile) -> None:
        assert self.code(gate, profile, sequence=5) == ""
        assert self.code(gate, profile, sequence=5) == "out_of_sequence"
        assert self.code(gate, profile, sequence=4) == "out_of_sequence"
        assert self.code(gate, profile, sequence=6) == ""

    def test_a_new_goal_may_count_from_the_start(self, gate: Gate, profile: RobotProfile) -> None:
        assert self.code(gate, profile, sequence=500, activation=1.0) == ""
        assert self.code(gate, profile, sequence=1, activation=2.0) == ""

    def test_an_older_goal_never_comes_back(self, gate: Gate, profile: RobotProfile) -> None:
        assert self.code(gate, profile, sequence=1, activation=2.0) == ""
        assert self.code(gate, profile, sequence=501, activation=1.0) == "superseded"

    def test_sources_are_counted_apart(self, gate: Gate, profile: RobotProfile) -> None:
        assert self.code(gate, profile, sequence=5) == ""
        assert self.code(gate, profile, source="teleop", sequence=1) == ""

    def test_a_refused_command_is_not_counted(self, gate: Gate, profile: RobotProfile) -> None:
        assert self.code(gate, profile, sequence=100, period=-1.0) == "period_range"
        assert self.code(gate, profile, sequence=1) == ""

    def test_nothing_is_fresh_before_the_gate_opens(self, gate: Gate, profile: RobotProfile) -> None:
        assert not gate.is_fresh(good(profile))
        gate.open_from("skill", NOW - 1.0)
        assert gate.is_fresh(good(profile))
        assert not gate.is_fresh(good(profile, source="teleop"))

    @pytest.mark.parametrize("offset, fresh", [(0.0, True), (-1e-9, False)])
    def test_only_goals_that_begin_after_the_opening_are_fresh(
        self, gate: Gate, profile: RobotProfile, offset: float, fresh: bool
    ) -> None:
        gate.open_from("skill", 5.0)
        assert gate.is_fresh(good(profile, activation=5.0 + offset)) is fresh

    def test_a_goal_heard_of_before_the_opening_is_never_fresh(self, gate: Gate, profile: RobotProfile) -> None:
        """It began in the very same control period as the reset."""
        assert self.code(gate, profile, activation=5.0) == ""
        gate.open_from("skill", 5.0)
        assert not gate.is_fresh(good(profile, sequence=2, activation=5.0))
        assert gate.is_fresh(good(profile, sequence=2, activation=5.0 + 1e-6))

    def test_after_a_restart_nothing_is_known_and_nothing_is_fresh(self, gate: Gate, profile: RobotProfile) -> None:
        gate.open_from("skill", 1.0)
        assert self.code(gate, profile, sequence=9, activation=5.0) == ""
        gate.restart()
        assert self.code(gate, profile, sequence=1, activation=3.0) == ""
        assert not gate.is_fresh(good(profile, activation=3.0))
        gate.open_from("skill", 4.0)
        assert gate.is_fresh(good(profile, activation=4.0))

    @pytest.mark.parametrize("sequence, code", [(0, ""), (-1, "")])
    def test_a_goal_may_begin_to_count_anywhere(
        self, gate: Gate, profile: RobotProfile, sequence: int, code: str
    ) -> None:
        assert self.code(gate, profile, sequence=sequence) == code


class TestState:
    def test_a_good_state_passes(self, profile: RobotProfile) -> None:
        assert check_state(state(profile), profile) is None

    @given(index=st.integers(0, 6), value=st.sampled_from([np.nan, np.inf, -np.inf]))
    @pytest.mark.parametrize("field", ["position", "velocity", "effort", "reference"])
    def test_a_bad_number_anywhere(self, profile: RobotProfile, field: str, index: int, value: float) -> None:
        values = np.zeros(len(profile.joints))
        values[index % len(profile.joints)] = value
        refused = check_state(state(profile, **{field: values}), profile)
        assert refused is not None and refused.code == "not_finite"
        assert field in refused.reason

    @pytest.mark.parametrize("field", ["position", "velocity", "effort", "reference"])
    def test_wrong_length(self, profile: RobotProfile, field: str) -> None:
        refused = check_state(state(profile, **{field: np.zeros(len(profile.joints) + 1)}), profile)
        assert refused is not None and refused.code == "wrong_length"

    def test_a_stamp_that_is_no_number(self, profile: RobotProfile) -> None:
        refused = check_state(state(profile, stamp=np.nan), profile)
        assert refused is not None and refused.code == "not_finite"
