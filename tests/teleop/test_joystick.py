"""A joystick drives the arm while its dead-man is held, and only then."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from teleop_pad import PERIOD, ArmCore, Pad

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, RobotState
from reins.teleop.arm import damped_inverse
from reins.teleop.core import COMPLAINT_PAUSE, JOYSTICK, TeleopCore
from reins.teleop.intent import Action, Direction
from reins.teleop.joystick import HELD_BEFORE
from reins.teleop.mapping import known_mappings, load_joy_mapping
from reins.teleop.settings import TeleopSettings

SETTINGS = TeleopSettings()


def twist_of(pad: Pad, profile: RobotProfile) -> FloatArray:
    """(6,) what the tool would do [m/s, rad/s]."""
    _, jacobian = Kinematics(profile).tool_jacobian(pad.state.position)
    twist: FloatArray = jacobian @ pad.velocity()
    return twist


class TestDeadMan:
    def test_without_it_nothing_is_sent(self, pad: Pad) -> None:
        pad.push(Direction.X, 1.0)
        assert pad.steps(10) == []

    def test_held_a_command_comes_with_every_step(self, pad: Pad) -> None:
        pad.hold()
        commands = pad.steps(10)
        assert len(commands) == 10
        assert [command.sequence for command in commands] == list(range(1, 11))
        assert {command.source for command in commands} == {"teleop"}
        assert {command.activation for command in commands} == {commands[0].stamp}

    def test_let_go_one_last_command_stands_still(self, pad: Pad) -> None:
        pad.hold()
        pad.push(Direction.X, 1.0)
        pad.steps(10)
        pad.let_go()
        commands = pad.steps(10)
        assert len(commands) == 1
        assert not commands[0].velocity.any()

    def test_pressed_again_it_is_a_new_activation(self, pad: Pad) -> None:
        pad.hold()
        first = pad.steps(3)
        pad.let_go()
        pad.steps(5)
        pad.hold()
        second = pad.steps(3)
        assert second[0].activation == second[0].stamp > first[-1].activation
        assert second[0].sequence > first[-1].sequence

    def test_it_starts_gently(self, pad: Pad) -> None:
        pad.push(Direction.X, 1.0)
        pad.hold()
        speeds = [float(np.abs(command.velocity).max()) for command in pad.steps(20)]
        assert speeds[0] == 0.0
        assert all(later >= earlier for earlier, later in pairwise(speeds))

    def test_held_from_the_first_message_on_it_does_not_count(self, core: ArmCore, state: RobotState) -> None:
        mapping = load_joy_mapping("xbox")
        pad = Pad.__new__(Pad)
        pad.core, pad.state, pad.mapping, pad.t, pad.plugged_in = core, state, mapping, 0.0, True
        pad.axes, pad.buttons = [0.0] * 12, [0] * 16
        pad.hold()
        assert pad.steps(10) == []
        (event,) = core.take_events()
        assert event.reason == f"joystick message refused: {HELD_BEFORE}"
        pad.let_go()
        pad.step()
        pad.hold()
        assert len(pad.steps(3)) == 3
        assert pad.kinds() == []


class TestLoss:
    def test_a_silent_stick_is_lost_and_told(self, pad: Pad) -> None:
        pad.hold()
        pad.push(Direction.X, 1.0)
        pad.steps(10)
        pad.plugged_in = False
        commands = pad.steps(30)
        assert not commands[-1].velocity.any()
        assert len(commands) * PERIOD <= SETTINGS.joy_timeout + 2 * PERIOD
        assert pad.kinds() == ["joystick_lost"]

    @pytest.mark.parametrize("offset, lost", [(-1e-6, False), (1e-6, True)])
    def test_exactly_at_the_deadline(self, pad: Pad, offset: float, lost: bool) -> None:
        pad.hold()
        pad.step()
        heard = pad.t
        pad.core.step(pad.state, heard + SETTINGS.joy_timeout + offset)
        assert (pad.kinds() == ["joystick_lost"]) is lost

    def test_silence_without_the_dead_man_is_no_loss(self, pad: Pad) -> None:
        pad.plugged_in = False
        pad.steps(50)
        assert pad.kinds() == []

    def test_plugged_in_again_still_held_it_does_not_go_on(self, pad: Pad) -> None:
        pad.hold()
        pad.steps(5)
        pad.plugged_in = False
        pad.steps(30)
        pad.plugged_in = True
        assert pad.steps(20) == []
        pad.let_go()
        pad.step()
        pad.hold()
        assert len(pad.steps(3)) == 3


class TestUnusableMessages:
    def test_a_button_that_the_pad_does_not_have_is_named_once(self, pad: Pad) -> None:
        pad.hold()
        pad.steps(3)
        pad.buttons = pad.buttons[:4]
        commands = pad.steps(10)
        assert len(commands) == 1 and not commands[0].velocity.any()
        events = pad.core.take_events()
        assert len(events) == 1
        assert "deadman uses button 4" in events[0].reason and "have 4" in events[0].reason

    def test_an_axis_that_the_pad_does_not_have(self, pad: Pad) -> None:
        pad.axes = pad.axes[:3]
        pad.steps(3)
        (event,) = pad.core.take_events()
        assert "uses axis" in event.reason

    @pytest.mark.parametrize("value", [float("nan"), float("inf")])
    def test_an_axis_that_is_no_number(self, pad: Pad, value: float) -> None:
        pad.hold()
        pad.steps(3)
        pad.axes[1] = value
        commands = pad.steps(5)
        assert len(commands) == 1 and not commands[0].velocity.any()
        assert pad.kinds() == ["joystick_unusable"]

    def test_told_again_after_it_was_well_for_a_while(self, pad: Pad) -> None:
        for _ in range(2):
            pad.axes[1] = float("nan")
            pad.step()
            pad.axes[1] = 0.0
            pad.steps(round(COMPLAINT_PAUSE / PERIOD) + 1)
        assert pad.kinds() == ["joystick_unusable", "joystick_unusable"]

    def test_every_other_message_unusable_is_one_complaint(self, pad: Pad) -> None:
        for _ in range(200):
            pad.axes[1] = float("nan")
            pad.step()
            pad.axes[1] = 0.0
            pad.step()
        assert pad.kinds() == ["joystick_unusable"]

    def test_held_through_one_it_does_not_go_on(self, pad: Pad) -> None:
        pad.hold()
        pad.steps(3)
        pad.axes[1] = float("nan")
        pad.step()
        pad.axes[1] = 0.0
        assert pad.steps(20) == []
        pad.let_go()
        pad.step()
        pad.hold()
        assert len(pad.steps(3)) == 3

    def test_what_the_caller_objects_to_is_told_and_only_its_emergency_stop_counts(self, pad: Pad) -> None:
        pad.hold()
        pad.steps(3)
        pad.press(Action.ESTOP)
        pad.press(Action.RESET)
        pad.core.on_joy(pad.axes, pad.buttons, pad.t, objection="somebody else sends, too")
        assert pad.core.take_requests() == [Action.ESTOP]
        assert [event.reason for event in pad.core.take_events()] == [
            "joystick message refused: somebody else sends, too"
        ]
        pad.release(Action.ESTOP)
        pad.release(Action.RESET)
        assert [command.velocity.any() for command in pad.steps(10)] == [False], "held through it, it does not go on"

    @pytest.mark.parametrize("fault", ["axis is no number", "axes are missing"])
    def test_the_emergency_stop_in_it_counts_once(self, pad: Pad, fault: str) -> None:
        if fault == "axes are missing":
            pad.axes = []
        else:
            pad.axes[0] = float("nan")
        pad.steps(3)
        pad.press(Action.ESTOP)
        pad.press(Action.RESET)
        pad.steps(10)
        assert pad.core.take_requests() == [Action.ESTOP]
        pad.release(Action.ESTOP)
        pad.step()
        pad.press(Action.ESTOP)
        pad.step()
        assert pad.core.take_requests() == [Action.ESTOP]

    def test_the_emergency_stop_pressed_in_a_usable_one_is_not_pressed_again(self, pad: Pad) -> None:
        pad.press(Action.ESTOP)
        pad.step()
        pad.axes[0] = float("nan")
        pad.steps(3)
        assert pad.core.take_requests() == [Action.ESTOP]

    def test_the_emergency_stop_still_down_after_a_silence_stops_again(self, pad: Pad) -> None:
        pad.axes[0] = float("nan")
        pad.press(Action.ESTOP)
        pad.step()
        pad.plugged_in = False
        pad.steps(30)
        pad.plugged_in = True
        pad.step()
        assert pad.core.take_requests() == [Action.ESTOP, Action.ESTOP]

    def test_an_emergency_stop_that_the_pad_does_not_have_is_not_pressed(self, pad: Pad) -> None:
        pad.press(Action.ESTOP)
        pad.buttons = []
        pad.step()
        assert pad.core.take_requests() == []
        assert pad.kinds() == ["joystick_unusable"]


AXES = [
    (Direction.X, 0),
    (Direction.Y, 1),
    (Direction.Z, 2),
    (Direction.ROLL, 3),
    (Direction.PITCH, 4),
    (Direction.YAW, 5),
]


class TestMotion:
    @pytest.mark.parametrize("direction, row", AXES)
    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_each_direction_moves_the_tool_that_way(
        self, pad: Pad, profile: RobotProfile, direction: Direction, row: int, sign: float
    ) -> None:
        pad.hold()
        pad.push(direction, sign)
        twist = twist_of(pad, profile)
        fastest = (SETTINGS.linear_speed if row < 3 else SETTINGS.angular_speed) * 0.5
        assert twist[row] == pytest.approx(sign * fastest, rel=0.1)
        others = np.delete(twist, row)
        assert np.abs(others).max() < 0.15 * fastest + 0.02

    def test_in_the_tool_frame_forward_is_along_the_tools_x(self, pad: Pad, profile: RobotProfile) -> None:
        pad.click(Action.TOGGLE_FRAME)
        assert "tool frame" in pad.core.summary
        pad.hold()
        pad.push(Direction.Z, 1.0)
        rotation = Kinematics(profile).tool_pose(pad.state.position).rotation
        twist = twist_of(pad, profile)
        np.testing.assert_allclose(twist[:3], rotation[:, 2] * SETTINGS.linear_speed * 0.5, atol=0.01)

    def test_the_frame_at_the_start_is_a_setting(self, profile: RobotProfile) -> None:
        core = TeleopCore(profile, load_joy_mapping("xbox"), settings=TeleopSettings(frame="tool"))
        assert "tool frame" in core.summary

    def test_faster_and_slower(self, pad: Pad) -> None:
        pad.hold()
        pad.push(Direction.X, 1.0)
        normal = float(np.abs(pad.velocity()).max())
        pad.click(Action.FASTER)
        assert float(np.abs(pad.velocity()).max()) > normal
        for _ in range(10):
            pad.click(Action.SLOWER)
        assert float(np.abs(pad.velocity()).max()) == pytest.approx(normal * 0.2, rel=0.05)
        for _ in range(10):
            pad.click(Action.FASTER)
        assert "100%" in pad.core.summary

    def test_joint_by_joint(self, pad: Pad, profile: RobotProfile) -> None:
        pad.click(Action.TOGGLE_JOINTS)
        pad.hold()
        pad.push(Direction.JOINT, 1.0)
        expected = np.zeros(len(profile.joints))
        expected[0] = SETTINGS.joint_speed * 0.5
        np.testing.assert_allclose(pad.velocity(), expected, rtol=0.01, atol=1e-9)
        pad.click(Action.NEXT_JOINT)
        assert profile.joint_names[1] in pad.core.summary
        np.testing.assert_allclose(pad.velocity(), np.roll(expected, 1), rtol=0.01, atol=1e-9)
        pad.click(Action.PREVIOUS_JOINT)
        pad.click(Action.PREVIOUS_JOINT)
        np.testing.assert_allclose(pad.velocity(), np.roll(expected, -1), rtol=0.01, atol=1e-9)

    def test_without_smoothing_it_follows_at_once(self, profile: RobotProfile, state: RobotState) -> None:
        mapping = load_joy_mapping("xbox")
        pad = Pad(TeleopCore(profile, mapping, settings=TeleopSettings(smoothing=0.0)), state, mapping)
        pad.push(Direction.X, 1.0)
        pad.hold()
        assert pad.steps(1)[0].velocity.any()

    @given(position=st.lists(st.floats(-2.5, 2.5), min_size=7, max_size=7))
    def test_even_near_singular_poses_the_joints_stay_slow(self, profile: RobotProfile, position: list[float]) -> None:
        """The damped inverse is bounded by twist / (2 damping), whatever the pose."""
        _, jacobian = Kinematics(profile).tool_jacobian(np.array(position))
        twist = np.array([SETTINGS.linear_speed, 0.0, 0.0, 0.0, 0.0, 0.0])
        velocity = damped_inverse(jacobian, twist, SETTINGS.damping)
        assert np.linalg.norm(velocity) <= np.linalg.norm(twist) / (2 * SETTINGS.damping) + 1e-9


class TestButtons:
    @pytest.mark.parametrize("action", [Action.ESTOP, Action.RESET, Action.HAND_BACK])
    def test_a_request_is_made_once_for_every_press(self, pad: Pad, action: Action) -> None:
        pad.press(action)
        pad.steps(20)
        pad.release(action)
        pad.steps(5)
        pad.press(action)
        pad.steps(5)
        assert pad.core.take_requests() == [action, action]
        assert pad.core.take_requests() == []

    def test_the_emergency_stop_needs_no_dead_man_and_counts_from_the_first_message(
        self, profile: RobotProfile
    ) -> None:
        core = TeleopCore(profile, load_joy_mapping("xbox"))
        buttons = [0] * 16
        buttons[1] = buttons[7] = 1
        core.on_joy([0.0] * 12, buttons, 0.0)
        assert core.take_requests() == [Action.ESTOP]

    @pytest.mark.parametrize("action, requests", [(Action.ESTOP, 2), (Action.RESET, 1)])
    def test_only_the_emergency_stop_is_pressed_again_after_a_silence(
        self, pad: Pad, action: Action, requests: int
    ) -> None:
        pad.press(action)
        pad.steps(5)
        pad.plugged_in = False
        pad.steps(50)
        pad.plugged_in = True
        pad.steps(5)
        assert pad.core.take_requests() == [action] * requests

    def test_what_is_held_when_a_lost_pad_is_back_does_nothing_but_for_the_emergency_stop(self, pad: Pad) -> None:
        pad.step()
        pad.core.on_unplugged(JOYSTICK)
        pad.press(Action.RESET)
        pad.press(Action.ESTOP)
        pad.steps(5)
        assert pad.core.take_requests() == [Action.ESTOP]

    def test_the_gripper(self, pad: Pad, profile: RobotProfile) -> None:
        pad.hold()
        pad.step()
        pad.press(Action.CLOSE_GRIPPER)
        widths = [command.gripper.width if command.gripper else None for command in pad.steps(5)]
        assert widths == [0.0] * 5, "each message may be the one that is lost"
        pad.press(Action.OPEN_GRIPPER)
        command = pad.step()
        assert command is not None and command.gripper is not None
        assert command.gripper.width == profile.gripper.max_width
        assert command.gripper.force == profile.gripper.grasp_force

    def test_the_gripper_needs_the_dead_man(self, pad: Pad) -> None:
        pad.click(Action.CLOSE_GRIPPER)
        pad.hold()
        assert all(command.gripper is None for command in pad.steps(5))

    def test_requests_that_nobody_collects_are_bounded(self, pad: Pad) -> None:
        for _ in range(300):
            pad.click(Action.RESET)
        assert len(pad.core.take_requests()) == 100


@pytest.mark.parametrize("name", [name for name in known_mappings() if name != "keyboard"])
def test_every_pad_moves_the_arm_and_has_an_emergency_stop(profile: RobotProfile, state: RobotState, name: str) -> None:
    mapping = load_joy_mapping(name)
    pad = Pad(TeleopCore(profile, mapping), state, mapping)
    pad.hold()
    pad.push(Direction.X, 1.0)
    assert pad.velocity().any()
    pad.click(Action.ESTOP)
    assert pad.core.take_requests() == [Action.ESTOP]
