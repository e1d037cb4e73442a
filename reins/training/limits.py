"""When a run of training pauses, and who is told of it."""

from collections.abc import Callable
from dataclasses import dataclass

Tell = Callable[[str], None]
"""Told of the progress, a line at a time."""

OnStep = Callable[[int], None]
"""Told how many gradient steps have been taken."""

OnPart = Callable[[str, int, int], None]
"""Told of the progress within a part of a run: its name, how much is done, how much there is at most."""


def unheard(_part: str, _done: int, _most: int) -> None:
    """An `OnPart` that does nothing."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run pauses.

    Attributes:
        seconds: of this call; None for no limit.
        save_every: seconds between two checkpoints.
        evaluate_every: seconds between two evaluations.
        stopped: whether somebody asked for a pause.
    """

    seconds: float | None = None
    save_every: float = 120.0
    evaluate_every: float = 1_200.0
    stopped: Callable[[], bool] = lambda: False
