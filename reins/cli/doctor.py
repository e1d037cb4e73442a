"""`reins doctor`: what this machine lacks for reins, and how to get it."""

from collections.abc import Callable

import typer
from rich.markup import escape
from rich.table import Table

from reins.cli.console import ExitCode, err, out

MARKS = {"good": "[green]✓[/]", "warning": "[yellow]![/]", "bad": "[red]✗[/]"}


def doctor() -> None:
    """Look at everything that reins needs here. Exit status 1 when something is missing."""
    from reins.cli.checks import CHECKS, Health

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    findings = []
    for check in CHECKS:
        with err.status(_title(check)):
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
    out.print("[green]ready[/]: `reins demo` shows it all")


def _title(check: Callable[[], object]) -> str:
    return check.__name__.replace("_", " ")
