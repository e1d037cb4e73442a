"""`reins trace`: what a task was, step by step, in words and as a page."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from reins.cli.console import out


def trace(
    file: Annotated[Path | None, typer.Argument(help="A trace that a task wrote; without it, the newest.")] = None,
    page: Annotated[Path | None, typer.Option(help="Where the page goes; without it, beside the file.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print figures for programs; a page only with --page.")
    ] = False,
) -> None:
    """What was asked, planned and done in a task: prompts, replies, tokens, times, verdicts and results.

    Needs no ROS.
    """
    from reins.planning.tracing.page import line_of, write_page
    from reins.planning.tracing.reading import read_trace
    from reins.planning.tracing.trace import default_folder, newest

    path = file if file is not None else newest(default_folder())
    story = read_trace(path)
    if as_json:
        typer.echo(json.dumps({"outcome": story.outcome, "reason": story.reason, **story.figures()}, indent=2))
    else:
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        for entry in story.entries:
            table.add_row(f"{entry['at'] - story.begin:7.2f} s", entry["kind"], line_of(entry).replace("[", r"\["))
        out.print(table)
    if page is not None or not as_json:
        target = page if page is not None else path.with_suffix(".html")
        write_page(story, target)
        if not as_json:
            out.print(f"page  {target}", soft_wrap=True, markup=False)
