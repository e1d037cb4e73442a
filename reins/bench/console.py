"""What every `reins bench` command says and takes: a bar, a table, `--json`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from reins.bench.report import Report

JsonFile = Annotated[
    Path | None,
    typer.Option("--json", help="Write settings, summary and episodes to this file."),
]
Robot = Annotated[str, typer.Option(help="Robot profile: a name, such as franka or ur5e, or the path of a YAML file.")]
Walk = Annotated[str, typer.Option(help="What carries the robot: scripted, a walking policy's name, or its ONNX file.")]
Backend = Annotated[
    str,
    typer.Option(help="Simulator: mujoco or pybullet; through the graph also franka_peer and ur_peer: real drivers."),
]


def finish(report: "Report", json_file: Path | None) -> None:
    """Print a report as a table, and write it if it is asked for."""
    report.print(Console())
    write(report, json_file)


def write(report: "Report", json_file: Path | None) -> None:
    """Write a report if it is asked for."""
    if json_file is not None:
        report.write_json(json_file)
        Console().print(f"wrote {json_file}")


@contextmanager
def progressing(what: str, total: int) -> Iterator[Callable[[str], None]]:
    """A bar with time left; call what it gives after each, with a line to print or an empty one."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task(what, total=total)

        def advance(line: str) -> None:
            if line:
                progress.console.print(line, markup=False)
            progress.advance(bar)

        yield advance
