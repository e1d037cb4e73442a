"""Tables to plan on: scenes written down in one line, and a world that does what skills declare."""

from collections.abc import Iterable
from dataclasses import replace

from reins.contracts.relations import relations_between
from reins.contracts.scene import Scene, SceneObject, by_id

SIZES = {"block": (0.04, 0.04, 0.04), "bowl": (0.16, 0.16, 0.06), "plate": (0.18, 0.18, 0.02)}

SPREAD = ((-0.035, -0.035), (0.035, 0.035), (-0.035, 0.035), (0.035, -0.035))
"""Where several things stand in a bowl or on a plate, from its middle [m]."""

TABLETOP = {
    "red_block": (0.45, 0.30),
    "green_block": (0.45, 0.10),
    "blue_block": (0.45, -0.10),
    "yellow_block": (0.45, -0.30),
    "blue_bowl": (0.62, 0.22),
    "white_plate": (0.62, -0.22),
}
"""Centres [m] on a table with room between everything."""


def thing(name: str, x: float, y: float, bottom: float = 0.0) -> SceneObject:
    """An object standing at (x, y) with its underside at `bottom`; label and colour are read from its name."""
    colour, label = name.split("_")[:2]
    size = SIZES[label]
    return SceneObject(name, label, colour, (x, y, bottom + size[2] / 2), (0.0, 0.0, 0.0, 1.0), size, 1.0, 1.0)


def scene_of(objects: Iterable[SceneObject], held: str | None = None, stamp: float = 1.0) -> Scene:
    """The scene of these objects, with the relations that their poses give."""
    things = by_id(objects)
    return Scene(stamp, "test", things, relations_between(things.values(), held))


def tabletop(*names: str, held: str | None = None, **where: str) -> Scene:
    """The tabletop, or some of its objects, at time 1.

    Args:
        names: objects; all of TABLETOP if none. An unknown one stands in a row at the edge.
        held: what the gripper holds.
        where: object="in blue_bowl" or object="on red_block".
    """
    placed: dict[str, SceneObject] = {}
    for index, name in enumerate(names or TABLETOP):
        x, y = TABLETOP.get(name, (0.28, 0.3 - 0.1 * index))
        placed[name] = thing(name, x, y)
    for name in _bottom_up(where):
        relation, other = where[name].split()
        below = placed[other]
        mates = sorted(mate for mate, place in where.items() if place == where[name])
        dx, dy = SPREAD[mates.index(name)] if len(mates) > 1 else (0.0, 0.0)
        bottom = below.top if relation == "on" else 0.01
        placed[name] = thing(name, below.position[0] + dx, below.position[1] + dy, bottom)
    if held is not None:
        placed[held] = thing(held, 0.4, 0.0, 0.3)
    return scene_of(placed.values(), held)


def at(stamp: float, held: str | None = None, **where: str) -> Scene:
    """The tabletop as it is seen at another time [s]."""
    scene = tabletop(held=held, **where)
    seen = by_id(replace(item, last_seen=stamp) for item in scene.objects.values())
    return replace(scene, stamp=stamp, objects=seen)


def _bottom_up(where: dict[str, str]) -> list[str]:
    def depth(name: str) -> int:
        return 1 + depth(where[name].split()[1]) if name in where else 0

    return sorted(where, key=depth)
