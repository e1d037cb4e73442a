"""Legged robots by joystick, keyboard and cmd_vel: what the operator wants becomes body commands, and silence holds."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from teleop_pad import PERIOD, Pad

from reins.contracts.event import Severity
from reins.hardware.legged import BodyCommand, LeggedState, Odometry, Posture
from reins.hardware.on_belly import SETTLED
from reins.hardware.profile import RobotProfile, known_profiles, load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.teleop.core import START_TRIM, TRIMS, TeleopCore
from reins.teleop.intent import Action, Direction
from reins.teleop.mapping import known_mappings, load_joy_mapping
from reins.teleop.settings import TeleopSettings

TRIM = TRIMS[START_TRIM]
TIMEOUT = TeleopSettings().cmd_vel_timeout
PADS = [name for name in known_mappings() if name != "keyboard"]
STILL = (0.0,) * 6

BodyCore = TeleopCore[LeggedState, BodyCommand]


@pytest.fixture(scope="module", params=known_profiles("quadruped"))
def quadruped(request: pytest.FixtureRequest) -> QuadrupedProfile:
    """Every quadruped that ships with reins."""
    return load_profile(request.param, QuadrupedProfile)


@pytest.fixture
def standing(quadruped: QuadrupedProfile) -> LeggedState:
    """On its legs, some time after the start."""
    n, upright = len(quadruped.joints), np.array([0.0, 0.0, 0.0, 1.0])
    odometry = Odometry(np.array([0.0, 0.0, 0.3]), upright, np.zeros(3), np.zeros(3))
    zeros, feet = np.zeros(n), np.ones(4, dtype=bool)
    return LeggedState(5.0, upright, quadruped.home.copy(), zeros, zeros, feet, 0.9, odometry, height=0.3)


@pytest.fixture
def sitting(standing: LeggedState) -> LeggedState:
    """On the ground."""
    return replace(standing, height=0.08)


@pytest.fixture
def core(quadruped: QuadrupedProfile) -> BodyCore:
    return TeleopCore(quadruped, load_joy_mapping("xbox"))


@pytest.fixture
def pad(core: BodyCore, standing: LeggedState) -> Pad:
    """An Xbox pad in the operator's hands, the robot on its legs."""
    return Pad(core, standing, load_joy_mapping("xbox"))


class TestFallen:
    """On its back: `stand` turns it over, then it rises; nothing else does."""

    ON_ITS_BACK = np.array([1.0, 0.0, 0.0, 0.0])

    @pytest.fixture
    def fallen(self, sitting: LeggedState) -> LeggedState:
        return replace(sitting, orientation=self.ON_ITS_BACK, height=None)

    def held(self, core: BodyCore, state: LeggedState) -> Pad:
        pad = Pad(core, state, load_joy_mapping("xbox"))
        pad.hold()
        return pad

    def test_the_dead_man_alone_leaves_it_lying(self, core: BodyCore, fallen: LeggedState) -> None:
        assert self.held(core, fallen).step().posture is Posture.SIT

    def test_stand_turns_it_over_and_then_has_it_rise(
        self, core: BodyCore, fallen: LeggedState, sitting: LeggedState
    ) -> None:
        pad = self.held(core, fallen)
        pad.press(Action.STAND)
        assert {pad.step().posture for _ in range(100)} == {Posture.RECOVER}
        assert "turns over" in core.summary
        pad.state = replace(sitting, stamp=pad.state.stamp)
        pad.release(Action.STAND)
        assert pad.step().posture is Posture.RECOVER
        pad.press(Action.STAND)  # a key that repeats hurries nothing
        postures = [pad.step().posture for _ in range(100)]
        begun = postures.index(Posture.STAND)
        assert begun == pytest.approx(SETTLED / PERIOD, abs=2)
        assert set(postures[begun:]) == {Posture.STAND}

    def test_sit_ends_it(self, core: BodyCore, fallen: LeggedState) -> None:
        pad = self.held(core, fallen)
        pad.press(Action.STAND)
        assert pad.step().posture is Posture.RECOVER
        pad.press(Action.SIT)
        assert pad.step().posture is Posture.SIT

    def test_letting_go_ends_it_until_stand_is_pressed_again(self, core: BodyCore, fallen: LeggedState) -> None:
        pad = self.held(core, fallen)
        pad.press(Action.STAND)
        pad.step()
        pad.release(Action.STAND)
        pad.let_go()
        pad.steps(20)
        pad.hold()
        assert pad.step().posture is Posture.SIT


