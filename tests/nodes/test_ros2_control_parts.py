"""The parts of the ros2_control driver that need no graph: joint states in, setpoints out, parts of a profile."""

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from sensor_msgs.msg import JointState

from reins.hardware.profile import load_profile
from reins.hardware.ros2_control import Controls, Ros2ControlDrive
from reins.nodes.ros2_control.controller import topic_of
from reins.nodes.ros2_control.joint_states import JointReader, Misread
from reins.nodes.ros2_control.setpoints import ArraySetpoints, Pace, run_out

NAMES = ("a", "b", "c")
PROFILE = load_profile("franka")


def state(values: dict[str, float], at: float = 1.0, **more: Any) -> JointState:
    message = JointState(name=list(values), position=list(values.values()), **more)
    message.header.stamp.sec, message.header.stamp.nanosec = int(at), round(at % 1.0 * 1e9)
    return message


@given(order=st.permutations([*NAMES, "finger", "wheel"]))
def test_joints_are_found_in_whatever_order(order: list[str]) -> None:
    values = {name: float(ord(name[0])) for name in order}
    velocity = [2.0 * value for value in values.values()]
    effort = [3.0 * value for value in values.values()]
    sample = JointReader(NAMES, "/joint_states").read(state(values, velocity=velocity, effort=effort))
    assert sample is not None
    wanted = np.array([97.0, 98.0, 99.0])
    np.testing.assert_array_equal(
        [sample.position, sample.velocity, sample.effort], [wanted, 2.0 * wanted, 3.0 * wanted]
    )


def test_the_order_may_change_from_message_to_message() -> None:
    reader = JointReader(NAMES, "/joint_states")
    for order in ("abc", "cab", "bca"):
        sample = reader.read(state({name: float(ord(name)) for name in order}))
        assert sample is not None and sample.position.tolist() == [97.0, 98.0, 99.0]


def test_messages_about_other_joints_are_passed_over() -> None:
    assert JointReader(NAMES, "/joint_states").read(state({"finger": 0.0})) is None


@pytest.mark.parametrize(
    "message, says",
    [
        (state({"a": 0.0, "c": 0.0}), r"/joint_states lacks b \(it has a, c\)"),
        (state({"a": 0.0, "b": np.nan, "c": 0.0}), "position of b on /joint_states is not finite"),
        (state({"a": 0.0, "b": 0.0, "c": 0.0}, at=0.0), "carry no time"),
        (JointState(name=["a", "b", "c"], position=[0.0]), "names 3 joints and has 1 positions"),
    ],
)
def test_a_message_of_no_use_is_one_sentence(message: JointState, says: str) -> None:
    with pytest.raises(Misread, match=says):
        JointReader(NAMES, "/joint_states").read(message)


@pytest.mark.parametrize("told", [[], [np.nan] * 3])
def test_a_speed_that_is_not_told_is_found_from_positions(told: list[float]) -> None:
    reader = JointReader(NAMES, "/joint_states")
    for number in range(200):
        at = 1.0 + 0.004 * number
        sample = reader.read(state({"a": 0.3 * at, "b": -0.2 * at, "c": 0.0}, at, velocity=told, effort=told))
    assert sample is not None
    np.testing.assert_allclose(sample.velocity, [0.3, -0.2, 0.0], atol=1e-3)
    assert sample.effort.tolist() == [0.0, 0.0, 0.0]


SPEEDS = st.lists(st.floats(-2.0, 2.0), min_size=7, max_size=7).map(np.array)


@given(velocity=SPEEDS, horizon=st.floats(0.005, 0.2))
def test_a_trajectory_goes_on_and_then_comes_to_rest_within_the_limits(velocity: np.ndarray, horizon: float) -> None:
    points = run_out(PROFILE.home, velocity, horizon, PROFILE.acceleration)
    first_time, first, speed = points[0]
    assert first_time == horizon
    np.testing.assert_allclose(first, PROFILE.home + velocity * horizon)
    last_time, last, rest = points[-1]
    assert not rest.any(), "joint_trajectory_controller rejects a trajectory whose last point moves"
    if len(points) == 2:
        braking = last_time - first_time
        np.testing.assert_allclose(last - first, 0.5 * speed * braking, atol=1e-12)
        assert np.all(np.abs(speed) <= PROFILE.acceleration * braking * (1.0 + 1e-9))
    else:
        assert not velocity.any()


class Wire:
    """Stands where a node stands; keeps what is published."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def create_publisher(self, *_: object) -> "Wire":
        return self

    def publish(self, message: Any) -> None:
        self.sent.append(message)


@pytest.mark.parametrize("controls", [Controls.POSITION, Controls.VELOCITY])
def test_an_arm_that_holds_is_told_to_stay_and_not_to_move(controls: Controls) -> None:
    """Velocities that made up for two milliradians would go on for ever."""
    wire = Wire()
    order = list(range(7))[::-1]
    setpoints = ArraySetpoints(cast(Any, wire), "/commands", order, Ros2ControlDrive(controls=controls), PROFILE)
    setpoints.send(PROFILE.home, np.zeros(7), PROFILE.home + 0.002)
    setpoints.hold(PROFILE.home)
    closing, held = (list(message.data) for message in wire.sent)
    if controls is Controls.POSITION:
        assert held == closing == PROFILE.home[::-1].tolist()
    else:
        np.testing.assert_allclose(closing, -0.016)
        assert held == [0.0] * 7


def test_setpoints_keep_to_the_rate_but_for_the_one_that_comes_to_rest() -> None:
    pace = Pace(100.0)
    moving, resting = np.full(7, 0.1), np.zeros(7)
    at = [0.000, 0.002, 0.010, 0.012, 0.014, 0.016, 0.023]
    velocities = [moving, moving, moving, resting, resting, moving, resting]
    sent = [t for t, velocity in zip(at, velocities, strict=True) if pace.due(velocity, t)]
    assert sent == [0.000, 0.010, 0.012, 0.023]


@pytest.mark.parametrize(
    "controls, topic",
    [
        (Controls.TRAJECTORY, "/arm/controller/joint_trajectory"),
        (Controls.POSITION, "/arm/controller/commands"),
        (Controls.VELOCITY, "/arm/controller/commands"),
    ],
)
def test_topics_are_those_of_the_controllers(controls: Controls, topic: str) -> None:
    assert topic_of(Ros2ControlDrive(controller="arm/controller", controls=controls)) == topic


@pytest.mark.parametrize(
    "fields",
    [{"controller": ""}, {"controller": "my controller"}, {"controls": "effort"}, {"rate": 0.0}, {"horizon": -0.1}],
)
def test_a_part_that_makes_no_sense_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Ros2ControlDrive(**fields)
