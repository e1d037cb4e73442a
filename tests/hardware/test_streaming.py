"""The thread of a real arm's driver, over a session that moves as told and a clock that a test winds on."""

from threading import Event

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError
from reins.hardware.profile import load_profile
from reins.hardware.robot import JUMP, ROUNDING, FloatArray, SafeCommand, StopCategory
from reins.hardware.streaming import robot as streaming_robot
from reins.hardware.streaming.exchange import Exchange
from reins.hardware.streaming.loop import PATIENCE, Loop, Phase
from reins.hardware.streaming.robot import StreamingRobot
from reins.hardware.streaming.session import Aborted, Measured, SessionLost

PROFILE = load_profile("franka")
N = len(PROFILE.joints)
STALE = PROFILE.rates.stale_after
DT = 0.002


class FakeSession:
    """Is at once where it is told to be; says what was asked of it."""

    def __init__(self, arm: "FakeArm") -> None:
        self.arm = arm
        self.tracking = False
        self.calls: list[str] = []
        self.broken = False

    def measure(self) -> Measured:
        if self.broken:
            raise SessionLost("the cable is cut")
        at = self.arm.now
        zero = np.zeros(N)
        return Measured(
            self.arm.now + self.arm.clock_offset, self.arm.position.copy(), zero, zero, self.arm.trouble, at
        )

    def begin(self, position: FloatArray) -> None:
        self.calls.append("begin")
        if self.arm.refuses:
            raise Aborted("not in this mode")
        self.tracking = True
        self.track(position, np.zeros(N))

    def track(self, position: FloatArray, velocity: FloatArray) -> None:
        self.arm.position = position.copy()

    def check(self) -> None:
        if self.arm.abort:
            self.tracking = False
            word, self.arm.abort = self.arm.abort, ""
            raise Aborted(word)

    def end(self) -> None:
        self.calls.append("end")
        self.tracking = self.arm.hangs

    def halt(self) -> None:
        self.calls.append("halt")
        self.tracking = False

    def recover(self) -> None:
        self.calls.append("recover")
        if self.arm.refuses:
            raise Aborted("it does not recover")
        self.arm.trouble = ""

    def close(self) -> None:
        self.calls.append("close")


class FakeArm:
    """The arm, its driver's loop, and time."""

    def __init__(self) -> None:
        self.now = 100.0
        self.clock_offset = -70.0
        self.position = PROFILE.home.copy()
        self.trouble = self.abort = ""
        self.refuses = self.hangs = self.unreachable = False
        self.sessions = [FakeSession(self)]
        first = self.session.measure()
        self.exchange = Exchange(first, PROFILE, lambda: self.now)
        self.loop = Loop(self.exchange, self.session, self.connect, PROFILE)
        self.sequence = 0

    @property
    def session(self) -> FakeSession:
        return self.sessions[-1]

    @property
    def fault(self) -> str:
        return self.exchange.view().fault

    def connect(self) -> FakeSession:
        if self.unreachable:
            raise ReinsError("nobody answers")
        self.sessions.append(FakeSession(self))
        return self.session

    def run(self, seconds: float) -> list[FloatArray]:
        """Let time pass; where the reference was in every cycle."""
        seen = []
        for _ in range(round(seconds / DT)):
            self.now += DT
            if not self.loop.cycle():
                break
            seen.append(self.exchange.view().reference)
        return seen

    def command(self, velocity: FloatArray, position: FloatArray | None = None) -> bool:
        self.sequence += 1
        at = self.exchange.view().reference if position is None else position
        return self.exchange.offer(SafeCommand(self.sequence, 0.0, 0.01, at, velocity))

    def drive(self, velocity: FloatArray, seconds: float) -> list[FloatArray]:
        """A stream of commands at 100 Hz from where it is on."""
        position = self.exchange.view().reference.copy()
        seen = []
        for _ in range(round(seconds / 0.01)):
            self.command(velocity, position)
            seen += self.run(0.01)
            position = position + velocity * 0.01
        return seen


