"""The UR driver over RTDE: vendor's client library on one side, the peer on the other."""

import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from reins.contracts.errors import ReinsError
from reins.hardware.conformance.motion import Nudge
from reins.hardware.conformance.subject import Subject
from reins.hardware.conformance.suite import Ending, run_checks
from reins.hardware.profile import load_profile
from reins.hardware.real import make_real
from reins.hardware.robot import GripperCommand, RobotState, StopCategory
from reins.hardware.streaming.robot import StreamingRobot
from reins.hardware.ur import library
from reins.peers.ur.process import URPeer

pytest.importorskip("rtde_control", reason="ur-rtde is not installed: `./run setup ur`")

pytestmark = pytest.mark.ros  # not beside others: the controller expects an answer every 2 ms

PROFILE = load_profile("ur5e")
SHORT = 0.15
"""A cut network is told within this time [s], the time until the test looks included."""


def subject_of(peer: URPeer, profile: str = "ur5e") -> Subject:
    limits = load_profile(profile)
    return Subject(lambda: make_real("ur", limits, peer.address), limits, networked=True, tampering=peer)


@pytest.fixture(scope="module")
def shared_peer() -> Iterator[URPeer]:
    with URPeer() as peer:
        yield peer


@pytest.fixture
def peer(shared_peer: URPeer) -> URPeer:
    shared_peer.thaw()
    shared_peer.ask("restore")
    shared_peer.ask("release")
    return shared_peer


@pytest.fixture
def subject(peer: URPeer) -> Iterator[Subject]:
    subject = subject_of(peer)
    subject.open()
    yield subject
    subject.close()


def nudge(distance: float = 0.1, duration: float = 1.0) -> Nudge:
    return Nudge(distance * np.array([1, 1, -1, 1, 1, 1]), duration)


def wait_for_fault(subject: Subject, most: float) -> tuple[RobotState, float]:
    """Go on commanding until there is a fault; the state, and how long it took [s]."""
    began, state = time.monotonic(), subject.read()
    while not state.fault and time.monotonic() - began < most:
        state = subject.send(state.reference, np.zeros_like(state.reference))
    return state, time.monotonic() - began


def close_to(subject: Subject, width: float, command: GripperCommand) -> bool:
    """Whether the fingers come there within a few seconds of this command."""
    deadline = time.monotonic() + 8.0
    while abs(subject.hold(0.1, command).gripper_width - width) > 0.002 and time.monotonic() < deadline:
        pass
    return abs(subject.read().gripper_width - width) < 0.002


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["ur5e", "ur10e"])
def test_the_driver_conforms(profile: str) -> None:
    traits = [] if profile == "ur5e" else ["ur10"]
    with URPeer(*traits, profile=profile) as peer:
        subject = subject_of(peer, profile)
        subject.open()
        results = list(run_checks(subject))
        subject.close()
    assert [result for result in results if result.ending is not Ending.PASSED] == []


def test_a_stream_of_100_hz_becomes_a_smooth_motion_of_the_arm(subject: Subject, peer: URPeer) -> None:
    before = subject.hold(0.3).position
    peer.ask("log")
    subject.follow(nudge())
    state = subject.hold(0.3)
    rows = np.array(peer.ask("read_log")["rows"])
    accelerations = np.abs(np.diff(rows[:, 7:], axis=0)) / 0.002
    assert not state.fault
    np.testing.assert_allclose(state.position - before, nudge().distance, atol=0.002)
    wanted = 2.0 * np.pi * 0.1  # the largest that the path itself has
    assert np.percentile(accelerations, 99) < 3.0 * wanted
    subject.follow(nudge(-0.1))
    subject.hold(0.1)


def test_a_protective_stop_is_told_in_the_controllers_words_and_lasts(subject: Subject, peer: URPeer) -> None:
    subject.follow(nudge(), until=0.5)
    peer.raise_fault()
    state, _ = wait_for_fault(subject, 1.0)
    assert "PROTECTIVE_STOP" in state.fault
    subject.follow(nudge(), until=0.5)
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
    subject.follow(nudge(0.03))
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
    assert "another program runs on the controller" in subject.wait(0.5)[-1].fault
    subject.robot.close()
    assert peer.ask("look")["running"]


def test_a_recovery_in_local_control_says_what_is_wrong(subject: Subject, peer: URPeer) -> None:
    peer.ask("local")
    peer.ask("stop_program")
    wait_for_fault(subject, 1.0)
    subject.robot.recover()
    deadline = time.monotonic() + 6.0
    while "Remote Control" not in subject.wait(0.1)[-1].fault and time.monotonic() < deadline:
        pass
    assert "does not start the control program; is it in Remote Control" in subject.read().fault


