"""`reins doctor --robot`: one line for each thing between this machine and a robot, and what to do about it."""

import socket
import sys
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner, Result

from reins.cli import robot_checks
from reins.cli.app import app
from reins.cli.checks import Finding, Health
from reins.cli.console import ExitCode
from reins.contracts.errors import ReinsError

NOBODY = "127.0.0.78"
"""Nothing listens here."""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["doctor", *arguments])


def health(findings: list[Finding]) -> dict[str, Health]:
    return {finding.what: finding.health for finding in findings}


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["--robot", "frnka", "--ip", NOBODY], "did you mean 'franka'"),
        (["--robot", "franka"], "needs the address of the robot: --ip"),
        (["--robot", "franka", "--ip", NOBODY, "--profile", "frnka"], "did you mean 'franka'"),
        (["--ip", NOBODY], "name its driver with --robot"),
        (["--robot", "franka", "--ip", "not an address"], "no way to 'not an address'"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(arguments: list[str], says: str) -> None:
    result = run(*arguments)
    assert result.exit_code == int(ExitCode.ERROR)
    assert says in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_closed_ports_are_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robot_checks, "PINGS", 3)
    result = run("--robot", "franka", "--ip", NOBODY)
    assert result.exit_code == int(ExitCode.FAILED)
    said = " ".join(result.output.split())
    assert "port 1337: refused" in said and "activate FCI in Desk" in said and "initialise it in Desk" in said


@pytest.fixture
def listening() -> Iterator[int]:
    with socket.create_server((NOBODY, 0)) as server:
        yield server.getsockname()[1]


def test_a_port_that_answers_is_good_and_its_neighbour_is_not(listening: int, monkeypatch: pytest.MonkeyPatch) -> None:
    both = (robot_checks.Port(listening, "open", ""), robot_checks.Port(1, "closed", "open it"))
    monkeypatch.setitem(robot_checks.PORTS, "franka", both)
    assert health(robot_checks.ports("franka", NOBODY)) == {"open": Health.GOOD, "closed": Health.BAD}


@pytest.mark.parametrize(
    "times, trip, loss",
    [
        ([0.2e-3] * 100, Health.GOOD, Health.GOOD),
        ([0.4e-3] * 100, Health.WARNING, Health.GOOD),
        ([0.2e-3] * 97 + [5e-3] * 3, Health.BAD, Health.GOOD),
        ([0.2e-3] * 99 + [None], Health.GOOD, Health.WARNING),
        ([0.2e-3] * 90 + [None] * 10, Health.GOOD, Health.BAD),
    ],
)
def test_slow_and_lossy_networks_are_judged(
    monkeypatch: pytest.MonkeyPatch, times: list[float | None], trip: Health, loss: Health
) -> None:
    monkeypatch.setattr(robot_checks, "_echoes", lambda _address: times)
    assert health(robot_checks.trip(NOBODY)) == {"round trip": trip, "packet loss": loss}


def test_a_robot_that_answers_nothing_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robot_checks, "_echoes", lambda _address: [None, None, None])
    assert health(robot_checks.trip(NOBODY)) == {"round trip": Health.BAD}


def test_without_the_right_to_ping_the_way_is_measured_by_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robot_checks, "_echoes", lambda _address: None)
    monkeypatch.setattr(robot_checks, "PINGS", 3)
    trip, loss = robot_checks.trip("127.0.0.1")
    assert trip.detail.startswith("TCP, port 443") and loss.health is Health.GOOD


def test_no_route_raises() -> None:
    with pytest.raises(ReinsError, match="no way to"):
        robot_checks.route("no.such.host.invalid")


def test_without_the_drivers_library_everything_else_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first thing that a newcomer sees."""
    monkeypatch.setattr(robot_checks, "PINGS", 3)
    monkeypatch.setitem(robot_checks.LIBRARIES, "franka", "not-there")
    monkeypatch.setitem(sys.modules, "franky", None)
    result = run("--robot", "franka", "--ip", NOBODY)
    assert result.exit_code == int(ExitCode.FAILED)
    said = " ".join(result.output.split())
    assert "not-there is not installed" in said and "needs franky-control" in said and "./run setup franka" in said
    assert all(what in said for what in ("round trip", "port 1337: refused", "kernel", "limits"))
