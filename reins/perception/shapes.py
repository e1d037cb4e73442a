"""Blob to object: is it a block, a bowl or a plate, and where is it. Metres, base frame."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import hypot, pi
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from reins.perception.body import Mask, Points
from reins.perception.colours import COLOURS
from reins.perception.segment import Blob

BAND = 0.008
"""Points within this of a blob's highest ones belong to its top face or rim [m]."""

FLATNESS = 0.001
"""A top face is flat to this, if the depth has no noise [m]."""

ROUND_LEAST = 0.06
"""Smallest diameter of a bowl or plate [m]."""

DISH_FLATNESS = 0.2
"""Height over diameter: a dish flatter than this is a plate."""

BLOCK_SIDES = (0.012, 0.15)
"""Shortest and longest side of a block [m]."""

SOLIDITY = 0.7
"""A block's top face fills at least this share of its rectangle."""

FACE_SHARE = 0.45
"""At least this share of a block's visible points is its top face (the rest is side faces)."""

HIDDEN_RECTANGLE = 0.06
"""Share of the contour that may be hidden before a block's rectangle is not to be believed."""

HIDDEN_CIRCLE = 0.35
"""The same for circles, which are known from part of their edge."""

INSIDE = 0.65
"""Share of a bowl's outer radius within which there is only its floor."""

STANDS_OUT = 0.02
"""Something of the bowl's own colour is inside if it rises this much above the floor [m]."""

LEAST_POINTS = 8
"""Fewer points than this have no shape."""

REST = 0.15
"""What is left of a blob beside a block is looked at again if it is at least this share of its points."""

SIDE = 0.006
"""Side faces of a block lie within this beyond its top face, a pixel more allowed [m]."""

RIM_PERCENTILE = 70
"""A dish's rim is this percentile of the heights along its outline: part of it is wall, part something on it."""

RECESS = 0.0025
"""A dish is lower inside than at its rim by at least this: a disc or the lid of a can is no plate [m]."""

LEAST_HEIGHT = 0.010
"""Anything lower is no block: cards, pens, cables [m]."""

DOME = 0.005
"""If a thing's top falls off from its middle to its edge by this on all sides, it is a ball or an egg, no block [m]."""