class TestSticks:
    @pytest.mark.parametrize("mapping", PADS)
    def test_every_pad_that_ships_walks_turns_stands_and_sits(
        self, quadruped: QuadrupedProfile, standing: LeggedState, mapping: str
    ) -> None:
        loaded = load_joy_mapping(mapping)
        pad = Pad(TeleopCore(quadruped, loaded), standing, loaded)
        limits = quadruped.body.velocity
        pad.hold()
        for direction, value, expected in (
            (Direction.X, 1.0, (limits.forward, 0.0, 0.0)),
            (Direction.X, -1.0, (-limits.backward, 0.0, 0.0)),
            (Direction.Y, 1.0, (0.0, limits.sideways, 0.0)),
            (Direction.YAW, -1.0, (0.0, 0.0, -limits.turn)),
        ):
            pad.push(direction, value)
            np.testing.assert_allclose(pad.velocity(), TRIM * np.array(expected), atol=1e-3)
            pad.push(direction, 0.0)
            pad.steps(30)
        assert pad.click(Action.SIT).posture is Posture.SIT
        assert pad.click(Action.STAND).posture is Posture.STAND

    def test_the_command_is_well_formed(self, pad: Pad) -> None:
        pad.hold()
        first, second = pad.steps(2)
        assert (first.source, second.sequence - first.sequence) == ("teleop", 1)
        assert first.period == pytest.approx(PERIOD) and second.activation == first.activation == first.stamp

    def test_nothing_comes_without_the_dead_man(self, pad: Pad) -> None:
        pad.push(Direction.X, 1.0)
        pad.press(Action.SIT)
        assert pad.steps(20) == []

    @pytest.mark.parametrize("lost", ["released", "silent", "unplugged"])
    def test_letting_go_sends_one_last_command_that_stands(self, pad: Pad, lost: str) -> None:
        pad.hold()
        pad.push(Direction.X, 1.0)
        pad.steps(20)
        if lost == "released":
            pad.let_go()
        else:
            pad.plugged_in = False
            if lost == "unplugged":
                pad.core.on_unplugged("joystick")
        commands = pad.steps(30)
        assert not commands[-1].velocity.any() and commands[-1].posture is Posture.STAND
        assert len(commands) == 1 or lost == "silent"
        assert pad.steps(20) == []

    def test_the_speed_buttons_trim_it(self, pad: Pad, quadruped: QuadrupedProfile) -> None:
        pad.hold()
        pad.push(Direction.X, 1.0)
        pad.click(Action.SLOWER)
        assert pad.velocity()[0] == pytest.approx(TRIMS[START_TRIM - 1] * quadruped.body.velocity.forward, rel=1e-3)

    def test_what_only_an_arm_does_does_nothing(self, pad: Pad) -> None:
        """Its buttons may be pressed, and a robot that walks has neither a tool frame nor joints to jog."""
        pad.hold()
        pad.push(Direction.X, 1.0)
        before = pad.velocity()
        for action in (Action.TOGGLE_FRAME, Action.TOGGLE_JOINTS, Action.NEXT_JOINT):
            pad.click(action)
        np.testing.assert_allclose(pad.velocity(), before, rtol=1e-3)

    def test_a_deadman_on_a_new_press_is_a_new_activation(self, pad: Pad) -> None:
        pad.hold()
        first = pad.steps(3)[-1]
        pad.let_go()
        pad.steps(3)
        pad.hold()
        assert pad.steps(3)[-1].activation > first.activation

    def test_keys_walk_it(self, core: BodyCore, standing: LeggedState, quadruped: QuadrupedProfile) -> None:
        commands = []
        for step in range(30):
            core.on_key("w", step * PERIOD)
            core.on_key("j", step * PERIOD)
            commands.append(core.step(replace(standing, stamp=5.0 + step * PERIOD), step * PERIOD))
        limits = quadruped.body.velocity
        assert commands[-1] is not None
        np.testing.assert_allclose(commands[-1].velocity, TRIM * np.array([limits.forward, 0, limits.turn]), rtol=1e-3)


