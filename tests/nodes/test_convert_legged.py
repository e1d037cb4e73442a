"""What legged robots say and are told comes back as it was, over the wire format too."""

import math
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from reins.hardware.legged import BodyCommand, Gait, LeggedState, Odometry, Posture, SafeBodyCommand
from reins.hardware.robot import FloatArray

pytestmark = pytest.mark.ros
pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("reins_msgs", reason="needs the built interfaces")

from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from reins_msgs import msg as ros  # noqa: E402

from reins.nodes import convert_legged as convert  # noqa: E402
from reins.safety.legged.validate import check_body_shape  # noqa: E402

STAMPS = st.floats(0.0, 1e6)
NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
SEQUENCES = st.integers(0, 2**63)
POSTURES = st.sampled_from(Posture)
GAITS = st.builds(Gait, NUMBERS, NUMBERS)
NAN = math.nan


def arrays(length: int | st.SearchStrategy[int]) -> st.SearchStrategy[FloatArray]:
    return hnp.arrays(np.float64, length, elements=NUMBERS)


JOINTS = arrays(st.integers(1, 13))
ODOMETRIES = st.builds(Odometry, arrays(3), arrays(4), arrays(3), arrays(3))
STATES = st.builds(
    LeggedState,
    stamp=STAMPS,
    orientation=arrays(4),
    position=JOINTS,
    velocity=JOINTS,
    effort=JOINTS,
    contact=hnp.arrays(np.bool_, st.integers(0, 5)),
    battery=NUMBERS,
    odometry=ODOMETRIES,
    height=st.none() | NUMBERS,
    temperature=st.none() | JOINTS,
    sequence=SEQUENCES,
    fault=TEXT,
)


def over_the_wire(message: Any) -> Any:
    return deserialize_message(serialize_message(message), type(message))


def same(a: Any, b: Any) -> bool:
    """Equal field by field; NaN equals NaN, times to a nanosecond."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype != np.bool_)
    if isinstance(a, float):
        return (math.isnan(a) and math.isnan(b)) or a == b or abs(a - b) <= 1e-9
    if hasattr(a, "__dataclass_fields__"):
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    return bool(a == b)


@given(STATES, st.booleans())
def test_legged_state(state: LeggedState, armed: bool) -> None:
    message = over_the_wire(convert.legged_state_to_msg(state, armed))
    assert message.armed is armed
    assert message.header.frame_id == "odom"
    assert same(state, convert.legged_state_from_msg(message))


@given(
    st.builds(
        BodyCommand,
        source=st.sampled_from(["skill", "teleop"]),
        sequence=SEQUENCES,
        stamp=STAMPS,
        period=NUMBERS,
        velocity=arrays(3),
        activation=STAMPS,
        posture=POSTURES,
        gait=GAITS,
        trace_ns=SEQUENCES,
    )
)
def test_body_command(command: BodyCommand) -> None:
    message = over_the_wire(convert.body_command_to_msg(command))
    assert message.header.frame_id == "base_link"
    assert same(command, convert.body_command_from_msg(message))


@given(st.builds(SafeBodyCommand, SEQUENCES, STAMPS, NUMBERS, arrays(3), POSTURES, GAITS, SEQUENCES))
def test_safe_body_command(command: SafeBodyCommand) -> None:
    message = over_the_wire(convert.safe_body_command_to_msg(command))
    assert same(command, convert.safe_body_command_from_msg(message))


def test_axes_of_a_body_velocity() -> None:
    twist = convert.body_velocity_to_msg(np.array([0.1, 0.2, 0.3]))
    assert (twist.linear.x, twist.linear.y, twist.angular.z) == (0.1, 0.2, 0.3)
    assert (twist.linear.z, twist.angular.x, twist.angular.y) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("value", [0.1, NAN, math.inf])
@pytest.mark.parametrize("part, axis", [("linear", "z"), ("angular", "x"), ("angular", "y")])
def test_a_twist_that_leaves_the_ground_is_refused_and_not_flattened(part: str, axis: str, value: float) -> None:
    message = ros.BodyCommand(source="skill", period=0.02)
    setattr(getattr(message.velocity, part), axis, value)
    rejection = check_body_shape(convert.body_command_from_msg(over_the_wire(message)))
    assert rejection is not None and rejection.code == "wrong_length"


def test_a_posture_that_there_is_none_is_refused() -> None:
    rejection = check_body_shape(convert.body_command_from_msg(ros.BodyCommand(source="skill", posture=7)))
    assert rejection is not None and rejection.code == "wrong_posture" and "7" in rejection.reason


def test_a_gait_that_there_is_none_is_refused() -> None:
    message = ros.BodyCommand(source="skill", gait=ros.Gait(height=1.5))
    rejection = check_body_shape(convert.body_command_from_msg(over_the_wire(message)))
    assert rejection is not None and rejection.code == "wrong_gait" and "height" in rejection.reason


def test_message_numbers_of_postures() -> None:
    for message in (ros.BodyCommand, ros.SafeBodyCommand):
        numbers = {"SIT": message.SIT, "STAND": message.STAND, "RECOVER": message.RECOVER}
        assert {posture.name: int(posture) for posture in Posture} == numbers
