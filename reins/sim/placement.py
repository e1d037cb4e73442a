"""Random poses of objects on the table: collision-free, graspable, the same for the same seed."""

from dataclasses import dataclass
from math import hypot, pi
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.sim.world import ObjectSpec, Placement, WorldSpec

RESTARTS: Final = 200
"""How often placing is begun anew before giving up."""

TRIES: Final = 60
"""Positions drawn for one object before placing is begun anew."""


@dataclass(frozen=True, slots=True)
class TablePose:
    """A pose on the table: centre of the footprint (x, y) [m], rotation about +z [rad]."""

    x: float
    y: float
    yaw: float


def place(world: WorldSpec, seed: int) -> dict[str, TablePose]:
    """Draw a pose for every object of `world`, by id.

    Args:
        world: the world.
        seed: same seed, same poses.

    Raises:
        ReinsError: the objects do not fit into the placement rectangle with their clearances.
    """
    generator = np.random.default_rng(seed)
    largest_first = sorted(world.by_id, key=lambda name: -footprint(world.by_id[name]))
    for _ in range(RESTARTS):
        placed = _attempt(world, largest_first, generator)
        if placed is not None:
            return {name: placed[name] for name in world.by_id}
    raise ReinsError(
        f"the {len(largest_first)} objects of world '{world.name}' do not fit into its placement rectangle; "
        "enlarge it, or lower clearance or count"
    )


def footprint(item: ObjectSpec) -> float:
    """Radius of the smallest circle around its footprint, whatever its yaw [m]."""
    return hypot(item.size[0], item.size[1]) / 2 if item.label == "block" else item.size[0] / 2


def spacing(a: ObjectSpec, b: ObjectSpec, rules: Placement) -> float:
    """Smallest distance between the centres of two objects [m], so that the fingers fit around either."""
    distance = footprint(a) + footprint(b) + rules.gap
    if a.label == "block":
        distance = max(distance, rules.clearance + footprint(b))
    if b.label == "block":
        distance = max(distance, rules.clearance + footprint(a))
    return distance


def _attempt(world: WorldSpec, names: list[str], generator: np.random.Generator) -> dict[str, TablePose] | None:
    rules = world.placement
    placed: dict[str, TablePose] = {}
    for name in names:
        item = world.by_id[name]
        for _ in range(TRIES):
            x, y = generator.uniform(rules.lower, rules.upper).tolist()
            if all(
                hypot(x - other.x, y - other.y) >= spacing(item, world.by_id[known], rules)
                for known, other in placed.items()
            ):
                placed[name] = TablePose(x, y, float(generator.uniform(-pi, pi)) if item.label == "block" else 0.0)
                break
        else:
            return None
    return placed
