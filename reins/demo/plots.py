"""The report's plots, as SVG text that stands in the page."""

import io
from collections.abc import Sequence
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from reins.contracts.event import SafetyEvent, Severity
from reins.demo.recording import Interval, Recording
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray

WIDTH: Final = 9.0
ROW: Final = 2.3
"""Size of the figure and of one row of it [inch]."""

MOST_POINTS: Final = 900
"""Points of one line; more cannot be seen."""

COLOURS: Final = ("#3366cc", "#dc8b1f", "#2f9e63", "#c0392b", "#7d5bbf", "#8c6d4f", "#4a9fb5")
"""One colour a joint."""

STYLE: Final[Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "reins",
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.edgecolor": "#b8bec6",
    "axes.labelcolor": "#444b54",
    "xtick.color": "#444b54",
    "ytick.color": "#444b54",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e9ecef",
    "lines.linewidth": 1.2,
}


def motion_plot(recording: Recording, profile: RobotProfile) -> str:
    """Joint positions, joint speeds as a share of their limits, and the gripper, over time since the task began.

    Args:
        recording: with at least two states.
        profile: of the robot, for names and limits.

    Returns:
        An <svg> element.
    """
    thin = _thinning(len(recording.states))
    times = recording.times()[thin] - recording.start
    positions, velocities = recording.positions()[thin], recording.velocities()[thin]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 3.2 * ROW), layout="constrained")
        position, speed, gripper = figure.subplots(3, sharex=True, height_ratios=(3, 3, 1.4))
        for joint, name in enumerate(profile.joint_names):
            colour = COLOURS[joint % len(COLOURS)]
            position.plot(times, positions[:, joint], color=colour, label=name)
            speed.plot(times, 100.0 * velocities[:, joint] / profile.velocity[joint], color=colour)
        position.set_ylabel("position [rad]")
        speed.set_ylabel("speed [% of limit]")
        gripper.plot(times, 1e3 * recording.widths()[thin], color="#444b54")
        gripper.set_ylabel("gripper [mm]")
        gripper.set_ylim(bottom=0.0)
        gripper.set_xlabel("time since the task began [s]")
        position.legend(loc="upper center", bbox_to_anchor=(0.5, 1.24), ncols=7, frameon=False, handlelength=1.2)
        for axes in (position, speed, gripper):
            _mark_steps(axes, recording.intervals, recording.start)
            _mark_events(axes, recording.events, recording.start)
        return _svg(figure)


def _thinning(count: int) -> slice:
    return slice(None, None, max(1, -(-count // MOST_POINTS)))


def _mark_steps(axes: mpl.axes.Axes, intervals: Sequence[Interval], start: float) -> None:
    """A light band behind every other step."""
    steps = [interval for interval in intervals if interval.stage == "acting"]
    for interval in steps[::2]:
        axes.axvspan(interval.start - start, interval.end - start, color="#3366cc", alpha=0.06, linewidth=0.0)


def _mark_events(axes: mpl.axes.Axes, events: Sequence[SafetyEvent], start: float) -> None:
    """A line where safety warned or stopped."""
    for event in events:
        if event.severity > Severity.INFO:
            colour = "#c0392b" if event.severity is Severity.ERROR else "#dc8b1f"
            axes.axvline(event.stamp - start, color=colour, linewidth=0.9, linestyle=":")


def _svg(figure: Figure) -> str:
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None})
    text = stream.getvalue()
    return text[text.index("<svg") :]


def largest_share(values: FloatArray, limits: FloatArray) -> float:
    """Largest |value| / limit over time and joints; values (t, n), limits (n,)."""
    return float(np.max(np.abs(values) / limits)) if values.size else 0.0
