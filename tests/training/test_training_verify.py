"""`reins models verify`: what is measured again must be what its card says, and enough to be let in."""
# ruff: noqa: E402 — without PyTorch, which the imports below need, the file is skipped

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")
pytest.importorskip("stable_baselines3", reason="training needs the extra `train`")

from small_runs import few, new_agent
from typer.testing import CliRunner, Result

from reins.cli.app import app
from reins.cli.console import ExitCode
from reins.models.metadata import Measurement
from reins.training.rl.export import contract, export, write
from reins.training.rl.gate import LOST, REQUIRED, shortfall
from reins.training.rl.settings import GATES

torch.set_num_threads(1)


def verify(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["models", "verify", *arguments])


def measured(rate: float) -> Measurement:
    return Measurement(environment="e", episodes=200, success_rate=rate, criterion="c", limit_violations=0)


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a policy for pick that has learned nothing, whose card says so."""
    for module in ("registry", "language"):
        monkeypatch.setattr(f"reins.models.{module}.models_folder", lambda: tmp_path)
    settings = few("pick", demos=0)
    data = export(new_agent(settings), contract(settings, 0, measured(0.0)))
    write(tmp_path / "policies", data, "pick", "about it")
    return tmp_path


def reach(rates: dict[str, float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every policy reach these success rates, by the name of the simulator."""
    monkeypatch.setattr("reins.training.rl.measure.measure", lambda _, __, sim, *___: measured(rates[sim]))


def test_a_shipped_policy_is_measured_again_and_passes() -> None:
    result = verify("reach", "--measure", "--episodes", "2")
    assert result.exit_code == 0, result.output
    assert "✓ reach: 100.0% of 2 episodes in mujoco" in result.output


def test_a_policy_that_succeeds_too_seldom_does_not_pass_whatever_its_card_says(models: Path) -> None:
    assert verify("pick").exit_code == 0
    result = verify("pick", "--measure", "--episodes", "1")
    assert result.exit_code == ExitCode.FAILED
    assert "✗ pick: it succeeds in 0.0% of its episodes in MuJoCo, and needs 95%" in result.output


@pytest.mark.parametrize(
    "sim, mujoco, pybullet, said",
    [
        ("mujoco,pybullet", 1.0, 0.9, "✓ pick: 100.0% of 4 episodes in mujoco, 90.0% of 4 episodes in pybullet"),
        ("mujoco, pybullet", 1.0, 0.75, "✗ pick: it succeeds in 75.0% of its episodes in PyBullet"),
        ("mujoco", 1.0, 0.75, "✓ pick: 100.0% of 4 episodes in mujoco"),
        ("mujoco", 0.75, 1.0, "✗ pick: it succeeds in 75.0% of its episodes in MuJoCo"),
    ],
)
def test_each_simulator_has_its_gate(
    models: Path, monkeypatch: pytest.MonkeyPatch, sim: str, mujoco: float, pybullet: float, said: str
) -> None:
    reach({"mujoco": mujoco, "pybullet": pybullet}, monkeypatch)
    result = verify("pick", "--measure", "--episodes", "4", "--sim", sim)
    assert said in result.output
    assert result.exit_code == (0 if said.startswith("✓") else ExitCode.FAILED)


def test_in_another_simulator_alone_the_card_says_how_good_it_was_here(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = few("pick", demos=0)
    data = export(new_agent(settings), contract(settings, 0, measured(0.98)))
    write(models / "policies", data, "pick", "about it")
    for rate, passes in ((0.9, True), (0.75, False)):
        reach({"pybullet": rate}, monkeypatch)
        result = verify("pick", "--measure", "--sim", "pybullet")
        assert (result.exit_code == 0) is passes, result.output
    assert "75.0% of its episodes in PyBullet, over 10% less than the 98.0% in MuJoCo" in result.output


@pytest.mark.parametrize("sim, said", [("gazebo", "no simulator of environments 'gazebo'"), (" ,", "no simulator")])
def test_a_simulator_that_there_is_not_is_an_error(models: Path, sim: str, said: str) -> None:
    result = verify("pick", "--measure", "--sim", sim)
    assert result.exit_code == ExitCode.ERROR and said in result.stderr


@pytest.mark.parametrize("task", sorted(REQUIRED))
def test_the_gate_has_two_edges(task: str) -> None:
    enough = REQUIRED[task]
    assert not shortfall(task, enough) and not shortfall(task, enough, enough - LOST)
    assert shortfall(task, enough - 0.005) and shortfall(task, enough, enough - LOST - 0.005)
    assert GATES[task] >= enough
