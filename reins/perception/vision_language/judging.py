"""A model's description held against what was measured: words that fit go to the objects, the others are marked.

What is said of an object is taken if something was measured at its place. A thing that was not measured is no object of
the scene, whoever says so.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import dist
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from reins.contracts.relations import holds, is_on_table
from reins.contracts.scene import TABLE, Relation, Scene, SceneObject, Vector3
from reins.perception.image import CameraImage
from reins.perception.vision_language.description import (
    EMPTY,
    HELD,
    OTHER,
    TABLE_NUMBER,
    Description,
    SaidObject,
    SaidRelation,
)
from reins.perception.vision_language.place import Rectangle, place_of, rectangle_of

LEAST_OVERLAP: Final = 0.1
"""Of a said and a measured place that can be one thing's; models point roughly."""

SAME_COLOUR: Final = 0.3
"""What the same colour counts beside the overlap, which is 1 at most, when it is decided which object is meant."""

SAME_KIND: Final = 0.2
"""What the same kind counts."""

MOVED: Final = 0.03
"""What was said of an object is dropped when it is farther than this from where it was then [m]."""

ALIKE: Final = frozenset({frozenset({"white", "grey"}), frozenset({"grey", "black"})})
"""Colours of which exposure decides which one is seen."""

STANDING: Final = frozenset({"in", "on", "held"})
"""Relations that a caption is about; while these are the same, it still holds."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A picture that is described, and what was measured at that time.

    Attributes:
        image: the picture.
        scene: what was measured.
        places: where its objects are in the picture, by id; those in sight.
    """

    image: CameraImage
    scene: Scene
    places: Mapping[str, Rectangle]


def look_at(scene: Scene, images: Sequence[CameraImage]) -> Look:
    """The look at a scene through that camera, of one or more, in whose sight most of it is; of several the first."""
    looks = [Look(image, scene, _places(scene, image)) for image in images]
    return max(looks, key=lambda look: len(look.places))


@dataclass(frozen=True, slots=True)
class Words:
    """What a model said of an object, and where the object was then [m]."""

    name: str
    attributes: tuple[str, ...]
    position: Vector3


@dataclass(frozen=True, slots=True)
class Told:
    """A description that was held against what was measured.

    Attributes:
        stamp: robot time of the picture [s].
        words: of the objects that are meant, by their ids.
        caption: the model's; empty if anything of its description was contradicted.
        doubts: what was contradicted, a sentence each.
        standing: what was in or on what, and what was held.
        objects: all ids then.
    """

    stamp: float
    words: Mapping[str, Words]
    caption: str
    doubts: tuple[str, ...]
    standing: frozenset[Relation] = frozenset()
    objects: frozenset[str] = field(default=frozenset())


def judge(said: Description, look: Look) -> Told:
    """What of a description holds, and of which objects."""
    scene = look.scene
    meant = _meant(said.objects, look)
    doubts: list[str] = []
    words: dict[str, Words] = {}
    for number, thing in enumerate(said.objects, start=1):
        item = meant.get(number)
        if item is None:
            doubts.append(not_there(thing))
            continue
        false = _false_attributes(thing, item, scene)
        doubts += _contradictions(thing, item)
        doubts += [f"the model says that {item.id} is {word}, and it was measured not to be" for word in false]
        attributes = tuple(word for word in thing.attributes if word not in false)
        words[item.id] = Words(_name(thing, item), attributes, item.position)
    doubts += [doubt for related in said.relations if (doubt := _doubt(related, meant, scene))]
    caption = "" if doubts else said.caption
    return Told(
        look.image.stamp, words, caption, tuple(dict.fromkeys(doubts)), standing(scene), frozenset(scene.objects)
    )


def told(scene: Scene, said: Told | None, age: float) -> Scene:
    """A scene with the words of a model, as far as they still are about it.

    Args:
        scene: what is measured now.
        said: what was last said, if anything was.
        age: of a picture from which on nothing that was said of it counts [s].
    """
    if said is None or scene.stamp - said.stamp > age:
        return scene
    objects = {name: _with_words(item, said.words.get(name)) for name, item in scene.objects.items()}
    same = said.objects == frozenset(scene.objects) and said.standing == standing(scene)
    caption = said.caption if said.caption and same else scene.caption
    return replace(scene, objects=objects, caption=caption, doubted=said.doubts, described=said.stamp)


