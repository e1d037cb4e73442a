"""Random lives of a legged robot's monitor: whatever happens, what is sent keeps the limits, and stops hold."""

import contextlib
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from legged_loop import LeggedLoop, thing
from legged_walker import tilted

from reins.contracts.errors import ReinsError
from reins.hardware.legged import BodyCommand, Posture, SafeBodyCommand
from reins.hardware.quadruped import QuadrupedProfile
from reins.safety.legged.limits import speed_use
from reins.safety.modes import Mode

AHEAD = (0.6, 0.0, 0.2)

LATCHED = (Mode.STOPPED, Mode.ESTOP)

BOXES = (("north", 1.6, 0.0), ("south", -1.6, 0.0), ("west", 0.0, 1.6), ("east", 0.0, -1.6), ("corner", 1.5, 1.5))
"""What stands around the robot when its life begins: name and place [m]."""

HALF = 0.25
"""Half of a box's width [m]."""


class Life:
    """One monitor in its loop, a robot on its legs among boxes, and everything that can happen to it."""

    def __init__(self, profile: QuadrupedProfile) -> None:
        self.loop = LeggedLoop(profile).begin()
        self.first = self.loop.robot.read().stamp
        self._random = np.random.default_rng(1)
        self._old: list[BodyCommand] = []
        self.loop.see(*(thing(name, "box", x, y) for name, x, y in BOXES))
        self.loop.walk((0.0, 0.0, 0.0))

    def happen(self, act: str, periods: int) -> None:
        """Something happens, and goes on for so many control periods."""
        EVENTS.get(act, _nothing)(self)
        self.loop.connected, self.loop.blocked = act != "disconnect", act == "lost"
        for _ in range(periods):
            self.loop.state = self.loop.robot.read()
            commands = COMMANDS[act](self) if act in COMMANDS else []
            self._old = [*self._old[-20:], *commands]
            self.loop.step(*commands)

    def ask(self, request: Callable[[LeggedLoop], None]) -> None:
        """An operator asks; a refusal is an answer, too."""
        with contextlib.suppress(ReinsError):
            request(self.loop)

    def command(self, source: str = "skill", velocity: Any = AHEAD, **changes: Any) -> list[BodyCommand]:
        """A command of now."""
        return [self.loop.command(source, velocity, **changes)]

    def wild(self) -> list[BodyCommand]:
        """Far beyond every limit."""
        return self.command("teleop", self._random.normal(size=3) * 3.0)

    def shuffled(self) -> list[BodyCommand]:
        """This command and old ones, in any order."""
        commands = self._old[-3:] + self.command()
        return [commands[index] for index in self._random.permutation(len(commands))]

    def repeated(self) -> list[BodyCommand]:
        """The last one again."""
        return self._old[-1:]


def _nothing(_life: Life) -> None:
    pass


def _reset(loop: LeggedLoop) -> None:
    loop.host.recover()
    loop.step()
    loop.monitor.reset("anna", loop.t)
    loop.host.arm(1)


def _now(**changes: Any) -> Callable[[Life], None]:
    """What the sensors say from now on."""

    def change(life: Life) -> None:
        life.loop.robot.changes = changes

    return change


EVENTS: dict[str, Callable[[Life], None]] = {
    "estop": lambda life: life.ask(lambda loop: loop.send(loop.monitor.estop("anna", "", loop.t))),
    "reset": lambda life: life.ask(_reset),
    "hand_back": lambda life: life.ask(lambda loop: loop.monitor.hand_back("anna", loop.t)),
    "slower": lambda life: life.ask(lambda loop: loop.monitor.rules.set_speed_scale(0.3, "anna")),
    "death": lambda life: life.ask(lambda loop: loop.send(loop.monitor.on_death("teleop", loop.t))),
    "silent node": lambda life: life.loop.alive.discard("teleop"),
    "node again": lambda life: life.loop.alive.add("teleop"),
    "clock forth": lambda life: life.loop.robot.shift_clock(3.0),
    "clock back": lambda life: life.loop.robot.shift_clock(-3.0),
    "tilted": _now(orientation=tilted(0.9)),
    "slope": _now(orientation=tilted(0.5)),
    "lifted": _now(contact=np.zeros(4, dtype=bool)),
    "empty": _now(battery=0.05),
    "blind": _now(battery=math.nan),
    "well": _now(),
    "person": lambda life: life.loop.see(thing("anna", "person", 1.5)),
    "disconnect": _nothing,
    "lost": _nothing,
    "nothing": _nothing,
}

