"""Things that a model has named, placed by what the depth image measures where it says they are.

A thing without measured points above the table is no object, nor is one for which another has them already. Its colour,
place and size are measured, its name is the model's; how well its place is the one that was said is its confidence.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import hypot
from typing import Final

import cv2
import numpy as np

from reins.contracts.scene import Scene, SceneObject, by_id
from reins.perception.caption import caption_of
from reins.perception.colours import COLOURS
from reins.perception.gate import Admitted
from reins.perception.relations import relations_of
from reins.perception.segment import Cloud, Segmenter
from reins.perception.view import CameraView
from reins.perception.vision_language.description import GRID, OTHER, Description, SaidObject
from reins.perception.vision_language.judging import LEAST_OVERLAP, differs, not_there, other_colour
from reins.perception.vision_language.place import Rectangle, rectangle_of

SAME_PLACE: Final = 0.05
"""A thing of the same label that is nearer than this to where one was before is that one [m]."""

ENDS: Final = (2.0, 98.0)
"""Percentiles of its points between which a thing extends: a few at its edge are of what is behind."""

LEAST_EXTENT: Final = 0.004
"""Nothing that is seen to stand on a table is thinner [m]."""

THING: Final = "thing"
"""The label of what the model has no usable name for."""

_WORD: Final = re.compile(r"[a-z0-9]{1,16}")
_MOST_WORDS: Final = 3


def placed(
    said: Description, look: Admitted, segmenter: Segmenter, before: Iterable[SceneObject], source: str
) -> Scene:
    """The scene of those things that were measured.

    Args:
        said: what the model sees in the picture.
        look: the picture with its depth, and the robot's body.
        segmenter: tells the robot and the table from things.
        before: the objects of the scene before, whose ids stay.
        source: name of the backend.
    """
    view = CameraView(look.image, look.body)
    cloud, _ = segmenter.above_table(view)
    found: list[SceneObject] = []
    doubts: list[str] = []
    known = list(before)
    for thing in sorted(said.objects, key=lambda thing: rectangle_of(thing.box).area):  # what is in a bowl before it
        points = _within(cloud, view.shape, rectangle_of(thing.box))
        overlap = _overlap(thing, points, view.shape)
        if len(points.flat) < segmenter.least_pixels or overlap < LEAST_OVERLAP:
            doubts.append(not_there(thing))
            continue
        cloud = _without(cloud, points)
        item = _measured(thing, points, view, overlap)
        item = replace(item, id=_id_of(item, known, {other.id for other in found}))
        if differs(thing.colour, item.colour):
            doubts.append(other_colour(item.id, thing.colour, item.colour))
        found.append(item)
    objects = by_id(found)
    relations = relations_of(found, None)
    caption = said.caption if said.caption and not doubts else caption_of(objects, relations)
    stamp = look.image.stamp
    return Scene(stamp, source, objects, relations, caption, doubted=tuple(dict.fromkeys(doubts)), described=stamp)


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
    """The object of these points, which stands on the table; without an id."""
    low, high = np.percentile(points.points.astype(np.float64), ENDS, axis=0)
    x, y = (float(value) for value in (low[:2] + high[:2]) / 2)
    width, depth = (max(float(value), LEAST_EXTENT) for value in high[:2] - low[:2])
    top = max(float(high[2]), LEAST_EXTENT)
    colour = COLOURS[int(np.bincount(points.classes).argmax())]
    return SceneObject(
        "",
        label_of(thing),
        colour,
        (x, y, top / 2),
        (0.0, 0.0, 0.0, 1.0),
        (width, depth, top),
        round(overlap, 3),
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


def _id_of(item: SceneObject, before: Sequence[SceneObject], taken: set[str]) -> str:
    """The id that it had, or a new one."""
    for other in before:
        apart = hypot(item.position[0] - other.position[0], item.position[1] - other.position[1])
        if other.label == item.label and apart < SAME_PLACE and other.id not in taken:
            return other.id
    name, number = f"{item.colour}_{item.label}", 1
    used = taken | {other.id for other in before}
    candidate = name
    while candidate in used:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
