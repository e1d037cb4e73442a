"""The Franka driver over libfranka's own protocol: vendor's client library on one side, the peer on the other."""

import time
from collections.abc import Iterator
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
from typer.testing import CliRunner

from reins.cli import robot_checks
from reins.cli.app import app
from reins.contracts.errors import ReinsError
from reins.hardware.conformance.subject import Subject
from reins.hardware.drive import Payload
from reins.hardware.franka import library
from reins.hardware.profile import load_profile
from reins.hardware.real import make_real
from reins.hardware.robot import FloatArray, GripperCommand
from reins.peers.franka.process import FrankaPeer

franky = pytest.importorskip("franky")

pytestmark = pytest.mark.ros  # not beside others: an arm without a command for 90 ms stops by itself

PROFILE = load_profile("franka")
ARM = ArmUnderTest(
    driver="franka",
    profile=PROFILE,
    start=FrankaPeer,
    signs=np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0]),
    well=("restore", "release"),
    cycle=0.001,
    accuracy=0.01,
)


class TestFranka(DriverTests):  # type: ignore[misc]
    nobody_says = r"127\.0\.0\.77: Connection to FCI refused.*is FCI activated in Desk"
    gone_says = "FCI refused"
    other = PROFILE.model_copy(update={"name": "other", "franka": None})
    other_says = "'other' has no part 'franka'"


@pytest.mark.slow
def test_the_driver_conforms(lone_peer: FrankaPeer) -> None:
    conforms(ARM, lone_peer, PROFILE)


@pytest.mark.slow
def test_the_driver_conforms_with_a_panda() -> None:
    """Its kinematics are those of the peer; its version of the protocol is another library's."""
    with FrankaPeer(profile="panda") as peer:
        conforms(ARM, peer, load_profile("panda"))


def test_an_arm_that_is_not_the_profiles_is_not_taken_over(lone_peer: FrankaPeer) -> None:
    subject = ARM.subject(lone_peer, load_profile("panda"))
    with pytest.raises(ReinsError, match=r"calls itself 'franka', where panda_joint.*give this arm's profile"):
        subject.open()
    subject.close()


class Client:
    """A client of franky alone. It lets go of the robot in the end: the variables of a test that failed live on."""

    def __init__(self, address: str) -> None:
        """Connect, and clear the reflex that the client before may have left: the robot stays in it."""
        self.robot = franky.Robot(address, realtime_config=franky.RealtimeConfig.Ignore)
        if self.robot.has_errors:
            self.robot.recover_from_errors()
        self.motion = franky.JointImpedanceTrackingMotion(stiffness=np.full(7, 600.0), max_delta_tau=50.0)

    def begin(self, position: FloatArray) -> None:
        """Track this position [rad]; not before it does."""
        self.motion.set_reference(franky.JointReference(q=position))
        self.robot.move(self.motion, asynchronous=True)
        deadline = time.monotonic() + 2.0
        while not self.robot.is_in_control and time.monotonic() < deadline:
            time.sleep(0.01)
        assert self.robot.is_in_control

    def close(self) -> None:
        """Let go of the robot: the next test is the next client."""
        self.robot = self.motion = None


@pytest.fixture
def client(lone_peer: FrankaPeer) -> Iterator[Client]:
    client = Client(lone_peer.address)
    yield client
    client.close()


def test_a_reflex_outlives_the_client_that_it_stopped_and_the_next_one_clears_it(lone_peer: FrankaPeer) -> None:
    lone_peer.raise_fault()
    for _ in range(2):
        client = Client(lone_peer.address)
        client.begin(np.array(client.robot.current_joint_positions))
        lone_peer.raise_fault()
        client.close()
    assert lone_peer.ask("look")["reflex"] == "joint_reflex"
    Client(lone_peer.address).close()
    assert lone_peer.ask("look")["reflex"] == ""


def test_the_peer_stops_on_a_torque_that_jumps(client: Client) -> None:
    position = np.array(client.robot.current_joint_positions)
    client.begin(position)
    time.sleep(0.1)
    client.motion.set_reference(franky.JointReference(q=position + 0.05))
    try:
        client.robot.join_motion(2.0)
        said = "nothing"
    except franky.ControlException as error:
        said = str(error)
        client.robot.recover_from_errors()
    assert "controller_torque_discontinuity" in said


def test_a_reflex_is_told_in_the_robots_words_and_ends_only_when_an_operator_recovers(
    subject: Subject, peer: FrankaPeer
) -> None:
    subject.hold(0.2)
    peer.raise_fault()
    state, _ = wait_for_fault(subject, 1.0)
    assert "joint_reflex" in state.fault
    subject.follow(ARM.nudge(), until=0.5)
    still = subject.read()
    assert "joint_reflex" in still.fault
    np.testing.assert_allclose(still.position, state.position, atol=2e-3)
    assert peer.ask("look")["reflex"] == "joint_reflex"
    assert subject.recover().fault == ""
    assert peer.ask("look")["reflex"] == ""


def test_the_user_stop_is_explained(subject: Subject, peer: FrankaPeer) -> None:
    subject.hold(0.2)
    peer.ask("user_stop")
    state, _ = wait_for_fault(subject, 1.0)
    assert "user stop" in state.fault.lower() or "emergency" in state.fault.lower()
    subject.robot.recover()
    assert "user stop is pressed" in fault_saying(subject, "user stop is pressed", 3.0)
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


def test_payload_and_thresholds_of_the_profile_are_told_to_the_robot(lone_peer: FrankaPeer) -> None:
    assert PROFILE.franka is not None
    loaded = PROFILE.franka.model_copy(update={"payload": Payload(mass=0.4, centre=(0.0, 0.0, 0.05))})
    profile = PROFILE.model_copy(update={"franka": loaded})
    robot = ARM.robot(lone_peer.address, profile)
    robot.connect()
    assert lone_peer.ask("look")["mass"] == pytest.approx(0.4)
    robot.close()


@pytest.mark.parametrize(
    "trait, says",
    [
        ("no_hand", r"no Franka Hand answers at .*initialise it in Desk"),
        ("old", r"incompatible|Incompatible.*install the franky-control whose libfranka"),
    ],
)
def test_a_robot_that_does_not_fit_is_one_sentence(trait: str, says: str) -> None:
    with FrankaPeer(trait) as peer:
        refuses_in_one_sentence(ARM.robot(peer.address), says)


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(f"No module named '{name}'")

    monkeypatch.setattr(library, "import_module", missing)
    with pytest.raises(ReinsError, match=r"No module named 'franky'.*setup franka"):
        make_real("franka", PROFILE, NOBODY)


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
