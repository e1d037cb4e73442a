"""A body command or a legged state that is not well-formed is refused with the figures, on both sides of every edge."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from legged_walker import standing, wish

from reins.hardware.legged import Gait, Posture
from reins.hardware.quadruped import QuadrupedProfile
from reins.safety.legged.gate import BodyGate
from reins.safety.legged.validate import check_body_shape, check_legged_state
from reins.safety.settings import SafetySettings

SETTINGS = SafetySettings()
NOW = 100.0
NO_NUMBERS = [np.nan, np.inf, -np.inf]


@pytest.fixture
def gate() -> BodyGate:
    return BodyGate(SETTINGS)


def code(gate: BodyGate, profile: QuadrupedProfile, **changes: Any) -> str:
    """What the gate says to a good command with these changes; empty if it takes it."""
    refused = gate.check(replace(wish((0.1, 0.0, 0.0), NOW), **changes), standing(profile, NOW))
    return refused.code if refused else ""


class TestShape:
    def test_a_good_command_passes(self) -> None:
        for posture in Posture:
            assert check_body_shape(wish((0.1, -0.2, 0.3), posture=posture)) is None

    @pytest.mark.parametrize("value", NO_NUMBERS)
    @pytest.mark.parametrize(("axis", "name"), [(0, "vx"), (1, "vy"), (2, "yaw rate")])
    def test_one_bad_number_is_refused_and_named(self, axis: int, name: str, value: float) -> None:
        velocity = np.zeros(3)
        velocity[axis] = value
        refused = check_body_shape(wish(velocity))
        assert refused is not None
        assert (refused.code, refused.reason) == ("not_finite", f"{name} is {value}")

    @pytest.mark.parametrize("shape", [(), (2,), (4,), (3, 1), (0,)])
    def test_wrong_length(self, shape: tuple[int, ...]) -> None:
        refused = check_body_shape(wish(np.zeros(shape)))
        assert refused is not None and refused.code == "wrong_length"
        assert f"{shape} instead of (3,)" in refused.reason

    @pytest.mark.parametrize("value", NO_NUMBERS)
    @pytest.mark.parametrize("field", ["stamp", "activation"])
    def test_times_that_are_no_numbers(self, field: str, value: float) -> None:
        times = {"stamp": 100.0, "activation": 99.0, field: value}
        refused = check_body_shape(replace(wish((0.0, 0.0, 0.0)), **times))
        assert refused is not None and refused.code == "not_finite"
        assert refused.reason == f"stamp is {times['stamp']} and activation {times['activation']}"

    def test_an_unknown_source_and_an_unknown_posture(self) -> None:
        source = check_body_shape(wish((0, 0, 0), source="planner"))
        assert source is not None and source.code == "wrong_source"
        assert source.reason == "source 'planner' is not one of skill, teleop"
        posture = check_body_shape(wish((0, 0, 0), posture=7))
        assert posture is not None and posture.code == "wrong_posture"
        assert posture.reason == "posture 7 is not one of SIT, STAND, RECOVER"

    @pytest.mark.parametrize(("height", "style"), [(1.0, -1.0), (0.0, 0.0)])
    def test_a_gait_within_its_bounds_passes(self, height: float, style: float) -> None:
        assert check_body_shape(wish((0, 0, 0), gait=Gait(height, style))) is None

    @pytest.mark.parametrize("value", [1.0 + 1e-6, -1.1, *NO_NUMBERS])
    @pytest.mark.parametrize("field", ["height", "style"])
    def test_a_gait_that_there_is_not(self, field: str, value: float) -> None:
        refused = check_body_shape(wish((0, 0, 0), gait=Gait(**{field: value})))
        assert refused is not None and refused.code == "wrong_gait"
        assert refused.reason == f"{field} of the gait is {value}, which is not in -1 … 1"

    @given(velocity=st.tuples(*[st.floats(width=64)] * 3).map(np.array))
    def test_nothing_but_finite_numbers_ever_passes(self, velocity: np.ndarray) -> None:
        assert (check_body_shape(wish(velocity)) is None) is bool(np.isfinite(velocity).all())


class TestTiming:
    @pytest.mark.parametrize(("offset", "expected"), [(1e-6, ""), (-1e-6, "stale")])
    def test_the_oldest(self, gate: BodyGate, quadruped: QuadrupedProfile, offset: float, expected: str) -> None:
        stamp = NOW - SETTINGS.command_max_age + offset
        assert code(gate, quadruped, stamp=stamp, activation=stamp) == expected

    @pytest.mark.parametrize(("offset", "expected"), [(-1e-6, ""), (1e-6, "from_the_future")])
    def test_the_newest(self, gate: BodyGate, quadruped: QuadrupedProfile, offset: float, expected: str) -> None:
        assert code(gate, quadruped, stamp=NOW + SETTINGS.command_max_lead + offset) == expected

    @pytest.mark.parametrize("period", [0.0, -0.01, np.nan, 1.0])
    def test_the_period(self, gate: BodyGate, quadruped: QuadrupedProfile, period: float) -> None:
        assert code(gate, quadruped, period=period) == "period_range"


class TestOrder:
    def test_growing_sequences_pass_and_repeats_do_not(self, gate: BodyGate, quadruped: QuadrupedProfile) -> None:
        said = [code(gate, quadruped, sequence=number) for number in (1, 2, 5, 5, 4, 6)]
        assert said == ["", "", "", "out_of_sequence", "out_of_sequence", ""]

    def test_an_older_goal_never_comes_back(self, gate: BodyGate, quadruped: QuadrupedProfile) -> None:
        assert code(gate, quadruped, activation=2.0) == ""
        assert code(gate, quadruped, sequence=9, activation=1.0) == "superseded"

    def test_only_goals_after_the_opening_are_fresh(self, gate: BodyGate) -> None:
        def fresh(activation: float) -> bool:
            return gate.is_fresh(wish((0, 0, 0), activation=activation))

        assert not fresh(50.0)
        gate.open_from("skill", 50.0)
        assert [fresh(at) for at in (50.0, 50.0 - 1e-9)] == [True, False]
        gate.restart()
        assert not fresh(60.0)

    def test_a_refused_command_is_not_counted(self, gate: BodyGate, quadruped: QuadrupedProfile) -> None:
        assert code(gate, quadruped, sequence=100, velocity=np.full(3, np.nan)) == "not_finite"
        assert code(gate, quadruped, sequence=1) == ""


class TestState:
    def check(self, profile: QuadrupedProfile, **changes: Any) -> str:
        refused = check_legged_state(standing(profile, **changes), profile)
        return refused.code if refused else ""

    def test_a_good_state_passes(self, quadruped: QuadrupedProfile) -> None:
        assert self.check(quadruped) == ""
        assert self.check(quadruped, height=None, temperature=None) == ""

    @pytest.mark.parametrize("field", ["orientation", "position", "velocity", "effort", "contact", "temperature"])
    def test_lengths(self, quadruped: QuadrupedProfile, field: str) -> None:
        values = getattr(standing(quadruped), field)
        assert self.check(quadruped, **{field: values[:-1]}) == "wrong_length"
        assert self.check(quadruped, **{field: np.append(values, values[-1])}) == "wrong_length"

    @pytest.mark.parametrize("value", NO_NUMBERS)
    @pytest.mark.parametrize("field", ["orientation", "position", "velocity", "effort", "temperature"])
    def test_numbers(self, quadruped: QuadrupedProfile, field: str, value: float) -> None:
        values = getattr(standing(quadruped), field).copy()
        values[-1] = value
        assert self.check(quadruped, **{field: values}) == "not_finite"

    @pytest.mark.parametrize("value", NO_NUMBERS)
    @pytest.mark.parametrize("field", ["position", "orientation", "linear", "angular"])
    def test_odometry(self, quadruped: QuadrupedProfile, field: str, value: float) -> None:
        good = standing(quadruped).odometry
        values = getattr(good, field).copy()
        assert self.check(quadruped, odometry=replace(good, **{field: values[:-1]})) == "wrong_length"
        values[0] = value
        assert self.check(quadruped, odometry=replace(good, **{field: values})) == "not_finite"

    @pytest.mark.parametrize(
        ("length", "expected"), [(1.0009, ""), (1.0011, "not_a_rotation"), (0.0, "not_a_rotation")]
    )
    def test_orientations_are_rotations(self, quadruped: QuadrupedProfile, length: float, expected: str) -> None:
        quaternion = np.array([0.0, 0.0, 0.0, length])
        assert self.check(quadruped, orientation=quaternion) == expected
        odometry = replace(standing(quadruped).odometry, orientation=quaternion)
        assert self.check(quadruped, odometry=odometry) == expected

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"orientation": np.zeros(3)}, "orientation has shape (3,) instead of (4,)"),
            ({"position": np.zeros(3)}, "position has shape (3,) instead of ({n},)"),
            ({"velocity": np.zeros(3)}, "velocity has shape (3,) instead of ({n},)"),
            ({"effort": np.zeros(3)}, "effort has shape (3,) instead of ({n},)"),
            ({"contact": np.zeros(3, dtype=bool)}, "contact has shape (3,) instead of (4,)"),
            ({"temperature": np.zeros(3)}, "temperature has shape (3,) instead of ({n},)"),
            ({"orientation": np.full(4, 0.75)}, "orientation has a quaternion of length 1.500 instead of 1"),
            ({"orientation": np.array([0.0, np.nan, 0.0, 1.0])}, "orientation is not finite: [ 0. nan  0.  1.]"),
            ({"battery": 1.5}, "battery is 1.5, which is not in 0 … 1"),
            ({"stamp": np.inf}, "stamp is inf and height 0.3"),
            ({"height": np.nan}, "stamp is 100.0 and height nan"),
        ],
    )
    def test_it_is_said_what_is_wrong(self, quadruped: QuadrupedProfile, changes: Any, reason: str) -> None:
        refused = check_legged_state(replace(standing(quadruped, height=0.3), **changes), quadruped)
        assert refused is not None and refused.reason == reason.format(n=len(quadruped.joints))

    @pytest.mark.parametrize(
        ("field", "reason"),
        [
            ("position", "odometry position has shape (2,) instead of (3,)"),
            ("linear", "odometry linear has shape (2,) instead of (3,)"),
            ("angular", "odometry angular has shape (2,) instead of (3,)"),
            ("orientation", "odometry orientation has shape (2,) instead of (4,)"),
        ],
    )
    def test_it_is_said_what_of_the_odometry(self, quadruped: QuadrupedProfile, field: str, reason: str) -> None:
        good = standing(quadruped)
        odometry = replace(good.odometry, **{field: np.ones(2)})
        refused = check_legged_state(replace(good, odometry=odometry), quadruped)
        assert refused is not None and refused.reason == reason
        turned = replace(good.odometry, orientation=np.full(4, 0.75))
        refused = check_legged_state(replace(good, odometry=turned), quadruped)
        assert refused is not None and refused.reason == "odometry has a quaternion of length 1.500 instead of 1"

    @pytest.mark.parametrize(
        ("battery", "expected"),
        [(0.0, ""), (1.0, ""), (-1e-9, "battery_range"), (1.0 + 1e-9, "battery_range"), (np.nan, "battery_range")],
    )
    def test_battery(self, quadruped: QuadrupedProfile, battery: float, expected: str) -> None:
        assert self.check(quadruped, battery=battery) == expected

    @pytest.mark.parametrize("value", NO_NUMBERS)
    @pytest.mark.parametrize("field", ["stamp", "height"])
    def test_single_numbers(self, quadruped: QuadrupedProfile, field: str, value: float) -> None:
        assert self.check(quadruped, **{field: value}) == "not_finite"


def test_commands_and_states_cannot_be_changed(quadruped: QuadrupedProfile) -> None:
    for item, field in ((wish((0, 0, 0)), "sequence"), (standing(quadruped), "battery")):
        with pytest.raises(AttributeError):
            setattr(item, field, 3)
