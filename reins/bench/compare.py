"""Reports of one suite side by side, as a page that stands alone: shares with their confidence, and figures."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from reins.bench.report import Report
from reins.contracts.errors import ReinsError

RATE, INTERVAL = "_rate", "_ci95"
"""How a share and its confidence interval end in a summary: `success_rate` has `success_ci95` beside it."""

MOST_DIFFERENCES: Final = 60
"""Episodes that are shown of those in which not all succeed, or not all fail."""

NAMING: Final = ("planner", "model", "mode", "skills")
"""Settings that tell one report from another, the first ones first."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A share and its 95 % confidence interval, all 0 … 1."""

    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of every report: a bar or a text each, None or a dash where a report does not have it."""

    name: str
    bars: Sequence[Bar | None] = ()
    values: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """An episode that some reports count as a success, and others do not."""

    instruction: str
    succeeded: Sequence[bool]
    reasons: Sequence[str]


def read_report(path: Path) -> Report:
    """A report that `reins bench … --json` wrote.

    Raises:
        ReinsError: there is no such file, or it is no report; says what is missing.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ReinsError(f"there is no file {path}; `reins bench SUITE --json {path}` writes one") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ReinsError(f"{path} cannot be read as JSON: {error}") from error
    kinds = {"suite": str, "settings": dict, "summary": dict, "episodes": list}
    for name, kind in kinds.items():
        if not isinstance(document, dict) or not isinstance(document.get(name), kind):
            raise ReinsError(f"{path} is no report of `reins bench`: it has no {name}")
    if not all(isinstance(episode, dict) for episode in document["episodes"]):
        raise ReinsError(f"{path} is no report of `reins bench`: an episode is not a record")
    return Report(**{name: document[name] for name in kinds})


def write_comparison(reports: Sequence[Report], path: Path) -> None:
    """Write the page.

    Args:
        reports: at least one, all of one suite.
        path: of the page; its folder is made if need be.

    Raises:
        ReinsError: they are of several suites, or there is none.
    """
    suites = sorted({report.suite for report in reports})
    if len(suites) != 1:
        found = ", ".join(suites) or "none at all"
        raise ReinsError(f"reports of one suite can be compared, and these are of {found}")
    environment = Environment(
        loader=PackageLoader("reins.bench"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    rows = rows_of([report.summary for report in reports])
    page = environment.get_template("compare.html.j2").render(
        suite=suites[0],
        names=names_of(reports),
        settings=_settings(reports),
        shares=[row for row in rows if row.bars],
        figures=[row for row in rows if row.values],
        differences=differences(reports)[:MOST_DIFFERENCES],
        most=MOST_DIFFERENCES,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")


def names_of(reports: Sequence[Report]) -> list[str]:
    """What to call each report: its planner, and whatever else tells it from the others."""
    told = [name for name in NAMING if len({str(report.settings.get(name, "")) for report in reports}) > 1]
    wanted = told or ["planner"]
    names = []
    for report in reports:
        parts = [_short(report.settings[name]) for name in wanted if report.settings.get(name)]
        names.append(", ".join(parts) or report.suite)
    return [name if names.count(name) == 1 else f"{name} ({number})" for number, name in enumerate(names, 1)]


def rows_of(summaries: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Every figure that any of the summaries has, in their order: shares with an interval as bars, others as text."""
    flat = [dict(_flat(summary)) for summary in summaries]
    names = list(dict.fromkeys(name for one in flat for name in one))
    rows = []
    for name in names:
        interval = f"{name.removesuffix(RATE)}{INTERVAL}"
        if name.endswith(INTERVAL) and f"{name.removesuffix(INTERVAL)}{RATE}" in names:
            continue
        if name.endswith(RATE) and interval in names:
            rows.append(Row(name.removesuffix(RATE), bars=[_bar(one.get(name), one.get(interval)) for one in flat]))
        else:
            rows.append(Row(name, values=[_text(one.get(name)) for one in flat]))
    return rows


def differences(reports: Sequence[Report]) -> list[Difference]:
    """The same instruction of every report, where they do not agree on success."""
    found = []
    for episodes in zip(*(report.episodes for report in reports), strict=False):
        said = {str(episode.get("instruction", "")) for episode in episodes}
        succeeded = [bool(episode.get("success")) for episode in episodes]
        if len(said) == 1 and said != {""} and len(set(succeeded)) > 1:
            found.append(Difference(said.pop(), succeeded, [str(episode.get("reason", "")) for episode in episodes]))
    return found


def _settings(reports: Sequence[Report]) -> list[Row]:
    names = dict.fromkeys(name for report in reports for name in report.settings)
    return [Row(name, values=[_text(report.settings.get(name)) for report in reports]) for name in names]


def _flat(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in record.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _bar(share: Any, interval: Any) -> Bar | None:
    """A share with its interval; None where one of them is missing or no number."""
    try:
        low, high = interval
        return Bar(float(share), float(low), float(high))
    except (TypeError, ValueError):
        return None


def _text(value: Any) -> str:
    """A figure; a dash where there is none."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    return ", ".join(map(_text, value)) if isinstance(value, list) else str(value)


def _short(value: Any) -> str:
    """The last part of a path; anything else as it is."""
    return str(value).rstrip("/").rpartition("/")[2] or str(value)
