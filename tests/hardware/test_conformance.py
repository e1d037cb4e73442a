"""The conformance suite passes good drivers, and each of its checks finds the driver that breaks its rule."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.conformance.motion import FASTEST, LARGEST, TRAVEL, all_joints, joint_budget, one_joint
from reins.hardware.conformance.subject import Subject
from reins.hardware.conformance.suite import CHECKS, Ending, choose, run_checks
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import GripperCommand, RobotState, SafeCommand, StopCategory
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.simulators import SIMULATORS, make_simulator, require_simulator
from reins.sim.world import load_world

PROFILE = load_profile("franka")
WORLD = load_world("tabletop")


def simulated(name: str) -> Subject:
    try:
        require_simulator(name)
    except ReinsError as error:
        pytest.skip(str(error))
    return Subject(partial(make_simulator, name, PROFILE, WORLD, 1), PROFILE)


@pytest.mark.parametrize("name", sorted(SIMULATORS))
def test_every_simulated_driver_conforms(name: str) -> None:
    subject = simulated(name)
    subject.open()
    results = list(run_checks(subject))
    subject.close()
    assert [result for result in results if result.ending is Ending.FAILED] == []
    left_out = {result.name for result in results if result.ending is Ending.LEFT_OUT}
    assert left_out == {"two_clients", "own_fault", "network_cut"}  # nothing of a simulation is behind a network


class Swapped(MujocoRobot):
    """Takes two joints for each other on the way in."""

    def write(self, command: SafeCommand) -> None:
        velocity, position = command.velocity.copy(), command.position.copy()
        at = self.read().reference
        velocity[[4, 5]] = velocity[[5, 4]]
        position[[4, 5]] = at[[4, 5]] + (position - at)[[5, 4]]
        super().write(replace(command, position=position, velocity=velocity))


class Backwards(MujocoRobot):
    """One joint turns the other way."""

    def write(self, command: SafeCommand) -> None:
        velocity, position, at = command.velocity.copy(), command.position.copy(), self.read().reference
        velocity[1] *= -1.0
        position[1] = 2 * at[1] - position[1]
        super().write(replace(command, position=position, velocity=velocity))


class Degrees(MujocoRobot):
    """Tells positions in degrees."""

    def read(self) -> RobotState:
        state = super().read()
        return replace(state, position=np.rad2deg(state.position))


class Millimetres(MujocoRobot):
    """Tells the gripper's width in millimetres."""

    def read(self) -> RobotState:
        state = super().read()
        return replace(state, gripper_width=1e3 * state.gripper_width)


class Renamed(MujocoRobot):
    """Has its joints in another order than the profile."""

    @property
    def spec(self) -> Any:
        return replace(super().spec, joint_names=super().spec.joint_names[::-1])


class Frozen(MujocoRobot):
    """Tells one state for ever."""

    def read(self) -> RobotState:
        state = super().read()
        return replace(state, stamp=min(state.stamp, 0.5))


class Deaf(MujocoRobot):
    """Never notices that commands ended."""

    def step(self, dt: float) -> None:
        self._steps_left = 1000
        super().step(dt)


class Hasty(MujocoRobot):
    """Stops at the first late command."""

    def write(self, command: SafeCommand) -> None:
        super().write(command)
        self._steps_left = round(1.5 * command.period / self._dt)


class Creeping(MujocoRobot):
    """Drifts until it is commanded."""

    def step(self, dt: float) -> None:
        if not self._watched and not self._fault:
            self._speeds[0] = 0.05
        super().step(dt)


class Jerking(MujocoRobot):
    """Begins from where it was made instead of from where it is told."""

    def write(self, command: SafeCommand) -> None:
        first = not self._watched
        super().write(replace(command, position=command.position + 0.01) if first else command)


class Trusting(MujocoRobot):
    """Takes every setpoint."""

    def write(self, command: SafeCommand) -> None:
        if len(command.position) == len(PROFILE.joints) and np.isfinite(command.position).all():
            self._reference[:] = command.position
        super().write(command)


class Swallowing(MujocoRobot):
    """Takes what is not a number, and says nothing about a wrong length."""

    def write(self, command: SafeCommand) -> None:
        if len(command.position) == len(PROFILE.joints) and np.isfinite(command.position).all():
            super().write(command)


