"""How models are made: the exported file computes what PyTorch computes, and the whole recipe runs from end to end."""
# ruff: noqa: E402 — without PyTorch, which the imports below need, the file is skipped

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

import onnxruntime as ort

from reins.hardware.profile import load_profile
from reins.models.registry import list_models, read_contract, verify_model
from reins.skills.policy import load_policy
from reins.training.network import OPSET, Mlp, export, fit
from reins.training.reach import ReachSettings, contract, terms, train
from reins.training.reach_task import ReachTask

PROFILE = load_profile("franka")
INPUTS = sum(term.size for term in terms(PROFILE))
N = len(PROFILE.joints)


def network_of(seed: int) -> Mlp:
    torch.manual_seed(seed)
    network = Mlp(INPUTS, (32, 16), N)
    network.normalise(np.random.default_rng(seed).normal(3.0, 2.0, (100, INPUTS)).astype(np.float32))
    return network


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_the_exported_file_computes_what_torch_computes(seed: int) -> None:
    network = network_of(seed)
    data = export(network, contract(PROFILE, ReachSettings(), 0, None))
    session = ort.InferenceSession(data, providers=["CPUExecutionProvider"])
    observations = np.random.default_rng(seed + 1).normal(0.0, 2.0, (20, INPUTS)).astype(np.float32)
    for observation in observations:
        (action,) = session.run(None, {"observation": observation[None]})
        np.testing.assert_allclose(action, network.act(observation[None]), atol=1e-5)


def test_the_exported_file_carries_its_contract() -> None:
    metadata = contract(PROFILE, ReachSettings(), 123, None)
    read = read_contract(export(network_of(0), metadata))
    assert read == metadata
    assert read.opset == OPSET and read.training.samples == 123


def test_fitting_learns() -> None:
    random = np.random.default_rng(0)
    seen = random.normal(size=(4096, INPUTS)).astype(np.float32)
    wanted = np.tanh(seen[:, :N]).astype(np.float32)
    network = network_of(0)
    network.normalise(seen)
    first = fit(network, seen, wanted, 1, (1e-3, 1e-3), seed=0)
    last = fit(network, seen, wanted, 100, (3e-3, 1e-4), seed=0)
    assert last < 0.3 * first


def test_the_teacher_reaches_the_goal_it_is_asked_for() -> None:
    task = ReachTask(PROFILE)
    for episode in task.episodes(5, np.random.default_rng(0)):
        position = episode.start
        for _ in range(600):
            position = position + 0.01 * task.teach(position, episode.goal)
        tool = task.ik.tool_pose(position)
        assert np.linalg.norm(tool.position - episode.goal.position) < 1e-3
        assert np.all(np.abs(task.teach(position, episode.goal)) < 0.02)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_recipe_runs_from_end_to_end(tmp_path: Path) -> None:
    lines: list[str] = []
    few = ReachSettings(rounds=2, episodes=8, steps=60, epochs=(2, 2), measured=2)
    train(few, log=lines.append, folder=tmp_path / "policies")
    assert len(lines) >= 3
    entry = list_models(tmp_path)[0]
    metadata = verify_model(entry.name, tmp_path)
    assert metadata.measured is not None and metadata.measured.episodes == 2
    assert metadata.training.samples == 2 * 8 * 15
    load_policy(entry.path, PROFILE)
