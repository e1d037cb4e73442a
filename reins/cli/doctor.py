"""`reins doctor`: what this machine lacks for reins, or for one robot, and how to get it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from reins.cli.console import ExitCode, err, out
from reins.contracts.errors import ReinsError, look_up

if TYPE_CHECKING:
    from reins.cli.checks import Finding

MARKS = {"good": "[green]✓[/]", "warning": "[yellow]![/]", "bad": "[red]✗[/]"}


def doctor(
    robot: Annotated[str, typer.Option(help="Look at one robot instead: franka, ur, go2 or ros2_control.")] = "",
    ip: Annotated[str, typer.Option("--ip", help="Address of that robot.")] = "",
    profile: Annotated[str, typer.Option(help="Its profile: a name, or the path of a YAML file.")] = "",
) -> None:
    """Look at everything that reins needs here, or at the way to a robot. Exit status 1 when something is missing.

    With --robot nothing moves: network, real-time settings, versions, and whether the robot is ready for its driver.
    """
    from reins.cli.checks import CHECKS

    if not robot:
        if ip or profile:
            raise ReinsError("--ip and --profile are for a robot: name its driver with --robot")
        _report([(_title(check), check) for check in CHECKS], "`reins demo` shows it all")
        return
    _report([(robot, check) for check in _of_robot(robot, profile, ip)], "go on with docs/hardware.md")


def _of_robot(robot: str, profile: str, ip: str) -> "Sequence[Callable[[], list[Finding]]]":
    from reins.cli import robot_checks
    from reins.hardware.profile import load_profile
    from reins.hardware.profile_base import Profile
    from reins.hardware.real import usual_profile
    from reins.nodes.drivers import LEGGED, real_drivers

    look_up("driver", robot, dict.fromkeys([*real_drivers(), *LEGGED]))
    if robot in robot_checks.PORTS and not ip:
        raise ReinsError(f"the driver '{robot}' needs the address of the robot: --ip")
    limits = load_profile(profile or usual_profile(robot), Profile)
    return robot_checks.checks(robot, limits, ip)


def _report(checks: "Sequence[tuple[str, Callable[[], list[Finding]]]]", ready: str) -> None:
    from reins.cli.checks import Health

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    findings = []
    for title, check in checks:
        with err.status(title):
            found = check()
        for finding in found:
            table.add_row(MARKS[finding.health.value], finding.what, escape(finding.detail))
        findings.extend(found)
    out.print(table)
    to_do = [finding for finding in findings if finding.health is not Health.GOOD]
    for finding in to_do:
        out.print(f"{MARKS[finding.health.value]} {finding.what}: {escape(finding.remedy)}", soft_wrap=True)
    if any(finding.health is Health.BAD for finding in to_do):
        raise typer.Exit(int(ExitCode.FAILED))
    out.print(f"[green]ready[/]: {ready}")


def _title(check: Callable[[], object]) -> str:
    return check.__name__.replace("_", " ")
