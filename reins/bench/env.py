"""How much of the bare physics rate is left once environments are stepped, side by side, as training steps them."""

import time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from reins.bench.bare_loop import BareLoop
from reins.bench.report import Report
from reins.contracts.errors import ReinsError
from reins.training.envs.core import HOLD, SkillEnv
from reins.training.envs.stage import MujocoStage
from reins.training.envs.teacher import teach
from reins.training.rl.vec_env import SkillVecEnv

ROUNDS: Final = 15
"""The two are measured in turn, this often. The least time of every step counts: other programs only add to it."""

SEED: Final = 1

Times = NDArray[np.float64]


def run_env(task: str, seconds: float, envs: int) -> Report:
    """Compare stepping environments with `mj_step` alone on the same model, for the same number of physics steps.

    All compute the same motion, a teacher's: its actions are recorded beforehand, and the bare loop gets the actuator
    inputs that they lead to.

    Args:
        task: name of the task.
        seconds: simulated time of the motion, at most one episode [s].
        envs: environments side by side in one process.
    """
    vector = SkillVecEnv([lambda: SkillEnv(task, randomisation="none")] * envs)
    actions, bare = _record(vector.envs[0], seconds)
    ours: list[Times] = []
    theirs: list[Times] = []
    for _ in range(ROUNDS):
        ours.append(_times(vector, actions) / envs)
        theirs.append(bare.times())
    vector.close()
    rate, bare_rate = (bare.steps / float(np.min(times, axis=0).sum()) for times in (ours, theirs))
    summary: dict[str, Any] = {
        "episodes": ROUNDS,
        "steps_per_s": rate,
        "bare_steps_per_s": bare_rate,
        "share": rate / bare_rate,
    }
    return Report("env", {"task": task, "seconds": seconds, "envs": envs}, summary)


def _record(env: SkillEnv, seconds: float) -> tuple[list[NDArray[np.float32]], BareLoop]:
    """A teacher's actions, and the loop that repeats what they did to the physics."""
    stage = env.stage
    if not isinstance(stage, MujocoStage):
        raise ReinsError("bare physics is measured in MuJoCo")
    period = 1.0 / env.profile.rates.command
    env.reset(seed=SEED)
    actions: list[NDArray[np.float32]] = []
    for _ in range(round(seconds / (HOLD * period))):
        action = teach(env.task.name, env.view_input)
        if env.step(action)[3]:
            break  # a step that ends an episode begins the next one, too
        actions.append(action)
    env.reset(seed=SEED)
    bare = BareLoop(stage.robot.model, stage.robot.data, period)
    step = stage.step

    def recorded(dt: float) -> None:
        bare.note()
        step(dt)

    stage.step = recorded
    for action in actions:
        env.step(action)
    stage.step = step
    return actions, bare


def _times(vector: VecEnv, actions: list[NDArray[np.float32]]) -> Times:
    """(steps,) wall time of every step of the motion, in all environments together [s]."""
    vector.env_method("reset", seed=SEED)
    taken, clock = [], time.perf_counter
    for action in actions:
        rows = np.tile(action, (vector.num_envs, 1))
        begin = clock()
        vector.step(rows)
        taken.append(clock() - begin)
    return np.array(taken)
