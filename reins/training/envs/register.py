"""Names of the environments in Gymnasium's registry."""

from typing import Final

import gymnasium as gym

from reins.training.envs.tasks import TASKS

ENTRY_POINT: Final = "reins.training.envs.core:SkillEnv"

VERSION: Final = 0
"""Of the environments: raise it with every change to what is asked, observed or rewarded."""


def env_id(task: str) -> str:
    """Gymnasium's name of a task's environment, e.g. "reins/Pick-v0"."""
    return f"reins/{task.capitalize()}-v{VERSION}"


def register_all() -> None:
    """Register one environment per task; those that are registered already stay."""
    for name in TASKS:
        if env_id(name) not in gym.registry:
            # No wrappers: hindsight asks the environment itself for rewards, and it cuts its episodes itself.
            gym.register(
                env_id(name),
                entry_point=ENTRY_POINT,
                kwargs={"task": name},
                order_enforce=False,
                disable_env_checker=True,
            )
