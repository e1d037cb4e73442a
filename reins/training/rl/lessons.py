"""Lessons before reinforcement learning: the agent imitates, tries by itself, and is told what would have been right.

Demonstrations show what to do where a teacher gets to. Where a beginner gets to, which is somewhere else, they show
nothing. A teacher that goes by what is seen alone can be asked there.

Source: S. Ross, G. Gordon, D. Bagnell, "A reduction of imitation learning and structured prediction to no-regret online
learning", AISTATS 2011.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.utils import polyak_update

from reins.training.envs.core import Observation, SkillEnv
from reins.training.envs.teacher import teach
from reins.training.rl.agent import DemoSac, policy_of
from reins.training.rl.demos import KEYS, Demonstrations, Step, demonstrate, steps_together
from reins.training.rl.keeper import Keeper
from reins.training.rl.replay import MixedReplay
from reins.training.rl.settings import TrainSettings
from reins.training.rl.symmetry import Symmetries

ATTEMPTED: Final = 40_000_000
"""First seed of the episodes that the agent tries."""

ROWS: Final = 256
"""Rows of a gradient step, a multiple of eight."""

RATE: Final = (1e-3, 2e-5)
"""Learning rate at the beginning and at the end of every lesson: it settles, and can then change again."""

AVERAGED: Final = 0.01
"""Share that every gradient step has in the averaged actor."""

CALM: Final = -2.0
"""Logarithm of the deviation with which a taught agent explores: near what it was taught, or it would unlearn it. SAC's
own, 0, is the whole range of an action."""

Act = Callable[[Observation], NDArray[np.float32]]


def give_lessons(keeper: Keeper) -> bool:
    """Give the lessons that are still to come: in each the agent imitates, and after all but the last it tries.

    What it did in its attempts, with what the teacher would have done instead, joins the demonstrations. Who has met
    the gate in two evaluations needs but one lesson more, the last. A checkpoint is written where one is due.

    Returns:
        Whether all have been given; else the run pauses.
    """
    model, settings, progress = keeper.model, keeper.settings, keeper.progress
    replay = model.replay_buffer
    assert isinstance(replay, MixedReplay)
    if replay.demos is None:
        replay.demos, failed = demonstrate(keeper.env, settings.demos, settings.seed)
        keeper.tell(f"{settings.demos} demonstrations, {len(replay.demos)} steps; {failed} that failed were left out")
        _calm(model)
    while progress.lessons < settings.lessons:
        keeper.on_part("lessons", progress.lessons, settings.lessons)
        if keeper.pausing:
            return False
        last = progress.lessons + 1 == settings.lessons or keeper.good_twice
        loss = _imitate(model, replay.demos, settings, last)
        model.logger.record("lessons/imitation_loss", loss)
        model.logger.dump(model.steps)
        line = f"lesson {progress.lessons + 1}: {len(replay.demos)} steps known, imitated to {loss:.4f}"
        if last or (progress.lessons + 1) % settings.lessons_evaluated == 0:
            keeper.evaluate()
        if not last:
            tried, good = _attempts(keeper.env, policy_of(model), progress.lessons, settings)
            replay.demos = replay.demos.joined(tried)
            line += f"; {good} of {settings.attempts} attempts succeeded"
        keeper.tell(line)
        progress.lessons = settings.lessons if last else progress.lessons + 1
        keeper.save_if_due()
    return True


def _calm(model: DemoSac) -> None:
    """Let the agent explore near what it means."""
    with torch.no_grad():
        for actor in (model.actor, model.average):
            spread: Any = actor.log_std
            spread.weight.zero_()
            spread.bias.fill_(CALM)


def _imitate(model: DemoSac, shown: Demonstrations, settings: TrainSettings, last: bool) -> float:
    """Supervised gradient steps, more in the last lesson, on examples turned and mirrored; returns their mean loss."""
    actor, optimizer = model.actor, model.actor.optimizer
    with torch.no_grad():  # the same in every step, for the normalisation is fixed
        inputs = actor.extract_features(
            {key: torch.from_numpy(shown.now[key]) for key in KEYS}, actor.features_extractor
        )
    meant, symmetries = torch.from_numpy(shown.meant), Symmetries(settings.task)
    steps = settings.studied + (settings.settled if last else 0)
    total = 0.0
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE[0] + (RATE[1] - RATE[0]) * step / steps
        rows = torch.from_numpy(np.random.randint(0, len(shown), ROWS))
        seen, wanted = symmetries.apply(inputs[rows], meant[rows])
        mean = actor.mu(actor.latent_pi(seen))
        loss = (torch.tanh(mean) - wanted).square().sum(dim=1).mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        polyak_update(actor.parameters(), model.average.parameters(), AVERAGED)
        total += float(loss.detach())
    return total / steps


def _attempts(env: SkillEnv, act: Act, lesson: int, settings: TrainSettings) -> tuple[Demonstrations, int]:
    """Episodes of the agent alone, with what the teacher would have done at every step; how many succeeded."""
    first = ATTEMPTED + 100_000 * settings.seed + lesson * settings.attempts
    episodes = [_attempt(env, act, seed) for seed in range(first, first + settings.attempts)]
    steps = steps_together([step for episode in episodes for step in episode])
    return steps, sum(episode[-1].reward == 0.0 for episode in episodes)


def _attempt(env: SkillEnv, act: Act, seed: int) -> list[Step]:
    now, _ = env.reset(seed=seed)
    steps: list[Step] = []
    cut = False
    while not cut:
        meant, action = teach(env.task.name, env.view_input), act(now)
        after, reward, _, cut, _ = env.step(action)
        steps.append(Step(now, after, action, meant, reward))
        now = after
    return steps
