"""Learning curves: one CSV per run, one picture of several."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from reins.training.rl.checkpoint import CurvePoint

COLUMNS = ("step", "seconds", "success", "length")


def write_curve(path: Path, curve: Sequence[CurvePoint]) -> None:
    """Write a run's evaluations as CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for point in curve:
            writer.writerow((point.step, f"{point.seconds:.1f}", f"{point.success:.4f}", f"{point.length:.1f}"))


def read_curve(path: Path) -> list[CurvePoint]:
    """Read what `write_curve` wrote."""
    with path.open(newline="", encoding="utf-8") as file:
        return [
            CurvePoint(int(row["step"]), float(row["seconds"]), float(row["success"]), float(row["length"]))
            for row in csv.DictReader(file)
        ]


def plot(path: Path, title: str, curves: Mapping[str, Sequence[CurvePoint]]) -> None:
    """Draw success over policy steps, one line per named run, as a picture at `path`."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.0), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    for name, curve in curves.items():
        axes.plot([point.step for point in curve], [point.success for point in curve], marker=".", label=name)
    axes.set(title=title, xlabel="policy steps", ylabel="success on held-out episodes", ylim=(-0.02, 1.02))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(path)