class TestPosture:
    def test_the_dead_man_alone_does_not_make_it_rise(self, core: BodyCore, sitting: LeggedState) -> None:
        pad = Pad(core, sitting, load_joy_mapping("xbox"))
        pad.hold()
        pad.push(Direction.X, 1.0)
        assert all(command.posture is Posture.SIT for command in pad.steps(20))
        assert "sits" in core.summary
        assert pad.click(Action.STAND).posture is Posture.STAND
        assert "walking" in core.summary

    def test_letting_go_while_it_rises_does_not_sit_it_down_again(
        self, core: BodyCore, sitting: LeggedState, quadruped: QuadrupedProfile
    ) -> None:
        pad = Pad(core, sitting, load_joy_mapping("xbox"))
        pad.hold()
        pad.click(Action.STAND)
        pad.let_go()
        pad.steps(3)
        pad.hold()
        assert pad.step().posture is Posture.STAND
        pad.let_go()
        pad.steps(round(quadruped.body.stand_up / PERIOD) + 1)
        pad.hold()
        assert pad.step().posture is Posture.SIT, "it did not rise, so something made it sit"

    def test_one_that_does_not_know_its_height_is_taken_for_standing(
        self, core: BodyCore, standing: LeggedState
    ) -> None:
        pad = Pad(core, replace(standing, height=None), load_joy_mapping("xbox"))
        pad.hold()
        assert pad.step().posture is Posture.STAND

    @pytest.mark.parametrize(("key", "posture"), [("c", Posture.SIT), ("v", Posture.STAND)])
    def test_a_posture_key_holds_the_dead_man_for_its_command(
        self, core: BodyCore, standing: LeggedState, key: str, posture: Posture
    ) -> None:
        core.on_key(key, 1.0)
        command = core.step(standing, 1.0)
        assert command is not None and not command.velocity.any()
        assert command.posture is posture


class Stream:
    """Publishes cmd_vel with every step."""

    def __init__(self, core: BodyCore, state: LeggedState) -> None:
        self.core, self.state, self.t = core, state, 100.0

    def step(self, twist: Sequence[float] | None) -> BodyCommand | None:
        """One period with a message, or without."""
        self.t += PERIOD
        self.state = replace(self.state, stamp=self.state.stamp + PERIOD)
        if twist is not None:
            self.core.on_cmd_vel(twist, self.t)
        return self.core.step(self.state, self.t)

    def steps(self, twist: Sequence[float] | None, count: int) -> list[BodyCommand]:
        """Several; the commands that came."""
        return [command for command in (self.step(twist) for _ in range(count)) if command is not None]

    def kinds(self) -> list[str]:
        """Kinds of the events since the last call."""
        return [event.kind for event in self.core.take_events()]


@pytest.fixture
def stream(core: BodyCore, standing: LeggedState) -> Stream:
    return Stream(core, standing)


