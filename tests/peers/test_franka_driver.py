"""The Franka driver over libfranka's own protocol: vendor's client library on one side, the peer on the other."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from reins.cli import robot_checks
from reins.cli.app import app
from reins.contracts.errors import ReinsError
from reins.hardware.conformance.motion import Nudge
from reins.hardware.conformance.subject import Subject
from reins.hardware.conformance.suite import Ending, run_checks
from reins.hardware.drive import Payload
from reins.hardware.franka import library
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.real import make_real
from reins.hardware.robot import GripperCommand, RobotState, StopCategory
from reins.hardware.streaming.robot import StreamingRobot
from reins.peers.franka.process import FrankaPeer

franky = pytest.importorskip("franky")

PROFILE = load_profile("franka")
SHORT = 0.15
"""A cut network is told within this time [s], the time until the test looks included."""


@pytest.fixture(scope="module")
def shared_peer() -> Iterator[FrankaPeer]:
    with FrankaPeer() as peer:
        yield peer


@pytest.fixture
def peer(shared_peer: FrankaPeer) -> FrankaPeer:
    shared_peer.thaw()
    shared_peer.ask("restore")
    shared_peer.ask("release")
    return shared_peer


@pytest.fixture
def subject(peer: FrankaPeer) -> Iterator[Subject]:
    subject = Subject(lambda: make_real("franka", PROFILE, peer.address), PROFILE, networked=True, tampering=peer)
    subject.open()
    if subject.read().fault:
        subject.recover()
    yield subject
    subject.close()


def nudge(distance: float = 0.1, duration: float = 1.0) -> Nudge:
    return Nudge(np.full(len(PROFILE.joints), distance) * np.array([1, 1, 1, 1, 1, 1, -1]), duration)


def wait_for_fault(subject: Subject, most: float) -> tuple[RobotState, float]:
    """Go on commanding until there is a fault; the state, and how long it took [s]."""
    began, state = time.monotonic(), subject.read()
    while not state.fault and time.monotonic() - began < most:
        state = subject.send(state.reference, np.zeros_like(state.reference))
    return state, time.monotonic() - began


@pytest.mark.slow
@pytest.mark.parametrize("name", ["franka", "panda"])
def test_the_driver_conforms(peer: FrankaPeer, name: str) -> None:
    """A Panda's kinematics are those of the peer; its version of the protocol is another library's."""
    profile = load_profile(name)
    subject = Subject(lambda: make_real("franka", profile, peer.address), profile, networked=True, tampering=peer)
    subject.open()
    results = list(run_checks(subject))
    subject.close()
    assert [result for result in results if result.ending is not Ending.PASSED] == []


def test_a_stream_of_100_hz_becomes_a_smooth_motion_of_the_arm(subject: Subject, peer: FrankaPeer) -> None:
    before = subject.hold(0.3).position
    peer.ask("log")
    subject.follow(nudge())
    state = subject.hold(0.3)
    rows = np.array(peer.ask("read_log")["rows"])
    accelerations = np.abs(np.diff(rows[:, 8:], axis=0)) / 0.001
    assert not state.fault
    np.testing.assert_allclose(state.position - before, nudge().distance, atol=0.01)
    wanted = 2.0 * np.pi * 0.1  # the largest that the path itself has
    assert np.percentile(accelerations, 99) < 3.0 * wanted
    assert accelerations.max() < PROFILE.acceleration.max()
    subject.follow(nudge(-0.1))
    subject.hold(0.1)


def test_the_peer_stops_on_a_torque_that_jumps(peer: FrankaPeer) -> None:
    robot = franky.Robot(peer.address, realtime_config=franky.RealtimeConfig.Ignore)
    motion = franky.JointImpedanceTrackingMotion(stiffness=np.full(7, 600.0), max_delta_tau=50.0)
    position = np.array(robot.current_joint_positions)
    motion.set_reference(franky.JointReference(q=position))
    robot.move(motion, asynchronous=True)
    time.sleep(0.1)
    assert robot.is_in_control
    motion.set_reference(franky.JointReference(q=position + 0.05))
    try:
        robot.join_motion(2.0)
        said = "nothing"
    except franky.ControlException as error:
        said = str(error)
        robot.recover_from_errors()
    del robot, motion  # the next test is the next client
    assert "controller_torque_discontinuity" in said


def test_a_reflex_is_told_in_the_robots_words_and_ends_only_when_an_operator_recovers(
    subject: Subject, peer: FrankaPeer
) -> None:
    subject.hold(0.2)
    peer.raise_fault()
    state, _ = wait_for_fault(subject, 1.0)
    assert "joint_reflex" in state.fault
    subject.follow(nudge(), until=0.5)
    still = subject.read()
    assert "joint_reflex" in still.fault
    np.testing.assert_allclose(still.position, state.position, atol=2e-3)
    assert peer.ask("look")["reflex"] == "joint_reflex"
    assert subject.recover().fault == ""
    assert peer.ask("look")["reflex"] == ""


def test_a_frozen_controller_is_told_in_time_and_nothing_resumes(subject: Subject, peer: FrankaPeer) -> None:
    subject.follow(nudge(), until=0.5)
    peer.freeze()
    state, noticed = wait_for_fault(subject, 2.0)
    assert noticed < SHORT
    assert "has said nothing for" in state.fault and peer.address in state.fault
    time.sleep(1.3)  # longer than libfranka waits for a state
    peer.thaw()
    assert subject.wait(0.5)[-1].fault == state.fault
    assert peer.ask("look")["mode"] == "idle"
    assert subject.recover().fault == ""
    dq = np.abs(peer.ask("look")["dq"]).max()
    assert dq < 0.01
    subject.follow(nudge(-0.05))
    assert not subject.hold(0.1).fault


def test_a_stamp_never_goes_back_over_a_new_connection(subject: Subject, peer: FrankaPeer) -> None:
    subject.hold(0.2)
    before = subject.read().stamp
    peer.cut_network()
    time.sleep(1.3)
    peer.restore_network()
    subject.recover()
    assert subject.read().stamp > before + 1.0


def test_calls_of_the_control_thread_do_not_wait_for_a_frozen_robot(subject: Subject, peer: FrankaPeer) -> None:
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


def test_the_user_stop_is_explained(subject: Subject, peer: FrankaPeer) -> None:
    subject.hold(0.2)
    peer.ask("user_stop")
    state, _ = wait_for_fault(subject, 1.0)
    assert "user stop" in state.fault.lower() or "emergency" in state.fault.lower()
    assert "user stop is pressed" in subject.recover().fault
    peer.ask("release")
    assert subject.recover().fault == ""


def test_the_hand_is_homed_before_its_first_command_and_not_before(subject: Subject, peer: FrankaPeer) -> None:
    peer.ask("unhome")
    before = peer.ask("look")["homings"]
    subject.hold(0.2)
    assert peer.ask("look")["homings"] == before
    command = GripperCommand(0.03, 40.0)
    deadline = time.monotonic() + 10.0
    while abs(subject.hold(0.1, command).gripper_width - 0.03) > 0.004 and time.monotonic() < deadline:
        pass
    assert abs(subject.read().gripper_width - 0.03) < 0.004
    assert peer.ask("look")["homings"] == before + 1


def test_payload_and_thresholds_of_the_profile_are_told_to_the_robot(peer: FrankaPeer) -> None:
    assert PROFILE.franka is not None
    loaded = PROFILE.franka.model_copy(update={"payload": Payload(mass=0.4, centre=(0.0, 0.0, 0.05))})
    profile = PROFILE.model_copy(update={"franka": loaded})
    robot = make_real("franka", profile, peer.address)
    robot.connect()
    assert peer.ask("look")["mass"] == pytest.approx(0.4)
    robot.close()


def test_a_robot_that_is_gone_is_told_and_closing_still_works() -> None:
    with FrankaPeer() as peer:
        subject = Subject(lambda: make_real("franka", PROFILE, peer.address), PROFILE, networked=True)
        subject.open()
        subject.hold(0.1)
        peer.close()
        state, noticed = wait_for_fault(subject, 3.0)
        assert state.fault and noticed < 1.5
        subject.robot.recover()
        time.sleep(0.5)
        assert "FCI refused" in subject.wait(2.0)[-1].fault
        subject.close()
        subject.close()


@pytest.mark.parametrize(
    "trait, says",
    [
        ("no_hand", r"no Franka Hand answers at .*initialise it in Desk"),
        ("old", r"incompatible|Incompatible.*install the franky-control whose libfranka"),
    ],
)
def test_a_robot_that_does_not_fit_is_one_sentence(trait: str, says: str) -> None:
    with FrankaPeer(trait) as peer:
        robot = make_real("franka", PROFILE, peer.address)
        with pytest.raises(ReinsError, match=says) as raised:
            robot.connect()
        assert "\n" not in str(raised.value)
        robot.close()


def test_an_address_where_nobody_answers_is_one_sentence() -> None:
    robot = make_real("franka", PROFILE, "127.0.0.77")
    with pytest.raises(ReinsError, match=r"127\.0\.0\.77: Connection to FCI refused.*is FCI activated in Desk"):
        robot.connect()
    robot.close()


@pytest.mark.parametrize("call", ["read", "recover", "step", "write"])
def test_a_driver_that_is_not_connected_says_so(call: str) -> None:
    robot: Any = make_real("franka", PROFILE, "127.0.0.77")
    with pytest.raises(ReinsError, match="not connected"):
        getattr(robot, call)(*([0.01] if call in ("step", "write") else []))


def test_a_profile_of_another_arm_is_refused() -> None:
    other: RobotProfile = PROFILE.model_copy(update={"name": "other", "franka": None})
    with pytest.raises(ReinsError, match="'other' has no part 'franka'"):
        make_real("franka", other, "127.0.0.77")


def test_no_address_is_refused() -> None:
    with pytest.raises(ReinsError, match="needs the address"):
        make_real("franka", PROFILE, "")


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(f"No module named '{name}'")

    monkeypatch.setattr(library, "import_module", missing)
    with pytest.raises(ReinsError, match=r"No module named 'franky'.*setup franka"):
        make_real("franka", PROFILE, "127.0.0.77")


def test_it_does_not_say_that_it_is_a_simulation() -> None:
    robot = make_real("franka", PROFILE, "127.0.0.77")
    assert isinstance(robot, StreamingRobot) and not robot.spec.simulated


@pytest.mark.parametrize(
    "traits, exit_code, says", [((), 0, "the robot is ready"), (("old",), 1, "franky-control whose")]
)
def test_the_doctor_looks_at_the_way_to_the_robot_and_at_the_robot(
    traits: tuple[str, ...], exit_code: int, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(robot_checks, "TOO_LATE", 1.0)  # this machine may be busy
    with FrankaPeer(*traits) as peer:
        result = CliRunner().invoke(app, ["doctor", "--robot", "franka", "--ip", peer.address])
    said = " ".join(result.output.split())
    assert result.exit_code == exit_code, result.output
    assert says in said and "port 1337 answers" in said
