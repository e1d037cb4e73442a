"""The benchmark form and the independent limit audit."""

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from reins.bench.audit import LimitAudit
from reins.bench.report import Report, success_interval
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import SafeCommand

PERIOD = 0.01


def test_json_has_the_form_that_every_suite_shares(tmp_path: Path) -> None:
    report = Report(
        "tabletop", {"seed": 1}, {"success_rate": 0.5, "nested": {"p50": 1.0}}, [{"seed": 1, "success": True}]
    )
    report.write_json(tmp_path / "deep" / "out.json")
    document = json.loads((tmp_path / "deep" / "out.json").read_text())
    assert list(document) == ["suite", "settings", "summary", "episodes"]
    assert document["summary"]["nested"]["p50"] == 1.0
    assert document["episodes"] == [{"seed": 1, "success": True}]


def test_figures_that_there_are_none_of_are_null(tmp_path: Path) -> None:
    summary = {"pick": {"duration_s": float("nan"), "interval": (0.0, float("inf")), "count": 3}}
    Report("skills", {}, summary, [{"steps": np.float64("nan")}]).write_json(tmp_path / "out.json")
    text = (tmp_path / "out.json").read_text()
    document = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert document["summary"] == {"pick": {"duration_s": None, "interval": [0.0, None], "count": 3}}
    assert document["episodes"] == [{"steps": None}]


def test_the_table_names_every_figure() -> None:
    text = io.StringIO()
    Report("sim", {}, {"steps_per_s": 12345.6, "latency": {"p99": 2.0}}).print(Console(file=text, width=100))
    assert "steps_per_s" in text.getvalue() and "latency.p99" in text.getvalue()


def test_interval_is_wilsons() -> None:
    low, high = success_interval(48, 50)
    assert (low, high) == pytest.approx((0.8654, 0.9890), abs=1e-4)
    assert success_interval(0, 0) == (0.0, 1.0)


@pytest.fixture
def profile() -> RobotProfile:
    return load_profile("franka")


def command(profile: RobotProfile, **changes: object) -> SafeCommand:
    still = SafeCommand(1, 0.0, PERIOD, profile.home.copy(), np.zeros(7))
    return replace(still, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(("share", "violations"), [(1.0, 0), (1.001, 1)])
def test_audit_judges_acceleration_on_both_sides_of_the_edge(
    profile: RobotProfile, share: float, violations: int
) -> None:
    audit = LimitAudit(profile)
    audit.on_command(command(profile))
    audit.on_command(command(profile, velocity=profile.acceleration * PERIOD * share))
    assert audit.counts["command_acceleration"] == violations


@pytest.mark.parametrize(
    ("sequence", "share", "violations"), [(2, 1.001, 1), (4, 2.999, 0), (4, 3.001, 1), (0, 1.0, 0), (0, 1.001, 1)]
)
def test_audit_allows_for_commands_that_it_did_not_hear(
    profile: RobotProfile, sequence: int, share: float, violations: int
) -> None:
    audit = LimitAudit(profile)
    audit.on_command(command(profile))
    audit.on_command(command(profile, sequence=sequence, velocity=profile.acceleration * PERIOD * share))
    assert audit.counts["command_acceleration"] == violations


def test_audit_sees_position_and_velocity(profile: RobotProfile) -> None:
    audit = LimitAudit(profile)
    audit.on_command(command(profile, position=profile.upper + 1e-6))
    audit.on_command(command(profile, velocity=profile.velocity * 1.01))
    assert audit.counts["command_position"] == 1
    assert audit.counts["command_velocity"] == 1
    assert audit.total >= 2
