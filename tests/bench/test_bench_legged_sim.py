"""How much of the bare physics rate a legged robot's driver leaves: both walk the same walk."""

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from reins.bench.bare_loop import BareLoop
from reins.bench.legged_sim import run_legged_sim
from reins.cli.app import app
from reins.contracts.errors import UnknownName
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile

GO2 = load_profile("go2", QuadrupedProfile)


def test_driver_and_bare_loop_walk_to_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rounds of the driver, and the bare loop's, end in the state that was recorded."""
    ends: list[list[float]] = []

    class Watched(BareLoop):
        def times(self) -> NDArray[np.float64]:
            ends.append(self._live.qpos.tolist())  # where recording, or the round before, ended
            taken = super().times()
            ends.append(self._data.qpos.tolist())
            return taken

    monkeypatch.setattr("reins.bench.legged_sim.BareLoop", Watched)
    report = run_legged_sim(GO2, "flat", 2.0)
    assert len(ends) == 2 * report.summary["episodes"]
    assert all(end == pytest.approx(ends[0], abs=1e-9) for end in ends)
    x, y = ends[0][:2]
    assert np.hypot(x, y) > 0.5, "it walked"


def test_the_figures_are_those_of_the_rounds() -> None:
    report = run_legged_sim(GO2, "flat", 1.0)
    shares = [entry["steps_per_s"] / entry["bare_steps_per_s"] for entry in report.episodes]
    assert report.summary["share"] == pytest.approx(float(np.median(shares)))
    assert 0.1 < report.summary["share"] < 1.1
    assert report.summary["real_time_factor"] == pytest.approx(0.002 * report.summary["steps_per_s"])


def test_an_unknown_ground_is_told() -> None:
    with pytest.raises(UnknownName, match="flat"):
        run_legged_sim(GO2, "moon", 1.0)


def test_the_command_line_measures_legs_on_a_ground() -> None:
    result = CliRunner().invoke(app, ["bench", "sim", "--robot", "go2", "--world", "rough", "--seconds", "1"])
    assert result.exit_code == 0, result.output
    assert "ground rough" in " ".join(result.output.split()) and "share" in result.output
