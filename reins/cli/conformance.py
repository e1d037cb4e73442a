"""`reins conformance`: what every driver must do, checked on one, simulated or real."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol, cast

import typer
from rich.markup import escape
from rich.table import Table

from reins.bench.console import Walk
from reins.cli.console import ExitCode, err, out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.status import Status

    from reins.hardware.conformance.check import Entry
    from reins.hardware.conformance.subject import Subject
    from reins.hardware.conformance.suite import Result
    from reins.hardware.conformance.under_test import Tampering, UnderTest
    from reins.hardware.profile_base import Profile

GO2: Final = "go2"
"""Name of the driver whose peer is found by its DDS domain, and not by an address."""

COLOURS = {"passed": "green", "failed": "bold red", "left out": "dim"}


WALKS: Final = (
    "The checks have the robot stand up again and again, walk and turn at 0.3 m/s and rad/s for two seconds each way, "
    "and lie down, by itself and by its motors letting go. It needs three metres of level, free ground around it."
)


def conformance(
    robot: Annotated[
        str, typer.Option(help="Driver that is checked: mujoco, pybullet, franka, ur, go2, ros2_control.")
    ] = "mujoco",
    profile: Annotated[
        str,
        typer.Option(
            help="Robot profile: a name, or the path of a YAML file; franka, ur5e or go2 where none is named."
        ),
    ] = "",
    ip: Annotated[
        str, typer.Option("--ip", help="Address of a real robot; franka, ur and go2: a peer without one.")
    ] = "",
    walk: Walk = "scripted",
    only: Annotated[list[str] | None, typer.Option(help="Run this check alone; may be given again.")] = None,
    file: Annotated[Path | None, typer.Option("--json", help="Write summary and checks to this file.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Move a real robot without asking first.")] = False,
    show: Annotated[bool, typer.Option("--list", help="Show the checks and run nothing.")] = False,
) -> None:
    """Check that a driver does what every driver must, before it is trusted with a robot.

    A real robot holds still until you agree to the motions that are shown first. No part of an arm moves farther than
    three centimetres; a legged robot stands up, walks half a metre each way, and lies down. Keep a hand on its own
    emergency stop. Exit status 1 when a check failed.

    A peer speaks the robot's protocol with our simulation behind it. Its network is cut and it is made to fail, too.
    """
    from reins.bench.report import Report
    from reins.hardware.conformance.legged.suite import LEGGED_CHECKS
    from reins.hardware.conformance.suite import CHECKS, choose, run_checks
    from reins.hardware.profile import load_profile
    from reins.hardware.profile_base import Profile
    from reins.hardware.real import usual_profile
    from reins.nodes.scheduling import make_real_time

    profile = profile or usual_profile(robot)
    limits = load_profile(profile, Profile)
    entries = choose(only or (), LEGGED_CHECKS if limits.kind == "quadruped" else CHECKS)
    if show:
        out.print(_list(entries))
        return
    stand_in = None if ip else _stand_in(robot, profile, limits)
    if stand_in is None:
        subject = _subject(robot, limits, ip, walk)
    else:
        subject = _subject(robot, stand_in.limits, stand_in.address, walk)
    if subject.paced:
        make_real_time()
    with ExitStack() as stack:
        if stand_in is not None:
            subject.tampering = stack.enter_context(stand_in.start())
        stack.callback(subject.close)
        subject.open()
        with err.status("connected") as status:
            agrees = _Consent(subject, status, given=yes or stand_in is not None or subject.robot.spec.simulated)
            results = list(run_checks(subject, entries, agrees))
    out.print(_table(robot, results))
    summary = {ending: sum(result.ending.value == ending for result in results) for ending in COLOURS}
    out.print(", ".join(f"{count} {ending}" for ending, count in summary.items()))
    if file:
        settings = {"robot": robot, "profile": profile, "ip": ip, "walk": walk}
        figures = {ending.replace(" ", "_"): count for ending, count in summary.items()}
        Report("conformance", settings, figures, [result.record() for result in results]).write_json(file)
    if summary["failed"]:
        raise typer.Exit(int(ExitCode.FAILED))


class _Peer(Protocol):
    """A running peer, as the suite needs it."""

    def __enter__(self) -> "Tampering": ...

    def __exit__(self, *_: Any) -> None: ...


@dataclass(frozen=True, slots=True)
class _StandIn:
    """A peer in a robot's place.

    Attributes:
        limits: the profile with which a driver reaches it.
        address: likewise.
        start: starts it.
    """

    limits: "Profile"
    address: str
    start: Callable[[], _Peer]


def _stand_in(robot: str, profile: str, limits: "Profile") -> _StandIn | None:
    """The peer that stands in for the robot of a driver, if it has one; `profile` is the name or file of `limits`."""
    from reins.demo.session import free_domain
    from reins.hardware.quadruped import QuadrupedProfile
    from reins.peers.go2.process import ADDRESS, Go2Peer, on_domain
    from reins.peers.process import address_of_its_own
    from reins.peers.robot import PEERS

    if robot == GO2 and isinstance(limits, QuadrupedProfile):
        domain = free_domain()
        return _StandIn(on_domain(limits, domain), ADDRESS, partial(Go2Peer, domain, profile=profile))
    peering = next((peering for peering in PEERS.values() if peering.driver == robot), None)
    if peering is None:
        return None
    address = address_of_its_own()
    start = partial(peering.start, profile=profile, world="tabletop", seed=0, address=address)
    return _StandIn(limits, address, start)


def _subject(name: str, profile: "Profile", address: str, walk: str) -> "UnderTest[Any, Any, Any]":
    """The driver of that name, not yet connected."""
    from reins.contracts.errors import look_up
    from reins.hardware.conformance.legged.subject import LeggedSubject
    from reins.hardware.conformance.subject import Subject
    from reins.hardware.profile import RobotProfile
    from reins.hardware.quadruped import QuadrupedProfile
    from reins.nodes.drivers import LEGGED, make_robot, real_drivers
    from reins.sim.simulators import SIMULATORS, require_simulator

    real = [*real_drivers(), *LEGGED]
    look_up("driver", name, dict.fromkeys([*SIMULATORS, *real]))
    if name in SIMULATORS:
        require_simulator(name)
    if isinstance(profile, QuadrupedProfile):
        return LeggedSubject(
            partial(make_robot, name, profile, "flat", 0, address, walk), profile, networked=name in real
        )
    assert isinstance(profile, RobotProfile), "there are two kinds"
    return Subject(partial(make_robot, name, profile, "tabletop", 0, address), profile, networked=name in real)


class _Consent:
    """Shows which check runs, and asks once before the first one that may move a real robot."""

    def __init__(self, subject: "UnderTest[Any, Any, Any]", status: "Status", given: bool) -> None:
        self._subject = subject
        self._status = status
        self._given: bool | None = given or None

    def __call__(self, entry: "Entry") -> bool:
        if entry.moves and self._given is None:
            self._status.stop()
            is_arm = self._subject.robot.spec.kind == "arm"
            out.print(_motions(self._subject) if is_arm else WALKS)
            self._given = typer.confirm("Is the robot free to move like this, and a hand on its emergency stop?")
            self._status.start()
        self._status.update(f"{entry.name}: {entry.says}")
        return not entry.moves or bool(self._given)


def _motions(robot: "UnderTest[Any, Any, Any]") -> Table:
    """The dry run: what the checks would have each joint do."""
    from reins.hardware.conformance.motion import TRAVEL, one_joint

    subject = cast("Subject", robot)
    table = Table(
        title=f"The checks move each joint there and back; no point moves farther than {1e3 * TRAVEL:.0f} mm",
        title_justify="left",
    )
    for heading in ("joint", "from [rad]", "to [rad]", "at most [rad/s]"):
        table.add_column(heading, justify="left" if heading == "joint" else "right")
    position = subject.read().position
    for index, name in enumerate(subject.profile.joint_names):
        nudge = one_joint(subject.profile, index, position)
        peak = abs(nudge.velocity(nudge.duration / 2)[index])
        end = position[index] + nudge.distance[index]
        table.add_row(name, f"{position[index]:+.3f}", f"{end:+.3f}", f"{peak:.3f}")
    return table


def _list(entries: "Sequence[Entry]") -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("check", "what must hold", "moves"):
        table.add_column(heading)
    for entry in entries:
        table.add_row(entry.name, entry.says, "yes" if entry.moves else "")
    return table


def _table(robot: str, results: "Sequence[Result]") -> Table:
    table = Table(title=f"conformance of {robot}", title_justify="left")
    for heading in ("check", "", "what must hold", "found"):
        table.add_column(heading)
    for result in results:
        colour = COLOURS[result.ending.value]
        table.add_row(result.name, f"[{colour}]{result.ending.value}[/]", result.says, escape(result.detail))
    return table
