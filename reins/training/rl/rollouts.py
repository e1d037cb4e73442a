"""Evaluations: the same held-out episodes every time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.training.envs.core import Observation, SkillEnv

HELD_OUT: Final = 10_000_000
"""First seed of the episodes that evaluations use, never used in training."""

Act = Callable[[Observation], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an episode ended: with success, after how many policy steps, in which style."""

    success: bool
    steps: int
    style: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How a set of episodes ended."""

    outcomes: tuple[Outcome, ...]

    @property
    def success_rate(self) -> float:
        """Share that succeeded."""
        return float(np.mean([outcome.success for outcome in self.outcomes]))

    @property
    def steps(self) -> float:
        """Mean length [policy steps]."""
        return float(np.mean([outcome.steps for outcome in self.outcomes]))


def observed(env: SkillEnv, act: Act, count: int, first: int = HELD_OUT) -> list[Observation]:
    """The first `count` observations of a policy in the episodes of the seeds from `first` on."""
    seen: list[Observation] = []
    while len(seen) < count:
        observation, _ = env.reset(seed=first)
        cut, first = False, first + 1
        while not cut:
            seen.append(observation)
            observation, _, _, cut, _ = env.step(act(observation))
    return seen[:count]


def evaluate(env: SkillEnv, act: Act, episodes: int, first: int = HELD_OUT) -> Evaluation:
    """Run a policy on the same `episodes` every time: those of the seeds from `first` on."""
    outcomes = []
    for seed in range(first, first + episodes):
        observation, _ = env.reset(seed=seed)
        steps, cut, success = 0, False, False
        while not cut:
            observation, _, _, cut, info = env.step(act(observation))
            steps, success = steps + 1, bool(info["is_success"])
        outcomes.append(Outcome(success, steps, env.style))
    return Evaluation(tuple(outcomes))
