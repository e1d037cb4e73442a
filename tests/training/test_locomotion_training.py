"""The locomotion environment and its training: what Gymnasium and Stable-Baselines3 ask, symmetry, resuming, export."""

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from typer.testing import CliRunner

from reins.bench.policy import run_policy
from reins.cli.app import app
from reins.cli.console import ExitCode
from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.legged import AS_USUAL
from reins.hardware.legs import Sense
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.locomotion.observation import ACTIONS, SIZE, mirrored, mirrored_action, observe
from reins.locomotion.policy import PolicyWalk, shipped_walks, trot_of
from reins.locomotion.trot import Trot, TrotSettings
from reins.locomotion.walks import TrotWalk, make_legs
from reins.models.metadata import Measurement
from reins.models.registry import card_of, read_contract
from reins.training.exactness import EXACT
from reins.training.locomotion.checkpoint import WalkPoint
from reins.training.locomotion.env import ENV_ID, HerdVecEnv, LocomotionEnv
from reins.training.locomotion.export import Exported, describe_walk, export_walk
from reins.training.locomotion.gate import Walking, shortfalls
from reins.training.locomotion.herd import GOOD, HORIZON, LEVELS, PERIOD, Herd
from reins.training.locomotion.mirror import SymmetricPolicy
from reins.training.locomotion.recipe import make_walk
from reins.training.locomotion.reward import Walked, rewards
from reins.training.locomotion.settings import WalkSettings
from reins.training.locomotion.train import WalkLimits, new_agent, train
from reins.training.network import Mlp, export, with_contract

GO2 = load_profile("go2", QuadrupedProfile)
PROFILES = Path(str(files("reins.hardware"))) / "profiles"
TINY = WalkSettings(
    robots=4, rollout=8, batch=32, epochs=1, steps=64, evaluate_every=10_000, evaluated=1, layers=(8,), seed=3
)


