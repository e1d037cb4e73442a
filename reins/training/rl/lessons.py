"""Lessons before reinforcement learning: the agent imitates, tries by itself, and is told what would have been right.

Demonstrations show what to do where a teacher gets to. Where a beginner gets to, which is somewhere else, they show
nothing. A teacher that goes by what is seen alone can be asked there.

Source: S. Ross, G. Gordon, D. Bagnell, "A reduction of imitation learning and structured prediction to no-regret online
learning", AISTATS 2011.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.utils import polyak_update

from reins.training.envs.core import Observation, SkillEnv
from reins.training.envs.teacher import teach
from reins.training.rl.agent import DemoSac
from reins.training.rl.demos import Demonstrations, Step, steps_together
from reins.training.rl.settings import TrainSettings

ATTEMPTED: Final = 40_000_000
"""First seed of the episodes that the agent tries."""

ROWS: Final = 256
"""Rows of a gradient step."""

RATE: Final = (1e-3, 5e-5)
"""Learning rate at first and in the end."""

AVERAGED: Final = 0.01
"""Share that every gradient step has in the averaged actor."""

Act = Callable[[Observation], NDArray[np.float32]]


def give_lessons(
    model: DemoSac,
    act: Act,
    env: SkillEnv,
    shown: Demonstrations,
    settings: TrainSettings,
    tell: Callable[[str], None],
) -> Demonstrations:
    """Let the agent imitate, and after every lesson but the last try by itself.

    Args:
        model: the agent; its actor and the average of it learn.
        act: its averaged policy.
        env: where it tries.
        shown: the demonstrations.
        settings: how many lessons, attempts and gradient steps.
        tell: told of each.

    Returns:
        The demonstrations, and what it did in its attempts with what the teacher would have done instead.
    """
    optimizer = torch.optim.Adam(model.actor.parameters())
    for lesson in range(settings.lessons):
        loss = _imitate(model, optimizer, shown, lesson, settings)
        tell(f"lesson {lesson + 1} of {settings.lessons}: {len(shown)} steps known, imitated to {loss:.4f}")
        if lesson + 1 == settings.lessons:
            break
        first = ATTEMPTED + 100_000 * settings.seed + lesson * settings.attempts
        episodes = [_attempt(env, act, seed) for seed in range(first, first + settings.attempts)]
        shown = shown.joined(steps_together([step for episode in episodes for step in episode]))
        good = sum(episode[-1].reward == 0.0 for episode in episodes)
        tell(f"tried by itself: {good} of {settings.attempts} episodes succeeded")
    return shown


def _imitate(
    model: DemoSac, optimizer: torch.optim.Optimizer, shown: Demonstrations, lesson: int, settings: TrainSettings
) -> float:
    """Supervised gradient steps; returns their mean loss."""
    done, every = lesson * settings.studied, settings.lessons * settings.studied
    total = 0.0
    for step in range(settings.studied):
        left = 1.0 - (done + step) / every
        for group in optimizer.param_groups:
            group["lr"] = RATE[1] + (RATE[0] - RATE[1]) * left
        data, meant = shown.sample(ROWS)
        mean, _, _ = model.actor.get_action_dist_params(data.observations)
        loss = (torch.tanh(mean) - meant).square().sum(dim=1).mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        polyak_update(model.actor.parameters(), model.average.parameters(), AVERAGED)
        total += float(loss.detach())
    return total / settings.studied


def _attempt(env: SkillEnv, act: Act, seed: int) -> list[Step]:
    """An episode of the agent alone, with what the teacher would have done at every step."""
    now, _ = env.reset(seed=seed)
    steps: list[Step] = []
    cut = False
    while not cut:
        meant, action = teach(env.task.name, env.view_input), act(now)
        after, reward, _, cut, _ = env.step(action)
        steps.append(Step(now, after, action, meant, reward))
        now = after
    return steps