def test_a_frozen_controller_is_told_in_time_and_nothing_resumes(subject: Subject, peer: URPeer) -> None:
    subject.follow(nudge(), until=0.5)
    peer.freeze()
    state, noticed = wait_for_fault(subject, 2.0)
    assert noticed < SHORT
    assert "has said nothing for" in state.fault and peer.address in state.fault
    time.sleep(1.2)  # longer than a controller that says nothing is waited for
    peer.thaw()
    assert subject.wait(0.5)[-1].fault == state.fault
    assert np.abs(peer.ask("look")["dq"]).max() < 0.01
    assert subject.recover().fault == ""
    subject.follow(nudge(-0.05))
    assert not subject.hold(0.1).fault


def test_the_controller_stops_by_itself_when_nobody_speaks_to_it(subject: Subject, peer: URPeer) -> None:
    subject.follow(nudge(), until=0.5)
    assert peer.ask("look")["running"]
    peer.cut_network()
    time.sleep(0.5)
    now = peer.ask("look")
    assert not now["running"]
    assert np.abs(now["dq"]).max() < 0.01


def test_a_stamp_never_goes_back_over_a_new_connection(subject: Subject, peer: URPeer) -> None:
    subject.hold(0.2)
    before = subject.read().stamp
    peer.cut_network()
    time.sleep(1.3)
    peer.restore_network()
    state = subject.recover()
    assert not state.fault and state.stamp > before + 1.0


def test_calls_of_the_control_thread_do_not_wait_for_a_frozen_robot(subject: Subject, peer: URPeer) -> None:
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
    assert "overcurrent" in subject.wait(1.0)[-1].fault
    peer.ask("gripper_fault", code=0)
    subject.wait(0.1)
    assert subject.recover().fault == ""


def test_the_payload_of_the_profile_is_told_to_the_robot(subject: Subject, peer: URPeer) -> None:
    assert PROFILE.ur is not None
    assert peer.ask("look")["payload"] == pytest.approx(PROFILE.ur.payload.mass)


def test_a_robot_that_is_gone_is_told_and_closing_still_works() -> None:
    with URPeer() as peer:
        subject = subject_of(peer)
        subject.open()
        subject.hold(0.1)
        peer.close()
        state, noticed = wait_for_fault(subject, 3.0)
        assert state.fault and noticed < 1.5
        subject.robot.recover()
        deadline = time.monotonic() + 10.0
        while "is the address right" not in subject.wait(0.1)[-1].fault and time.monotonic() < deadline:
            pass
        assert "is the address right" in subject.read().fault
        subject.close()
        subject.close()


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
        robot = make_real("ur", PROFILE, peer.address)
        with pytest.raises(ReinsError, match=says) as raised:
            robot.connect()
        assert "\n" not in str(raised.value)
        assert not peer.ask("look")["running"]
        robot.close()


def test_an_arm_without_power_can_be_connected_and_says_so() -> None:
    with URPeer("powered_off") as peer:
        subject = subject_of(peer)
        subject.open()
        assert "POWER_OFF; switch the arm on and release its brakes" in subject.read().fault
        peer.ask("release")
        subject.wait(0.1)
        assert subject.recover().fault == ""
        subject.follow(nudge(0.03))
        assert not subject.read().fault
        subject.close()


def test_an_address_where_nobody_answers_is_one_sentence() -> None:
    robot = make_real("ur", PROFILE, "127.0.0.78")
    with pytest.raises(ReinsError, match=r"no answer from the UR controller at 127\.0\.0\.78: .*is the address right"):
        robot.connect()
    robot.close()


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


@pytest.mark.parametrize("call", ["read", "recover", "step", "write"])
def test_a_driver_that_is_not_connected_says_so(call: str) -> None:
    robot: Any = make_real("ur", PROFILE, "127.0.0.78")
    with pytest.raises(ReinsError, match="not connected"):
        getattr(robot, call)(*([0.01] if call in ("step", "write") else []))


def test_a_profile_of_another_arm_is_refused() -> None:
    with pytest.raises(ReinsError, match=r"'franka' has no part 'ur'.*give the profile ur5e"):
        make_real("ur", load_profile("franka"), "127.0.0.78")


def test_no_address_is_refused() -> None:
    with pytest.raises(ReinsError, match="needs the address"):
        make_real("ur", PROFILE, "")


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
        make_real("ur", PROFILE, "127.0.0.78")


def test_it_does_not_say_that_it_is_a_simulation() -> None:
    robot = make_real("ur", PROFILE, "127.0.0.78")
    assert isinstance(robot, StreamingRobot) and not robot.spec.simulated