COMMANDS: dict[str, Callable[[Life], list[BodyCommand]]] = {
    "skill": lambda life: life.command(),
    "old goal": lambda life: life.command(activation=life.first),
    "teleop": lambda life: life.command("teleop", (-0.5, 0.2, 0.0)),
    "both": lambda life: life.command() + life.command("teleop", (-0.5, 0.2, 0.0)),
    "wild": Life.wild,
    "sit": lambda life: life.command("teleop", posture=Posture.SIT),
    "NaN": lambda life: life.command(velocity=(math.nan, 0.0, 0.0)),
    "repeated": Life.repeated,
    "shuffled": Life.shuffled,
    "late": lambda life: life.command(stamp=life.loop.state.stamp - 1.0),
    "six": lambda life: life.command(velocity=np.ones(6)),
    "nobody": lambda life: [replace(command, source="somebody") for command in life.command()],
}

ACTS = st.lists(
    st.tuples(st.sampled_from([*EVENTS, *COMMANDS, "skill", "wild", "teleop", "well", "reset"]), st.integers(1, 30)),
    min_size=1,
    max_size=20,
)


def live(profile: QuadrupedProfile, acts: list[tuple[str, int]]) -> None:
    """A whole life, judged."""
    life = Life(profile)
    for act, periods in acts:
        before = life.loop.monitor.mode
        life.happen(act, periods)
        if before in LATCHED and act != "reset":
            assert life.loop.monitor.mode in LATCHED, f"{act} ended a stop"
    judge(profile, life.loop.sent)
    touches(life.loop)


def judge(profile: QuadrupedProfile, sent: list[SafeBodyCommand]) -> None:
    """In order, within the limits, without a step, and never in motion while it sits."""
    assert [command.sequence for command in sent] == list(range(1, len(sent) + 1))
    before = np.zeros(3)
    for command in sent:
        assert speed_use(command.velocity, profile.body.velocity) <= 1.0 + 1e-9
        change = np.abs(command.velocity - before)
        assert (change <= profile.acceleration * profile.rates.stale_after + 1e-9).all()
        assert command.posture is Posture.STAND or not command.velocity.any()
        before = command.velocity


def touches(loop: LeggedLoop) -> None:
    """The robot's footprint stayed out of the boxes that it saw first; it begins where they are meant from."""
    for state in loop.states:
        for _, x, y in BOXES:
            beyond = np.maximum(np.abs(state.odometry.position[:2] - (x, y)) - HALF, 0.0)
            assert np.hypot(*beyond) > loop.profile.body.footprint


@settings(max_examples=40)
@given(acts=ACTS)
def test_limits_keep_outs_and_latches_hold(quadruped: QuadrupedProfile, acts: list[tuple[str, int]]) -> None:
    live(quadruped, acts)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@settings(max_examples=1000, derandomize=False)
@given(acts=ACTS)
def test_they_hold_in_a_thousand_lives(quadruped: QuadrupedProfile, acts: list[tuple[str, int]]) -> None:
    live(quadruped, acts)


@settings(max_examples=15)
@given(acts=ACTS)
def test_nothing_moves_while_only_what_was_there_before_a_stop_goes_on(
    quadruped: QuadrupedProfile, acts: list[tuple[str, int]]
) -> None:
    life = Life(quadruped)
    for act, count in acts:
        life.happen(act, count)
    life.happen("estop", 150)
    stood = life.loop.robot.read().odometry
    for act in ("old goal", "repeated", "shuffled", "NaN", "nothing"):
        life.happen(act, 20)
    assert life.loop.is_in(Mode.ESTOP)
    np.testing.assert_allclose(life.loop.robot.read().odometry.position[:2], stood.position[:2], atol=1e-3)
    assert life.loop.sent[-1].posture is Posture.SIT
