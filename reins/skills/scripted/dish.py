"""Bowls and plates: where inside them there is room, and how near the wall is."""

from typing import Final

from reins.contracts.scene import CONTAINERS, Scene, SceneObject
from reins.skills.scripted.footprint import Disc

BOWL_BASE: Final = 0.6
"""Inner radius at the bottom of a bowl as a share of its radius; the wall rises from it in a straight line."""

WALL: Final = 0.006
"""Thickness of a bowl's wall, width of a plate's rim, thickness of their floors [m]."""


def bowl_around(object_id: str, scene: Scene) -> SceneObject | None:
    """The container that the object is in."""
    for relation in sorted(scene.relations):
        if relation.subject == object_id and relation.predicate == "in" and relation.object in scene.objects:
            return scene.objects[relation.object]
    return None


def wall_at(bowl: SceneObject, height: float) -> Disc:
    """The free disc inside a bowl at `height` above the base frame's origin [m]."""
    x, y, z = bowl.position
    share = min(1.0, max(0.0, (height - (z - bowl.size[2] / 2)) / bowl.size[2]))
    radius = bowl.size[0] / 2 * (BOWL_BASE + (1.0 - BOWL_BASE) * share) - WALL
    return Disc(x, y, radius)


def face_of(dish: SceneObject) -> Disc:
    """The flat face of a plate, or of a bowl's bottom."""
    x, y, _ = dish.position
    share = BOWL_BASE if dish.label in CONTAINERS else 1.0
    return Disc(x, y, share * dish.size[0] / 2 - WALL)