@pytest.fixture
def arm() -> FakeArm:
    return FakeArm()


SPEED = np.linspace(0.2, -0.5, N)


def test_nothing_is_asked_of_the_robot_before_the_first_command(arm: FakeArm) -> None:
    arm.run(1.0)
    assert arm.session.calls == [] and arm.fault == ""
    np.testing.assert_array_equal(arm.position, PROFILE.home)


def test_tracking_begins_where_the_robot_is_and_follows_the_commands(arm: FakeArm) -> None:
    seen = arm.drive(SPEED, 0.5)
    assert arm.session.calls == ["begin"]
    steps = np.abs(np.diff([PROFILE.home, *seen], axis=0)).max(axis=0)
    assert (steps <= np.abs(SPEED) * 2 * DT + 1e-12).all()
    np.testing.assert_allclose(arm.position, PROFILE.home + SPEED * 0.5, atol=np.abs(SPEED).max() * DT)


@pytest.mark.parametrize("late, stops", [(-DT, False), (+DT, True)])
def test_silence_stops_it_at_the_deadline_and_not_before(arm: FakeArm, late: float, stops: bool) -> None:
    arm.drive(SPEED, 0.1)
    arm.command(SPEED)
    arm.run(STALE + late)
    assert ("no command" in arm.fault) is stops


@given(speed=st.lists(st.floats(-2.0, 2.0), min_size=N, max_size=N).map(np.array))
def test_a_controlled_stop_brakes_along_the_path_within_the_limits_and_ends(speed: FloatArray) -> None:
    arm = FakeArm()
    arm.drive(speed, 0.1)
    arm.exchange.stop(StopCategory.CONTROLLED, "because")
    start = arm.position.copy()
    seen = np.array([start, *arm.run(1.0)])
    steps = np.diff(seen, axis=0) / DT
    assert (np.abs(np.diff(steps, axis=0)) / DT <= PROFILE.acceleration * 1.01 + 1e-6).all()
    assert arm.loop.phase is Phase.HOLDING and arm.session.calls[-1] == "end"
    way = seen[-1] - start
    if np.abs(speed).max() > 0.1:  # along the path: all joints by the same share of their speeds
        share = float(way @ speed / (speed @ speed))
        np.testing.assert_allclose(way, share * speed, atol=1e-9)
    assert arm.fault == "because"


def test_a_cut_has_the_robot_stop_by_its_own_means_at_once(arm: FakeArm) -> None:
    arm.drive(SPEED, 0.1)
    arm.exchange.stop(StopCategory.CUT, "because")
    before = arm.position.copy()
    arm.run(DT)
    assert arm.session.calls == ["begin", "halt"]
    arm.run(0.5)
    np.testing.assert_array_equal(arm.position, before)


def test_a_cut_during_braking_is_one(arm: FakeArm) -> None:
    arm.drive(SPEED, 0.1)
    arm.exchange.stop(StopCategory.CONTROLLED, "first")
    arm.run(2 * DT)
    arm.exchange.stop(StopCategory.CUT, "second")
    arm.run(DT)
    assert arm.session.calls[-1] == "halt" and arm.fault == "first"


@pytest.mark.parametrize("refused, why", [("jump", "jumps"), ("nan", "not finite"), ("speed", "is its limit")])
def test_a_refused_setpoint_brakes_it(arm: FakeArm, refused: str, why: str) -> None:
    arm.drive(SPEED, 0.1)
    bad, speed = arm.position.copy(), SPEED.copy()
    if refused == "speed":
        speed[2] = -100.0
    else:
        bad[2] += JUMP + 0.01 if refused == "jump" else np.nan
    assert not arm.command(speed, bad)
    arm.run(0.5)
    assert arm.loop.phase is Phase.HOLDING
    assert why in arm.fault
    assert np.abs(arm.position - PROFILE.home).max() < 0.1


