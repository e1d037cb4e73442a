"""The environments in the other simulator: the same episodes, and scripts that succeed in them."""

import numpy as np
import pytest

pytest.importorskip("pybullet", reason="the other simulator needs PyBullet")
pytest.importorskip("gymnasium", reason="training needs the extra `train`")
pytest.importorskip("stable_baselines3", reason="training needs the extra `train`")

from reins.training.envs.core import SkillEnv
from reins.training.envs.tasks import TASKS
from reins.training.envs.teacher import teach


@pytest.mark.parametrize("task", sorted(TASKS))
def test_the_same_seed_starts_the_same_episode_in_both_simulators(task: str) -> None:
    starts = []
    for sim in ("mujoco", "pybullet"):
        env = SkillEnv(task, sim=sim)
        observation, _ = env.reset(seed=4)
        starts.append((env.setup.goal, env.task.size(), observation["observation"][:3], env.style))
        env.close()
    for one, other in zip(*starts, strict=True):
        np.testing.assert_allclose(one, other, atol=2e-3)


@pytest.mark.parametrize("task", sorted(TASKS))
def test_the_teacher_succeeds_in_the_other_simulator(task: str) -> None:
    env = SkillEnv(task, sim="pybullet")
    successes = 0
    for seed in range(3):
        env.reset(seed=seed)
        cut = False
        while not cut:
            _, _, _, cut, info = env.step(teach(task, env.view_input))
        successes += bool(info["is_success"])
    env.close()
    assert successes >= 2
