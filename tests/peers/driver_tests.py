"""What holds for every real arm's driver against its peer: subclasses name the arm and what is its own."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from reins.contracts.errors import ReinsError
from reins.hardware.conformance.motion import Nudge
from reins.hardware.conformance.subject import Subject
from reins.hardware.conformance.suite import Ending, run_checks
from reins.hardware.profile import RobotProfile
from reins.hardware.real import make_real
from reins.hardware.robot import FloatArray, Robot, RobotState, StopCategory
from reins.hardware.streaming.robot import StreamingRobot

SHORT = 0.15
"""A robot that says nothing is told within this time [s], the time until the test looks included."""

GIVEN_UP = 1.5
"""A connection over which nothing came for this long is given up, and its end awaited [s]."""

NOBODY = "127.0.0.77"
"""An address where nobody answers."""


@dataclass(frozen=True)
class ArmUnderTest:
    """A driver and its peer.

    Attributes:
        driver: name in `reins.hardware.real`.
        profile: the robot.
        start: starts its peer, with traits.
        signs: (n,) in which direction each joint has room from home.
        well: what makes the peer well again.
        cycle: of the peer's controller [s].
        accuracy: of a motion's end [rad].
    """

    driver: str
    profile: RobotProfile
    start: Callable[..., Any]
    signs: FloatArray
    well: tuple[str, ...]
    cycle: float
    accuracy: float

    def robot(self, address: str, profile: RobotProfile | None = None) -> Robot:
        """The driver, not yet connected."""
        return make_real(self.driver, profile or self.profile, address)

    def subject(self, peer: Any, profile: RobotProfile | None = None) -> Subject:
        """The driver of a peer, not yet connected."""
        profile = profile or self.profile
        return Subject(lambda: self.robot(peer.address, profile), profile, networked=True, tampering=peer)

    def nudge(self, distance: float = 0.1, duration: float = 0.6) -> Nudge:
        """A short way for every joint."""
        return Nudge(distance * self.signs, duration)


def wait_for_fault(subject: Subject, most: float) -> tuple[RobotState, float]:
    """Go on commanding until there is a fault; the state, and how long it took [s]."""
    began, state = time.monotonic(), subject.read()
    while not state.fault and time.monotonic() - began < most:
        state = subject.send(state.reference, np.zeros_like(state.reference))
    return state, time.monotonic() - began


def fault_saying(subject: Subject, words: str, most: float) -> str:
    """The fault as soon as these words are in it, or after `most` [s]."""
    end = time.monotonic() + most
    while words not in (fault := subject.wait(0.05)[-1].fault) and time.monotonic() < end:
        pass
    return fault


def refuses_in_one_sentence(robot: Robot, says: str) -> None:
    """Connecting fails, and the reason fits on a line."""
    with pytest.raises(ReinsError, match=says) as raised:
        robot.connect()
    assert "\n" not in str(raised.value)
    robot.close()


def conforms(arm: ArmUnderTest, peer: Any, profile: RobotProfile) -> None:
    """Every check of the conformance suite passes."""
    subject = arm.subject(peer, profile)
    subject.open()
    results = list(run_checks(subject))
    subject.close()
    assert [result for result in results if result.ending is not Ending.PASSED] == []


class DriverTests:
    """Attributes: what a driver says when nobody answers at the address, when the robot is gone for good, without its
    library, and of another arm's profile."""

    nobody_says: ClassVar[str]
    gone_says: ClassVar[str]
    other_says: ClassVar[str]
    other: ClassVar[RobotProfile]

    def test_a_stream_of_100_hz_becomes_a_smooth_motion_of_the_arm(
        self, arm: ArmUnderTest, subject: Subject, peer: Any
    ) -> None:
        nudge, joints = arm.nudge(duration=1.0), len(arm.signs)
        before = subject.hold(0.2).position
        peer.ask("log")
        subject.follow(nudge)
        state = subject.hold(0.2)
        rows = np.array(peer.ask("read_log")["rows"])
        accelerations = np.abs(np.diff(rows[:, 1 + joints :], axis=0)) / arm.cycle
        assert not state.fault
        np.testing.assert_allclose(state.position - before, nudge.distance, atol=arm.accuracy)
        wanted = 2.0 * np.pi * 0.1  # the largest that the path itself has
        assert np.percentile(accelerations, 99) < 3.0 * wanted
        assert accelerations.max() < arm.profile.acceleration.max()
        subject.follow(arm.nudge(-0.1))

    def test_a_frozen_controller_is_told_in_time_and_nothing_resumes(
        self, arm: ArmUnderTest, subject: Subject, peer: Any
    ) -> None:
        subject.follow(arm.nudge(), until=0.5)
        peer.freeze()
        state, noticed = wait_for_fault(subject, 2.0)
        assert noticed < SHORT
        assert "has said nothing for" in state.fault and peer.address in state.fault
        time.sleep(GIVEN_UP)
        peer.thaw()
        assert subject.wait(0.5)[-1].fault == state.fault
        assert np.abs(peer.ask("look")["dq"]).max() < 0.01
        assert subject.recover().fault == ""
        assert np.abs(peer.ask("look")["dq"]).max() < 0.01
        subject.follow(arm.nudge(-0.05))
        assert not subject.hold(0.1).fault

    def test_a_stamp_never_goes_back_over_a_new_connection(self, subject: Subject, peer: Any) -> None:
        subject.hold(0.2)
        before = subject.read().stamp
        peer.cut_network()
        time.sleep(GIVEN_UP)
        peer.restore_network()
        state = subject.recover()
        assert not state.fault and state.stamp > before + 1.0

    def test_calls_of_the_control_thread_do_not_wait_for_a_frozen_robot(self, subject: Subject, peer: Any) -> None:
        position = subject.hold(0.2).reference
        peer.freeze()
        costs = []
        for _ in range(60):
            began = time.perf_counter()
            subject.write(position, np.zeros_like(position))
            subject.robot.step(subject.period)
            subject.read()
            costs.append(time.perf_counter() - began)
            time.sleep(subject.period)
        peer.thaw()
        assert np.percentile(costs, 90) < 0.005
        subject.robot.stop(StopCategory.CONTROLLED, "the test is over")

    def test_a_robot_that_is_gone_is_told_and_closing_still_works(self, arm: ArmUnderTest) -> None:
        with arm.start() as peer:
            subject = arm.subject(peer)
            subject.open()
            subject.hold(0.1)
            peer.close()
            state, noticed = wait_for_fault(subject, 3.0)
            assert state.fault and noticed < 1.5
            subject.robot.recover()
            assert self.gone_says in fault_saying(subject, self.gone_says, 10.0)
            subject.close()
            subject.close()

    def test_an_address_where_nobody_answers_is_one_sentence(self, arm: ArmUnderTest) -> None:
        refuses_in_one_sentence(arm.robot(NOBODY), self.nobody_says)

    @pytest.mark.parametrize("call", ["read", "recover", "step", "write"])
    def test_a_driver_that_is_not_connected_says_so(self, arm: ArmUnderTest, call: str) -> None:
        robot: Any = arm.robot(NOBODY)
        with pytest.raises(ReinsError, match="not connected"):
            getattr(robot, call)(*([0.01] if call in ("step", "write") else []))

    def test_a_profile_of_another_arm_is_refused(self, arm: ArmUnderTest) -> None:
        with pytest.raises(ReinsError, match=self.other_says):
            arm.robot(NOBODY, self.other)

    def test_no_address_is_refused(self, arm: ArmUnderTest) -> None:
        with pytest.raises(ReinsError, match="needs the address"):
            arm.robot("")

    def test_it_does_not_say_that_it_is_a_simulation(self, arm: ArmUnderTest) -> None:
        robot = arm.robot(NOBODY)
        assert isinstance(robot, StreamingRobot) and not robot.spec.simulated
