"""`reins bench stream`: a short one over each driver's peer, and the motion that it streams."""

from importlib.util import find_spec

import numpy as np
import pytest
from typer.testing import CliRunner

from reins.bench.cli import app
from reins.bench.stream.suite import run_stream
from reins.bench.stream.sway import LAP, sway_from
from reins.bench.stream.use import first_use
from reins.contracts.errors import UnknownName
from reins.hardware.profile import load_profile
from reins.peers.silences import Silences


@pytest.mark.parametrize("name", ["franka", "ur5e"])
def test_the_motion_begins_and_turns_round_at_rest_within_the_limits(name: str) -> None:
    profile = load_profile(name)
    sway = sway_from(profile, profile.home)
    times = np.linspace(0.0, LAP, 400)
    positions = np.array([sway.position(t) for t in times])
    velocities = np.array([sway.velocity(t) for t in times])
    np.testing.assert_allclose(positions[[0, -1]], [profile.home, profile.home], atol=1e-12)
    np.testing.assert_allclose(velocities[[0, -1]], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.gradient(positions, times, axis=0)[1:-1], velocities[1:-1], atol=1e-4)
    assert np.all((positions >= profile.lower) & (positions <= profile.upper))
    assert np.all(np.abs(velocities) < 0.1 * profile.velocity)


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.parametrize(
    "driver, robot, library", [("franka", "franka", "franky"), ("ur", "ur5e", "rtde_control")], ids=["franka", "ur"]
)
def test_driver_and_library_stream_side_by_side(driver: str, robot: str, library: str) -> None:
    if not find_spec(library):
        pytest.skip(f"{library} is not installed")
    report = run_stream(robot, driver, "", 0.1)
    for side in ("driver", "library"):
        figures = report.summary[side]
        assert 80.0 < figures["rate_hz"] < 101.0
        assert figures["control_errors"] == 0, report.episodes
        assert 0.0 < figures["cost_us"]["p50"] < 5e3
        assert figures["behind_rad"]["p99"] < 0.02
        assert 0.0 < figures["use_ms"]["p50"] < 20.0
        assert figures["late_commands"] >= 0 and figures["longest_silence_ms"] > 0.0
    assert report.summary["use_ratio"]["p50"] > 0.0
    assert report.summary["driver"]["periods"] > 3 * report.summary["library"]["periods"]


def test_another_driver_is_refused_by_name() -> None:
    with pytest.raises(UnknownName, match="no driver 'kuka'"):
        run_stream("franka", "kuka", "", 0.1)


def test_a_real_arm_does_not_move_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reins.bench.stream.suite.run_stream", lambda *_: pytest.fail("it was not asked"))
    result = CliRunner().invoke(app, ["stream", "franka", "--ip", "192.0.2.1"], input="n\n")
    assert result.exit_code == 1 and "hand on the emergency stop" in " ".join(result.output.split())


def test_a_step_is_in_use_when_half_of_its_change_is_there() -> None:
    """Of a torque, which the arm's motion takes back, as of a position, which stays."""
    times = np.arange(0.0, 0.2, 0.001)
    position = np.where(times >= 0.1031, 0.301, 0.3)
    torque = 5.0 + np.where(times >= 0.1031, 0.6 * np.exp(-(times - 0.1031) / 0.01), 0.0)
    for values in (position, torque):
        assert first_use(times, values, 0.1) == pytest.approx(0.004, abs=1e-9)


def test_what_is_no_step_is_not_measured() -> None:
    times = np.arange(0.0, 0.2, 0.001)
    assert first_use(times, np.full_like(times, 0.3), 0.1) is None, "nothing changed"
    assert first_use(times, np.sin(1e3 * times), 0.1) is None, "it changed before as much"
    assert first_use(times, times, 0.5) is None, "nothing is known of then"


def test_silences_are_counted_while_a_motion_runs() -> None:
    silences = Silences(0.02)
    for now in (0.0, 0.001, 0.021, 0.0415, 0.05):
        silences.heard(now)
    assert silences.told() == {"late": 1, "longest_silence": pytest.approx(0.0205)}
    silences.rest()
    silences.heard(9.0)
    assert silences.told()["late"] == 1
    silences.begin()
    assert silences.told() == {"late": 0, "longest_silence": 0.0}