def standing(scene: Scene) -> frozenset[Relation]:
    """What is in or on what, and what is held."""
    return frozenset(relation for relation in scene.relations if relation.predicate in STANDING)


def _places(scene: Scene, image: CameraImage) -> dict[str, Rectangle]:
    placed = ((item.id, place_of(item, image)) for item in scene.objects.values())
    return {name: place for name, place in placed if place is not None}


def _with_words(item: SceneObject, words: Words | None) -> SceneObject:
    if words is None or dist(item.position, words.position) > MOVED:
        return item
    return replace(item, name=words.name, attributes=words.attributes)


def _meant(things: Sequence[SaidObject], look: Look) -> dict[int, SceneObject]:
    """Which object each thing is, by the numbers of the things; those for which there is one."""
    items = [look.scene.objects[name] for name in look.places]
    if not things or not items:
        return {}
    score = np.array([[_score(thing, item, look.places[item.id]) for item in items] for thing in things])
    rows, columns = linear_sum_assignment(-score)
    return {int(r) + 1: items[int(c)] for r, c in zip(rows, columns, strict=True) if score[r, c] > 0.0}


def _score(thing: SaidObject, item: SceneObject, place: Rectangle) -> float:
    """How well an object fits what was said; 0 if it is elsewhere."""
    said = rectangle_of(thing.box)
    overlap = said.overlap(place)
    if overlap < LEAST_OVERLAP and not (said.covers(place) and place.covers(said)):
        return 0.0
    return (
        max(overlap, LEAST_OVERLAP)
        + SAME_COLOUR * (thing.colour == item.colour)
        + SAME_KIND * (thing.kind == item.label)
    )


def _contradictions(thing: SaidObject, item: SceneObject) -> Iterator[str]:
    """What was measured of an object to be otherwise than it was said."""
    if differs(thing.colour, item.colour):
        yield other_colour(item.id, thing.colour, item.colour)
    if thing.kind not in (OTHER, item.label):
        yield f"the model says that {item.id} is a {thing.kind}, and it was measured to be a {item.label}"


def _false_attributes(thing: SaidObject, item: SceneObject, scene: Scene) -> tuple[str, ...]:
    """What is said of an object besides and was measured not to be so: what the gripper holds, and what is in what."""
    carries = any(one.object == item.id and one.predicate in ("in", "on") for one in scene.relations)
    not_so = {HELD: scene.held() != item.id, EMPTY: carries}
    return tuple(word for word in thing.attributes if not_so.get(word, False))


def _name(thing: SaidObject, item: SceneObject) -> str:
    """What an object is called: without a colour that it has not, and not at all by the name of another kind."""
    if thing.kind not in (OTHER, item.label):
        return ""
    wrong = {thing.colour} if differs(thing.colour, item.colour) else set()
    return " ".join(word for word in thing.name.split() if word.lower() not in wrong)


def differs(said: str, measured: str) -> bool:
    """Whether a colour that was said cannot be the one that was measured."""
    return said not in (OTHER, measured) and frozenset({said, measured}) not in ALIKE


def other_colour(name: str, said: str, measured: str) -> str:
    """That a model says another colour of a thing than was measured."""
    return f"the model says that {name} is {said}, and it was measured to be {measured}"


def not_there(thing: SaidObject) -> str:
    """That nothing was measured where a model sees a thing."""
    colour = "" if thing.colour == OTHER else f"{thing.colour} "
    return f"the model sees “{colour}{thing.name.removeprefix(colour)}”, and no object was measured there"


def _doubt(related: SaidRelation, meant: Mapping[int, SceneObject], scene: Scene) -> str:
    """What is wrong with a relation; empty if nothing is, or if one of its objects was not measured."""
    subject, other = meant.get(related.subject), meant.get(related.object)
    if subject is None or (other is None and related.object != TABLE_NUMBER) or subject is other:
        return ""
    name = TABLE if other is None else other.id
    if _is_so(related.relation, subject, other, scene):
        return ""
    return f"the model says that {subject.id} is {related.relation} {name}, and it was measured not to be"


def _is_so(predicate: str, subject: SceneObject, other: SceneObject | None, scene: Scene) -> bool:
    if subject.id == scene.held():
        return False
    if other is None:
        return predicate == "on" and is_on_table(subject, scene.objects.values())
    return other.id != scene.held() and holds(predicate, subject, other)
