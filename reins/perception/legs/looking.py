"""Image to blobs: connected pixels of one colour that stand on the ground, or lie on it in another colour than it."""

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from reins.perception.body import Mask, Points
from reins.perception.colours import ACHROMATIC, COLOURS, ColourTable
from reins.perception.view import CameraView, Image32, Indices

REACH: Final = 7.0
"""What is farther away is not looked at [m]: depth cameras measure no better there than boxes are wide."""

STEP: Final = 0.05
"""What is not higher than this is walked on [m], as the skills and the safety monitor take it."""

LEVEL: Final = 0.03
"""The ground lies within this of where it is under the robot [m]: noise of depth, and a body's sway."""

TALLEST: Final = 2.6
"""What is higher is a ceiling, or none of a robot's business [m]."""

JUMP: Final = 0.4
"""Neighbouring pixels whose depths differ by more are of different things [m] …"""

JUMP_SHARE: Final = 0.03
"""… and by this share of the depth more: a face is seen at a slant, and nearly along itself it is a few pixels wide."""

LEAST_STANDING, LEAST_LYING = 8, 4
"""Smaller blobs are noise [pixels]."""

BRIGHTER: Final = 1.2
"""What has no hue and is brighter than the ground by this factor is white. Pictures of the ground have nothing in them
that is surely white, so the ground is their measure."""

FAR: Final = 1e3
"""Depth of pixels that are left out [m]."""

_KERNEL: Final = np.ones((3, 3), np.uint8)
_WHITE, _GREY = COLOURS.index("white"), COLOURS.index("grey")
_WITHOUT_HUE: Final = np.array([COLOURS.index(name) for name in ACHROMATIC])


@dataclass(frozen=True, slots=True, eq=False)
class Blob:
    """Connected pixels of one colour.

    Attributes:
        colour: word for it.
        points: (n, 3) in the ground frame [m].
        stands: whether it is higher than a step; else it lies flat.
        is_cut: whether its upper end is beyond the picture, so that it is at least as high as it looks.
    """

    colour: str
    points: Points
    stands: bool
    is_cut: bool


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One picture, taken apart.

    Attributes:
        view: its pixels, in the ground frame.
        classes: (h, w) colour of each, an index in COLOURS.
        blobs: what it shows.
    """

    view: CameraView
    classes: NDArray[np.uint8]
    blobs: tuple[Blob, ...]


class Looking:
    """Takes pictures apart.

    Args:
        footprint: radius of the robot [m]; what is within is the robot itself.
    """

    def __init__(self, footprint: float) -> None:
        self._footprint, self._colours = footprint, ColourTable()

    def look(self, view: CameraView, place: NDArray[np.float64]) -> Look:
        """What a view in the ground frame shows to a robot whose base is at (2,) [m]."""
        near = (view.depth > 0.0) & (view.depth < REACH)
        classes = self._colours.classify(view.rgb.reshape(-1, 3)).reshape(view.shape).copy()
        level = near & (np.abs(view.height) < LEVEL)
        ground = _judge_by_ground(view.rgb, classes, level)
        shows = near & (view.height > STEP) & (view.height < TALLEST)
        shows |= near & (np.abs(view.height) <= STEP) & (classes != ground) & (classes != _GREY)
        flat = np.flatnonzero(shows)
        points = view.points(flat)
        own = np.hypot(points[:, 0] - place[0], points[:, 1] - place[1]) < self._footprint
        shows.ravel()[flat[own]] = False
        kinds = classes.copy()
        kinds[np.isin(classes, _WITHOUT_HUE)] = _GREY  # a white thing has grey shades
        every = [int(kind) for kind in np.unique(kinds[shows])]
        blobs = [blob for kind in every for blob in _connected(view, classes, shows & (kinds == kind))]
        return Look(view, classes, tuple(blobs))


def _judge_by_ground(rgb: NDArray[np.uint8], classes: NDArray[np.uint8], level: Mask) -> int:
    """The class of the ground, -1 where none is seen; what has no hue becomes white or grey beside it, in place."""
    if not level.any():
        return -1
    value = rgb.max(axis=2)
    ground = int(np.bincount(classes[level]).argmax())
    if ground in _WITHOUT_HUE:
        limit = BRIGHTER * float(np.median(value[level & (classes == ground)]))
        without = np.isin(classes, _WITHOUT_HUE)
        classes[without] = np.where(value[without] > limit, _WHITE, _GREY)
        ground = _GREY
    return ground


def _connected(view: CameraView, classes: NDArray[np.uint8], mask: Mask) -> list[Blob]:
    """The connected parts of a mask, torn where depth jumps."""
    depth = np.where(mask, view.depth, np.float32(FAR))
    surface = mask & (depth < cv2.erode(depth, _KERNEL) + _allowed_jump(view))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(surface.view(np.uint8), connectivity=8)
    blobs: list[Blob] = []
    for index in range(1, count):
        if stats[index, cv2.CC_STAT_AREA] < LEAST_LYING:
            continue
        flat = np.flatnonzero(labels == index)
        standing = view.height.ravel()[flat] > STEP
        stands = int(np.count_nonzero(standing)) >= LEAST_STANDING
        if stands:
            flat = flat[standing]
        elif standing.any():
            continue  # the foot of something, or noise
        colour = COLOURS[int(np.bincount(classes.ravel()[flat]).argmax())]
        is_cut = _goes_on_above(flat, view.shape)
        blobs.append(Blob(colour, view.points(flat), stands, is_cut))
    return blobs


def _goes_on_above(flat: Indices, shape: tuple[int, int]) -> bool:
    """Whether what pixels show by their flat indices has its upper end beyond the picture: at the upper edge, or where
    it leaves the picture at a side, of a body that leans."""
    rows, columns = np.divmod(flat, shape[1])
    highest = columns[rows <= rows.min() + 1]
    return bool(rows.min() == 0 or highest.min() == 0 or highest.max() == shape[1] - 1)


def _allowed_jump(view: CameraView) -> Image32:
    """(h, w) by how much neighbours of one surface may differ in depth [m].

    Rows of level ground at depth d are d² / (f h) apart for a camera of focal length f at height h.
    """
    depth = view.depth
    rows = 1.5 * depth**2 / (view.focal * max(float(view.eye[2]), 0.05))
    jump: Any = JUMP + JUMP_SHARE * depth + np.where(view.height <= STEP, rows, np.float32(0.0))
    return np.asarray(jump, np.float32)
