"""The report: one page of HTML that stands alone, with everything that happened during one task."""

import base64
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from reins import __version__
from reins.contracts.event import Severity
from reins.contracts.plan import Plan
from reins.demo.criteria import Criterion
from reins.demo.plots import motion_plot
from reins.demo.recording import Interval, Recording
from reins.hardware.profile import RobotProfile

EMBED_LIMIT: Final = 12_000_000
"""Larger videos stay beside the page instead of in it [bytes]."""

SHORTEST: Final = 0.05
"""Intervals of the timeline shorter than this are left out [s]."""

PACKAGES: Final = ("mujoco", "numpy", "pin", "daqp", "onnxruntime", "opencv-python-headless", "rclpy")
"""Whose versions the report names."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the task ended by its own account, and by physics.

    Attributes:
        said: the task's own outcome: succeeded, failed, refused, question or cancelled.
        reason: its own words.
        replans: how often it planned again.
        duration: robot time it took [s].
        plan: the last plan.
        criteria: what was measured.
    """

    said: str
    reason: str
    replans: int
    duration: float
    plan: Plan
    criteria: Sequence[Criterion]

    @property
    def success(self) -> bool:
        """The task says so and every criterion is met."""
        return self.said == "succeeded" and all(criterion.met for criterion in self.criteria)


def versions() -> dict[str, str]:
    """Versions of what the run depended on."""
    found = {"reins": __version__, "Python": platform.python_version(), "system": platform.platform(terse=True)}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:  # a sourced ROS 2 has no Python metadata
            found[name] = os.environ.get("ROS_DISTRO", "present")
    return found


def write_report(
    path: Path,
    instruction: str,
    outcome: Outcome,
    recording: Recording,
    profile: RobotProfile,
    settings: Mapping[str, str],
    video: Path | None,
) -> None:
    """Write the page.

    Args:
        path: of the page.
        instruction: what was asked.
        outcome: how it ended.
        recording: with at least two states.
        profile: of the robot.
        settings: of the run, for the record.
        video: beside the page, or None if there is none.
    """
    loader = PackageLoader("reins.demo")
    environment = Environment(
        loader=loader,
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("report.html.j2").render(
        instruction=instruction,
        outcome=outcome,
        plans=recording.plans,
        start=recording.start,
        rows=timeline(recording),
        ticks=_ticks(recording.now - recording.start),
        motion=motion_plot(recording, profile),
        events=[(event, Severity(event.severity).name.lower()) for event in recording.events],
        modes=recording.modes,
        caption=recording.caption,
        settings=settings,
        versions=versions(),
        video=None if video is None else _source(video),
        robot=profile.title,
    )
    path.write_text(page, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Bar:
    """One interval on the timeline, as shares of its length."""

    interval: Interval
    left: float
    width: float


def timeline(recording: Recording) -> list[Bar]:
    """The intervals with their place on the timeline in percent; very short ones are left out."""
    length = max(recording.now - recording.start, SHORTEST)
    return [
        Bar(
            interval,
            100.0 * (interval.start - recording.start) / length,
            100.0 * (interval.end - interval.start) / length,
        )
        for interval in recording.intervals
        if interval.end - interval.start >= SHORTEST
    ]


def _ticks(length: float) -> list[tuple[float, str]]:
    """Places in percent and labels of about eight round times."""
    step = next(step for step in (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 3600) if length / step <= 9 or step == 3600)
    return [(100.0 * t / max(length, SHORTEST), f"{t} s") for t in range(0, int(length) + 1, step)]


def _source(video: Path) -> str:
    """The video as a data URL if it is small enough, else its name."""
    if video.stat().st_size > EMBED_LIMIT:
        return video.name
    return "data:video/mp4;base64," + base64.b64encode(video.read_bytes()).decode("ascii")


def as_json(outcome: Outcome, settings: Mapping[str, str]) -> dict[str, Any]:
    """The figures of the run, for programs."""
    return {
        "success": outcome.success,
        "outcome": outcome.said,
        "reason": outcome.reason,
        "replans": outcome.replans,
        "duration_s": round(outcome.duration, 3),
        "plan": outcome.plan.model_dump(exclude_none=True),
        "criteria": [{"text": c.text, "met": c.met, "measured": c.measured} for c in outcome.criteria],
        "settings": dict(settings),
        "versions": versions(),
    }
