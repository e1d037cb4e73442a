"""The one form that every benchmark reports in: settings, a summary, one record per episode."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from scipy.stats import binomtest

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Report:
    """What `reins bench SUITE --json FILE` writes.

    Attributes:
        suite: name of the benchmark.
        settings: everything needed to run it again.
        summary: the figures; docs/benchmarks.md says what each means.
        episodes: one record per episode, trial or process.
    """

    suite: str
    settings: Record
    summary: Record
    episodes: Sequence[Record] = ()

    def write_json(self, path: Path) -> None:
        """Write the report, making the folder if needed; a figure that there is none of, such as NaN, is null."""
        path.parent.mkdir(parents=True, exist_ok=True)
        document = {
            "suite": self.suite,
            "settings": dict(self.settings),
            "summary": dict(self.summary),
            "episodes": [dict(episode) for episode in self.episodes],
        }
        path.write_text(json.dumps(_plain(document), indent=2, allow_nan=False) + "\n", encoding="utf-8")

    def print(self, console: Console) -> None:
        """Print the summary as a table."""
        table = Table(
            title=f"{self.suite}: {_join(self.settings)}",
            title_justify="left",
            show_header=False,
        )
        for name, value in _flat(self.summary):
            table.add_row(name, _text(value))
        console.print(table)


def success_interval(successes: int, episodes: int) -> tuple[float, float]:
    """95 % confidence interval of a success rate (Wilson score; SciPy's binomtest)."""
    if episodes == 0:
        return (0.0, 1.0)
    interval = binomtest(successes, episodes).proportion_ci(confidence_level=0.95, method="wilson")
    return (float(interval.low), float(interval.high))


def _plain(value: Any) -> Any:
    """What JSON can say: it has no number that is none, and none without end."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _flat(record: Record, prefix: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for name, value in record.items():
        if isinstance(value, Mapping):
            rows.extend(_flat(value, f"{prefix}{name}."))
        else:
            rows.append((f"{prefix}{name}", value))
    return rows


def _text(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return " … ".join(_text(item) for item in value)
    return str(value)


def _join(settings: Record) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())
