"""`reins blackbox`: what a black box file says, in words and as a plot."""

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from reins.cli.console import Namespace, err, needs_ros, out
from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity

if TYPE_CHECKING:
    from reins.blackbox.analysis import Analysis
    from reins.blackbox.reading import Recording

STYLES = {Severity.INFO: "", Severity.WARN: "yellow", Severity.ERROR: "bold red"}


def blackbox(
    file: Annotated[
        Path | None, typer.Argument(help="A file that the black box wrote; without it, the newest.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Where the plot goes; without it, beside the file.")] = None,
    save: Annotated[bool, typer.Option("--save", help="Have a running graph write a file now, and show that.")] = False,
    namespace: Namespace = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print figures for programs; a plot only with --plot.")
    ] = False,
) -> None:
    """Why the robot stopped: who was in charge, what was asked and changed, how soon it stood.

    Needs no ROS, but for --save.
    """
    from reins.blackbox.analysis import analyse
    from reins.blackbox.folder import newest
    from reins.blackbox.reading import read

    if save and file is not None:
        raise ReinsError(f"--save writes a new file: leave {file} out")
    path = _save(namespace) if save else file if file is not None else newest()
    recording = read(path)
    analysis = analyse(recording)
    if as_json:
        typer.echo(json.dumps(figures(recording, analysis), indent=2))
    else:
        _show(recording, analysis)
    if plot is not None or not as_json:
        from reins.cli.blackbox_plot import save_plot

        picture = plot if plot is not None else path.with_suffix(".png")
        save_plot(recording, analysis, picture)
        (err if as_json else out).print(f"plot  {picture}", soft_wrap=True, markup=False)


def _save(namespace: str) -> Path:
    with needs_ros():
        from reins.nodes.blackbox_client import save_blackbox
        from reins.nodes.client import GraphClient
    with GraphClient(namespace) as client:
        return save_blackbox(client)


def _show(recording: "Recording", analysis: "Analysis") -> None:
    from reins.blackbox.words import explain

    out.print(str(recording.path), style="bold", soft_wrap=True, markup=False)
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for heading, sentence in explain(recording, analysis):
        table.add_row(heading, escape(sentence))
    out.print(table)
    events = Table(box=None, padding=(0, 2, 0, 0))
    events.add_column("time", justify="right", no_wrap=True)
    for title in ("event", "source", "reason"):
        events.add_column(title)
    for event in analysis.events:
        style = STYLES.get(Severity(event.severity), "")
        events.add_row(f"{event.time:+.3f} s", event.kind, escape(event.source), escape(event.reason), style=style)
    out.print(events)


def figures(recording: "Recording", analysis: "Analysis") -> dict[str, Any]:
    """The file's own record and the analysis, as JSON takes them: times in seconds since the stop, NaN as null."""
    fields = {
        "file": str(recording.path),
        "case": recording.case.model_dump(mode="json"),
        "begin": recording.begin,
        "end": recording.end,
        "topics": recording.topics,
        **asdict(analysis),
    }
    fields["events"] = [event._asdict() for event in analysis.events]
    plain: dict[str, Any] = _plain(fields)
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
