"""`reins teleop`: drive by hand."""

import sys

import typer

from reins.cli.console import Namespace, needs_ros, out
from reins.contracts.errors import ReinsError

app = typer.Typer(no_args_is_help=True, help="Drive the robot by hand.")


@app.callback()
def _group() -> None:
    """Keeps `keyboard` a sub-command."""


@app.command()
def keyboard(namespace: Namespace = "") -> None:
    """Drive with the keys of this terminal; holding a key is the dead-man switch, letting go holds the robot."""
    if not sys.stdin.isatty():
        raise ReinsError("the keyboard needs a terminal; run this in one, or use a joystick")
    with needs_ros():
        from reins.nodes.keyboard import drive
    drive(namespace, out)
