"""Which things are on the table, of what colours and sizes, and where the cameras are: a world of its own each time."""

from hashlib import sha256
from typing import Any, Final

import numpy as np

from reins.sim.world import COLOURS, WorldSpec
from reins.training.renders.randomisation import RenderRandomisation

PLATE_HEIGHT: Final = 0.012
"""Height of a plate's rim, as in the worlds that ship [m]."""

HELD_OUT_EVERY: Final = 5
"""One composition in so many is held out from training."""

Things = list[dict[str, Any]]


def compose(base: WorldSpec, ranges: RenderRandomisation, random: np.random.Generator) -> WorldSpec:
    """A world of things that training, or only what is held out from it, may show.

    Args:
        base: its cameras and the room for things on its table are taken.
        ranges: what changes.
        random: of the picture.
    """
    while is_held_out(things := _things(ranges, random)) is not ranges.held_out:
        pass
    return WorldSpec.model_validate(
        {
            "name": "render",
            "title": ranges.title,
            "instruction": "look",
            "goal": [],
            "objects": things,
            "placement": base.placement.model_dump(),
            "cameras": _cameras(base, ranges, random),
        }
    )


def is_held_out(things: Things) -> bool:
    """Whether a composition (kinds, colours and numbers of things; sizes do not matter) is kept from training."""
    words = sorted(f"{thing['count']} {thing['colour']} {thing['label']}" for thing in things)
    return int.from_bytes(sha256(" ".join(words).encode()).digest()[:4], "big") % HELD_OUT_EVERY == 0


def _things(ranges: RenderRandomisation, random: np.random.Generator) -> Things:
    total = ranges.things.count(random)
    dishes = min(ranges.dishes.count(random), total)
    kinds = [(label, colour) for label in ("bowl", "plate") for colour in COLOURS]
    chosen = [kinds[index] for index in random.permutation(len(kinds))[:dishes]]
    things: Things = [
        {"label": label, "colour": colour, "size": _size(label, ranges, random), "count": 1} for label, colour in chosen
    ]
    colours = list(random.permutation(list(COLOURS)))[: total - dishes]
    for colour in colours:
        things.append({"label": "block", "colour": str(colour), "size": _size("block", ranges, random), "count": 1})
    if len(colours) > 1 and ranges.alike.draw(random):
        things.pop()
        things[-1]["count"] = 2
    return things


def _size(label: str, ranges: RenderRandomisation, random: np.random.Generator) -> tuple[float, float, float]:
    if label == "block":
        side = ranges.block_side.draw(random)
        return side, side, side
    width = (ranges.bowl_width if label == "bowl" else ranges.plate_width).draw(random)
    return width, width, ranges.bowl_height.draw(random) if label == "bowl" else PLATE_HEIGHT


def _cameras(base: WorldSpec, ranges: RenderRandomisation, random: np.random.Generator) -> list[dict[str, Any]]:
    """Those of a robot, fixed ones moved a little."""
    cameras = []
    for camera in base.cameras:
        if camera.quality != "fast":
            continue
        spec = camera.model_dump()
        if camera.mount == "table":
            spec["position"] = [at + ranges.camera_shift.either_way(random) for at in camera.position]
            spec["look_at"] = [at + ranges.camera_aim.either_way(random) for at in camera.look_at]
            spec["fovy"] = ranges.camera_field.draw(random)
        cameras.append(spec)
    return cameras
