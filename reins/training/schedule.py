"""How fast networks learn over a run, and in which precision."""

from contextlib import AbstractContextManager, nullcontext
from math import cos, pi
from typing import Any, Protocol

import torch


class Scheduled(Protocol):
    """Settings of a run that has a schedule."""

    @property
    def steps(self) -> int:
        """Gradient steps."""
        ...

    @property
    def warm(self) -> int:
        """Steps in which the rates rise."""
        ...


def rate_share(step: int, settings: Scheduled) -> float:
    """Share of the learning rates at a step: up evenly, then down as a cosine."""
    if step < settings.warm:
        return (step + 1) / settings.warm
    done = (step - settings.warm) / max(1, settings.steps - settings.warm)
    return 0.5 * (1.0 + cos(pi * min(1.0, done)))


def precision(half: bool) -> AbstractContextManager[Any]:
    """Within the block, matrices are multiplied in bfloat16, if that is wanted and the processor can do it.

    A processor without instructions for it takes six times as long as in single precision.
    """
    able = torch.cpu.get_capabilities()
    halved = half and (able.get("avx512_bf16") or able.get("amx_bf16"))
    return torch.autocast("cpu", dtype=torch.bfloat16) if halved else nullcontext()
