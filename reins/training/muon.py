"""Muon in single precision.

PyTorch's own one (`torch.optim.Muon`) multiplies in bfloat16 whatever the processor: where that has no instructions for
it, a step of it takes longer than the step of the network.
"""

from collections.abc import Callable, Iterable
from math import sqrt
from typing import Any, Final

import torch
from torch import Tensor

COEFFICIENTS: Final = (3.4445, -4.7750, 2.0315)
"""Of the quintic iteration; from Keller Jordan and others, "Muon: An optimizer for hidden layers", 2024."""

ITERATIONS: Final = 5
EPSILON: Final = 1e-7


class Muon(torch.optim.Optimizer):
    """Momentum whose update is made orthogonal, for matrices.

    Args:
        params: matrices.
        lr: learning rate; a matrix that is higher than wide takes the square root of the ratio as much.
        momentum: of the gradients (Nesterov's).
        weight_decay: share of the weights that goes per unit of learning rate.
    """

    def __init__(self, params: Iterable[Tensor], lr: float, momentum: float = 0.95, weight_decay: float = 0.01) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """Take a step; a closure is not called."""
        for group in self.param_groups:
            for matrix in group["params"]:
                if matrix.grad is None:
                    continue
                mean = self.state[matrix].setdefault("momentum_buffer", torch.zeros_like(matrix))
                mean.lerp_(matrix.grad, 1.0 - group["momentum"])
                update = orthogonal(matrix.grad.lerp(mean, group["momentum"]))
                matrix.mul_(1.0 - group["lr"] * group["weight_decay"])
                matrix.add_(update, alpha=-group["lr"] * sqrt(max(1.0, matrix.shape[0] / matrix.shape[1])))


def orthogonal(matrix: Tensor) -> Tensor:
    """The matrix with singular values between about 0.7 and 1.2, by Newton and Schulz's iteration."""
    tall = matrix.shape[0] > matrix.shape[1]
    found = matrix.T if tall else matrix
    found = found / found.norm().clamp(min=EPSILON)
    linear, cubic, quintic = COEFFICIENTS
    for _ in range(ITERATIONS):
        gram = found @ found.T
        found = torch.addmm(found, torch.addmm(gram, gram, gram, beta=cubic, alpha=quintic), found, beta=linear)
    return found.T if tall else found
