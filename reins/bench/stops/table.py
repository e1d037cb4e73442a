"""The table of stop times, for a terminal and for docs/safety.md."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.table import Table

from reins.bench.report import Record, Report
from reins.bench.stops.run import spread

HEADINGS: Final = ("fault", "trials", "brakes", "stands", "bound")
TITLE: Final = "milliseconds after the fault: least / median / most"


def table(report: Report) -> Table:
    """The figures per row, in milliseconds."""
    made = Table(title=TITLE, title_justify="left")
    for index, heading in enumerate((*HEADINGS, "wrong")):
        made.add_column(heading, justify="right" if index else "left", overflow="fold")
    for row in _rows(report.episodes):
        made.add_row(*row)
    return made


def markdown(report: Report) -> str:
    """The same as docs/safety.md has it, and below it what was wrong."""
    lines = [f"| {' | '.join(HEADINGS)} |", f"|{'---|' * len(HEADINGS)}"]
    lines += [f"| {' | '.join(row[:-1])} |" for row in _rows(report.episodes)]
    return "\n".join([*lines, "", verdict(report)]) + "\n"


def verdict(report: Report) -> str:
    """One sentence about all trials."""
    wrong = sum(bool(episode["wrong"]) for episode in report.episodes)
    if wrong:
        return f"In {wrong} of {len(report.episodes)} trials something was wrong."
    return (
        f"In all {len(report.episodes)} trials the arm stood within its bound, nothing moved unasked afterwards, and "
        "the graph said what had happened."
    )


def _rows(episodes: Sequence[Record]) -> Iterator[tuple[str, ...]]:
    """Each with the number of trials in which something was wrong at its end."""
    for name in dict.fromkeys(episode["row"] for episode in episodes):
        some = [episode for episode in episodes if episode["row"] == name]
        times = [_spread_of([episode[which] for episode in some]) for which in ("react_ms", "stop_ms")]
        bounds = sorted({round(episode["bound_ms"]) for episode in some})
        bound = " … ".join(map(str, dict.fromkeys((bounds[0], bounds[-1])))) if some[0]["stops"] else "–"
        yield name, str(len(some)), *times, bound, str(sum(bool(episode["wrong"]) for episode in some))


def _spread_of(times: Sequence[float | None]) -> str:
    known = spread(times)
    return "–" if known["min"] is None else " / ".join(f"{value:.0f}" for value in known.values())
