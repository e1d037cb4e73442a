"""What the cameras saw: objects with poses and attributes, the relations between them, and words for it.

Frame: everything is in the robot's base frame (REP 103: x forward, y left, z up; metres, radians). "Left" and "behind"
are meant as seen from the robot's base looking along +x: left is +y, behind is +x (farther away).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from reins.contracts.errors import look_up

TABLE: Final = "table"
"""The name of the supporting surface in relations; it is not an object with a pose."""

CONTAINERS: Final = ("bowl",)
"""Labels of objects that other things can be put *in*."""

SUPPORTS: Final = ("plate", "block")
"""Labels of objects that other things can be put *on*."""

MOVABLE: Final = ("block",)
"""Labels of objects that a gripper can pick up."""

PERSON: Final = "person"
"""Label of people."""

GRIPPER: Final = "gripper"
"""What holds, in relations."""

CAMERAS: Final = "cameras"
"""What things are occluded from, in relations."""

OCCLUDED, REACHABLE, TOUCHING = "occluded", "reachable", "touching"
"""Predicates that no skill brings about: how things are for whoever looks at them and reaches for them now."""

ROBOT: Final = "robot"
"""The name of the robot itself in relations; it is not an object with a pose."""

STANDING: Final = "standing"
SITTING: Final = "sitting"
FALLEN: Final = "fallen"
"""Postures of a legged robot, as relations name them; who has fallen lies on the side or back."""

FARTHEST: Final = 1000.0
"""Nothing in a scene is farther from the base, or larger, than this [m]."""

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One object.

    Attributes:
        id: stable over time and unique in the scene, e.g. "red_block"; a second red block is "red_block_2".
        label: kind of thing: "block", "bowl", "plate".
        colour: colour word, e.g. "red".
        position: centre of the object's bounding box [m], base frame.
        orientation: x y z w; for things on a table a rotation about +z.
        size: full extents along the object's own axes [m].
        confidence: 0 … 1.
        last_seen: robot time of the last image that shows it [s].
        name: what a vision-language model calls it, finer than the label, e.g. "coffee mug"; empty without one.
        attributes: what it says besides, e.g. "upside down". Words for people and prompts; no skill goes by them.
    """

    id: str
    label: str
    colour: str
    position: Vector3
    orientation: Quaternion
    size: Vector3
    confidence: float
    last_seen: float
    name: str = ""
    attributes: tuple[str, ...] = ()

    @property
    def top(self) -> float:
        """Height of its top above the base frame's origin [m]."""
        return self.position[2] + self.size[2] / 2


@dataclass(frozen=True, slots=True, order=True)
class Relation:
    """`subject predicate object`, e.g. ("red_block", "in", "blue_bowl").

    Predicates: in, on, beside, left_of, right_of, behind, in_front_of, touching, held, reachable, occluded. `held` has
    GRIPPER as its object, `reachable` has ROBOT, `occluded` has CAMERAS; `on` may have TABLE as its object. Of a legged
    robot, with ROBOT as their subject: `is` a posture, `at` an object.
    """

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that perception knows at one time.

    Attributes:
        stamp: robot time of the newest image used [s].
        source: backend that made it, e.g. "geometric" or "state".
        objects: by id.
        relations: between those objects.
        caption: one or two sentences in plain English.
        stale: why it is no longer what the cameras see; empty while they all do.
        doubted: what a vision-language model said of it that was measured to be otherwise, a sentence each.
        described: robot time of the picture that its words are from [s]; 0 without such a model.
    """

    stamp: float
    source: str
    objects: Mapping[str, SceneObject] = field(default_factory=dict)
    relations: frozenset[Relation] = frozenset()
    caption: str = ""
    stale: str = ""
    doubted: tuple[str, ...] = ()
    described: float = 0.0

    def find(self, object_id: str) -> SceneObject:
        """The object of that id.

        Raises:
            UnknownName: no such object; lists those that exist.
        """
        return look_up("object", object_id, self.objects)

    def related(self, predicate: str, object_id: str) -> list[str]:
        """Ids of the subjects that stand in `predicate` to `object_id`, sorted."""
        return sorted(r.subject for r in self.relations if r.predicate == predicate and r.object == object_id)

    def held(self) -> str | None:
        """Id of the object in the gripper, or None."""
        return next((r.subject for r in self.relations if r.predicate == "held"), None)


def by_id(objects: Iterable[SceneObject]) -> dict[str, SceneObject]:
    """Index objects by id, in the given order."""
    return {item.id: item for item in objects}


def makes_sense(item: SceneObject) -> bool:
    """Whether an object has a finite pose within FARTHEST, an orientation, and a size."""
    placed = all(abs(value) <= FARTHEST for value in item.position)
    turned = all(map(math.isfinite, item.orientation)) and any(item.orientation)
    return placed and turned and all(0.0 < extent <= FARTHEST for extent in item.size)


def sensible(scene: Scene) -> Scene:
    """The scene without the objects that make no sense, and without what it says of them; the same if all do."""
    good = {name: item for name, item in scene.objects.items() if makes_sense(item)}
    if len(good) == len(scene.objects):
        return scene
    gone = scene.objects.keys() - good.keys()
    relations = frozenset(r for r in scene.relations if not gone & {r.subject, r.object})
    return replace(scene, objects=good, relations=relations)
