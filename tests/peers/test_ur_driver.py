"""The UR driver over RTDE: vendor's client library on one side, the peer on the other."""

import sys
import time
from typing import Any

import numpy as np
import pytest
from driver_tests import (
    NOBODY,
    ArmUnderTest,
    DriverTests,
    conforms,
    fault_saying,
    refuses_in_one_sentence,
    wait_for_fault,
)

from reins.contracts.errors import ReinsError
from reins.hardware.conformance.subject import Subject
from reins.hardware.profile import load_profile
from reins.hardware.real import make_real
from reins.hardware.robot import GripperCommand
from reins.hardware.streaming.session import SessionLost
from reins.hardware.ur import library
from reins.hardware.ur.session import URSession
from reins.peers.ur.process import URPeer

pytest.importorskip("rtde_control", reason="ur-rtde is not installed: `./run setup ur`")

pytestmark = pytest.mark.ros  # not beside others: the controller expects an answer every 2 ms

PROFILE = load_profile("ur5e")
ARM = ArmUnderTest(
    driver="ur",
    profile=PROFILE,
    start=URPeer,
    signs=np.array([1.0, 1.0, -1.0, 1.0, 1.0, 1.0]),
    well=("restore", "release"),
    cycle=0.002,
    accuracy=0.002,
)


class TestUR(DriverTests):  # type: ignore[misc]
    nobody_says = r"no answer from the UR controller at 127\.0\.0\.77: .*is the address right"
    gone_says = "is the address right"
    other = load_profile("franka")
    other_says = r"'franka' has no part 'ur'.*give the profile ur5e"


@pytest.mark.slow
@pytest.mark.parametrize("profile, traits", [("ur5e", []), ("ur10e", ["ur10"])])
def test_the_driver_conforms(profile: str, traits: list[str]) -> None:
    with URPeer(*traits, profile=profile) as peer:
        conforms(ARM, peer, load_profile(profile))


def close_to(subject: Subject, width: float, command: GripperCommand) -> bool:
    """Whether the fingers come there within a few seconds of this command."""
    deadline = time.monotonic() + 8.0
    while abs(subject.hold(0.1, command).gripper_width - width) > 0.002 and time.monotonic() < deadline:
        pass
    return abs(subject.read().gripper_width - width) < 0.002


def test_a_protective_stop_is_told_in_the_controllers_words_and_lasts(subject: Subject, peer: URPeer) -> None:
    subject.follow(ARM.nudge(), until=0.5)
    peer.raise_fault()
    state, _ = wait_for_fault(subject, 1.0)
    assert "PROTECTIVE_STOP" in state.fault
    subject.follow(ARM.nudge(), until=0.5)
    still = subject.read()
    assert still.fault == state.fault
    assert np.abs(still.velocity).max() < 0.01
    now = peer.ask("look")
    assert now["safety"] == "PROTECTIVE_STOP" and not now["running"]


@pytest.mark.slow  # a controller unlocks after five seconds
def test_only_the_operators_recovery_unlocks_a_protective_stop(subject: Subject, peer: URPeer) -> None:
    peer.raise_fault()
    subject.wait(6.0)
    assert peer.ask("look")["safety"] == "PROTECTIVE_STOP"
    assert subject.recover().fault == ""
    assert peer.ask("look")["safety"] == "NORMAL"


@pytest.mark.parametrize(
    "what, word", [("emergency_stop", "ROBOT_EMERGENCY_STOP"), ("safeguard_stop", "SAFEGUARD"), ("power_off", "POWER")]
)
def test_what_keeps_the_arm_from_moving_is_told_until_it_is_over(
    subject: Subject, peer: URPeer, what: str, word: str
) -> None:
    subject.hold(0.1)
    peer.ask(what)
    state, _ = wait_for_fault(subject, 1.0)
    assert word in state.fault and "then recover the robot" in state.fault
    subject.robot.recover()
    assert word in subject.wait(0.3)[-1].fault
    peer.ask("release")
    subject.wait(0.1)
    assert subject.recover().fault == ""
    subject.follow(ARM.nudge(0.03))
    assert not subject.read().fault


def test_a_program_that_is_stopped_on_the_pendant_starts_again_only_by_a_recovery(
    subject: Subject, peer: URPeer
) -> None:
    subject.hold(0.1)
    starts = peer.ask("stop_program")["starts"]
    state, _ = wait_for_fault(subject, 1.0)
    assert "control program has ended" in state.fault
    subject.wait(0.3)
    assert peer.ask("look")["starts"] == starts
    assert subject.recover().fault == ""
    assert peer.ask("look")["starts"] == starts + 1


def test_somebody_elses_program_is_left_alone(subject: Subject, peer: URPeer) -> None:
    subject.hold(0.1)
    peer.ask("stop_program")
    wait_for_fault(subject, 1.0)
    peer.ask("other_program")
    subject.wait(0.1)
    subject.robot.recover()
    said = "another program runs on the controller"
    assert said in fault_saying(subject, said, 3.0)
    subject.close()
    assert peer.ask("look")["running"]
    peer.ask("release")
    subject.reopen()


def test_a_recovery_in_local_control_says_what_is_wrong(subject: Subject, peer: URPeer) -> None:
    peer.ask("local")
    peer.ask("stop_program")
    wait_for_fault(subject, 1.0)
    subject.robot.recover()
    said = "does not start the control program; is it in Remote Control"
    assert said in fault_saying(subject, said, 6.0)


def test_the_controller_stops_by_itself_when_nobody_speaks_to_it(subject: Subject, peer: URPeer) -> None:
    subject.follow(ARM.nudge(), until=0.5)
    assert peer.ask("look")["running"]
    peer.cut_network()
    time.sleep(0.5)
    now = peer.ask("look")
    assert not now["running"]
    assert np.abs(now["dq"]).max() < 0.01


