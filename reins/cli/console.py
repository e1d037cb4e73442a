"""How the command line speaks: its consoles, its exit statuses, one red line for an error."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from getpass import getuser
from socket import gethostname
from typing import Annotated

import typer
from rich.console import Console

from reins.contracts.errors import ReinsError

out = Console(highlight=False)
"""Answers."""

err = Console(stderr=True, highlight=False)
"""Errors and progress."""


class ExitCode(IntEnum):
    """Exit statuses of every command."""

    SUCCESS = 0
    FAILED = 1
    """The task or skill ran and did not succeed; a check failed."""
    ERROR = 2
    """Wrong input, nothing that answers, or a goal that was rejected: nothing moved because of this command."""
    REFUSED = 3
    """The planner refused the task."""
    QUESTION = 4
    """The planner has a question."""
    CANCELLED = 5
    """The task was cancelled."""


NOT_BUILT = "the interfaces reins_msgs are not built; `./run` builds them, or colcon in ros2_ws"

EXIT_CODES = (
    "Exit status: 0 succeeded, 1 failed, 2 wrong input or nothing answers, 3 refused, 4 a question, 5 cancelled."
)

Namespace = Annotated[
    str, typer.Option("--namespace", "-n", envvar="REINS_NAMESPACE", help="ROS namespace of the robot to talk to.")
]


def fail(message: str) -> None:
    """One red line on stderr."""
    err.print(f"[bold red]error:[/] {_escape(message)}", soft_wrap=True)


def _escape(text: str) -> str:
    return text.replace("[", "\\[")


def asker() -> str:
    """Who asks, for the record of the safety monitor: user@host."""
    try:
        user = getuser()
    except (KeyError, OSError):  # a uid without a name, as in containers
        user = f"uid{os.getuid()}"
    return f"{user}@{gethostname()}"


@contextmanager
def needs_ros() -> Iterator[None]:
    """Turn a missing ROS 2 into an error that says how to get it."""
    try:
        yield
    except ImportError as error:
        name = (error.name or "").split(".")[0]
        if name == "reins_msgs":
            raise ReinsError(NOT_BUILT) from None
        if name in ("rclpy", "rcl_interfaces", "std_msgs", "sensor_msgs", "geometry_msgs"):
            raise ReinsError(
                f"ROS 2 is not here (no module '{name}'); start through `./run`, or source ROS 2 Jazzy"
            ) from None
        raise
