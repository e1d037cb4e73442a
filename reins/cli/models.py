"""`reins models`: the trained files, and whether they are what their cards say."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from reins.cli.console import ExitCode, out

if TYPE_CHECKING:
    from reins.models.registry import ModelReport

app = typer.Typer(no_args_is_help=True, help="The trained models that reins ships.")


@app.command("list")
def list_models() -> None:
    """The models: what each is for, and how well it did when it was measured."""
    from reins.models.registry import verify_models

    table = Table(box=None, padding=(0, 2, 0, 0))
    for title in ("model", "skills", "robot", "rate", "measured", "size"):
        table.add_column(title, no_wrap=True)
    for report in verify_models():
        table.add_row(*_row(report))
    out.print(table)


def _row(report: "ModelReport") -> tuple[str, ...]:
    entry, metadata = report.entry, report.metadata
    size = f"{entry.bytes / 1e3:.0f} kB"
    if metadata is None:
        return entry.name, "", "", "", "[red]no valid metadata[/]", size
    measured = metadata.measured
    success = "not measured" if measured is None else f"{measured.success_rate:.1%} of {measured.episodes}"
    return entry.name, ", ".join(metadata.skills), metadata.robot, f"{metadata.rate:g} Hz", success, size


@app.command()
def verify(name: Annotated[str, typer.Argument(help="One model; all of them by default.")] = "") -> None:
    """Check checksums, metadata and cards. Exit status 1 when one is not as it should be."""
    from reins.models.registry import find_model, verify_model, verify_models

    reports = [verify_model(find_model(name))] if name else verify_models()
    for report in reports:
        mark = "[green]✓[/]" if report.ok else "[red]✗[/]"
        out.print(f"{mark} {report.entry.name}  [dim]sha256 {report.sha256}[/]", soft_wrap=True)
        for problem in report.problems:
            out.print(f"  {escape(problem)}", soft_wrap=True)
    if not all(report.ok for report in reports):
        raise typer.Exit(int(ExitCode.FAILED))
