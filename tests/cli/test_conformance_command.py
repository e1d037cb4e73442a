"""`reins conformance`: what it prints, writes and exits with, and that a real robot is asked about first."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest
from typer.testing import CliRunner, Result

from reins.cli import conformance
from reins.cli.app import app
from reins.cli.console import ExitCode
from reins.hardware.conformance.legged.subject import LeggedSubject
from reins.hardware.conformance.subject import Subject
from reins.hardware.profile import RobotProfile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import StopCategory
from reins.locomotion.walks import make_legs
from reins.peers.robot import PEERS, Peering
from reins.sim.legged.ground import load_ground
from reins.sim.legged.simulators import make_walker
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.world import load_world


def run(*arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(app, ["conformance", *arguments], input=answer)


def test_passed_checks_are_counted_and_written(tmp_path: Path) -> None:
    file = tmp_path / "report" / "conformance.json"
    result = run("--robot", "mujoco", "--only", "identity", "--only", "joint_order", "--json", str(file))
    assert result.exit_code == int(ExitCode.SUCCESS), result.output
    report = json.loads(file.read_text())
    assert report["summary"] == {"passed": 2, "failed": 0, "left_out": 0}
    assert [episode["name"] for episode in report["episodes"]] == ["identity", "joint_order"]
    assert all(episode["passed"] for episode in report["episodes"])


def test_the_list_runs_nothing() -> None:
    result = run("--list", "--robot", "nonsense")
    assert result.exit_code == 0
    assert "network_cut" in result.output


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["--robot", "mujco"], "did you mean 'mujoco'"),
        (["--only", "trackin"], "did you mean 'tracking'"),
        (["--profile", "frnka"], "did you mean 'franka'"),
        (["--robot", "franka", "--profile", "ur5e"], "has no part 'franka'"),
        (["--robot", "franka", "--ip", "127.0.0.9"], "127.0.0.9: Connection to FCI refused"),
        (["--robot", "franka", "--profile", "go2"], "drives arms, and robot 'go2' is of kind quadruped"),
        (["--robot", "go2", "--profile", "franka"], "drives robots with legs, and robot 'franka' is of kind arm"),
        (["--robot", "go2", "--only", "gripper"], "no check 'gripper'"),
    ],
)
def test_wrong_names_are_one_sentence(arguments: list[str], says: str) -> None:
    result = run(*arguments)
    assert result.exit_code == int(ExitCode.ERROR)
    assert says in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_a_robot_with_legs_has_checks_of_its_own() -> None:
    listed = run("--list", "--robot", "go2")
    assert listed.exit_code == 0 and "stand_up" in listed.output and "gripper" not in listed.output
    done = run("--robot", "mujoco", "--profile", "go2", "--only", "identity", "--only", "stand_up")
    assert done.exit_code == int(ExitCode.SUCCESS), done.output
    assert "2 passed" in done.output


class SeeminglyReal(MujocoRobot):
    """Does not say that it is a simulation; the second joint is stuck."""

    moved = False

    @property
    def spec(self) -> Any:
        return replace(super().spec, simulated=False)

    def write(self, command: Any) -> None:
        type(self).moved |= bool(abs(command.velocity).max() > 0.0)
        command.position[1] = self.read().reference[1]
        command.velocity[1] = 0.0
        super().write(command)


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> type[SeeminglyReal]:
    SeeminglyReal.moved = False

    def subject(name: str, profile: RobotProfile, address: str, walk: str) -> Subject:
        return Subject(lambda: SeeminglyReal(profile, load_world("tabletop"), 0), profile)

    monkeypatch.setattr(conformance, "_subject", subject)
    return SeeminglyReal


def test_a_real_robot_that_may_not_move_does_not(real: type[SeeminglyReal]) -> None:
    result = run("--only", "identity", "--only", "joint_order", answer="n\n")
    assert "fr3_joint1" in result.output and "30 mm" in result.output
    assert not real.moved
    assert "1 passed, 0 failed, 1 left out" in result.output


@pytest.mark.parametrize("arguments, answer", [([], "y\n"), (["--yes"], None)])
def test_a_check_that_fails_is_told_with_figures(
    real: type[SeeminglyReal], arguments: list[str], answer: str | None
) -> None:
    result = run("--only", "joint_order", *arguments, answer=answer)
    assert real.moved
    assert result.exit_code == int(ExitCode.FAILED)
    assert "fr3_joint2" in result.output and "0 passed, 1 failed" in result.output


def test_a_check_of_standing_asks_nothing(real: type[SeeminglyReal]) -> None:
    result = run("--only", "identity")
    assert result.exit_code == 0
    assert "free to move" not in result.output


class FakePeer:
    """Stands where a peer stands; its robot is the newest that was made."""

    robot: SeeminglyReal
    started: ClassVar[dict[str, Any]] = {}

    def __init__(self, *, profile: str, world: str, seed: int, address: str) -> None:
        type(self).started = {"profile": profile, "address": address}

    def __enter__(self) -> "FakePeer":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def raise_fault(self) -> str:
        self.robot.stop(StopCategory.CUT, "PROTECTIVE_STOP")
        return "PROTECTIVE_STOP"


def test_without_an_address_a_peer_stands_in_and_is_made_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked about its motions. It is the driver's own arm, at the address that the driver is given."""
    addresses: list[str] = []

    def subject(name: str, profile: RobotProfile, address: str, walk: str) -> Subject:
        addresses.append(address)

        def make() -> SeeminglyReal:
            FakePeer.robot = SeeminglyReal(profile, load_world("tabletop"), 0)
            return FakePeer.robot

        return Subject(make, profile, networked=True)

    monkeypatch.setattr(conformance, "_subject", subject)
    monkeypatch.setitem(PEERS, "ur_peer", Peering("ur", cast(Any, FakePeer)))
    result = run("--robot", "ur", "--only", "own_fault")
    assert "1 passed, 0 failed, 0 left out" in result.output, result.output
    assert FakePeer.started == {"profile": "ur5e", "address": addresses[0]} and addresses[0].startswith("127.")


def test_a_go2_without_an_address_is_a_peer_on_a_domain_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver gets the walk that is asked for, and the domain that the peer is started on."""
    started: list[tuple[int, str]] = []
    given: list[tuple[QuadrupedProfile, str, str]] = []

    def start(domain: int, *, profile: str) -> FakePeer:
        started.append((domain, profile))
        return FakePeer(profile=profile, world="", seed=0, address="")

    def subject(name: str, profile: QuadrupedProfile, address: str, walk: str) -> LeggedSubject:
        given.append((profile, address, walk))
        return LeggedSubject(
            lambda: make_walker("mujoco", profile, load_ground("flat"), 0, make_legs(walk, profile)), profile
        )

    monkeypatch.setattr("reins.peers.go2.process.Go2Peer", start)
    monkeypatch.setattr(conformance, "_subject", subject)
    result = run("--robot", "go2", "--only", "identity")
    assert "1 passed, 0 failed" in result.output, result.output
    ((profile, address, walk),) = given
    assert profile.unitree is not None and started == [(profile.unitree.domain, "go2")]
    assert profile.unitree.domain != 0, "the robot's own domain, and ROS's"
    assert (address, walk) == ("127.0.0.1", "scripted")


def test_a_walk_that_there_is_not_is_told() -> None:
    result = run("--robot", "mujoco", "--profile", "go2", "--only", "identity", "--walk", "canter")
    assert result.exit_code != 0
    assert "no walk 'canter'" in f"{result.output}{result.exception}"
