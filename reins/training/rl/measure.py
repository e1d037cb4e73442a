"""Measures a policy file in its environment, through the runtime that a skill uses, on episodes never used before."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError
from reins.models.metadata import Measurement, PolicyMetadata
from reins.skills.policy import OnnxPolicy
from reins.training.envs.core import LASTING, Observation, SkillEnv
from reins.training.envs.register import env_id
from reins.training.envs.tasks import TASKS
from reins.training.rl.rollouts import Evaluation, Outcome

MEASURED: Final = 30_000_000
"""First seed of the episodes that measurements use; neither training nor its evaluations see them."""


def task_of(metadata: PolicyMetadata) -> str:
    """The task that a policy was trained for.

    Raises:
        ReinsError: its environment is none of ours, or of another version.
    """
    for name in TASKS:
        if metadata.training.environment == env_id(name):
            return name
    known = ", ".join(env_id(name) for name in TASKS)
    raise ReinsError(f"policy '{metadata.name}' is from environment {metadata.training.environment}; known: {known}")


def run_episodes(
    policy: OnnxPolicy, env: SkillEnv, episodes: int, first: int, advance: Callable[[], None] = lambda: None
) -> tuple[Evaluation, int]:
    """Run a policy file on the episodes of the seeds from `first` on; also how many limits its commands exceeded."""

    def act(_: Observation) -> NDArray[np.float32]:
        return policy.act(env.view_input).astype(np.float32)

    outcomes, exceeded = [], 0
    for seed in range(first, first + episodes):
        observation, _ = env.reset(seed=seed)
        policy.reset()
        env.audit()
        steps, cut, success = 0, False, False
        while not cut:
            observation, _, _, cut, info = env.step(act(observation))
            steps, success = steps + 1, bool(info["is_success"])
        exceeded += env.audit()
        outcomes.append(Outcome(success, steps, env.style))
        advance()
    return Evaluation(tuple(outcomes)), exceeded


def measure(
    policy: OnnxPolicy,
    task: str,
    sim: str,
    episodes: int,
    randomisation: str,
    first: int = MEASURED,
    advance: Callable[[], None] = lambda: None,
) -> Measurement:
    """Measure a policy in a simulator."""
    env = SkillEnv(task, policy.metadata.robot, sim, randomisation)
    try:
        result, exceeded = run_episodes(policy, env, episodes, first, advance)
    finally:
        env.close()
    kind = TASKS[task]
    return Measurement(
        environment=f"{env_id(task)}, {sim}, randomisation {randomisation}",
        episodes=episodes,
        success_rate=result.success_rate,
        criterion=(
            f"within {kind.tolerance * 1e3:.0f} mm of the goal for {LASTING} policy steps, "
            f"in {kind.horizon} of them at most"
        ),
        limit_violations=exceeded,
    )
