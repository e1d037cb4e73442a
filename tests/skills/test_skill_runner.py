"""SkillRunner: one skill at a time, an end for each of them, and commands that never jump."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.plan import ArgumentValue, Constraint, SkillCall
from reins.contracts.relations import relations_between
from reins.contracts.scene import Scene, SceneObject, by_id
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import GripperCommand, JointCommand, RobotState
from reins.skills.controller import ControllerFactory, ControlOutput, SkillController, Status
from reins.skills.library import SKILLS
from reins.skills.runner import BRAKING_SHARE, MOST_HELD, SkillRunner

PROFILE: RobotProfile = load_profile("franka")
N = len(PROFILE.joints)
PERIOD = 1.0 / PROFILE.rates.command
SCENE = Scene(0.0, "test")
HOME = SkillCall(skill="home")
RED = SceneObject("red_block", "block", "red", (0.4, 0.0, 0.3), (0.0, 0.0, 0.0, 1.0), (0.04, 0.04, 0.04), 1.0, 0.0)
HOLDING_RED = Scene(0.0, "test", by_id([RED]), relations_between([RED], "red_block"))


def state_at(time: float, fault: str = "") -> RobotState:
    zero = np.zeros(N)
    return RobotState(time, PROFILE.home, zero, zero, PROFILE.home, 0.08, False, 0, fault)


class Ramp:
    """A controller that speeds all joints up to `speed` [rad/s] and ends as it is told."""

    def __init__(self, speed: float, end: Callable[[float], Status], reason: str = "") -> None:
        self._speed, self._end, self._reason = speed, end, reason
        self._velocity = 0.0
        self._ended = False

    def step(self, state: RobotState, scene: Scene) -> ControlOutput:
        assert not self._ended, "a controller that has ended is not asked again"
        status = self._end(state.stamp)
        self._ended = status is not Status.RUNNING
        self._velocity = min(self._speed, self._velocity + 0.05)
        moving = self._velocity if status is Status.RUNNING else 0.0
        gripper = GripperCommand(0.04, 10.0)
        return ControlOutput(np.full(N, moving), gripper, status, "ramp", 0.5, self._reason)


def factory_of(*controllers: SkillController) -> ControllerFactory:
    """Gives one after the other, a skill each, and then the last one again."""
    left = chain(controllers, repeat(controllers[-1]))

    def factory(
        skill: str,
        arguments: Mapping[str, ArgumentValue],
        state: RobotState,
        scene: Scene,
        constraints: Sequence[Constraint],
    ) -> SkillController:
        return next(left)

    return factory


def runner_of(*controllers: SkillController) -> SkillRunner:
    return SkillRunner(SKILLS, {"home": factory_of(*controllers)}, PROFILE)


def run(runner: SkillRunner, cancel_at: float = float("inf")) -> tuple[list[JointCommand], ControlOutput]:
    """Step to the end of the skill, for a minute at most."""
    commands: list[JointCommand] = []
    for index in range(6000):
        time = index * PERIOD
        if time >= cancel_at:
            runner.cancel()
        command, output = runner.step(state_at(time), SCENE)
        commands.append(command)
        if output.status is not Status.RUNNING:
            return commands, output
    raise AssertionError("the skill never ended")


def endless(_: float) -> Status:
    return Status.RUNNING


def ends(time: float, status: Status) -> Callable[[float], Status]:
    return lambda now: status if now >= time else Status.RUNNING


def largest_change(commands: list[JointCommand]) -> float:
    """Largest acceleration that the commands ask for, as a share of the limits, from rest to rest."""
    velocity = np.array([np.zeros(N), *(command.velocity for command in commands), np.zeros(N)])
    return float(np.max(np.abs(np.diff(velocity, axis=0)) / (PROFILE.acceleration * PERIOD)))


def test_commands_say_who_and_when() -> None:
    runner = runner_of(Ramp(0.2, ends(0.5, Status.SUCCEEDED)))
    runner.start(HOME, (), state_at(0.0), SCENE)
    commands, _ = run(runner)
    assert [command.sequence for command in commands] == list(range(1, len(commands) + 1))
    assert {command.source for command in commands} == {"skill"}
    assert all(command.joint_names == PROFILE.joint_names and command.period == PERIOD for command in commands)
    assert commands[3].stamp == pytest.approx(3 * PERIOD)
    assert commands[0].gripper == GripperCommand(0.04, 10.0)


def test_the_sequence_goes_on_over_skills() -> None:
    runner = runner_of(Ramp(0.2, ends(0.1, Status.SUCCEEDED)), Ramp(0.2, ends(0.1, Status.SUCCEEDED)))
    runner.start(HOME, (), state_at(0.0), SCENE)
    first, _ = run(runner)
    runner.start(HOME, (), state_at(0.0), SCENE)
    second, _ = run(runner)
    assert second[0].sequence == first[-1].sequence + 1


def test_activation_is_when_the_goal_began() -> None:
    runner = runner_of(Ramp(0.2, endless))
    runner.start(HOME, (), state_at(3.5), SCENE)
    command, _ = runner.step(state_at(3.6), SCENE)
    assert command.activation == 3.5


@given(st.floats(0.05, 1.5), st.floats(0.0, 1.0))
def test_a_cancel_brakes_within_the_limits(speed: float, cancel_at: float) -> None:
    runner = runner_of(Ramp(speed, endless))
    runner.start(HOME, (), state_at(0.0), SCENE)
    commands, output = run(runner, cancel_at)
    assert (output.status, output.reason) == (Status.FAILED, "cancelled")
    assert largest_change(commands) <= 1.0
    assert not np.any(commands[-1].velocity)
    assert not runner.busy


@given(st.floats(0.05, 1.5), st.sampled_from([Status.FAILED, Status.SUCCEEDED]))
def test_a_skill_that_ends_while_moving_is_braked(speed: float, status: Status) -> None:
    runner = runner_of(Ramp(speed, ends(0.5, status), reason="because" if status is Status.FAILED else ""))
    runner.start(HOME, (), state_at(0.0), SCENE)
    commands, output = run(runner)
    assert output.status is status
    assert output.reason == ("because" if status is Status.FAILED else "")
    assert largest_change(commands) <= 1.0
    assert not np.any(commands[-1].velocity)


def test_a_skill_that_never_ends_is_ended() -> None:
    runner = runner_of(Ramp(0.5, endless))
    runner.start(HOME, (), state_at(0.0), SCENE)
    commands, output = run(runner)
    limit = SKILLS["home"].time_limit
    assert output.status is Status.FAILED and f"longer than its {limit:.0f} s" in output.reason
    assert limit <= commands[-1].stamp <= limit + 1.0


class Clock:
    """Keeps the times that it is asked at; ends after a second of them."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def step(self, state: RobotState, scene: Scene) -> ControlOutput:
        self.times.append(state.stamp)
        done = state.stamp - self.times[0] > 1.0
        return ControlOutput(np.full(7, 0.1), None, Status.SUCCEEDED if done else Status.RUNNING, "go", 0.5)


