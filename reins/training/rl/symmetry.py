"""Turned and mirrored examples: what a teacher does turns with what it sees, so that one example is worth eight.

A teacher goes by how the object, the goal and the hand lie to each other, and not by where on the table they are. A
quarter turn and a reflection map a network's input, normalised or not, and its action linearly.

Source: D. Wang, R. Walters, X. Zhu, R. Platt, "Equivariant Q learning in spatial action spaces", CoRL 2021.
"""

from typing import Final

import numpy as np
import torch
from scipy.linalg import block_diag

from reins.hardware.robot import FloatArray
from reins.training.rl.network import parts_of

VECTORS: Final = frozenset({"tool_velocity", "object_offset", "goal_offset"})
"""Terms that turn as an arrow over the table does. The tool's position is none: its height is all that teachers use."""


class Symmetries:
    """The eight ways to turn by quarters and mirror what a task's policy sees and does.

    Args:
        task: name of the task.

    Attributes:
        inputs: (8, n, n) maps of a network's input; the first changes nothing.
        actions: (8, 5, 5) maps of an action.
    """

    def __init__(self, task: str) -> None:
        ways = [(quarters, side) for side in (1.0, -1.0) for quarters in range(4)]
        self.inputs = _tensor([block_diag(*(_term(name, size, *way) for name, size in parts_of(task))) for way in ways])
        self.actions = _tensor([block_diag(_vector(*way), way[1], 1.0) for way in ways])

    def apply(self, inputs: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Inputs (b, n) and actions (b, 5), an eighth of the rows changed in each way; b is a multiple of eight."""
        ways = len(self.inputs)
        return (
            torch.bmm(inputs.view(ways, -1, inputs.shape[1]), self.inputs.transpose(1, 2)).flatten(0, 1),
            torch.bmm(actions.view(ways, -1, actions.shape[1]), self.actions.transpose(1, 2)).flatten(0, 1),
        )


def _term(name: str, size: int, quarters: int, side: float) -> FloatArray:
    """(size, size) map of one term: first the reflection, y to -y where `side` is -1, then the turn."""
    if name in VECTORS:
        return _vector(quarters, side)
    if name == "tool_yaw":  # sine and cosine of twice the angle, which a quarter turns by half a turn
        return np.diag([side, 1.0]) * (-1.0) ** quarters
    if name == "object_yaw":
        return np.diag([side, 1.0])
    return np.eye(size)


def _vector(quarters: int, side: float) -> FloatArray:
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    turned: FloatArray = np.linalg.matrix_power(quarter, quarters) @ np.diag([1.0, side, 1.0])
    return turned


def _tensor(maps: list[FloatArray]) -> torch.Tensor:
    return torch.tensor(np.stack(maps), dtype=torch.float32)
