"""The locomotion environment and its training: what Gymnasium and Stable-Baselines3 ask, symmetry, resuming, export."""

from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from stable_baselines3.common.env_checker import check_env

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.legs import Sense
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.locomotion.observation import ACTIONS, SIZE, mirrored, mirrored_action, observe
from reins.locomotion.policy import PolicyWalk
from reins.locomotion.trot import Trot
from reins.training.locomotion.env import ENV_ID, HerdVecEnv, LocomotionEnv
from reins.training.locomotion.export import describe_walk, export_walk
from reins.training.locomotion.herd import LEVELS, PERIOD, Herd
from reins.training.locomotion.reward import Walked, rewards
from reins.training.locomotion.settings import WalkSettings
from reins.training.locomotion.train import WalkLimits, new_agent, train

GO2 = load_profile("go2", QuadrupedProfile)
TINY = WalkSettings(
    robots=4, rollout=8, batch=32, epochs=1, steps=64, evaluate_every=10_000, evaluated=1, layers=(8,), seed=3
)


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
        "linear": np.array([[0.5, 0.0, 0.0]]),
        "rates": np.array([[0.0, 0.0, 0.3]]),
        "up": np.array([[0.0, 0.0, 1.0]]),
        "slope": np.zeros((1, 2)),
        "power": np.zeros(1),
        "change": flat,
        "action": flat,
        "fell": np.zeros(1, dtype=bool),
    }
    return Walked(**{**fields, **changes})


@pytest.mark.parametrize(
    "worse",
    [
        {"linear": np.array([[0.3, 0.0, 0.0]])},
        {"linear": np.array([[0.5, 0.0, 0.3]])},
        {"rates": np.array([[0.0, 0.0, 0.0]])},
        {"rates": np.array([[1.0, 0.0, 0.3]])},
        {"up": np.array([[0.2, 0.0, 0.98]])},
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


def test_a_run_goes_on_where_it_paused(tmp_path: Path) -> None:
    paused = train(TINY, tmp_path, WalkLimits(stopped=lambda: True), silent, silent)
    assert not paused.done
    done = train(TINY, tmp_path, WalkLimits(), silent, silent)
    assert done.done and done.steps >= TINY.steps
    assert [point.step for point in done.progress.curve] == [0]  # the trot alone was evaluated once
    with pytest.raises(ReinsError, match=r"rate 0.0003, and 0.001 is asked"):
        train(TINY.model_copy(update={"rate": 1e-3}), tmp_path, WalkLimits(), silent, silent)


def test_the_exported_policy_does_what_the_agent_does(tmp_path: Path) -> None:
    agent = new_agent(TINY, HerdVecEnv(Herd(count=TINY.robots, randomisation="none")))
    agent.save(tmp_path / "best.zip")
    data = export_walk(tmp_path / "best.zip", TINY, 10)
    (tmp_path / "walk.onnx").write_bytes(data)
    walk = PolicyWalk(GO2, tmp_path / "walk.onnx")
    joints = np.tile(walk.stance, (1, 1, 1))
    sense = Sense(np.array([[0.0, 0.0, 1.0]]), np.zeros((1, 3)), joints, 0 * joints, np.ones((1, 4), dtype=bool))
    seen = observe(sense, walk.trot, np.array([[0.5, 0.0, 0.0]]), np.zeros((1, ACTIONS)))
    expected, _ = agent.predict(seen.astype(np.float32), deterministic=True)
    walk.advance(sense, np.array([0.5, 0.0, 0.0]))
    assert walk._last == pytest.approx(expected, abs=1e-5)
    assert "PPO" in describe_walk(data, TINY, [])


def test_a_policy_for_other_gains_is_refused(tmp_path: Path) -> None:
    agent = new_agent(TINY, HerdVecEnv(Herd(count=TINY.robots, randomisation="none")))
    agent.save(tmp_path / "best.zip")
    (tmp_path / "walk.onnx").write_bytes(export_walk(tmp_path / "best.zip", TINY, 10))
    soft = tuple(motor.model_copy(update={"stiffness": 20.0}) for motor in GO2.build.motors)
    other = GO2.model_copy(update={"build": GO2.build.model_copy(update={"motors": soft})})
    with pytest.raises(ReinsError, match="gains"):
        PolicyWalk(other, tmp_path / "walk.onnx")
    with pytest.raises(ReinsError, match="cannot be read"):
        PolicyWalk(GO2, tmp_path / "nothing.onnx")
