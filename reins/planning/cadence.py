"""How often a planner is asked while its plan goes well. When it goes badly it is asked in any case."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

Mode = Literal["front_end", "closed_loop", "advisor"]


@dataclass(frozen=True, slots=True)
class Cadence:
    """When to ask for another plan although the one at hand can go on.

    Attributes:
        mode: "front_end" never; "closed_loop" after every step; "advisor" now and then, and when something new is seen.
        period: longest time between two plans of an "advisor" [s].
    """

    mode: Mode = "front_end"
    period: float = 30.0

    def is_due(self, steps: int, age: float, new: Collection[str]) -> bool:
        """Whether to ask.

        Args:
            steps: done since the last plan.
            age: of the last plan [s].
            new: objects that were not there when it was made.
        """
        if self.mode == "closed_loop":
            return steps > 0
        return self.mode == "advisor" and (age >= self.period or bool(new))