def test_a_skill_that_is_held_waits_as_if_no_time_passed() -> None:
    clock = Clock()
    runner = runner_of(clock)
    runner.start(SkillCall(skill="home"), (), state_at(0.0), SCENE)
    held: list[JointCommand] = []
    for index in range(20000):
        runner.hold(50 <= index < 15000)
        command, output = runner.step(state_at(index * PERIOD), SCENE)
        if output.phase == "held":
            held.append(command)
        if output.status is not Status.RUNNING:
            break
    assert output.status is Status.SUCCEEDED
    assert len(held) == 15000 - 50
    changes = np.abs(np.diff([command.velocity for command in held], axis=0))
    assert (changes <= BRAKING_SHARE * PROFILE.acceleration * PERIOD + 1e-9).all()
    assert not held[-1].velocity.any()
    assert np.diff(clock.times).max() == pytest.approx(PERIOD)


@pytest.mark.parametrize(("seconds", "fails"), [(MOST_HELD - 1.0, False), (MOST_HELD + 1.0, True)])
def test_a_skill_is_not_held_for_ever(seconds: float, fails: bool) -> None:
    runner = runner_of(Ramp(0.0, endless))
    runner.start(SkillCall(skill="home"), (), state_at(0.0), SCENE)
    runner.hold(True)
    runner.step(state_at(0.0), SCENE)
    _, output = runner.step(state_at(seconds), SCENE)
    assert (output.status is Status.FAILED) is fails
    assert not fails or "a person is too near" in output.reason


