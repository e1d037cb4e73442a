"""How much of the bare physics rate is left once an environment is stepped."""

import time
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.bench.bare_loop import BareLoop
from reins.bench.report import Report
from reins.contracts.errors import ReinsError
from reins.training.envs.core import SkillEnv
from reins.training.envs.stage import MujocoStage
from reins.training.envs.teacher import teach

ROUNDS: Final = 5
"""The two are measured in turn, this often; the median of the rounds' shares counts."""

SEED: Final = 1


def run_env(task: str, seconds: float) -> Report:
    """Compare an environment's `step` with `mj_step` alone on the same model, for the same number of physics steps.

    Both compute the same motion, a teacher's: its actions are recorded beforehand, and the bare loop gets the actuator
    inputs that they lead to.

    Args:
        task: name of the task.
        seconds: simulated time of each round, at most one episode [s].
    """
    env = SkillEnv(task, randomisation="none")
    actions, bare = _record(env, round(50 * seconds))
    rounds = []
    for _ in range(ROUNDS):
        bare_rate = bare.steps / bare.run()
        rounds.append({"bare_steps_per_s": bare_rate, "steps_per_s": bare.steps / _drive(env, actions)})
    env.close()
    summary = {
        "episodes": ROUNDS,
        "steps_per_s": float(np.median([entry["steps_per_s"] for entry in rounds])),
        "bare_steps_per_s": float(np.median([entry["bare_steps_per_s"] for entry in rounds])),
        "share": float(np.median([entry["steps_per_s"] / entry["bare_steps_per_s"] for entry in rounds])),
    }
    return Report("env", {"task": task, "seconds": seconds}, summary, rounds)


def _record(env: SkillEnv, most: int) -> tuple[list[NDArray[np.float32]], BareLoop]:
    """A teacher's actions, and the loop that repeats what they did to the physics."""
    stage = env.stage
    if not isinstance(stage, MujocoStage):
        raise ReinsError("bare physics is measured in MuJoCo")
    env.reset(seed=SEED)
    actions: list[NDArray[np.float32]] = []
    for _ in range(most):
        actions.append(teach(env.task.name, env.view_input))
        if env.step(actions[-1])[3]:
            break
    env.reset(seed=SEED)
    bare = BareLoop(stage.robot.model, stage.robot.data, 1.0 / env.profile.rates.command)
    step = stage.step

    def recorded(dt: float) -> None:
        bare.note()
        step(dt)

    stage.step = recorded
    for action in actions:
        env.step(action)
    stage.step = step
    return actions, bare


def _drive(env: SkillEnv, actions: list[NDArray[np.float32]]) -> float:
    """Wall time of the whole motion [s]."""
    env.reset(seed=SEED)
    begin = time.perf_counter()
    for action in actions:
        env.step(action)
    return time.perf_counter() - begin