def test_the_gripper_is_activated_before_its_first_command_and_not_before(subject: Subject, peer: URPeer) -> None:
    peer.ask("reset_gripper")
    before = peer.ask("look")["activations"]
    subject.hold(0.2)
    assert peer.ask("look")["activations"] == before
    assert close_to(subject, 0.03, GripperCommand(0.03, 40.0))
    assert peer.ask("look")["activations"] == before + 1


@pytest.mark.parametrize(
    "width, force, position, strength",
    [
        (0.0, 235.0, 230, 255),
        (0.085, 20.0, 3, 0),
        (1.0, 1000.0, 3, 255),
        (-1.0, 0.0, 230, 0),
        (0.0425, 127.5, 116, 128),
    ],
)
def test_width_and_force_become_counts_inside_the_profile(
    subject: Subject, peer: URPeer, width: float, force: float, position: int, strength: int
) -> None:
    subject.hold(0.3, GripperCommand(width, force))
    asked = peer.ask("look")["gripper"]
    assert asked["POS"] == pytest.approx(position, abs=1) and asked["FOR"] == pytest.approx(strength, abs=1)


def test_the_gripper_holds_what_is_between_its_fingers_and_not_nothing(subject: Subject, peer: URPeer) -> None:
    assert close_to(subject, 0.0, GripperCommand(0.0, 40.0))
    assert not subject.read().gripper_holding
    assert close_to(subject, 0.085, GripperCommand(0.085, 40.0))
    peer.ask("object", at=120)
    subject.hold(1.0, GripperCommand(0.0, 40.0))
    state = subject.hold(0.5, GripperCommand(0.0, 40.0))
    assert state.gripper_holding and state.gripper_width == pytest.approx(0.085 * (230 - 120) / 227)
    peer.ask("object", at=None)


def test_a_fault_of_the_gripper_stops_the_arm_until_it_is_over(subject: Subject, peer: URPeer) -> None:
    subject.hold(0.1)
    peer.ask("gripper_fault", code=14)
    state, _ = wait_for_fault(subject, 1.0)
    assert "overcurrent" in state.fault
    subject.robot.recover()
    assert all("overcurrent" in state.fault for state in subject.wait(1.0)[20:]), "once the gripper was looked at again"
    peer.ask("gripper_fault", code=0)
    subject.wait(0.1)
    assert subject.recover().fault == ""


def test_the_payload_of_the_profile_is_told_to_the_robot(subject: Subject, peer: URPeer) -> None:
    assert PROFILE.ur is not None
    assert peer.ask("look")["payload"] == pytest.approx(PROFILE.ur.payload.mass)


@pytest.mark.parametrize(
    "trait, says",
    [
        ("no_gripper", r"no Robotiq gripper answers at .*63352.*is its URCap installed"),
        ("local", r"is in local control: switch the pendant from Local to Remote Control"),
        ("ur10", r"is a UR10, and the profile is of a UR5e: give the profile of this arm"),
        ("old", r"has PolyScope 3\.15\.8\.106339, and PolyScope 5\.6 or newer is needed"),
        ("fieldbus", r"registers are already in use.*is another program connected"),
        ("closed_rtde", r"Could not connect to: .* at 30004.*is the address right, and RTDE allowed"),
    ],
)
def test_a_robot_that_does_not_fit_is_one_sentence(trait: str, says: str) -> None:
    with URPeer(trait) as peer:
        refuses_in_one_sentence(ARM.robot(peer.address), says)
        assert not peer.ask("look")["running"]


def test_what_the_library_raises_in_the_middle_of_a_motion_is_a_lost_connection(
    lone_peer: URPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does so when it tries by itself to connect anew; the driver's own thread must outlive that."""

    def broken(*_: Any) -> bool:
        raise RuntimeError("Timeout connecting to UR dashboard server.")

    assert PROFILE.ur is not None
    session = URSession(library.load_ur_rtde(), lone_peer.address, PROFILE.ur)
    position = session.measure().position
    session.begin(position)
    monkeypatch.setattr(session._control.__class__, "servoJ", broken)
    with pytest.raises(SessionLost, match=r"no connection to the UR arm .*Timeout connecting to UR dashboard server"):
        session.track(position, np.zeros(6))
    session.close()


def test_an_arm_without_power_can_be_connected_and_says_so() -> None:
    with URPeer("powered_off") as peer:
        subject = ARM.subject(peer)
        subject.open()
        assert "POWER_OFF; switch the arm on and release its brakes" in subject.read().fault
        peer.ask("release")
        subject.wait(0.1)
        assert subject.recover().fault == ""
        subject.follow(ARM.nudge(0.03))
        assert not subject.read().fault
        subject.close()


def test_a_frozen_controller_does_not_keep_connect_waiting() -> None:
    with URPeer() as peer:
        peer.freeze()
        robot = make_real("ur", PROFILE, peer.address)
        began = time.monotonic()
        with pytest.raises(ReinsError, match=rf"UR (arm|controller) at {peer.address}"):
            robot.connect()
        assert time.monotonic() - began < 12.0
        peer.thaw()
        robot.close()


@pytest.mark.parametrize(
    "version, says", [((3, 12), r"No module named 'rtde_control'.*setup ur"), ((3, 13), "no wheel for Python 3.13")]
)
def test_without_the_library_it_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, int], says: str
) -> None:
    def missing(name: str) -> Any:
        raise ImportError(f"No module named '{name}'")

    monkeypatch.setattr(library, "import_module", missing)
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(ReinsError, match=says):
        make_real("ur", PROFILE, NOBODY)
