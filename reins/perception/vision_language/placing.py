"""Things that a model has named, placed by what the depth image measures where it says they are.

A thing without measured points above the table is no object, nor is one for which another has them already. Its colour,
place and size are measured, its name is the model's; how well its place is the one that was said is its confidence,
unless the model knows how sure it is. From above nobody sees what a thing stands on: that it stands on another one is
the model's word, and counts where its top is measured to be higher.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from math import hypot, inf
from typing import Final

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from reins.contracts.relations import distance, radius
from reins.contracts.scene import SUPPORTS, Scene, SceneObject
from reins.hardware.profile import Workspace
from reins.perception.body import PlacedBody
from reins.perception.caption import caption_of
from reins.perception.colours import COLOURS
from reins.perception.gate import Admitted
from reins.perception.relations import relations_of
from reins.perception.segment import Cloud, Segmenter
from reins.perception.view import CameraView
from reins.perception.vision_language.description import (
    GRID,
    HELD,
    OFF_TABLE,
    OTHER,
    TABLE_NUMBER,
    Description,
    SaidObject,
)
from reins.perception.vision_language.judging import LEAST_OVERLAP, differs, not_there, other_colour
from reins.perception.vision_language.place import Rectangle, rectangle_of

SAME_PLACE: Final = 0.05
"""A thing of the same label that is nearer than this to where one was before is that one [m]."""

OTHER_COLOUR: Final = SAME_PLACE / 2
"""So much farther a thing of another colour counts: one and the same may look otherwise in other light [m]."""

LIFTED: Final = 0.25
"""What a difference in height counts beside one across the table, where a thing may have been lifted meanwhile."""

ENDS: Final = (2.0, 98.0)
"""Percentiles of its points between which a thing extends: a few at its edge are of what is behind."""

LEAST_EXTENT: Final = 0.004
"""Nothing that is seen to stand on a table is thinner [m]."""

THING: Final = "thing"
"""The label of what the model has no usable name for."""

Placed = tuple[SaidObject, SceneObject]
"""What was said of a thing, and the object that it is; without an id."""

_WORD: Final = re.compile(r"[a-z0-9]{1,16}")
_MOST_WORDS: Final = 3


def placed(
    looks: Sequence[tuple[Description, Admitted[PlacedBody]]],
    segmenter: Segmenter,
    before: Iterable[SceneObject],
    source: str,
    holding: bool,
    workspace: Workspace | None = None,
) -> Scene:
    """The scene of those things that were measured.

    Args:
        looks: what the model sees in each picture, of about one time, and the picture with its depth and the robot's
            body; one or more.
        segmenter: tells the robot and the table from things.
        before: the objects of the scene before, whose ids stay.
        source: name of the backend.
        holding: whether the gripper measures that it holds something; which thing that is is the model's word.
        workspace: where the robot works; None where that is not asked.
    """
    found: list[Placed] = []
    doubts: list[str] = []
    for said, look in looks:
        seen, missing = _seen(said, look, segmenter)
        found = joined(found, seen)
        doubts += missing
    objects: dict[str, SceneObject] = {}
    for (thing, item), name in zip(found, ids_of([item for _, item in found], list(before)), strict=True):
        objects[name] = replace(item, id=name)
        if differs(thing.colour, item.colour):
            doubts.append(other_colour(name, thing.colour, item.colour))
    held = [name for name, (thing, _) in zip(objects, found, strict=True) if HELD in thing.attributes]
    stamp = max(look.image.stamp for _, look in looks)
    relations = relations_of(objects.values(), held[0] if holding and len(held) == 1 else None, stamp, workspace)
    caption = looks[0][0].caption if len(looks) == 1 and not doubts else ""
    told = caption or caption_of(objects, relations)
    return Scene(stamp, source, objects, relations, told, doubted=tuple(dict.fromkeys(doubts)), described=stamp)


def _seen(said: Description, look: Admitted[PlacedBody], segmenter: Segmenter) -> tuple[list[Placed], list[str]]:
    """The things of one picture that were measured, and doubts about the others."""
    view = CameraView(look.image, look.body)
    cloud, _ = segmenter.above_table(view)
    found: list[Placed] = []
    doubts: list[str] = []
    numbers: dict[int, int] = {}
    for number in _from_the_top(said):
        thing = said.objects[number - 1]
        points = _within(cloud, view.shape, rectangle_of(thing.box))
        overlap = _overlap(thing, points, view.shape)
        if len(points.flat) < segmenter.least_pixels or overlap < LEAST_OVERLAP:
            doubts.append(not_there(thing))
            continue
        cloud = _without(cloud, points)
        numbers[number] = len(found)
        found.append((thing, _measured(thing, points, view, overlap)))
    lifted = _stacked([item for _, item in found], numbers, said)
    return [(thing, item) for (thing, _), item in zip(found, lifted, strict=True)], doubts


def joined(found: Sequence[Placed], more: Sequence[Placed]) -> list[Placed]:
    """Things of several pictures: one that is in two of them is as it is in the one that shows more of it."""
    everything = list(found)
    same = _same([item for _, item in more], [item for _, item in found], 1.0)
    for number, one in enumerate(more):
        at = same.get(number)
        if at is None:
            everything.append(one)
        elif _footprint(one[1]) > _footprint(everything[at][1]):
            everything[at] = one
    return everything


def _same(items: Sequence[SceneObject], others: Sequence[SceneObject], upright: float) -> dict[int, int]:
    """Which of the others each thing is, by indices: the shortest ways together, none of SAME_PLACE or more.

    Args:
        items, others: things.
        upright: what a way up or down counts beside one across the table.
    """
    if not items or not others:
        return {}
    way = np.array([[_way(item, other, upright) for other in others] for item in items])
    rows, columns = linear_sum_assignment(np.minimum(way, SAME_PLACE * (len(items) + len(others))))
    return {int(r): int(c) for r, c in zip(rows, columns, strict=True) if way[r, c] < SAME_PLACE}


def _way(item: SceneObject, other: SceneObject, upright: float) -> float:
    """How far apart two things are [m]; infinite for those of different labels."""
    if item.label != other.label:
        return inf
    dx, dy, dz = (a - b for a, b in zip(item.position, other.position, strict=True))
    return hypot(dx, dy, upright * dz) + OTHER_COLOUR * (item.colour != other.colour)


def _footprint(item: SceneObject) -> float:
    """How much of the table is under it, as far as it was seen [m²]."""
    return item.size[0] * item.size[1]


def _from_the_top(said: Description) -> list[int]:
    """The numbers of all things, what is in or on others before these, and the smaller before the larger."""
    below = _below(said)

    def height(number: int) -> int:
        seen: set[int] = set()
        while number in below and number not in seen:  # a model may say that things stand on each other in a ring
            seen.add(number)
            number = below[number]
        return len(seen)

    every = range(1, len(said.objects) + 1)
    return sorted(every, key=lambda number: (-height(number), rectangle_of(said.objects[number - 1].box).area))


def _below(said: Description) -> dict[int, int]:
    """On or in what each thing is said to be, by their numbers; without those that are on the table."""
    carried = [one for one in said.relations if one.relation in ("on", "in") and one.object != TABLE_NUMBER]
    return {one.subject: one.object for one in carried}


def _stacked(found: Sequence[SceneObject], numbers: Mapping[int, int], said: Description) -> list[SceneObject]:
    """The objects, those that are said to be on another one lifted on its top, as far as they reach above it.

    Args:
        found: as if all stood on the table.
        numbers: where in it each thing of the description is, by its number in that.
        said: the description.
    """
    on = [one for one in said.relations if one.relation == "on" and {one.subject, one.object} <= numbers.keys()]
    lifted = list(found)
    for one in on:
        item, support = found[numbers[one.subject]], found[numbers[one.object]]
        height = item.top - support.top
        if support.label in SUPPORTS and height >= LEAST_EXTENT and distance(item, support) <= radius(support):
            x, y, _ = item.position
            size = (item.size[0], item.size[1], height)
            lifted[numbers[one.subject]] = replace(item, position=(x, y, support.top + height / 2), size=size)
    return lifted


def _within(cloud: Cloud, shape: tuple[int, int], place: Rectangle) -> Cloud:
    """The largest connected part of the points in a rectangle of the picture."""
    height, width = shape
    rows, columns = np.divmod(cloud.flat, width)
    x, y = (columns + 0.5) * (GRID / width), (rows + 0.5) * (GRID / height)
    inside = cloud.part(np.flatnonzero((x >= place.left) & (x <= place.right) & (y >= place.top) & (y <= place.bottom)))
    if not len(inside.flat):
        return inside
    mask = np.zeros(height * width, np.uint8)
    mask[inside.flat] = 1
    _, labels, _, _ = cv2.connectedComponentsWithStats(mask.reshape(shape), connectivity=8)
    of_point = labels.ravel()[inside.flat]
    return inside.part(np.flatnonzero(of_point == np.bincount(of_point).argmax()))


def _without(cloud: Cloud, points: Cloud) -> Cloud:
    """The other points: no two things are where one was measured."""
    return cloud.part(np.flatnonzero(~np.isin(cloud.flat, points.flat, assume_unique=True)))


def _overlap(thing: SaidObject, points: Cloud, shape: tuple[int, int]) -> float:
    """How well the place of these points is the one that was said, 0 to 1."""
    return rectangle_of(thing.box).overlap(_rectangle(points, shape)) if len(points.flat) else 0.0


def _measured(thing: SaidObject, points: Cloud, view: CameraView, overlap: float) -> SceneObject:
    """The object of these points, without an id: it stands on the table, or hangs as high as it is wide."""
    low, high = np.percentile(points.points.astype(np.float64), ENDS, axis=0)
    x, y = (float(value) for value in (low[:2] + high[:2]) / 2)
    width, depth = (max(float(value), LEAST_EXTENT) for value in high[:2] - low[:2])
    top = max(float(high[2]), LEAST_EXTENT)
    height = min(top, width, depth) if OFF_TABLE & set(thing.attributes) else top
    confidence = overlap if thing.certain is None else thing.certain
    colour = COLOURS[int(np.bincount(points.classes).argmax())]
    return SceneObject(
        "",
        label_of(thing),
        colour,
        (x, y, top - height / 2),
        (0.0, 0.0, 0.0, 1.0),
        (width, depth, height),
        round(confidence, 3),
        view.stamp,
        thing.name,
        thing.attributes,
    )


def _rectangle(points: Cloud, shape: tuple[int, int]) -> Rectangle:
    height, width = shape
    rows, columns = np.divmod(points.flat, width)
    left, right = GRID * float(columns.min()) / width, GRID * float(columns.max() + 1) / width
    top, bottom = GRID * float(rows.min()) / height, GRID * float(rows.max() + 1) / height
    return Rectangle(left, top, right, bottom)


def label_of(thing: SaidObject) -> str:
    """A label as scenes carry it: the kind if it is one, else the last words of the name."""
    if thing.kind != OTHER:
        return thing.kind
    return "_".join(_WORD.findall(thing.name)[-_MOST_WORDS:]) or THING


def ids_of(items: Sequence[SceneObject], before: Sequence[SceneObject]) -> list[str]:
    """The ids that things had in the scene before, and new ones for the others."""
    same = _same(items, before, LIFTED)
    used = {other.id for other in before}
    ids = []
    for number, item in enumerate(items):
        name = before[same[number]].id if number in same else _new_id(item, used)
        used.add(name)
        ids.append(name)
    return ids


def _new_id(item: SceneObject, used: Container[str]) -> str:
    name, number = f"{item.colour}_{item.label}", 1
    candidate = name
    while candidate in used:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
