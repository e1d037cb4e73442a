"""What a run keeps from one start to the next: its episodes, its best weights, one whole checkpoint, one axis."""
# ruff: noqa: E402 — without PyTorch, which the imports below need, the file is skipped

import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")
pytest.importorskip("stable_baselines3", reason="training needs the extra `train`")

from small_runs import after, few, new_agent, replay_of, silent

from reins.contracts.errors import ReinsError
from reins.hardware.profile import load_profile
from reins.models.metadata import Measurement
from reins.skills.policy import OnnxPolicy
from reins.training.envs.core import SkillEnv
from reins.training.envs.tasks import TASKS
from reins.training.exactness import EXACT, largest_difference
from reins.training.rl import checkpoint, recipe, run
from reins.training.rl.agent import DemoSac, policy_of
from reins.training.rl.checkpoint import CurvePoint, Progress
from reins.training.rl.export import contract, exactness, export
from reins.training.rl.keeper import Keeper, Limits
from reins.training.rl.rollouts import Evaluation, Outcome, observed
from reins.training.rl.run import RunResult, make_envs, train
from reins.training.rl.settings import TrainSettings

torch.set_num_threads(1)


def first_episodes(settings: TrainSettings, folder: Path | None = None) -> set[bytes]:
    """What an agent sees first in its environments: a new one, or the one whose checkpoint is in `folder`."""
    if folder is None:
        env = new_agent(settings).env
    else:
        env = checkpoint.restore(folder, settings, make_envs(settings, processes=False))[0].env
    assert env is not None
    seen: Any = env.reset()  # as learning does
    env.close()
    return {row.tobytes() for row in seen["observation"]}


def test_a_run_that_goes_on_begins_other_episodes_than_it_began_with(tmp_path: Path) -> None:
    settings = few(demos=0)
    begun = [first_episodes(settings)]
    for _ in range(2):
        train(settings, tmp_path, after(20), silent)
        begun.append(first_episodes(settings, tmp_path))
        assert begun[-1] == first_episodes(settings, tmp_path)
    assert len(set.union(*begun)) == 3 * settings.envs


def test_a_run_that_was_interrupted_in_its_lessons_begins_the_same_episodes_as_without(tmp_path: Path) -> None:
    settings = few()
    train(settings, tmp_path, after(1), silent)
    assert first_episodes(settings, tmp_path) == first_episodes(settings)


def test_runs_with_neighbouring_seeds_share_no_environment() -> None:
    first, second = (first_episodes(few(seed=seed)) for seed in (1, 2))
    assert len(first | second) == 2 * few().envs


def test_random_actions_go_on_where_they_stopped(tmp_path: Path) -> None:
    settings = few(demos=0)
    model = new_agent(settings)
    first = model.action_space.sample()
    checkpoint.save(tmp_path, settings, model, Progress())
    again, _ = checkpoint.restore(tmp_path, settings, make_envs(settings, processes=False))
    following = again.action_space.sample()
    assert not np.array_equal(following, first)
    np.testing.assert_array_equal(following, model.action_space.sample())


def test_episodes_end_where_a_run_was_paused(tmp_path: Path) -> None:
    settings = few()
    paused = replay_of(train(settings, tmp_path, after(70), silent).model)
    assert paused.pos > 0 and not paused.ep_length.any()
    again = replay_of(checkpoint.restore(tmp_path, settings, make_envs(settings, processes=False))[0])
    # What comes next has episodes of its own, hindsight finds goals in those that were cut, and nobody failed there.
    assert np.all(again._current_ep_start == again.pos)
    assert np.all(again.ep_length[: again.pos] == again.pos)
    assert again.dones[again.pos - 1].all() and again.timeouts[again.pos - 1].all()


def examined(model: DemoSac, folder: Path, monkeypatch: pytest.MonkeyPatch, *successes: bool) -> Keeper:
    """A keeper whose evaluations have these outcomes."""
    result = Evaluation(tuple(Outcome(success, 1, 0.5) for success in successes))
    monkeypatch.setattr("reins.training.rl.keeper.evaluate", lambda *_: result)
    env: Any = None
    return Keeper(few(demos=0), Limits(), folder, env, model, Progress(), silent)


def test_the_best_weights_and_their_figure_are_of_one_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = few(demos=0)
    model = new_agent(settings)
    keeper = examined(model, tmp_path, monkeypatch, True, False)
    keeper.evaluate()
    keeper.save()
    best = {name: value.clone() for name, value in model.policy.state_dict().items()}
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter.add_(1.0)
    better = examined(model, tmp_path, monkeypatch, True)
    better.progress = keeper.progress
    better.evaluate()
    assert keeper.progress.best == 1.0  # and then the power goes
    _, progress = checkpoint.restore(tmp_path, settings, make_envs(settings, processes=False))
    assert progress.best == 0.5 and progress.weights is not None
    for name, value in best.items():
        assert torch.equal(progress.weights[name], value), name