class Resuming(MujocoRobot):
    """Goes on with the command before the stop when it is recovered."""

    def write(self, command: SafeCommand) -> None:
        super().write(command)
        if not self._fault and np.abs(command.velocity).max() > 0.0:
            self._last = command.velocity.copy()

    def recover(self) -> None:
        super().recover()
        if hasattr(self, "_last"):
            self._speeds[:] = 20 * self._last


class Unstoppable(MujocoRobot):
    """Tells a stop and does not do it."""

    def stop(self, category: StopCategory, reason: str) -> None:
        speeds = self._speeds.copy()
        super().stop(category, reason)
        self._speeds[:] = 4 * speeds
        self._braking = self._cut = False


class Forgetful(MujocoRobot):
    """Tells the last reason of a stop."""

    def stop(self, category: StopCategory, reason: str) -> None:
        super().stop(category, reason)
        self._fault = reason


class Stubborn(MujocoRobot):
    """Goes on after the stop when it is commanded."""

    def write(self, command: SafeCommand) -> None:
        self._fault = ""
        super().write(command)


class Stuck(MujocoRobot):
    """Opens its gripper half as far as told."""

    def write(self, command: SafeCommand) -> None:
        if command.gripper is not None:
            command = replace(command, gripper=GripperCommand(command.gripper.width / 2, command.gripper.force))
        super().write(command)


class Grasping(MujocoRobot):
    """Always holds something."""

    def read(self) -> RobotState:
        return replace(super().read(), gripper_holding=True)


class Lagging(MujocoRobot):
    """Tells positions of long ago."""

    def read(self) -> RobotState:
        state = super().read()
        past: list[Any] = self.__dict__.setdefault("_past", [])
        past.append(state.position)
        return replace(state, position=past[max(0, len(past) - 60)])


class Once(MujocoRobot):
    """Cannot be closed twice."""

    def close(self) -> None:
        if self.__dict__.setdefault("_closed", False):
            raise ReinsError("already closed")
        self.__dict__["_closed"] = True


DEFECTS: tuple[tuple[type[MujocoRobot], str], ...] = (
    (Renamed, "identity"),
    (Degrees, "units"),
    (Millimetres, "units"),
    (Frozen, "freshness"),
    (Creeping, "hold"),
    (Swallowing, "wrong_length"),
    (Swallowing, "not_finite"),
    (Trusting, "jump"),
    (Forgetful, "first_reason"),
    (Jerking, "bumpless_start"),
    (Swapped, "joint_order"),
    (Backwards, "joint_order"),
    (Lagging, "tracking"),
    (Hasty, "late_command"),
    (Unstoppable, "stop_controlled"),
    (Unstoppable, "stop_cut"),
    (Stubborn, "stop_controlled"),
    (Deaf, "stale_command"),
    (Resuming, "recovery"),
    (Stuck, "gripper"),
    (Grasping, "gripper"),
    (Once, "close_twice"),
)


@pytest.mark.parametrize("defective, name", DEFECTS, ids=lambda value: getattr(value, "__name__", value))
def test_the_check_finds_the_driver_that_breaks_its_rule(defective: type[MujocoRobot], name: str) -> None:
    subject = Subject(lambda: defective(PROFILE, WORLD, 1), PROFILE)
    subject.open()
    (result,) = run_checks(subject, choose([name]))
    assert result.ending is Ending.FAILED
    assert len(result.detail) > 10


def test_a_robot_that_does_not_recover_ends_the_run() -> None:
    class Broken(MujocoRobot):
        def recover(self) -> None:
            """Never."""

    subject = Subject(lambda: Broken(PROFILE, WORLD, 1), PROFILE)
    subject.open()
    subject.robot.stop(StopCategory.CONTROLLED, "the arm is on fire")
    results = list(run_checks(subject, choose(["identity", "units", "tracking"])))
    assert [result.ending for result in results] == [Ending.FAILED, Ending.LEFT_OUT, Ending.LEFT_OUT]
    assert "on fire" in results[0].detail and "identity" in results[1].detail