@pytest.mark.parametrize("excess, taken", [(-1e-6, True), (1e-6, False)])
def test_the_jump_that_is_just_allowed(arm: FakeArm, excess: float, taken: bool) -> None:
    position = PROFILE.home.copy()
    position[4] += JUMP + excess
    assert arm.command(np.zeros(N), position) is taken


@pytest.mark.parametrize("excess, taken", [(-1e-6, True), (1e-6, False)])
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_the_speed_that_is_just_allowed(arm: FakeArm, excess: float, taken: bool, way: float) -> None:
    """Its place is fine: where the robot is."""
    speed = np.zeros(N)
    speed[5] = way * (ROUNDING * PROFILE.velocity[5] + excess)
    assert arm.command(speed) is taken
    assert taken or f"the setpoint of {PROFILE.joint_names[5]} moves at" in arm.fault


def test_a_setpoint_of_the_wrong_length_is_an_error(arm: FakeArm) -> None:
    with pytest.raises(ReinsError, match="7 positions"):
        arm.command(np.zeros(N - 1), np.zeros(N - 1))


def test_what_the_robot_says_when_it_aborts_is_the_fault_and_commands_are_ignored_until_recovery(arm: FakeArm) -> None:
    arm.drive(SPEED, 0.1)
    arm.abort = "joint_reflex"
    arm.run(DT)
    before = arm.position.copy()
    arm.drive(SPEED, 0.2)
    assert arm.fault == "joint_reflex" and arm.session.calls == ["begin"]
    np.testing.assert_array_equal(arm.position, before)
    arm.exchange.ask_recovery()
    arm.run(1.0)
    assert arm.fault == "" and arm.session.calls == ["begin", "recover"]
    np.testing.assert_array_equal(arm.position, before)  # nothing earlier resumes
    arm.drive(SPEED, 0.1)
    assert np.abs(arm.position - before).max() > 0.01


def test_trouble_that_the_robot_tells_while_it_stands_is_a_fault(arm: FakeArm) -> None:
    arm.trouble = "the user stop is pressed"
    arm.run(DT)
    assert arm.fault == "the user stop is pressed"
    arm.drive(SPEED, 0.1)
    assert arm.session.calls == []


def test_a_robot_that_does_not_recover_says_why(arm: FakeArm) -> None:
    arm.exchange.stop(StopCategory.CONTROLLED, "because")
    arm.refuses = True
    arm.exchange.ask_recovery()
    arm.run(2 * DT)
    assert arm.fault == "it does not recover"
    assert not arm.exchange.orders().recovering


