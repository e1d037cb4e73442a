"""Domain randomisation of walking, declared in YAML: a range and a reason for everything that changes."""

from typing import Final

import numpy as np
from pydantic import BaseModel, ConfigDict

from reins.contracts.documents import Shelf
from reins.training.ranges import Range

SHELF: Final = Shelf("randomisation of locomotion", "reins.training.locomotion", "randomisation")
"""Those that ship with reins."""


class WalkRandomisation(BaseModel):
    """Everything that changes from episode to episode.

    Attributes:
        name, title: of the file.
        mass: of the trunk, as a factor.
        friction: of the feet, as a factor.
        stiffness, damping: of the joints' loops, as factors.
        latency: of the joints' targets [s].
        push: change of the base's velocity at a push [m/s]; push_every: time between two [s].
        joint_noise, speed_noise, rate_noise, tilt_noise: standard deviations of what is measured [rad, rad/s, rad/s,
            rad].
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str
    mass: Range
    friction: Range
    stiffness: Range
    damping: Range
    latency: Range
    push: Range
    push_every: Range
    joint_noise: Range
    speed_noise: Range
    rate_noise: Range
    tilt_noise: Range

    def draw(self, random: np.random.Generator) -> dict[str, float]:
        """What holds for an episode, by the ranges' names."""
        ranges = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: value.draw(random) for name, value in ranges.items() if isinstance(value, Range)}


def load_walk_randomisation(name_or_path: str) -> WalkRandomisation:
    """Load one by name, or by the path of a YAML file.

    Raises:
        UnknownName: no such randomisation; lists those that exist.
        ReinsError: the file is not valid; names the field.
    """
    return SHELF.load(name_or_path, WalkRandomisation)