def test_what_is_not_agreed_to_is_not_run() -> None:
    subject = simulated("mujoco")
    subject.open()
    before = subject.read().position
    results = list(run_checks(subject, choose(["identity", "joint_order"]), lambda entry: not entry.moves))
    assert [result.ending for result in results] == [Ending.PASSED, Ending.LEFT_OUT]
    np.testing.assert_allclose(subject.read().position, before, atol=1e-4)


def test_nothing_is_commanded_that_is_not_agreed_to() -> None:
    """Of a real arm even the first setpoint, which moves nothing, begins control."""
    commanded: list[SafeCommand] = []

    class Told(MujocoRobot):
        def write(self, command: SafeCommand) -> None:
            commanded.append(command)
            super().write(command)

    subject = Subject(lambda: Told(PROFILE, WORLD, 1), PROFILE, networked=True)
    subject.open()
    subject.prepare(drive=False)
    state = subject.read()
    subject.follow(all_joints(PROFILE, state.position))
    subject.rest()
    commanded.clear()
    results = list(run_checks(subject, CHECKS, lambda entry: not entry.moves))
    assert commanded == [], "not even where somebody has moved the robot since"
    passed = {result.name for result in results if result.ending is Ending.PASSED}
    assert passed == {"identity", "units", "limits", "freshness", "hold", "first_reason", "close_twice"}


def test_checks_are_chosen_by_name_in_the_order_of_the_list() -> None:
    assert [entry.name for entry in choose(["tracking", "units"])] == ["units", "tracking"]
    assert choose([]) == CHECKS
    with pytest.raises(UnknownName, match="did you mean 'tracking'"):
        choose(["trackng"])


def test_names_are_unique_and_said() -> None:
    assert len({entry.name for entry in CHECKS}) == len(CHECKS)
    assert all(entry.says and entry.run.__doc__ for entry in CHECKS)


@st.composite
def postures(draw: st.DrawFn) -> Any:
    share = np.array([draw(st.floats(0.05, 0.95)) for _ in PROFILE.joints])
    return PROFILE.lower + share * (PROFILE.upper - PROFILE.lower)


def motions(profile: RobotProfile, position: Any) -> list[Any]:
    return [
        *(one_joint(profile, index, position) for index in range(len(profile.joints))),
        all_joints(profile, position),
    ]


@given(position=postures())
def test_no_motion_takes_the_tool_or_a_joint_too_far_or_too_fast(position: Any) -> None:
    kinematics = Kinematics(PROFILE)
    before = kinematics.tool_pose(position).position.copy()
    for nudge in motions(PROFILE, position):
        end = position + nudge.offset(nudge.duration)
        assert np.linalg.norm(kinematics.tool_pose(end).position - before) <= TRAVEL + 1e-9
        assert np.abs(nudge.distance).max() <= LARGEST
        assert (end >= PROFILE.lower).all() and (end <= PROFILE.upper).all()
        times = np.linspace(0.0, nudge.duration, 200)
        speeds = np.array([nudge.velocity(t) for t in times])
        assert (np.abs(speeds) <= FASTEST * PROFILE.velocity + 1e-9).all()
        steepest = np.abs(np.diff(speeds, axis=0)).max(axis=0) / (times[1] - times[0])
        assert (steepest <= FASTEST * PROFILE.acceleration + 1e-6).all()


@given(position=postures(), index=st.integers(0, len(PROFILE.joints) - 1))
def test_velocity_is_the_slope_of_the_offset_and_the_way_back_undoes_it(position: Any, index: int) -> None:
    nudge = one_joint(PROFILE, index, position)
    step = 1e-6
    for t in np.linspace(0.05, 0.95, 7) * nudge.duration:
        slope = (nudge.offset(t + step) - nudge.offset(t - step)) / (2 * step)
        np.testing.assert_allclose(slope, nudge.velocity(t), atol=1e-6)
    np.testing.assert_allclose(nudge.offset(nudge.duration) + nudge.reversed().offset(nudge.duration), 0.0, atol=1e-12)
    assert np.abs(nudge.velocity(0.0)).max() == np.abs(nudge.velocity(nudge.duration)).max() == 0.0


def test_the_budget_is_larger_the_nearer_a_joint_is_to_the_tool() -> None:
    assert (np.diff(joint_budget(PROFILE)) >= 0.0).all()
