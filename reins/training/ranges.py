"""Random values as randomisations declare them in YAML: every range, chance and choice says why it is what it is."""

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self


class Part(BaseModel):
    """Part of a document: no other fields, no changes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Range(Part):
    """A value that is drawn evenly for every episode.

    Attributes:
        low, high: bounds, inclusive.
        reason: why these.
    """

    low: float = Field(ge=0.0, allow_inf_nan=False)
    high: float = Field(ge=0.0, allow_inf_nan=False)
    reason: str = Field(min_length=10)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low {self.low} is above high {self.high}")
        return self

    def draw(self, random: np.random.Generator) -> float:
        """A value of the range."""
        return float(random.uniform(self.low, self.high))

    def count(self, random: np.random.Generator) -> int:
        """A whole number of the range."""
        return int(random.integers(round(self.low), round(self.high), endpoint=True))

    def either_way(self, random: np.random.Generator) -> float:
        """A value of the range, of either sign."""
        return self.draw(random) * float(random.choice((-1.0, 1.0)))


class Chance(Part):
    """How often something is so.

    Attributes:
        share: 0 … 1.
        reason: why that often.
    """

    share: float = Field(ge=0.0, le=1.0)
    reason: str = Field(min_length=10)

    def draw(self, random: np.random.Generator) -> bool:
        """Whether it is so this time."""
        return bool(random.random() < self.share)


class Choice(Part):
    """One of several words, evenly.

    Attributes:
        words: what there is to choose from.
        reason: why these.
    """

    words: Sequence[str] = Field(min_length=1)
    reason: str = Field(min_length=10)

    def draw(self, random: np.random.Generator) -> str:
        """One of them."""
        return str(random.choice(list(self.words)))
