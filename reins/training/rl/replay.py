"""Replay that mixes demonstrations into every batch, at a share that its owner lets decay."""

import warnings
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from stable_baselines3 import HerReplayBuffer
from stable_baselines3.common.type_aliases import DictReplayBufferSamples
from stable_baselines3.common.vec_env import VecNormalize

from reins.contracts.errors import ReinsError
from reins.training.rl.demos import KEYS, Demonstrations

_ARRAYS: Final = ("actions", "rewards", "dones", "timeouts", "ep_start", "ep_length", "_current_ep_start")


class MixedReplay(HerReplayBuffer):
    """Hindsight replay of what the agent did, and beside it of what the teacher did.

    Attributes:
        demos: what the teacher did; None without demonstrations.
        share: of a batch that comes from it, 0 … 1. Those rows come first.
        meant: (r, k) what the teacher meant in the first rows of the last batch.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.infos = np.empty((0, 0), dtype=object)  # rewards need none, and a million dictionaries cost memory
        self.demos: Demonstrations | None = None
        self.share = 0.0
        self.meant = torch.zeros(0)

    def sample(self, batch_size: int, env: VecNormalize | None = None) -> DictReplayBufferSamples:  # type: ignore[override]
        """A batch, the teacher's rows first."""
        rows = round(self.share * batch_size) if self.demos is not None else 0
        if self.demos is not None and not self.ep_length.any():
            rows = batch_size  # the agent has not ended an episode yet
        if rows == 0 or self.demos is None:
            self.meant = torch.zeros(0)
            return super().sample(batch_size, env)
        first, self.meant = self.demos.sample(rows)
        if rows == batch_size:
            return first
        other = super().sample(batch_size - rows, env)
        return DictReplayBufferSamples(
            observations={key: _join(first.observations[key], other.observations[key]) for key in KEYS},
            actions=_join(first.actions, other.actions),
            next_observations={key: _join(first.next_observations[key], other.next_observations[key]) for key in KEYS},
            dones=_join(first.dones, other.dones),
            rewards=_join(first.rewards, other.rewards),
        )


def _join(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.cat((a, b.float()))


def buffer_arrays(buffer: HerReplayBuffer) -> dict[str, Any]:
    """What a buffer holds, by name; only the rows in use."""
    rows = buffer.buffer_size if buffer.full else buffer.pos
    arrays = {f"now_{key}": buffer.observations[key][:rows] for key in KEYS}
    arrays |= {f"next_{key}": buffer.next_observations[key][:rows] for key in KEYS}
    for name in _ARRAYS:
        value = getattr(buffer, name)
        arrays[name] = value if name == "_current_ep_start" else value[:rows]
    arrays["place"] = np.array([buffer.pos, int(buffer.full), buffer.buffer_size])
    return arrays


def restore_buffer(buffer: HerReplayBuffer, path: Path) -> None:
    """Fill a buffer from a file written from `buffer_arrays`; the episodes that were under way end there.

    Raises:
        ReinsError: it was written from a buffer of another size.
    """
    with np.load(path) as arrays:
        position, full, size = arrays["place"].tolist()
        if size != buffer.buffer_size:
            raise ReinsError(f"{path.name} holds a replay of {size} rows, and this run has {buffer.buffer_size}")
        rows = size if full else position
        for key in KEYS:
            buffer.observations[key][:rows] = arrays[f"now_{key}"]
            buffer.next_observations[key][:rows] = arrays[f"next_{key}"]
        for name in _ARRAYS:
            target = getattr(buffer, name)
            target[: len(arrays[name])] = arrays[name]
        buffer.pos, buffer.full = int(position), bool(full)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of just what is wanted
        buffer.truncate_last_trajectory()
