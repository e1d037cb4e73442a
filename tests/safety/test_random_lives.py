"""Random lives of a monitor: whatever happens to it, what is sent keeps the limits, and stops hold."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from safety_loop import PERIOD, Loop

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import JointCommand, SafeCommand
from reins.safety.modes import Mode

SPEED = 0.2

LATCHED = (Mode.STOPPED, Mode.ESTOP)


class Life:
    """One monitor in its loop, and everything that can happen to it."""

    def __init__(self, profile: RobotProfile) -> None:
        self.loop = Loop(profile).begin()
        self._first = self.loop.robot.read().stamp
        self._random = np.random.default_rng(1)
        self._old: list[JointCommand] = []

    def happen(self, act: str, periods: int) -> None:
        """Something happens, and goes on for so many control periods."""
        EVENTS.get(act, _nothing)(self)
        self.loop.connected = act != "disconnect"
        for _ in range(periods):
            self.loop.state = self.loop.robot.read()
            commands = COMMANDS[act](self) if act in COMMANDS else []
            self._old = [*self._old[-20:], *commands]
            self.loop.step(*commands)

    def ask(self, request: Callable[[Loop], None]) -> None:
        """An operator asks; a refusal is an answer, too."""
        with contextlib.suppress(ReinsError):
            request(self.loop)

    def send(self, command: SafeCommand | None) -> None:
        """What the monitor answered with goes to the robot, as all it says."""
        if command is not None:
            self.loop.send(command)

    def command(self, source: str = "skill", velocity: Any = SPEED, **changes: Any) -> list[JointCommand]:
        """A command of now."""
        return [self.loop.command(source, velocity, **changes)]

    def wild(self) -> list[JointCommand]:
        """Far beyond every limit."""
        return self.command(velocity=self._random.normal(size=len(self.loop.profile.joints)) * 5.0)

    def swapped(self) -> list[JointCommand]:
        """Two joints in each other's place."""
        names = self.loop.profile.joint_names
        return self.command(joint_names=(names[1], names[0], *names[2:]))

    def not_a_number(self) -> list[JointCommand]:
        """One joint's velocity is NaN."""
        velocity = np.full(len(self.loop.profile.joints), SPEED)
        velocity[3] = np.nan
        return self.command(velocity=velocity)

    def shuffled(self) -> list[JointCommand]:
        """This command and old ones, in any order."""
        commands = self._old[-3:] + self.command()
        return [commands[index] for index in self._random.permutation(len(commands))]

    def late(self) -> list[JointCommand]:
        """Computed from a state that is long gone."""
        return self.command(stamp=self.loop.state.stamp - 1.0)

    @property
    def first(self) -> float:
        """When the very first goal began [s]."""
        return self._first


def _nothing(_life: Life) -> None:
    pass


def _reset(loop: Loop) -> None:
    loop.host.recover()
    loop.step()
    loop.monitor.reset("anna", loop.t)
    loop.host.arm(1)


EVENTS: dict[str, Callable[[Life], None]] = {
    "estop": lambda life: life.send(life.loop.monitor.estop("anna", "", life.loop.t)),
    "reset": lambda life: life.ask(_reset),
    "hand_back": lambda life: life.ask(lambda loop: loop.monitor.hand_back("anna", loop.t)),
    "slower": lambda life: life.ask(lambda loop: loop.monitor.rules.set_speed_scale(0.3, "anna")),
    "death": lambda life: life.send(life.loop.monitor.on_death("planner", life.loop.t)),
    "silent node": lambda life: life.loop.alive.discard("planner"),
    "node again": lambda life: life.loop.alive.add("planner"),
    "clock forth": lambda life: life.loop.robot.shift_clock(3.0),
    "clock back": lambda life: life.loop.robot.shift_clock(-3.0),
    "disconnect": _nothing,
    "nothing": _nothing,
}

COMMANDS: dict[str, Callable[[Life], list[JointCommand]]] = {
    "skill": lambda life: life.command(),
    "old goal": lambda life: life.command(activation=life.first),
    "teleop": lambda life: life.command("teleop", -SPEED),
    "both": lambda life: life.command() + life.command("teleop", -SPEED),
    "wild": Life.wild,
    "swapped joints": Life.swapped,
    "NaN": Life.not_a_number,
    "repeated": lambda life: life._old[-1:],
    "shuffled": Life.shuffled,
    "late": Life.late,
    "short": lambda life: life.command(velocity=np.full(3, SPEED)),
    "nobody": lambda life: [replace(command, source="somebody") for command in life.command()],
}

ACTS = st.lists(
    st.tuples(st.sampled_from([*EVENTS, *COMMANDS, "skill", "teleop", "reset"]), st.integers(1, 12)),
    min_size=1,
    max_size=25,
)


def live(profile: RobotProfile, acts: list[tuple[str, int]]) -> None:
    """A whole life, judged."""
    life = Life(profile)
    for act, periods in acts:
        before = life.loop.mode
        life.happen(act, periods)
        if before in LATCHED and act != "reset":
            assert life.loop.mode in LATCHED, f"{act} ended a stop"
    judge(profile, life.loop.sent)


def judge(profile: RobotProfile, sent: list[SafeCommand]) -> None:
    """In order, within the limits, and without a step."""
    assert [command.sequence for command in sent] == list(range(1, len(sent) + 1))
    before = np.zeros(len(profile.joints))
    for command in sent:
        assert (command.position >= profile.lower).all()
        assert (command.position <= profile.upper).all()
        assert (np.abs(command.velocity) <= profile.velocity + 1e-9).all()
        change = np.abs(command.velocity - before)
        assert (change <= profile.acceleration * profile.rates.stale_after + 1e-9).all()
        before = command.velocity


@given(acts=ACTS)
def test_limits_and_latches_hold(profile: RobotProfile, acts: list[tuple[str, int]]) -> None:
    live(profile, acts)


@pytest.mark.slow
@settings(max_examples=1000, derandomize=False)
@given(acts=ACTS)
def test_limits_and_latches_hold_in_a_thousand_lives(profile: RobotProfile, acts: list[tuple[str, int]]) -> None:
    live(profile, acts)


@example(acts=[("skill", 2), ("reset", 1)], periods=30)  # recovered in the middle of a motion
@given(acts=ACTS, periods=st.integers(30, 60))
def test_nothing_moves_while_only_what_was_there_before_a_stop_goes_on(
    profile: RobotProfile, acts: list[tuple[str, int]], periods: int
) -> None:
    life = Life(profile)
    for act, count in acts:
        life.happen(act, count)
    life.happen("estop", 60)
    stood = life.loop.robot.read().position
    for act in ("old goal", "repeated", "shuffled", "NaN", "nothing"):
        life.happen(act, periods)
    assert life.loop.mode is Mode.ESTOP
    np.testing.assert_allclose(life.loop.robot.read().position, stood, atol=1e-12)
    assert PERIOD * periods > 0.25
