"""Each kind of robot has its messages, and arming moves none."""

from dataclasses import replace

import numpy as np
import pytest

pytestmark = pytest.mark.ros
pytest.importorskip("reins_msgs", reason="needs the built interfaces")

from reins.hardware.legged import LeggedState, Odometry, Posture, SafeBodyCommand  # noqa: E402
from reins.hardware.profile import KINDS, known_profiles, load_profile  # noqa: E402
from reins.hardware.profile_base import Profile  # noqa: E402
from reins.hardware.robot import RobotState, SafeCommand  # noqa: E402
from reins.nodes.wires import BODY_MOVING, MOVING, NEAR, WIRES, wire_of, wire_of_state  # noqa: E402


def test_every_kind_has_its_own() -> None:
    assert WIRES.keys() == KINDS.keys()
    assert len({wire.state for wire in WIRES.values()}) == len(WIRES)


@pytest.mark.parametrize("name", known_profiles())
def test_every_profile_says_what_moves(name: str) -> None:
    profile = load_profile(name, Profile)
    axes = wire_of(profile).axes(profile)
    assert len(axes.names) == len(axes.limits) == len(axes.units)
    assert min(axes.limits) > 0.0


def test_it_is_found_by_the_type_of_its_states() -> None:
    assert wire_of_state(["std_msgs/msg/Bool", "reins_msgs/msg/LeggedState"]) is WIRES["quadruped"]
    assert wire_of_state(["reins_msgs/msg/RobotState"]) is WIRES["arm"]
    assert wire_of_state([]) is None and wire_of_state(["reins_msgs/msg/JointCommand"]) is None


@pytest.mark.parametrize(("offset", "stays"), [(-1e-6, True), (1e-6, False)])
def test_an_arm_stays_where_safetys_reference_is(offset: float, stays: bool) -> None:
    zeros = np.zeros(7)
    state = RobotState(0.0, zeros, zeros, zeros, zeros, 0.04, False, 0)
    reference = zeros.copy()
    reference[3] = NEAR + offset
    assert WIRES["arm"].leaves_in_place(SafeCommand(1, 0.0, 0.01, reference, zeros), state) is stays
    assert not WIRES["arm"].leaves_in_place(SafeCommand(1, 0.0, 0.01, np.zeros(6), zeros), state)


@pytest.mark.parametrize(("velocity", "stays"), [((0.0, 0.0, 0.0), True), ((0.0, 0.0, 0.01), False)])
def test_a_body_stays_while_it_is_told_to_stand_still(velocity: tuple[float, ...], stays: bool) -> None:
    command = SafeBodyCommand(1, 0.0, 0.02, np.array(velocity), Posture.STAND)
    assert WIRES["quadruped"].leaves_in_place(command, None) is stays


@pytest.mark.parametrize(("speed", "stands"), [(MOVING, True), (-MOVING, True), (1.001 * MOVING, False), (-1.0, False)])
def test_an_arm_stands_while_no_joint_is_faster_than_that(speed: float, stands: bool) -> None:
    zeros, velocity = np.zeros(7), np.zeros(7)
    velocity[5] = speed
    assert WIRES["arm"].stands(RobotState(0.0, zeros, velocity, zeros, zeros, 0.04, False, 0)) is stands


def test_an_arm_that_says_nothing_of_its_joints_is_not_known_to_stand() -> None:
    none = np.zeros(0)
    assert not WIRES["arm"].stands(RobotState(0.0, none, none, none, none, 0.04, False, 0))


@pytest.mark.parametrize("part", ["linear", "angular"])
@pytest.mark.parametrize(("speed", "stands"), [(BODY_MOVING, True), (1.001 * BODY_MOVING, False), (-1.0, False)])
def test_a_legged_robot_stands_while_its_body_does_whatever_its_legs_do(part: str, speed: float, stands: bool) -> None:
    zeros, upright = np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])
    odometry = replace(Odometry(zeros, upright, zeros, zeros), **{part: np.array([0.0, speed, 0.0])})
    legs = np.full(12, 0.5)
    state = LeggedState(0.0, upright, legs, legs, legs, np.ones(4, dtype=bool), 0.9, odometry)
    assert WIRES["quadruped"].stands(state) is stands
