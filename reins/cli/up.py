"""`reins up`: start what a launch file describes, show who is up, leave no process behind."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.markup import escape
from rich.table import Table

from reins.cli.console import NOT_BUILT, out
from reins.contracts.errors import ReinsError, UnknownName

SUFFIX: Final = ".launch.xml"

CONTEXT: Final = {"allow_interspersed_args": True}


def launch_file(name: str) -> Path:
    """The file of a launch name ("sim"), or the file itself if a path is given.

    Raises:
        ReinsError: reins is not installed as a ROS package, or there is no such file; lists those that exist.
    """
    from reins.launching.packages import share_directory

    if name.endswith(".xml") or "/" in name:
        return Path(name)
    folder = share_directory("reins") / "launch"
    known = {path.name.removesuffix(SUFFIX): path for path in sorted(folder.glob(f"*{SUFFIX}"))}
    if name not in known:
        raise UnknownName("launch file", name, known)
    return known[name]


def up(
    launch: Annotated[str, typer.Argument(help="Name of a launch file of reins, e.g. sim, or a path.")],
    arguments: Annotated[list[str] | None, typer.Argument(help="name:=value …", metavar="NAME:=VALUE…")] = None,
    show_args: Annotated[
        bool, typer.Option("--show-args", "-s", help="Print the arguments it takes and exit.")
    ] = False,
) -> None:
    """Start a graph of nodes and stay until Ctrl-C. Exit status 1 when a node died, which it names."""
    from reins.launching.description import declared_arguments, parse_assignments
    from reins.launching.runner import run_launch

    path = launch_file(launch)
    if show_args:
        table = Table(box=None, padding=(0, 2, 0, 0))
        for title in ("argument", "default", "meaning"):
            table.add_column(title)
        for argument in declared_arguments(path):
            choices = f" ({', '.join(argument.choices)})" if argument.choices else ""
            table.add_row(argument.name, escape(argument.default or ""), escape(argument.description + choices))
        out.print(table)
        return
    if find_spec("reins_msgs") is None:  # every node needs it: say so here, once
        raise ReinsError(NOT_BUILT)
    raise typer.Exit(run_launch(path, parse_assignments(arguments or []), out))
