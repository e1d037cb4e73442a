"""The truth of a peer's world as JSON has it."""

from dataclasses import asdict
from typing import Any

import numpy as np

from reins.sim.world_state import TruthObject, WorldState


def world_to_json(truth: WorldState) -> dict[str, Any]:
    """Plain data."""
    return {
        "stamp": truth.stamp,
        "world": truth.world,
        "seed": truth.seed,
        "objects": [asdict(item) for item in truth.objects.values()],
        "held": truth.held,
        "qpos": truth.qpos.tolist(),
    }


def world_from_json(said: dict[str, Any]) -> WorldState:
    """What `world_to_json` was given."""
    objects = [TruthObject(**{name: _value(value) for name, value in item.items()}) for item in said["objects"]]
    return WorldState(
        stamp=said["stamp"],
        world=said["world"],
        seed=said["seed"],
        objects={item.id: item for item in objects},
        held=said["held"],
        qpos=np.array(said["qpos"]),
    )


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