SQUARE = 0.3
"""Anisotropy of second moments, here that of sides 1 : 1.36, below which yaw comes from fourth moments: those vanish at
1 : 1.73, second moments at 1 : 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """One object as one camera sees it.

    Attributes:
        label, colour: what it is.
        centre: (2,) x, y of its centre [m].
        yaw: rotation about +z [rad], in (-pi/4, pi/4] for blocks, 0 for round things.
        extent: (2,) full extents along its own axes [m].
        top: height of its top [m].
        surface: height on which a thing in or on it stands [m].
        complete: whether all of its outline is visible, so that centre and extent can be believed.
        hidden: share of its outline that is not visible.
        pixel: size of a pixel there [m].
        points: (n, 3) its visible points.
        camera: name of the camera.
        sure: partly hidden, but other evidence says that it is there.
    """

    label: str
    colour: str
    centre: NDArray[np.float64]
    yaw: float
    extent: NDArray[np.float64]
    top: float
    surface: float
    complete: bool
    hidden: float
    pixel: float
    points: Points
    camera: str
    sure: bool = False


def detections_of(blob: Blob, camera: str, parts: int = 3) -> Iterator[Detection]:
    """The objects in a blob: mostly one, more where things of a colour touch in the image, none if no known shape.

    Args:
        blob: connected pixels of one colour.
        camera: name of the camera.
        parts: most things to take it apart into.
    """
    if len(blob.points) < LEAST_POINTS:
        return
    hull = cv2.convexHull(np.ascontiguousarray(blob.points[:, :2]))
    (x, y), radius = cv2.minEnclosingCircle(hull)
    is_round = _is_round(hull, radius, blob.pixel)
    if is_round and 2 * radius >= ROUND_LEAST:
        yield from _dish(blob, np.array([x, y]), camera)
    elif is_round and blob.hidden < HIDDEN_RECTANGLE and _has_round_top(blob):
        return  # a ball, an egg, the lid of a can
    elif (found := fit_block(blob, camera)) is not None:
        yield found
        rest = ~within(found, blob.points[:, :2], blob.pixel + SIDE)
        if parts > 1 and np.count_nonzero(rest) > max(LEAST_POINTS, REST * len(blob.points)):
            yield from detections_of(blob.part(rest), camera, parts - 1)


def _is_round(hull: NDArray[Any], radius: float, pixel: float) -> bool:
    """Whether the hull fills its circle better than its rectangle."""
    area = cv2.contourArea(hull) + cv2.arcLength(hull, True) * pixel / 2 + pi * pixel**2 / 4
    _, (width, depth), _ = cv2.minAreaRect(hull)
    return bool(area / (pi * (radius + pixel / 2) ** 2) > area / ((width + pixel) * (depth + pixel)))


def _has_round_top(blob: Blob) -> bool:
    """Whether what is highest in the blob fills its circle better than its rectangle, too."""
    face = blob.points[top_face(blob.points)[0], :2]
    if len(face) < LEAST_POINTS:
        return False
    hull = cv2.convexHull(np.ascontiguousarray(face))
    return _is_round(hull, cv2.minEnclosingCircle(hull)[1], blob.pixel)


def _is_domed(points: Points, centre: NDArray[np.float64]) -> bool:
    """Whether a top face (n, 3) falls off from its middle in every direction; an edge that is up does not along it."""
    local = points.astype(np.float64) - [*centre, 0.0]
    x, y = (local[:, :2] / np.percentile(np.hypot(local[:, 0], local[:, 1]), 95)).T
    terms = np.column_stack([np.ones(len(x)), x, y, x * x, x * y, y * y])
    (_, _, _, xx, xy, yy), *_ = np.linalg.lstsq(terms, local[:, 2], rcond=None)
    least = -float(np.linalg.eigvalsh([[xx, xy / 2], [xy / 2, yy]]).max())
    return least > DOME


def top_height(points: Points) -> float:
    """Height of the top [m], not misled by a few stray points."""
    keep = len(points) - 1 - len(points) // 50
    return float(np.partition(points[:, 2], keep)[keep])


def top_face(points: Points) -> tuple[Mask, float]:
    """(n,) which points are on the flat top, as near to its level as the depth is noisy; and that level [m].

    Upper parts of side faces, which lie within BAND as well, are the fewer: median and deviation do not see them.
    """
    height = points[:, 2]
    near = height[height > top_height(points) - BAND]
    level = float(np.median(near))
    noise = 1.5 * float(np.median(np.abs(near - level)))
    return np.asarray(height > level - max(FLATNESS, 3.0 * noise)), level


def _dish(blob: Blob, guess: NDArray[np.float64], camera: str) -> Iterator[Detection]:
    """A bowl or plate, and what of the same colour is in it."""
    points = blob.points
    rim = points[blob.edge]
    top = float(np.percentile(rim[:, 2], RIM_PERCENTILE)) if len(rim) >= LEAST_POINTS else top_height(points)
    rim = rim[np.abs(rim[:, 2] - top) < BAND]
    centre, radius = fit_circle(rim[:, :2].astype(np.float64), guess)
    radius += blob.pixel / 2
    distance = np.hypot(points[:, 0] - centre[0], points[:, 1] - centre[1])
    inside = distance < INSIDE * radius
    label = "plate" if top < DISH_FLATNESS * 2 * radius else "bowl"
    below = points[inside & (points[:, 2] < top + BAND), 2]
    if inside.any() and (not len(below) or np.median(rim[:, 2]) - commonest(below) < RECESS):
        return  # it bulges, or is flat
    floor = commonest(below) if len(below) else (top if label == "plate" else 0.1 * top)
    hidden = blob.hidden if len(rim) >= LEAST_POINTS else 1.0
    yield Detection(
        label, COLOURS[blob.colour], centre, 0.0, np.array([2 * radius, 2 * radius]), top, floor,
        hidden < HIDDEN_CIRCLE, hidden, blob.pixel, points, camera,
    )  # fmt: skip
    standing = (inside & (points[:, 2] > floor + STANDS_OUT)) | (points[:, 2] > top + BAND)
    if np.count_nonzero(standing) >= LEAST_POINTS:
        inner = fit_block(replace(blob.part(standing), hidden=0.0), camera)
        if inner is not None:
            yield inner


def commonest(values: NDArray[Any]) -> float:
    """The middle of the shortest interval that holds half of `values` (n,), n > 0: not moved by noise, nor by a lesser
    half that is something else."""
    ordered = np.sort(values)
    half = (len(ordered) + 1) // 2
    begin = int((ordered[half - 1 :] - ordered[: len(ordered) - half + 1]).argmin())
    return float(ordered[begin : begin + half].mean())


def fit_circle(xy: NDArray[np.float64], guess: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Centre (2,) and radius of the circle through outline points (n, 2), by least squares; `guess` if too few.

    Points well inside the others' radius (a rim's inner edge, a notch) are left out in a second pass.
    """
    centre, radius = guess, 0.0
    for _ in range(2):
        if len(xy) < 5:
            break
        offset = xy.mean(axis=0)
        local = xy - offset
        solution, *_ = np.linalg.lstsq(
            np.column_stack([2 * local, np.ones(len(local))]), (local**2).sum(axis=1), rcond=None
        )
        centre = solution[:2] + offset
        radius = float(np.sqrt(max(solution[2] + solution[:2] @ solution[:2], 0.0)))
        distance = np.hypot(*(xy - centre).T)
        xy = xy[distance > radius - max(0.004, 0.05 * radius)]
    if radius == 0.0 and len(xy):
        radius = float(np.hypot(*(xy - guess).T).max())
    return centre, radius


