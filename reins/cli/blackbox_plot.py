"""The black box's plot: what was asked, what was let through, what the joints did, and when it stopped."""

from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from reins.blackbox.analysis import SOURCES, Analysis
from reins.blackbox.reading import Array, Recording, Series
from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.demo.plots import COLOURS, STYLE, WIDTH

BEFORE: Final = 10.0
"""How much of what led to the stop is shown [s]; all of it is in the file, for Foxglove."""

HEIGHT: Final = 8.0
"""Of the figure [inch]."""

DPI: Final = 130
"""Of the picture."""

MODE_COLOURS: Final = {"skill": "#3366cc", "teleop": "#2f9e63"}
"""Of the bands that say who was in charge; the others are grey, stops red."""


def save_plot(recording: Recording, analysis: Analysis, path: Path) -> None:
    """Write a PNG.

    Raises:
        ReinsError: it cannot be written.
    """
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        asked, safe, measured, charge = figure.subplots(4, sharex=True, height_ratios=(3, 3, 3, 0.7))
        asked.set_title(recording.case.reason, fontsize=10.0)
        names = recording.case.joint_names
        units = ", ".join(dict.fromkeys(recording.case.unit(joint) for joint in range(len(names))))
        for series in recording.asked.values():
            _lines(asked, series, names)
        _lines(safe, recording.safe, names)
        _lines(measured, recording.velocity, names)
        for axes, label in ((asked, "asked"), (safe, "let through"), (measured, "measured")):
            axes.set_ylabel(f"{label} [{units}]")
            _mark(axes, analysis)
        handles, labels = measured.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=max(1, len(names)), frameon=False)
        _bands(charge, analysis)
        charge.set_xlabel("time since the stop [s]")
        charge.set_xlim(max(recording.begin, -BEFORE), max(recording.end, 0.1))
        try:
            figure.savefig(path, format="png", dpi=DPI)
        except OSError as error:
            raise ReinsError(
                f"cannot write the plot to {path}: {error.strerror or error}; choose with --plot"
            ) from error


def _lines(axes: Any, series: Series, names: tuple[str, ...]) -> None:
    values: Array = series.array(len(names))
    for joint, name in enumerate(names):
        axes.plot(series.times, values[:, joint], color=COLOURS[joint % len(COLOURS)], label=name)


def _mark(axes: Any, analysis: Analysis) -> None:
    """The stop, standstill, and where safety warned."""
    axes.axvline(0.0, color="#c0392b", linewidth=1.4)
    if analysis.standstill.known and np.isfinite(analysis.standstill.after) and analysis.standstill.after > 0.0:
        axes.axvspan(0.0, analysis.standstill.after, color="#c0392b", alpha=0.10, linewidth=0.0)
    for event in analysis.events:
        if event.severity == Severity.WARN:
            axes.axvline(event.time, color="#dc8b1f", linewidth=0.9, linestyle=":")


def _bands(axes: Any, analysis: Analysis) -> None:
    """Who was in charge."""
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.set_ylim(0.0, 1.0)
    for charge in analysis.charges:
        stopped = charge.mode in ("stopping", "stopped", "estop")
        colour = "#c0392b" if stopped else MODE_COLOURS.get(SOURCES.get(charge.mode, ""), "#8a929b")
        axes.axvspan(charge.begin, charge.end, color=colour, alpha=0.35, linewidth=0.0)
        middle = 0.5 * (max(charge.begin, -BEFORE) + charge.end)
        if charge.end > -BEFORE and charge.end - max(charge.begin, -BEFORE) > 0.3:
            axes.text(middle, 0.5, charge.mode, ha="center", va="center", fontsize=8.0, clip_on=True)
