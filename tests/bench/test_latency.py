"""How the latency benchmark puts its samples together, and that both sides run."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="needs ROS 2")

from reins.bench.latency import _together, run_latency


def turn(latencies: list[float], arrivals: list[float]) -> dict[str, list[float]]:
    return {"latency_us": latencies, "arrival_s": arrivals}


def test_gaps_between_turns_are_not_periods() -> None:
    figures = _together([turn([1.0, 2.0], [0.0, 0.01, 0.02]), turn([3.0], [50.0, 50.01, 50.02])])
    assert figures["samples"] == 3
    assert figures["latency_us"]["p50"] == 2.0
    assert figures["rate"] == pytest.approx(100.0)
    assert figures["period_error"]["p99"] == pytest.approx(0.0, abs=1e-6)


def test_a_period_error_is_a_share_of_the_period() -> None:
    arrivals = np.arange(0.0, 1.0, 0.01)
    arrivals[50] += 0.003
    assert _together([turn([1.0], arrivals.tolist())])["period_error"]["p99"] == pytest.approx(0.3, abs=0.01)


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_both_sides_run_and_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from reins.demo.session import free_domain

    monkeypatch.setenv("ROS_DOMAIN_ID", str(free_domain()))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    run_latency(2.0).write_json(tmp_path / "latency.json")
    summary = json.loads((tmp_path / "latency.json").read_text())["summary"]
    for side in ("control_path_us", "bare_rclpy_us"):
        assert 100.0 < summary[side]["p50"] < summary[side]["p99"]
    assert summary["joint_state_rate"] > 80.0
    assert 0.0 <= summary["joint_state_period_error"]["p50"] < 1.0