@pytest.fixture(autouse=True)
def brief_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is evaluated, measured and compared here need not walk for ten seconds."""
    monkeypatch.setattr("reins.training.locomotion.train.HORIZON", 20)
    monkeypatch.setattr("reins.training.locomotion.export.INPUTS", 12)
    monkeypatch.setattr("reins.bench.locomotion.WALKING", 3.0)


def silent(_line: object) -> None:
    """Nobody listens."""


def test_gymnasium_and_stable_baselines_find_nothing_wrong() -> None:
    env = gym.make(ENV_ID)
    check_env(env.unwrapped)


def test_the_same_seed_is_the_same_episode() -> None:
    def life(env: LocomotionEnv) -> np.ndarray:
        env.reset(seed=5)
        action = np.full(ACTIONS, 0.2, dtype=np.float32)
        return np.array([env.step(action)[1] for _ in range(20)])

    one, other = LocomotionEnv(), LocomotionEnv()
    first = life(one)
    assert (first == life(other)).all() and (first == life(one)).all()


def test_an_unknown_randomisation_is_told() -> None:
    with pytest.raises(UnknownName, match="training"):
        LocomotionEnv(randomisation="trainin")


def test_what_is_seen_mirrored_is_the_mirror_image() -> None:
    """Of a robot and of its mirror image half a stride later."""
    random, trots = np.random.default_rng(0), [Trot(GO2, 1, PERIOD) for _ in range(2)]
    swapped, sides = [1, 0, 3, 2], np.array([-1.0, 1.0, 1.0])
    joints, speeds = random.normal(size=(1, 4, 3)), random.normal(size=(1, 4, 3))
    rates, command, last = random.normal(size=(1, 3)), random.normal(size=(1, 3)), random.normal(size=(1, ACTIONS))
    up = np.array([[0.1, 0.2, np.sqrt(0.95)]])
    contact = np.ones((1, 4), dtype=bool)
    for trot, phase in zip(trots, (0.2, 0.7), strict=True):
        trot.memory.phase[:] = phase
    seen = observe(Sense(up, rates, joints, speeds, contact), trots[0], command, last)
    other = Sense(up * [1, -1, 1], rates * [-1, 1, -1], joints[:, swapped] * sides, speeds[:, swapped] * sides, contact)
    image = observe(other, trots[1], command * [1, -1, -1], mirrored_action(last))
    assert mirrored(seen) == pytest.approx(image)
    assert mirrored(mirrored(seen)) == pytest.approx(seen)


def walked(**changes: np.ndarray) -> Walked:
    flat = np.zeros((1, 3))
    fields = {
        "wanted": np.array([[0.5, 0.0, 0.3]]),
        "went": np.array([[0.5, 0.0, 0.3]]),
        "rise": np.zeros(1),
        "rates": np.zeros((1, 3)),
        "up": np.array([[0.0, 0.0, 1.0]]),
        "slope": np.zeros((1, 2)),
        "sunk": np.zeros(1),
        "power": np.zeros(1),
        "change": flat,
        "action": flat,
        "fell": np.zeros(1, dtype=bool),
    }
    return Walked(**{**fields, **changes})


@pytest.mark.parametrize(
    "worse",
    [
        {"went": np.array([[0.3, 0.0, 0.3]])},
        {"went": np.array([[0.5, 0.0, 0.0]])},
        {"rise": np.array([0.3])},
        {"rates": np.array([[1.0, 0.0, 0.0]])},
        {"up": np.array([[0.2, 0.0, 0.98]])},
        {"sunk": np.array([-0.04])},
        {"power": np.array([200.0])},
        {"change": np.full((1, 3), 0.5)},
        {"fell": np.ones(1, dtype=bool)},
    ],
)
def test_everything_that_is_worse_is_worth_less(worse: dict[str, np.ndarray]) -> None:
    best, _ = rewards(walked())
    assert best == pytest.approx(1.0)
    assert rewards(walked(**worse))[0] < best - 0.005


def test_who_falls_is_moved_down_and_begins_anew() -> None:
    herd = Herd(count=2, randomisation="none")
    env = HerdVecEnv(herd)
    herd.level[:] = len(LEVELS) - 1
    env.reset()
    for _ in range(60):
        herd._lives[0].engine.push(np.array([0.0, 0.0, 0.8]))
        herd._lives[0].engine.data.qvel[3] = 8.0  # rolled over by force
        _, _, done, infos = env.step(np.zeros((2, ACTIONS)))
        if done[0]:
            break
    assert done[0] and infos[0]["fell"] and not infos[0]["TimeLimit.truncated"]
    assert infos[0]["terminal_observation"].shape == (SIZE,)
    assert herd.level.tolist() == [len(LEVELS) - 2, len(LEVELS) - 1]
    assert herd._lives[0].step == 0


@pytest.mark.parametrize(
    ("level", "worth", "expected"), [(0, 0.9, 1), (0, 0.5, 0), (2, 0.9, 3), (len(LEVELS) - 1, 0.5, len(LEVELS) - 1)]
)
def test_who_gets_on_well_is_moved_up(level: int, worth: float, expected: int) -> None:
    herd = Herd(count=1, randomisation="none")
    herd.level[:] = level
    herd.reset()
    herd._lives[0].step, herd._lives[0].tracked = HORIZON, worth * HORIZON
    herd.renew(np.ones(1, dtype=bool))
    assert herd.level.tolist() == [expected]


def test_who_gets_on_well_on_the_last_ground_is_put_anywhere() -> None:
    herd = Herd(count=1, randomisation="none")
    seen = set()
    for _ in range(40):
        herd.level[:] = len(LEVELS) - 1
        herd.reset()
        herd._lives[0].step, herd._lives[0].tracked = HORIZON, 0.9 * HORIZON
        herd.renew(np.ones(1, dtype=bool))
        seen.add(int(herd.level[0]))
    assert {0, len(LEVELS) - 1} < seen <= set(range(len(LEVELS)))


def test_a_run_goes_on_where_it_paused(tmp_path: Path) -> None:
    paused = train(TINY, tmp_path, WalkLimits(stopped=lambda: True, finish=True), silent, silent)
    assert not paused.done, "who asks for a pause does not ask to finish"
    assert paused.best.is_file()
    lines: list[str] = []
    done = train(TINY, tmp_path, WalkLimits(), lines.append, silent)
    assert done.done and done.steps >= TINY.steps
    first, last = done.progress.curve  # the trot alone, and the last weights: none in between is due
    assert (first.step, last.step) == (0, done.steps)
    assert last.divergence is not None and last.divergence >= 0.0 and last.skipped == 0.0
    assert "0% of their steps were skipped" in lines[-1]
    best = PPO.load(done.best, device="cpu")
    assert best.num_timesteps == done.progress.best.step
    again = train(TINY, tmp_path, WalkLimits(), silent, silent)
    assert again.progress == done.progress, "what is over is not evaluated again"
    with pytest.raises(ReinsError, match=r"rate 0.0003, and 0.001 is asked"):
        train(TINY.model_copy(update={"rate": 1e-3}), tmp_path, WalkLimits(), silent, silent)


def test_a_run_whose_time_is_up_evaluates_its_last_weights(tmp_path: Path) -> None:
    run = train(
        TINY.model_copy(update={"steps": 10_000}), tmp_path, WalkLimits(seconds=0.0, finish=True), silent, silent
    )
    assert run.done and run.steps < 10_000
    assert run.progress.curve[-1].step == run.steps


def test_a_pause_asked_for_while_it_trains_does_not_finish(tmp_path: Path) -> None:
    asked = iter([False] * 12)
    limits = WalkLimits(stopped=lambda: next(asked, True), finish=True)
    run = train(TINY, tmp_path, limits, silent, silent)
    assert not run.done and 0 < run.steps < TINY.steps


def test_a_checkpoint_is_whole_whenever_it_ends(tmp_path: Path) -> None:
    """Ended between the two renames of a save, the one before is there; its best agent belongs to its evaluations."""
    train(TINY, tmp_path, WalkLimits(stopped=lambda: True), silent, silent)
    (tmp_path / "checkpoint").rename(tmp_path / "checkpoint.old")
    (tmp_path / "checkpoint.new").mkdir()
    run = train(TINY, tmp_path, WalkLimits(), silent, silent)
    assert run.done and run.best.is_file()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"observed": 51}, f"shows 51 numbers, and {ENV_ID} shows {SIZE}"),
        ({"environment": "reins/Locomotion-v0"}, "made in reins/Locomotion-v0"),
    ],
)
def test_a_checkpoint_of_another_environment_is_told(tmp_path: Path, change: dict[str, object], complaint: str) -> None:
    train(TINY, tmp_path, WalkLimits(stopped=lambda: True), silent, silent)
    path = tmp_path / "checkpoint" / "state.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ReinsError, match=complaint) as refused:
        train(TINY, tmp_path, WalkLimits(), silent, silent)
    assert "\n" not in str(refused.value)


def varied() -> PPO:
    """An agent whose weights are anything."""
    agent = new_agent(TINY, HerdVecEnv(Herd(count=TINY.robots, randomisation="none")))
    with torch.no_grad():
        for number, weights in enumerate(agent.policy.parameters()):
            if weights.ndim == 2:
                weights.copy_(0.5 * torch.randn(weights.shape, generator=torch.Generator().manual_seed(number)))
    return agent


def test_a_policy_is_symmetrical_whatever_it_has_learnt() -> None:
    agent = varied()
    seen = np.random.default_rng(1).normal(size=(20, SIZE))
    actions, _ = agent.predict(seen.astype(np.float32), deterministic=True)
    images, _ = agent.predict(mirrored(seen).astype(np.float32), deterministic=True)
    assert np.abs(actions).max() > 0.1
    assert images == pytest.approx(mirrored_action(actions), abs=1e-5)
    value, image = (
        agent.policy.predict_values(torch.from_numpy(each.astype(np.float32))).detach()
        for each in (seen, mirrored(seen))
    )
    assert value.numpy() == pytest.approx(image.numpy(), abs=1e-5)


def test_what_is_learnt_from_one_side_holds_on_the_other(tmp_path: Path) -> None:
    train(TINY.model_copy(update={"rate": 0.05}), tmp_path, WalkLimits(), silent, silent)
    policy = PPO.load(tmp_path / "checkpoint" / "agent.zip", device="cpu").policy
    assert isinstance(policy, SymmetricPolicy)
    seen, network = np.random.default_rng(1).normal(size=(20, SIZE)), policy.mean_network()
    actions, images = (network.act(each.astype(np.float32)).astype(np.float64) for each in (seen, mirrored(seen)))
    assert np.abs(images).max() > 0.01
    assert images == pytest.approx(mirrored_action(actions), abs=1e-5)


def test_rewards_of_training_are_scaled(tmp_path: Path) -> None:
    plain, scaled = (HerdVecEnv(Herd(count=1, randomisation="none", seed=2), scale) for scale in (1.0, 0.02))
    actions = np.zeros((1, ACTIONS))
    for env in (plain, scaled):
        env.reset()
    assert scaled.step(actions)[1] == pytest.approx(0.02 * plain.step(actions)[1])


def test_robots_are_the_same_however_many_threads_compute_them() -> None:
    herds = [Herd(count=5, seed=7), Herd(count=5, seed=7)]
    herds[1]._threads = 1
    seen = [herd.reset() for herd in herds]
    for _ in range(120):
        actions = np.random.default_rng(3).uniform(-1.0, 1.0, (5, ACTIONS))
        seen = [herd.step(actions)[0] for herd in herds]
    assert (seen[0] == seen[1]).all()


def test_an_update_that_goes_too_far_is_told(tmp_path: Path) -> None:
    hasty = TINY.model_copy(update={"rate": 0.1, "epochs": 5, "divergence": 1e-4})
    run = train(hasty, tmp_path, WalkLimits(), silent, silent)
    last = run.progress.curve[-1]
    assert last.divergence is not None and last.divergence > 1e-4
    assert last.skipped is not None and last.skipped > 0.3


def test_what_is_commanded_never_jumps_and_is_what_the_trot_drives_at() -> None:
    """As safety and the benchmark command a robot: the policy is told the very velocity that it is rewarded for."""
    herd = Herd(count=2, randomisation="none", seed=4)
    seen, most = herd.reset(), GO2.acceleration * PERIOD + 1e-9
    before = np.zeros((2, 3))
    for _ in range(230):  # past a change of what is commanded
        command = seen[:, 6:9]
        assert (np.abs(command - before) <= most).all()
        seen = herd.step(np.zeros((2, ACTIONS)))[0]
        assert herd.trot.memory.driven == pytest.approx(command)
        before = command
    assert before == pytest.approx(herd.goal)


def test_gaits_are_seen_and_change_the_trot() -> None:
    herd = Herd(count=1, randomisation="none", seed=4)
    herd.reset()
    herd.gait[:], herd.goal[:], herd._lives[0].command_at = [[-1.0, 0.5]], 0.0, 100.0
    for _ in range(150):
        seen = herd.step(np.zeros((1, ACTIONS)))[0]
    assert seen[0, -2:] == pytest.approx([-1.0, 0.5])
    settings = herd.trot.settings
    assert herd.trot.heights == pytest.approx(settings.height - settings.higher)
    assert herd._truths[0].position[2] == pytest.approx(settings.height - settings.higher, abs=0.01)


def test_velocities_are_judged_by_their_mean_over_a_stride() -> None:
    """A trunk that sways with its stride, and goes where it is told in the mean, is as good as one that glides."""
    herd = Herd(count=1, randomisation="none", levels=1, seed=4)
    herd.reset()
    herd.goal[:] = [[0.6, 0.0, 0.0]]
    herd._lives[0].command_at = 100.0
    for _ in range(150):
        info = herd.step(np.zeros((1, ACTIONS)))[4][0]
    assert info["tracking"] > GOOD, "the trot on level ground is good enough to be moved up"


def test_whose_physics_diverges_has_fallen_and_begins_anew_before_it_is_seen() -> None:
    herd = Herd(count=2, randomisation="none")
    env = HerdVecEnv(herd)
    env.reset()
    for _ in range(3):
        env.step(np.zeros((2, ACTIONS)))
    herd._lives[1].engine.data.qvel[0] = np.inf
    seen, rewards_, done, infos = env.step(np.zeros((2, ACTIONS)))
    assert isinstance(seen, np.ndarray)
    assert done.tolist() == [False, True] and infos[1]["fell"]
    assert np.isfinite(seen).all() and np.isfinite(rewards_).all() and rewards_[1] < -5.0
    assert np.isfinite(infos[1]["terminal_observation"]).all()
    assert not herd._lives[1].engine.diverged
    after = env.step(np.zeros((2, ACTIONS)))[0]
    assert isinstance(after, np.ndarray) and np.isfinite(after).all()


def test_a_robot_that_is_commanded_at_another_rate_is_told(tmp_path: Path) -> None:
    text = (PROFILES / "go2.yaml").read_text().replace("command: 50.0", "command: 100.0")
    path = tmp_path / "quick.yaml"
    path.write_text(text)
    with pytest.raises(ReinsError, match="commanded at 100 Hz, and locomotion is trained at 50 Hz"):
        Herd(str(path))


def exported(folder: Path, agent: PPO | None = None) -> Exported:
    """The policy of an agent, written to `walk.onnx` in this folder."""
    agent = varied() if agent is None else agent
    agent.save(folder / "best.zip")
    made = export_walk(folder / "best.zip", TINY, 10)
    (folder / "walk.onnx").write_bytes(made.data)
    return made


def test_the_exported_policy_does_what_the_agent_does(tmp_path: Path) -> None:
    agent = varied()
    made = exported(tmp_path, agent)
    walk = PolicyWalk(GO2, tmp_path / "walk.onnx")
    joints = np.tile(walk.stance, (1, 1, 1))
    sense = Sense(np.array([[0.0, 0.0, 1.0]]), np.zeros((1, 3)), joints, 0 * joints, np.ones((1, 4), dtype=bool))
    seen = observe(sense, walk.trot, np.array([[0.5, 0.0, 0.0]]), np.zeros((1, ACTIONS)))
    expected, _ = agent.predict(seen.astype(np.float32), deterministic=True)
    walk.advance(sense, np.array([0.5, 0.0, 0.0]), AS_USUAL)
    assert walk._last == pytest.approx(expected, abs=1e-5)
    assert 0.0 <= made.difference <= EXACT
    card = describe_walk(made, TINY, [WalkPoint(0, 0.0, 1.0, 0.8), WalkPoint(64, 1.0, 0.9, 0.7, 0.012, 0.25)], "")
    assert "PPO" in card and "those that PyTorch computes" in card and "| 0.0120 | 25% |" in card


def test_a_file_that_computes_something_else_is_not_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "reins.training.locomotion.export.export", lambda network, metadata: export(skewed(network), metadata)
    )
    with pytest.raises(ReinsError, match="differs by"):
        exported(tmp_path)


def skewed(network: Mlp) -> Mlp:
    """A network that is a little off."""
    with torch.no_grad():
        network.linear[-1].bias.add_(0.01)
    return network


def test_what_it_reached_is_part_of_the_file(tmp_path: Path) -> None:
    made = exported(tmp_path)
    reached = Measurement(environment="x", episodes=2, success_rate=0.5, criterion="y", limit_violations=0)
    again = made.measured(reached)
    assert read_contract(again.data) == read_contract(made.data).model_copy(update={"measured": reached})


@pytest.mark.parametrize(
    ("update", "complaint"),
    [
        ({"gains": {}}, "gains"),
        (
            {"trot": {**trot_of(TrotSettings()), "lift": 0.1}},
            "another trot than this version's: lift is 0.1 and not 0.08",
        ),
        ({"rate": 25.0}, "25 Hz"),
        ({"robot": "spot"}, "robot 'spot'"),
    ],
)
def test_a_policy_for_something_else_is_refused(tmp_path: Path, update: dict[str, object], complaint: str) -> None:
    made = exported(tmp_path)
    metadata = read_contract(made.data).model_copy(update=update)
    (tmp_path / "walk.onnx").write_bytes(with_contract(made.data, metadata))
    with pytest.raises(ReinsError, match=complaint):
        PolicyWalk(GO2, tmp_path / "walk.onnx")


def test_a_policy_of_another_version_is_refused(tmp_path: Path) -> None:
    made = exported(tmp_path)
    metadata = read_contract(made.data)
    old = metadata.model_copy(update={"training": metadata.training.model_copy(update={"version": "0"})})
    (tmp_path / "walk.onnx").write_bytes(with_contract(made.data, old))
    with pytest.raises(ReinsError, match="Locomotion version 0, and this is reins/Locomotion version"):
        PolicyWalk(GO2, tmp_path / "walk.onnx")
    with pytest.raises(ReinsError, match="cannot be read"):
        PolicyWalk(GO2, tmp_path / "nothing.onnx")


def test_where_the_network_gives_no_number_the_trot_walks_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    exported(tmp_path)
    policy, alone = PolicyWalk(GO2, tmp_path / "walk.onnx"), TrotWalk(GO2)

    class Broken:
        def run(self, _outputs: None, _inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
            return [np.full((1, ACTIONS), np.nan, dtype=np.float32)]

    policy._session = Broken()
    joints = np.tile(policy.stance, (1, 1, 1))
    sense = Sense(np.array([[0.0, 0.0, 1.0]]), np.zeros((1, 3)), joints, 0 * joints, np.ones((1, 4), dtype=bool))
    for _ in range(3):
        velocity = np.array([0.3, 0.0, 0.0])
        assert policy.advance(sense, velocity, AS_USUAL) == pytest.approx(alone.advance(sense, velocity, AS_USUAL))
    assert [record.message for record in caplog.records] == [
        "policy 'walk.onnx' gave an action that is not finite: the trot walks on without it"
    ]


def test_a_walk_that_ships_is_known_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policies = tmp_path / "policies"
    policies.mkdir()
    exported(policies)
    monkeypatch.setattr("reins.models.registry.models_folder", lambda: tmp_path)
    assert shipped_walks() == {"walk": policies / "walk.onnx"}
    assert isinstance(make_legs("walk", GO2)._walk, PolicyWalk)
    with pytest.raises(UnknownName, match=r"no walk 'wal'; did you mean 'walk'.*scripted, walk"):
        make_legs("wal", GO2)


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a walking policy, whose card says that it never falls."""
    policies = tmp_path / "policies"
    policies.mkdir()
    reached = Measurement(environment="e", episodes=200, success_rate=1.0, criterion="c", limit_violations=0)
    data = exported(policies).measured(reached).data
    (policies / "walk.onnx").write_bytes(data)
    (policies / "walk.json").write_text(card_of(data))
    (policies / "walk.md").write_text("about it")
    for module in ("registry", "language", "vision"):
        monkeypatch.setattr(f"reins.models.{module}.models_folder", lambda: tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("walked", "code", "said"),
    [
        (Walking(1.0, 0.08, 0.05, 0), ExitCode.SUCCESS, "✓ walk: 100.0% without a fall, velocity error 0.080 m/s"),
        (Walking(0.9, 0.08, 0.05, 0), ExitCode.FAILED, "✗ walk: it does not fall in 90.0% of its episodes in MuJoCo"),
    ],
)
def test_a_walking_policy_is_measured_again(
    models: Path, monkeypatch: pytest.MonkeyPatch, walked: Walking, code: ExitCode, said: str
) -> None:
    trot = {"mujoco": Walking(0.9, 0.2, 0.2, 0)}
    monkeypatch.setattr("reins.training.locomotion.measure.measure", lambda *_: ({"mujoco": walked}, trot))
    result = CliRunner().invoke(app, ["models", "verify", "walk", "--measure", "--episodes", "200"])
    assert result.exit_code == code, result.output
    assert said in " ".join(result.output.split())


