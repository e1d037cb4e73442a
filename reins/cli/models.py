"""`reins models`: the trained files, and whether they are what their cards say."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from reins.cli.console import ExitCode, out
from reins.contracts.errors import ReinsError, UnknownName

app = typer.Typer(no_args_is_help=True, help="The trained models that reins ships.")


@app.command("list")
def list_models() -> None:
    """The models: what each is for, and how well it did when it was measured."""
    from reins.models.registry import list_models as models_here

    table = Table(box=None, padding=(0, 2, 0, 0))
    for title in ("model", "skill", "robot", "measured", "size"):
        table.add_column(title, no_wrap=True)
    for entry in models_here():
        table.add_row(entry.name, entry.skill, entry.robot, entry.measured, f"{entry.size / 1e3:.0f} kB")
    out.print(table)


@app.command()
def verify(name: Annotated[str, typer.Argument(help="One model; all of them by default.")] = "") -> None:
    """Check checksums, metadata and cards. Exit status 1 when one is not as it should be."""
    from reins.models.registry import known_models, verify_model

    known = known_models()
    if name and name not in known:
        raise UnknownName("model", name, known)
    if not known:
        out.print("no models are here; `reins train` makes them")
    wrong = False
    for model in [name] if name else known:
        try:
            verify_model(model)
        except ReinsError as error:
            wrong = True
            out.print(f"[red]✗[/] {model}: {escape(str(error))}", soft_wrap=True)
        else:
            out.print(f"[green]✓[/] {model}")
    if wrong:
        raise typer.Exit(int(ExitCode.FAILED))