def test_what_is_exported_is_the_best_that_was_evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = few(demos=0)
    model = new_agent(settings)
    still = {name: torch.zeros_like(value) for name, value in model.policy.state_dict().items()}
    curve = [CurvePoint(1, 0.0, 0.9, 1.0), CurvePoint(2, 0.0, 0.1, 1.0)]
    ended = RunResult(Progress(curve=curve, best=0.9, weights=still), 2, True, model)
    poor = Measurement(environment="e", episodes=1, success_rate=0.0, criterion="c", limit_violations=0)
    monkeypatch.setattr(recipe, "train", lambda *_: ended)
    monkeypatch.setattr(recipe, "measure", lambda *_, **__: poor)
    (tmp_path / recipe.CURVES).write_bytes(b"a picture")
    monkeypatch.setattr(recipe, "draw", lambda *_: None)
    told: list[str] = []
    result = recipe.make_skill(settings, tmp_path, Limits(), 1, told.append)
    assert result.policy is not None and not result.enters("reach")
    assert any("reach stays out" in line and "needs 100%" in line for line in told)
    policy = OnnxPolicy(result.policy.read_bytes(), load_profile("franka"), "reach")
    env = SkillEnv("reach", randomisation="none")
    env.reset(seed=1)
    assert not policy.act(env.view_input).any()


class PowerCut(Exception):
    """Ends a save."""


def cut_after(calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be removed or renamed any more after so many times."""
    left = iter(range(calls))

    def limited(call: Callable[..., Any]) -> Callable[..., Any]:
        def act(*arguments: Any, **named: Any) -> Any:
            if next(left, None) is None:
                raise PowerCut
            return call(*arguments, **named)

        return act

    monkeypatch.setattr(shutil, "rmtree", limited(shutil.rmtree))
    monkeypatch.setattr(Path, "rename", limited(Path.rename))


@pytest.mark.parametrize("cuts", [*((n,) for n in range(5)), *((3, n) for n in range(4))], ids=str)
def test_whenever_the_power_goes_there_is_a_whole_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cuts: tuple[int, ...]
) -> None:
    settings = few(demos=0)
    model = new_agent(settings)
    checkpoint.save(tmp_path, settings, model, Progress(seconds=0.0))
    for number, calls in enumerate(cuts, start=1):
        with monkeypatch.context() as patched, suppress(PowerCut):
            cut_after(calls, patched)
            checkpoint.save(tmp_path, settings, model, Progress(seconds=float(number)))
    assert checkpoint.exists(tmp_path)
    _, progress = checkpoint.restore(tmp_path, settings, make_envs(settings, processes=False))
    assert progress.seconds in range(len(cuts) + 1)
    checkpoint.save(tmp_path, settings, model, Progress(seconds=99.0))
    assert json.loads((tmp_path / checkpoint.FOLDER / checkpoint.STATE).read_text())["progress"]["seconds"] == 99.0


def test_between_two_renames_the_old_checkpoint_is_used(tmp_path: Path) -> None:
    settings = few(demos=0)
    checkpoint.save(tmp_path, settings, new_agent(settings), Progress(seconds=7.0))
    (tmp_path / checkpoint.FOLDER).rename(tmp_path / f"{checkpoint.FOLDER}.old")
    _, progress = checkpoint.restore(tmp_path, settings, make_envs(settings, processes=False))
    assert progress.seconds == 7.0


def test_everything_is_recorded_over_the_same_policy_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

    monkeypatch.setattr(run, "RECORDED_EVERY", 1)
    settings = few(lessons=3, lessons_evaluated=2, envs=1, steps=TASKS["reach"].horizon + 10)
    result = train(settings, tmp_path, Limits(), silent)
    steps: list[int] = []
    seen: dict[str, list[int]] = defaultdict(list)
    for file in sorted((tmp_path / "tensorboard").iterdir()):
        for event in EventFileLoader(str(file)).Load():
            for value in event.summary.value:
                steps.append(event.step)
                seen[value.tag].append(event.step)
    counts = Counter({tag: len(at) for tag, at in seen.items()})
    assert counts["lessons/imitation_loss"] == 3 and counts["rollout/ep_len_mean"] >= 1
    assert seen["eval/success_rate"] == [point.step for point in result.progress.curve]
    assert steps == sorted(steps) and steps[-1] <= result.steps


@pytest.mark.parametrize("task", sorted(TASKS))
def test_an_export_that_computes_something_else_is_refused(task: str) -> None:
    settings = few(task, demos=0)
    model = new_agent(settings)
    data = export(model, contract(settings, 0, None))
    seen = observed(SkillEnv(task), policy_of(model), 30)
    assert 0.0 <= exactness(model, data, seen) <= EXACT
    with torch.no_grad():
        model.average.mu.bias[2] += 0.005
    with pytest.raises(ReinsError, match=r"differs by \d\.\de-03 from what it was exported from; 1e-05 is allowed"):
        exactness(model, data, seen)


def test_what_is_no_number_is_not_exact() -> None:
    settings = few(demos=0)
    data = export(new_agent(settings), contract(settings, 0, None))
    rows = np.zeros((1, contract(settings, 0, None).observation_size), dtype=np.float32)
    with pytest.raises(ReinsError, match="differs by nan"):
        largest_difference(data, rows, np.full((1, 5), np.nan, dtype=np.float32))