def test_the_step_of_a_walking_policy_is_timed(models: Path) -> None:
    summary = run_policy("go2", None, 200, models).summary
    assert summary["ratio"] > 1.0 and summary["decode_us"]["p50"] > 0.0
    with pytest.raises(UnknownName, match="no walking policy 'wall'; did you mean 'walk'"):
        run_policy("go2", "wall", 200, models)
    (models / "policies" / "walk.onnx").unlink()
    with pytest.raises(ReinsError, match="there is no policy for 'go2'; make one: reins train locomotion"):
        run_policy("go2", None, 200, models)


GOOD_WALK = Walking(1.0, 0.08, 0.05, 0)


@pytest.mark.parametrize(
    ("sim", "change", "clauses"),
    [
        ("mujoco", {}, []),
        ("mujoco", {"no_fall": 0.979}, ["97.9% of its episodes in MuJoCo, and needs 98%", "falls in more, 2.1%"]),
        ("mujoco", {"linear": 0.101}, ["wrong by 0.101 m/s, and 0.1 is", "larger velocity error, 0.101 m/s"]),
        ("mujoco", {"turn": 0.151}, ["wrong by 0.151 rad/s, and 0.15 is", "larger error of the yaw rate"]),
        ("mujoco", {"linear": np.nan}, ["wrong by nan", "larger velocity error, nan"]),
        ("mujoco", {"linear": 0.09}, ["than the trot alone, 0.080 m/s"]),
        ("pybullet", {"no_fall": 0.89}, ["89.0% of its episodes in PyBullet, and needs 90%", "falls in more"]),
        ("pybullet", {"linear": 0.2}, ["in PyBullet it has a larger velocity error"]),
    ],
)
def test_what_a_policy_falls_short_of_is_told(sim: str, change: dict[str, Any], clauses: list[str]) -> None:
    said = shortfalls({sim: replace(GOOD_WALK, **change)}, {sim: GOOD_WALK})
    assert len(said) == len(clauses)
    for clause, part in zip(said, clauses, strict=True):
        assert part in clause


def test_a_recipe_measures_the_policy_beside_the_trot_and_says_what_it_lacks(tmp_path: Path) -> None:
    lines: list[str] = []
    settings = TINY.model_copy(update={"steps": 32})
    result = make_walk(settings, tmp_path / "run", WalkLimits(), 1, lines.append, silent, tmp_path / "out")
    assert result.model is not None and set(result.policy) == set(result.trot)
    metadata = read_contract(result.model.read_bytes())
    assert metadata.measured is not None and metadata.training.samples == result.run.progress.best.step
    assert (tmp_path / "out" / "walk.onnx").is_file() is not bool(result.objections)
    assert bool(result.objections) is any("stays out of" in line for line in lines)
    assert "The trot alone, on the same episodes" in (tmp_path / "run" / "walk.md").read_text()