def test_one_skill_at_a_time() -> None:
    runner = runner_of(Ramp(0.5, endless))
    runner.start(HOME, (), state_at(0.0), SCENE)
    with pytest.raises(ReinsError, match=r"home\(\) is running"):
        runner.start(HOME, (), state_at(0.1), SCENE)
    runner.cancel()
    with pytest.raises(ReinsError, match=r"home\(\) is running"):
        runner.start(HOME, (), state_at(0.1), SCENE)
    run(runner)
    runner.start(HOME, (), state_at(0.2), SCENE)


def test_dropping_a_skill_frees_the_runner_at_once() -> None:
    runner = runner_of(Ramp(0.5, endless))
    runner.start(HOME, (), state_at(0.0), SCENE)
    runner.step(state_at(0.0), SCENE)
    runner.drop()
    assert not runner.busy
    with pytest.raises(ReinsError, match="no skill runs"):
        runner.step(state_at(0.1), SCENE)
    runner.start(HOME, (), state_at(0.2), SCENE)
    command, _ = runner.step(state_at(0.2), SCENE)
    assert command.sequence == 2


@pytest.mark.parametrize(
    "call, message",
    [
        (SkillCall(skill="hoem"), "did you mean 'home'"),
        (SkillCall(skill="home", arguments={"speed": 3.0}), "no parameter of home 'speed'"),
        (SkillCall(skill="pick", arguments={"object": "red_block"}), "nothing here carries out pick"),
    ],
)
def test_what_does_not_exist_is_refused(call: SkillCall, message: str) -> None:
    runner = runner_of(Ramp(0.5, endless))
    with pytest.raises(ReinsError, match=message):
        runner.start(call, (), state_at(0.0), SCENE)
    assert not runner.busy


def test_an_object_that_is_not_there_is_refused() -> None:
    controller = Ramp(0.5, endless)
    runner = SkillRunner(SKILLS, {"pick": lambda *_: controller}, PROFILE)
    with pytest.raises(UnknownName, match="no object 'red_block'"):
        runner.start(SkillCall(skill="pick", arguments={"object": "red_block"}), (), state_at(0.0), SCENE)
    assert not runner.busy


def test_nothing_starts_on_a_robot_with_a_fault() -> None:
    runner = runner_of(Ramp(0.5, endless))
    with pytest.raises(ReinsError, match="the arm is stopped"):
        runner.start(HOME, (), state_at(0.0, fault="the arm is stopped"), SCENE)


@pytest.mark.parametrize(
    "call",
    [
        SkillCall(skill="pick", arguments={"object": "red_block"}),
        SkillCall(skill="push", arguments={"object": "red_block", "direction": "left", "distance": 0.1}),
        SkillCall(skill="open_gripper"),
        SkillCall(skill="close_gripper"),
    ],
    ids=lambda call: call.skill,
)
def test_what_is_held_is_not_dropped_by_a_skill_that_needs_an_empty_hand(call: SkillCall) -> None:
    runner = SkillRunner(SKILLS, {call.skill: factory_of(Ramp(0.2, endless))}, PROFILE)
    full = replace(state_at(0.0), gripper_holding=True)
    with pytest.raises(ReinsError, match=r"was not started: the gripper holds red_block; put it down first$"):
        runner.start(call, (), full, HOLDING_RED)
    assert not runner.busy
    runner.start(call, (), state_at(0.0), HOLDING_RED)  # the scene is old: the fingers feel nothing any more
    assert runner.busy


def test_what_is_held_may_be_carried_home() -> None:
    runner = runner_of(Ramp(0.2, endless))
    runner.start(HOME, (), replace(state_at(0.0), gripper_holding=True), HOLDING_RED)
    assert runner.busy


def test_cancelling_without_a_skill_does_nothing() -> None:
    runner = runner_of(Ramp(0.5, endless))
    runner.cancel()
    runner.start(HOME, (), state_at(0.0), SCENE)
    _, output = runner.step(state_at(0.0), SCENE)
    assert output.status is Status.RUNNING
