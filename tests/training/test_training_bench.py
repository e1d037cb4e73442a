"""Benchmarks of environments and policies: the figures are there and mean what docs/benchmarks.md says."""
# ruff: noqa: E402 — without PyTorch, which the imports below need, the file is skipped

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")
pytest.importorskip("stable_baselines3", reason="training needs the extra `train`")

from reins.bench.env import run_env
from reins.bench.policy import run_policy
from reins.bench.skills import run_skills, trained
from reins.contracts.errors import ReinsError
from reins.hardware.profile import load_profile
from reins.training.rl.export import contract, export, write
from reins.training.rl.run import begin, make_envs
from reins.training.rl.settings import settings_for

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a policy for reach that has learned nothing."""
    folder = tmp_path_factory.mktemp("models")
    settings = settings_for("reach", randomisation="none", demos=0, layers=(32, 32))
    env = make_envs(settings, processes=False)
    write(folder / "policies", export(begin(settings, env), contract(settings, 0, None)), "reach", "untrained")
    env.close()
    return folder


def test_success_is_told_per_skill_and_simulator(models: Path) -> None:
    report = run_skills("franka", ["mujoco"], 3, randomisation="none", folder=models)
    figures = report.summary["skills"]["reach"]["mujoco"]
    assert figures["episodes"] == 3 and figures["limit_violations"] == 0
    assert figures["success_rate"] == sum(record["success"] for record in report.episodes) / 3
    assert [record["seed"] for record in report.episodes] == sorted(record["seed"] for record in report.episodes)


def test_without_a_success_there_is_no_duration(models: Path) -> None:
    report = run_skills("franka", ["mujoco"], 1, randomisation="none", folder=models)
    assert report.summary["skills"]["reach"]["mujoco"]["duration_s"] is None
    report.write_json(models / "out.json")
    assert '"duration_s": null' in (models / "out.json").read_text()


def test_a_skill_without_a_policy_is_named(models: Path) -> None:
    with pytest.raises(ReinsError, match=r"no trained policy for stack \(there are: reach\)"):
        trained(load_profile("franka"), ["stack"], models)
    with pytest.raises(ReinsError, match="no simulator of environments 'gazebo'"):
        run_skills("franka", ["gazebo"], 1, folder=models)


def test_a_policy_step_is_timed_beside_bare_onnx(models: Path) -> None:
    report = run_policy("franka", "reach", 200, models)
    assert report.summary["step_us"]["p50"] > 0.0 and report.summary["bare_onnx_us"]["p50"] > 0.0
    expected = report.summary["step_us"]["p50"] / report.summary["bare_onnx_us"]["p50"]
    assert report.summary["ratio"] == pytest.approx(expected)


def test_stepping_is_timed_beside_bare_physics() -> None:
    report = run_env("pick", 0.5, envs=2)
    assert 0.0 < report.summary["share"] <= 1.0