@pytest.mark.parametrize("anew", [False, True])
def test_a_stop_that_comes_while_the_robot_recovers_is_not_lost(
    arm: FakeArm, anew: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A UR takes seconds."""
    arm.exchange.stop(StopCategory.CONTROLLED, "first")
    arm.session.broken = anew
    arm.run(DT)

    def recover(_session: FakeSession) -> None:
        arm.exchange.stop(StopCategory.CUT, "somebody came near")

    monkeypatch.setattr(FakeSession, "recover", recover)
    arm.exchange.ask_recovery()
    arm.run(2 * DT)
    assert arm.fault == "somebody came near" and arm.exchange.orders().cut
    assert len(arm.sessions) == 1 + anew
    monkeypatch.undo()
    arm.exchange.ask_recovery()
    arm.run(2 * DT)
    assert arm.fault == "" and not arm.exchange.orders().cut


def test_a_recovery_in_motion_stops_first(arm: FakeArm) -> None:
    arm.drive(SPEED, 0.1)
    arm.exchange.ask_recovery()
    arm.run(1.0)
    assert arm.session.calls == ["begin", "end", "recover"] and arm.fault == ""


def test_a_lost_connection_is_made_again_only_when_asked_and_robot_time_goes_on(arm: FakeArm) -> None:
    arm.drive(SPEED, 0.1)
    stamp = arm.exchange.view().stamp
    arm.session.broken = True
    arm.run(0.5)
    assert arm.fault == "the cable is cut" and len(arm.sessions) == 1 and arm.session.calls[-1] == "close"
    arm.clock_offset = -5000.0  # the robot's controller was started anew
    arm.exchange.ask_recovery()
    arm.run(2 * DT)
    assert arm.fault == "" and len(arm.sessions) == 2 and arm.session.calls == ["recover"]
    assert arm.exchange.view().stamp == pytest.approx(stamp + 0.5 + 2 * DT, abs=2 * DT)


def test_a_robot_that_stays_away_keeps_the_fault(arm: FakeArm) -> None:
    arm.session.broken = arm.unreachable = True
    arm.run(DT)
    arm.exchange.ask_recovery()
    arm.run(DT)
    assert arm.fault == "nobody answers" and arm.loop.phase is Phase.LOST
    arm.unreachable = False
    arm.run(0.1)
    assert len(arm.sessions) == 1  # once asked, once tried


@pytest.mark.parametrize("method", ["measure", "track", "check", "close"])
def test_an_error_that_nobody_foresaw_is_a_lost_connection_with_its_words(
    arm: FakeArm, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ended the thread would leave an arm that tells no fault and that nobody recovers."""

    def raises(*_: object) -> None:
        raise OSError(f"{method} of the library")

    arm.drive(SPEED, 0.1)
    monkeypatch.setattr(arm.session, method, raises)
    arm.session.broken = method == "close"
    arm.run(0.1)
    assert arm.loop.phase is Phase.LOST
    assert arm.fault == "the cable is cut" if method == "close" else f"OSError: {method} of the library" in arm.fault
    arm.exchange.ask_recovery()
    arm.run(2 * DT)
    assert arm.fault == "" and len(arm.sessions) == 2


def test_an_error_that_nobody_foresaw_in_a_new_connection_leaves_it_lost(arm: FakeArm) -> None:
    arm.session.broken = True
    arm.run(DT)
    arm.connect = lambda: 1 / 0  # type: ignore[assignment, method-assign, return-value]
    arm.loop._connect = arm.connect
    arm.exchange.ask_recovery()
    arm.run(2 * DT)
    assert arm.loop.phase is Phase.LOST and "ZeroDivisionError" in arm.fault
    arm.exchange.ask_end()
    assert not arm.loop.cycle()


@pytest.mark.parametrize("quiet, told", [(0.059, False), (0.061, True)])
def test_silence_of_the_robot_is_noticed_whatever_the_thread_waits_for(arm: FakeArm, quiet: float, told: bool) -> None:
    arm.run(DT)
    arm.now += quiet
    arm.exchange.notice(0.06, "the arm at 10.0.0.1")
    assert ("10.0.0.1" in arm.fault) is told


def test_closing_in_motion_brakes_first(arm: FakeArm) -> None:
    arm.drive(SPEED, 0.1)
    arm.exchange.ask_end()
    seen = arm.run(2.0)
    assert len(seen) < 1.0 / DT
    assert arm.session.calls == ["begin", "end", "close"]


def test_a_motion_that_the_robot_does_not_end_is_ended_for_it(arm: FakeArm) -> None:
    arm.drive(SPEED, 0.1)
    arm.hangs = True
    arm.exchange.ask_end()
    arm.run(PATIENCE + 1.0)
    assert arm.session.calls == ["begin", "end", "halt", "close"]


def test_a_robot_that_takes_no_motion_says_why(arm: FakeArm) -> None:
    arm.refuses = True
    arm.drive(SPEED, 0.05)
    assert arm.fault == "not in this mode" and arm.loop.phase is Phase.HOLDING


def test_an_address_that_drops_packets_is_not_said_to_take_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    hung = Event()
    monkeypatch.setattr(streaming_robot, "CONNECTING", 0.01)
    robot = StreamingRobot(PROFILE, "the arm at 10.0.0.1", lambda: hung.wait(10.0), None)  # type: ignore[arg-type, return-value]
    with pytest.raises(ReinsError, match=r"the arm at 10\.0\.0\.1 does not answer within .*is the address right"):
        robot.connect()
    hung.set()
