"""What people who run such systems report, and reins must get right: a test each, named after the symptom."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from brakeless import Brakeless
from safety_loop import PERIOD, KinematicRobot, Loop

from reins.contracts.event import Severity
from reins.hardware.braking import MARGIN
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import JointCommand, StopCategory
from reins.safety.modes import Mode
from reins.teleop.core import TeleopCore
from reins.teleop.intent import Direction
from reins.teleop.mapping import load_joy_mapping

SPEED = 0.2


class Operator:
    """Holds an Xbox pad whose messages go through teleop to the monitor."""

    def __init__(self, loop: Loop) -> None:
        self.loop, self.mapping = loop, load_joy_mapping("xbox")
        self.core = TeleopCore(loop.profile, self.mapping)
        self.axes, self.buttons = [0.0] * 8, [0] * 11
        self.plugged_in = True
        self.step()

    def step(self, *others: JointCommand) -> None:
        """One control period, with a message of the pad."""
        self.loop.state = self.loop.robot.read()
        if self.plugged_in:
            self.core.on_joy(list(self.axes), list(self.buttons), self.loop.t)
        command = self.core.step(self.loop.state, self.loop.t)
        self.loop.step(*others, *([command] if command else []))

    def hold(self, down: bool) -> None:
        """The dead-man."""
        assert self.mapping.deadman.button is not None
        self.buttons[self.mapping.deadman.button] = int(down)

    def push(self, direction: Direction, value: float) -> None:
        """A stick."""
        axis = self.mapping.motion[direction].axis
        assert axis is not None
        self.axes[axis] = value


@pytest.fixture
def operator(loop: Loop) -> Operator:
    return Operator(loop)


def test_e_stop_leaves_the_last_velocity_active(loop: Loop) -> None:
    """… and after its release the robot moves unasked."""
    begun = loop.robot.read().stamp
    loop.drive("skill", SPEED, 30, begun)
    loop.monitor.estop("anna", "", loop.t)
    loop.drive("skill", SPEED, 40, begun)
    assert loop.moved_since(10) == 0.0
    assert not loop.sent[-1].velocity.any()
    loop.host.recover()
    loop.steps(2)
    loop.monitor.reset("anna", loop.t)
    loop.host.arm(1)
    loop.drive("skill", SPEED, 100, begun)
    assert loop.moved_since(100) == 0.0
    assert loop.is_in(Mode.READY)


class BrakelessArm(Brakeless, KinematicRobot):  # type: ignore[misc]
    """An arm whose brakes can fail."""


@pytest.mark.parametrize("cause", ["an emergency stop", "a node that dies"])
def test_the_arm_does_not_brake_when_it_is_stopped(profile: RobotProfile, cause: str) -> None:
    """… and everybody thinks that it stands."""
    robot = BrakelessArm(profile)
    loop = Loop(profile, robot).begin()
    loop.drive("skill", SPEED, 30)
    robot.failing = True
    if cause == "an emergency stop":
        loop.monitor.estop("anna", "", loop.t)
    else:
        loop.monitor.on_death("planner", loop.t)
    late = SPEED / float(profile.acceleration[0]) + MARGIN + 4 * PERIOD
    loop.steps(round(late / PERIOD))
    assert "the braking failed" in loop.host.cut
    assert not loop.host.armed
    loop.steps(2)
    assert loop.moved_since(2) == 0.0
    assert loop.is_in(Mode.ESTOP if cause == "an emergency stop" else Mode.STOPPED)


def test_the_trajectory_advances_while_the_hardware_is_down_then_jumps(loop: Loop) -> None:
    loop.drive("skill", SPEED, 20)
    loop.robot.blocked = True
    loop.drive("skill", SPEED, 60)
    where = loop.robot.read().position
    loop.steps(60)
    loop.robot.blocked = False
    loop.steps(30)
    assert not loop.is_in(Mode.STOPPED)
    went = np.abs(loop.robot.read().position - where).max()
    assert went <= loop.monitor._settings.following_error


def test_the_hardware_is_down_for_long_and_the_goal_goes_on(loop: Loop) -> None:
    """The reference stops a bounded way from the arm, and the next goal begins where the arm is."""
    loop.robot.blocked = True
    loop.drive("skill", SPEED, 400)
    assert loop.is_in(Mode.STOPPED)
    error = np.abs(loop.sent[-1].position - loop.robot.read().position).max()
    assert error <= 0.25 + 0.05
    loop.monitor.reset("anna", loop.t)
    where = loop.robot.read().position
    loop.robot.blocked = False
    loop.drive("skill", 0.01, 1)
    loop.steps(5)
    np.testing.assert_allclose(loop.robot.read().position, where, atol=2e-3)


def test_a_jump_at_t_0(loop: Loop) -> None:
    sent = loop.drive("skill", loop.profile.velocity, 5)
    np.testing.assert_allclose(sent[0].position, loop.profile.home)
    assert (np.abs(sent[0].velocity) <= loop.profile.acceleration * PERIOD + 1e-9).all()


def test_a_jump_at_takeover_strips_a_gear(operator: Operator) -> None:
    loop = operator.loop
    begun = loop.robot.read().stamp
    for _ in range(40):
        loop.state = loop.robot.read()
        operator.step(loop.command("skill", SPEED, begun))
    count = len(loop.sent)
    operator.push(Direction.X, -1.0)
    operator.hold(True)
    for _ in range(40):
        loop.state = loop.robot.read()
        operator.step(loop.command("skill", SPEED, begun))
    assert loop.is_in(Mode.ACTIVE_TELEOP)
    for before, after in pairwise(loop.sent[count - 5 :]):
        elapsed = after.stamp - before.stamp
        np.testing.assert_allclose(after.position, before.position + before.velocity * elapsed, atol=1e-9)
        change = np.abs(after.velocity - before.velocity)
        assert (change <= loop.profile.acceleration * elapsed + 1e-9).all()


def test_joystick_disconnects_and_autonomy_takes_over(operator: Operator) -> None:
    loop = operator.loop
    begun = loop.robot.read().stamp
    operator.hold(True)
    operator.push(Direction.Z, 1.0)
    for _ in range(40):
        loop.state = loop.robot.read()
        operator.step(loop.command("skill", SPEED, begun))
    operator.plugged_in = False
    for _ in range(60):
        loop.state = loop.robot.read()
        operator.step(loop.command("skill", SPEED, begun))
    assert loop.is_in(Mode.HOLD)
    assert loop.moved_since(20) == 0.0
    assert [event.kind for event in operator.core.take_events()] == ["joystick_lost"]
    for _ in range(60):
        loop.state = loop.robot.read()
        operator.step(loop.command("skill", SPEED))
    assert loop.moved_since(60) == 0.0


def test_the_operator_lets_go_and_the_model_goes_on(operator: Operator) -> None:
    loop = operator.loop
    operator.hold(True)
    for _ in range(20):
        operator.step()
    operator.hold(False)
    for _ in range(100):
        loop.state = loop.robot.read()
        operator.step(loop.command("skill", SPEED))
    assert loop.is_in(Mode.HOLD)
    assert loop.moved_since(90) == 0.0


def test_letting_go_brakes_at_once_and_not_after_a_time_out(operator: Operator) -> None:
    loop = operator.loop
    operator.hold(True)
    operator.push(Direction.Y, 1.0)
    for _ in range(60):
        operator.step()
    moving = float(np.abs(loop.sent[-1].velocity).max())
    operator.hold(False)
    operator.step()
    assert float(np.abs(loop.sent[-1].velocity).max()) < moving
    stopping = int(np.ceil(moving / (loop.profile.acceleration.min() * PERIOD)))
    for _ in range(stopping):
        operator.step()
    assert not loop.sent[-1].velocity.any()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_limiter_replaces_nan_by_a_number_and_hides_the_fault(loop: Loop, value: float) -> None:
    velocity = np.zeros(len(loop.profile.joints))
    velocity[2] = value
    loop.drive("skill", velocity, 10)
    assert loop.moved_since(10) == 0.0
    assert loop.is_in(Mode.READY)
    assert loop.monitor.status(loop.t).rejected == 10
    (told,) = [event for event in loop.events if event.kind == "command_rejected"]
    assert told.severity is Severity.WARN and loop.profile.joint_names[2] in told.reason


def test_nan_in_the_middle_of_a_motion_brakes_it(loop: Loop) -> None:
    begun = loop.robot.read().stamp
    loop.drive("skill", SPEED, 30, begun)
    loop.drive("skill", np.full(len(loop.profile.joints), np.nan), 30, begun)
    assert not loop.sent[-1].velocity.any()
    assert np.isfinite(loop.robot.read().position).all()


def test_two_goals_at_once_pull_to_and_fro(loop: Loop) -> None:
    """The newer goal replaces the older one, whose commands are refused from then on."""
    old = loop.robot.read().stamp
    loop.drive("skill", SPEED, 20, old)
    new = loop.robot.read().stamp
    for _ in range(40):
        loop.state = loop.robot.read()
        loop.step(loop.command("skill", -SPEED, new), loop.command("skill", SPEED, old))
    assert loop.sent[-1].velocity == pytest.approx(-SPEED)
    assert any("older goal" in event.reason for event in loop.events)


def test_a_frozen_process_thaws_after_the_reset_and_goes_on_with_its_old_goal(loop: Loop) -> None:
    """SIGSTOP to the skills node in motion, e-stop, reset, SIGCONT: its next command looks as fresh as any."""
    begun = loop.robot.read().stamp
    loop.drive("skill", SPEED, 30, begun)
    loop.steps(50)
    loop.monitor.estop("anna", "", loop.t)
    loop.steps(30)
    loop.host.recover()
    loop.steps(2)
    loop.monitor.reset("anna", loop.t)
    loop.host.arm(1)
    loop.drive("skill", SPEED, 50, begun)
    assert loop.moved_since(50) == 0.0
    assert any("began before the last reset" in event.reason for event in loop.events)


def test_the_safety_node_is_started_again_and_an_old_goal_moves_the_arm(loop: Loop) -> None:
    begun = loop.robot.read().stamp
    loop.drive("skill", SPEED, 30, begun)
    loop.robot.stop(StopCategory.CONTROLLED, "safety fell silent")
    loop.restart()
    loop.steps(3)
    loop.host.arm(1)
    loop.drive("skill", SPEED, 50, begun)
    assert loop.moved_since(50) == 0.0


def test_replayed_and_reordered_commands_move_the_arm_twice(loop: Loop) -> None:
    loop.state = loop.robot.read()
    first = loop.command("skill", SPEED, loop.state.stamp)
    second = loop.command("skill", 0.0, loop.state.stamp)
    loop.step(second)
    for _ in range(5):
        loop.step(first)
    assert loop.moved_since(5) == 0.0
    assert loop.monitor.status(loop.t).rejected == 5


def test_delayed_commands_are_carried_out_late(loop: Loop) -> None:
    delayed = loop.command("skill", SPEED)
    loop.steps(30)
    loop.step(delayed)
    loop.steps(5)
    assert loop.moved_since(5) == 0.0
    assert any("ms old" in event.reason for event in loop.events)


def test_a_swapped_joint_order_moves_the_wrong_joint(loop: Loop, profile: RobotProfile) -> None:
    names = (profile.joint_names[1], profile.joint_names[0], *profile.joint_names[2:])
    swapped = replace(loop.command("skill", SPEED), joint_names=names)
    loop.step(swapped)
    loop.steps(5)
    assert loop.moved_since(6) == 0.0
    assert any("another order" in event.reason for event in loop.events)


def test_a_bad_source_floods_the_log(loop: Loop) -> None:
    for _ in range(300):
        loop.state = loop.robot.read()
        loop.step(*(loop.command("skill", np.nan) for _ in range(5)))
    assert loop.monitor.status(loop.t).rejected == 1500
    told = [event for event in loop.events if event.kind == "command_rejected"]
    assert len(told) <= 5
    assert any("more like it" in event.reason for event in told)
