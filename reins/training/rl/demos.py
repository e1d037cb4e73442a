"""Demonstrations: what was done and what a teacher meant, to learn values from the one and to imitate the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.type_aliases import DictReplayBufferSamples

from reins.training.envs.core import Observation, SkillEnv
from reins.training.envs.teacher import teach

DEMONSTRATED: Final = 20_000_000
"""First seed of demonstrations."""

KEYS: Final = ("observation", "achieved_goal", "desired_goal")

DISTURBED: Final = 0.015
"""Chance, at every step, that a disturbance begins: the hand then goes somewhere else, and the teacher recovers."""

DISTURBANCE: Final = (4, 12)
"""Fewest and most steps of one."""

FUMBLED: Final = 0.3
"""Share of the disturbances of pick in which the fingers close too early: how to open them again must be shown, too."""

FUMBLE: Final = (15, 45)
"""Fewest and most steps of that; the most closes them fully."""

STRENGTH: Final = 0.8
"""Largest disturbing action. Without disturbances, what is asked and how the tool moves are the same thing in every
demonstration, and a network learns to go on as it moves. Source: M. Laskey et al., "DART: noise injection for robust
imitation learning", CoRL 2017."""


@dataclass(slots=True, eq=False)
class Demonstrations:
    """Steps of demonstrations, and of attempts that a teacher has commented on.

    Attributes:
        now, after: observations, (n, …) each.
        actions: (n, k) what was done.
        meant: (n, k) what the teacher asked for.
        rewards: (n,).
    """

    now: dict[str, NDArray[np.float32]]
    after: dict[str, NDArray[np.float32]]
    actions: NDArray[np.float32]
    meant: NDArray[np.float32]
    rewards: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.rewards)

    def sample(self, rows: int) -> tuple[DictReplayBufferSamples, torch.Tensor]:
        """Random steps, and (rows, k) what the teacher meant in them."""
        index = np.random.randint(0, len(self), rows)
        batch = DictReplayBufferSamples(
            observations={key: torch.from_numpy(self.now[key][index]) for key in KEYS},
            actions=torch.from_numpy(self.actions[index]),
            next_observations={key: torch.from_numpy(self.after[key][index]) for key in KEYS},
            dones=torch.zeros(rows, 1),
            rewards=torch.from_numpy(self.rewards[index]).reshape(-1, 1),
        )
        return batch, torch.from_numpy(self.meant[index])

    def joined(self, other: "Demonstrations") -> "Demonstrations":
        """These and others."""
        return Demonstrations(
            {key: np.concatenate([self.now[key], other.now[key]]) for key in KEYS},
            {key: np.concatenate([self.after[key], other.after[key]]) for key in KEYS},
            np.concatenate([self.actions, other.actions]),
            np.concatenate([self.meant, other.meant]),
            np.concatenate([self.rewards, other.rewards]),
        )

    def save(self, path: Path) -> None:
        """Write them as .npz."""
        arrays: dict[str, Any] = {f"now_{key}": self.now[key] for key in KEYS}
        arrays |= {f"after_{key}": self.after[key] for key in KEYS}
        np.savez(path, **arrays, actions=self.actions, meant=self.meant, rewards=self.rewards)

    @classmethod
    def load(cls, path: Path) -> "Demonstrations":
        """Read what `save` wrote."""
        with np.load(path) as arrays:
            return cls(
                {key: arrays[f"now_{key}"] for key in KEYS},
                {key: arrays[f"after_{key}"] for key in KEYS},
                arrays["actions"],
                arrays["meant"],
                arrays["rewards"],
            )


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One policy step: what was seen before and after it, what was done, what the teacher asked for, its reward."""

    now: Observation
    after: Observation
    action: NDArray[np.float32]
    meant: NDArray[np.float32]
    reward: float


def demonstrate(
    env: SkillEnv, episodes: int, seed: int, advance: Callable[[], None] = lambda: None
) -> tuple[Demonstrations, int]:
    """Collect demonstrations.

    Args:
        env: where.
        episodes: successful ones that are wanted.
        seed: of the run; other runs see other demonstrations.
        advance: called after each.

    Returns:
        The demonstrations, and how many failed and were left out.
    """
    steps: list[Step] = []
    kept, tried = 0, 0
    while kept < episodes:
        episode = _demonstration(env, DEMONSTRATED + 100_000 * seed + tried)
        tried += 1
        if episode:
            kept += 1
            steps += episode
            advance()
    return steps_together(steps), tried - kept


def steps_together(steps: Sequence[Step]) -> Demonstrations:
    """Steps as arrays."""
    return Demonstrations(
        {key: np.stack([step.now[key] for step in steps]).astype(np.float32) for key in KEYS},
        {key: np.stack([step.after[key] for step in steps]).astype(np.float32) for key in KEYS},
        np.stack([step.action for step in steps]),
        np.stack([step.meant for step in steps]),
        np.array([step.reward for step in steps], dtype=np.float32),
    )


def _demonstration(env: SkillEnv, seed: int) -> list[Step]:
    """The steps of one demonstration; none where it failed."""
    now, _ = env.reset(seed=seed)
    random = np.random.default_rng(seed)
    steps, cut, success, left = [], False, False, 0
    disturbance, fumbles = np.zeros(4, dtype=np.float32), False
    while not cut:
        meant = teach(env.task.name, env.view_input)
        action = meant.copy()
        if left == 0 and random.random() < DISTURBED:
            left = int(random.integers(*DISTURBANCE, endpoint=True))
            disturbance = random.uniform(-STRENGTH, STRENGTH, 4).astype(np.float32)
            fumbles = env.task.name == "pick" and not env.state.gripper_holding and random.random() < FUMBLED
            if fumbles:
                left, disturbance = int(random.integers(*FUMBLE, endpoint=True)), np.zeros(4, dtype=np.float32)
        if left > 0:
            left -= 1
            action[:4] = disturbance
            if fumbles:
                action[4] = -1.0
        after, reward, _, cut, info = env.step(action)
        steps.append(Step(now, after, action, meant, reward))
        now, success = after, bool(info["is_success"])
    return steps if success else []