def fit_block(blob: Blob, camera: str) -> Detection | None:
    """The block whose top face is the blob's highest part, or None if that is no rectangle."""
    points = blob.points
    on_face, top = top_face(points)
    on_top = np.flatnonzero(on_face)
    if len(on_top) < LEAST_POINTS:
        return None
    face, area = points[on_top, :2].astype(np.float64), blob.area[on_top].astype(np.float64)
    centre, yaw, extent = fit_rectangle(face, area)
    hull = cv2.convexHull(face.astype(np.float32))
    solid = area.sum() / max(extent[0] * extent[1], 1e-9)
    complete = blob.hidden < HIDDEN_RECTANGLE and solid > SOLIDITY
    if not complete:
        (x, y), (width, length), angle = cv2.minAreaRect(hull)
        centre, extent = np.array([x, y]), np.array([width, length]) + blob.pixel
        yaw, extent = canonical(float(np.radians(angle)), extent)
    if top < LEAST_HEIGHT or _is_domed(points[on_top], centre):
        return None
    if blob.hidden < HIDDEN_RECTANGLE and not _like_a_block(extent, solid, area.sum() / blob.area.sum()):
        return None
    return Detection(
        "block", COLOURS[blob.colour], centre, yaw, extent, top, top, complete, blob.hidden, blob.pixel, points, camera
    )


def _like_a_block(extent: NDArray[np.float64], solid: float, face_share: float) -> bool:
    """Whether a wholly visible blob can be a block: sides (2,), filled top face, most of what is visible top face."""
    sized = BLOCK_SIDES[0] < extent.min() and extent.max() < BLOCK_SIDES[1]
    return bool(sized and solid > SOLIDITY and face_share > FACE_SHARE)


def fit_rectangle(
    xy: NDArray[np.float64], area: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float, NDArray[np.float64]]:
    """Centre (2,), yaw and extents (2,) of a filled rectangle from points on it (n, 2), by their moments.

    Args:
        xy: (n, 2) points [m].
        area: (n,) how much of the rectangle each stands for [m²].

    A row of k pixels of pitch p has variance p² (k² - 1) / 12, so the side k p is sqrt(12 variance + p²). The yaw of a
    square is that of its fourth moment E[(x + iy)⁴], which is real and negative along its sides.
    """
    weight = area / area.sum()
    centre = weight @ xy
    z = (xy[:, 0] - centre[0]) + 1j * (xy[:, 1] - centre[1])
    second = weight @ z**2
    if abs(second) > SQUARE * (weight @ np.abs(z) ** 2):
        yaw = float(np.angle(second)) / 2
    else:
        yaw = float(np.angle(-(weight @ z**4))) / 4
    turned = z * np.exp(-1j * yaw)
    extent = np.sqrt(12 * np.array([weight @ turned.real**2, weight @ turned.imag**2]) + area.mean())
    yaw, extent = canonical(yaw, extent)
    return centre, yaw, extent


def canonical(yaw: float, extent: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """The same rectangle with yaw in (-pi/4, pi/4]: a quarter turn swaps the extents (2,)."""
    quarters = int(np.ceil((yaw - pi / 4) / (pi / 2)))
    return yaw - quarters * pi / 2, extent[::-1] if quarters % 2 else extent


def within(found: Detection, xy: NDArray[Any], margin: float) -> Mask:
    """(n,) which points (n, 2) are over the detection's footprint grown by `margin` [m]."""
    dx, dy = xy[:, 0] - found.centre[0], xy[:, 1] - found.centre[1]
    if found.label != "block":
        return np.asarray(np.hypot(dx, dy) <= found.extent[0] / 2 + margin)
    cos, sin = np.cos(found.yaw), np.sin(found.yaw)
    along, across = np.abs(cos * dx + sin * dy), np.abs(cos * dy - sin * dx)
    return np.asarray((along <= found.extent[0] / 2 + margin) & (across <= found.extent[1] / 2 + margin))


def apart(a: Detection, b: Detection) -> float:
    """Horizontal distance between centres [m]."""
    return hypot(a.centre[0] - b.centre[0], a.centre[1] - b.centre[1])