class TestCmdVel:
    @given(x=st.floats(-5.0, 5.0), y=st.floats(-5.0, 5.0), yaw=st.floats(-5.0, 5.0))
    def test_it_passes_as_it_is(self, x: float, y: float, yaw: float) -> None:
        """Neither trimmed nor smoothed: the safety filter is there for what is too much."""
        profile = load_profile(known_profiles("quadruped")[0], QuadrupedProfile)
        n, upright = len(profile.joints), np.array([0.0, 0.0, 0.0, 1.0])
        odometry = Odometry(np.zeros(3), upright, np.zeros(3), np.zeros(3))
        zeros, feet = np.zeros(n), np.ones(4, dtype=bool)
        state = LeggedState(5.0, upright, profile.home, zeros, zeros, feet, 0.9, odometry, height=0.3)
        command = Stream(TeleopCore(profile, load_joy_mapping("xbox")), state).step((x, y, 0.0, 0.0, 0.0, yaw))
        assert command is not None and command.source == "teleop"
        assert command.velocity.tolist() == [x, y, yaw]

    @pytest.mark.parametrize("offset, held", [(-1e-3, True), (1e-3, False)])
    def test_exactly_at_the_timeout(self, stream: Stream, offset: float, held: bool) -> None:
        stream.step((0.5, 0.0, 0.0, 0.0, 0.0, 0.0))
        command = stream.core.step(stream.state, stream.t + TIMEOUT + offset)
        assert command is not None
        assert bool(command.velocity.any()) is held

    def test_silence_holds_with_one_last_command_and_is_told(self, stream: Stream) -> None:
        stream.steps((0.5, 0.0, 0.0, 0.0, 0.0, 0.0), 10)
        commands = stream.steps(None, round(2 * TIMEOUT / PERIOD))
        assert not commands[-1].velocity.any()
        assert stream.steps(None, 20) == []
        assert stream.kinds() == ["cmd_vel_silent"]

    def test_a_stream_that_ends_standing_is_no_event(self, stream: Stream) -> None:
        stream.steps((0.5, 0.0, 0.0, 0.0, 0.0, 0.0), 10)
        stream.steps(STILL, 1)
        stream.steps(None, 60)
        assert stream.kinds() == []

    def test_standing_messages_take_over_too(self, stream: Stream) -> None:
        """Whoever publishes zeros wants the robot to stand."""
        command = stream.step(STILL)
        assert command is not None and not command.velocity.any()

    def test_it_is_a_new_activation_after_silence(self, stream: Stream) -> None:
        first = stream.step(STILL)
        stream.steps(None, 60)
        second = stream.step(STILL)
        assert first is not None and second is not None and second.activation > first.activation

    @pytest.mark.parametrize(
        ("twist", "said"),
        [
            ((math.nan, 0, 0, 0, 0, 0), "x is nan"),
            ((0, 0, 0, 0, 0, math.inf), "yaw is inf"),
            ((0, 0, 0.1, 0, 0, 0), "z is 0.1"),
            ((0, 0, 0, 0.1, 0, 0), "roll is 0.1"),
            ((0, 0, 0, 0, math.nan, 0), "pitch is nan"),
        ],
    )
    def test_what_makes_no_sense_is_told_once_and_ends_the_stream(
        self, stream: Stream, twist: Sequence[float], said: str
    ) -> None:
        good = (0.5, 0.0, 0.0, 0.0, 0.0, 0.0)
        stream.steps(good, 10)
        last = stream.step(twist)
        assert last is not None and not last.velocity.any()
        assert stream.steps(twist, 10) == []
        (event,) = stream.core.take_events()
        assert event.kind == "cmd_vel_unusable" and said in event.reason and event.severity is Severity.ERROR
        assert stream.steps(good, 10) == [], "it has to pause first"
        stream.steps(None, 60)
        assert len(stream.steps(good, 10)) == 10

    def test_a_hand_on_the_stick_overrules_it_and_letting_go_gives_it_nothing_back(
        self, core: BodyCore, standing: LeggedState
    ) -> None:
        pad = Pad(core, standing, load_joy_mapping("xbox"))

        def step() -> BodyCommand | None:
            core.on_cmd_vel((0.7, 0.0, 0.0, 0.0, 0.0, 0.0), pad.t)
            command: BodyCommand | None = pad.step()
            return command

        walks = step()
        assert walks is not None and walks.velocity[0] == 0.7
        pad.hold()
        by_hand = [step() for _ in range(10)]
        assert all(command is not None and not command.velocity.any() for command in by_hand)
        pad.let_go()
        after = [step() for _ in range(round(3 * TIMEOUT / PERIOD))]
        assert after[0] is not None and not after[0].velocity.any()
        assert after[1:] == [None] * (len(after) - 1)
        pad.steps(round(TIMEOUT / PERIOD) + 2)
        assert step() is not None, "a new stream drives again"

    def test_motion_makes_a_robot_that_sits_rise_and_standing_does_not(
        self, core: BodyCore, sitting: LeggedState
    ) -> None:
        stream = Stream(core, sitting)
        assert {command.posture for command in stream.steps(STILL, 3)} == {Posture.SIT}
        assert {command.posture for command in stream.steps((0.3, 0, 0, 0, 0, 0), 3)} == {Posture.STAND}
        assert {command.posture for command in stream.steps(STILL, 3)} == {Posture.STAND}

    def test_an_arm_is_not_driven_by_it(self, profile: RobotProfile) -> None:
        core = TeleopCore(profile, load_joy_mapping("xbox"))
        for t in (0.0, 0.1):
            core.on_cmd_vel(STILL, t)
        (event,) = core.take_events()
        assert event.kind == "cmd_vel_unusable" and "arm" in event.reason
