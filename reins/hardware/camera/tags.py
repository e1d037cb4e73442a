"""AprilTags and other square markers in a picture, with corners good to a twentieth of a pixel."""

from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from reins.hardware.robot import FloatArray

FAMILIES: Final = tuple(sorted(name for name in dir(cv2.aruco) if name.startswith("DICT_") and name.isupper()))
"""Families of tags that OpenCV knows, by its names."""

ALONG: Final = np.linspace(0.12, 0.88, 24)
"""Where along a side its edge is looked for, as shares of its length: at the corners two edges mix."""

ACROSS: Final = 1.0 / 14
"""How far to either side it is looked for, as a share of the side's length: a little more than half a cell of a tag of
8 cells; beyond are the tag's pattern and the ground."""

STEPS: Final = 21
"""Samples across an edge."""

ROUNDS: Final = 2
"""The second time it is looked for where it was found the first time."""


def family(name: str) -> Any:
    """A family of FAMILIES, as OpenCV takes it."""
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name))


class TagDetector:
    """Finds the tags of one family.

    OpenCV finds and reads them. Its corners of a tag of 30 pixels are drawn inwards by a third of a pixel or more,
    which is a hundredth of the tag's distance; those that it takes over from AprilTag are not, and take twenty times
    as long. So lines are fitted to the sides here.

    Args:
        name: of the family.
    """

    def __init__(self, name: str) -> None:
        settings = cv2.aruco.DetectorParameters()
        settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        self._detector = cv2.aruco.ArucoDetector(family(name), settings)

    def find(self, grey: NDArray[Any]) -> list[tuple[int, FloatArray]]:
        """Number and corners (4, 2) [pixels] of every tag in a picture (h, w): upper left, upper right, lower right,
        lower left as the tag is printed; the middle of the first pixel is (0, 0)."""
        found: tuple[Any, ...] = self._detector.detectMarkers(grey)
        corners, ids, _ = found
        if ids is None:
            return []
        numbers = np.asarray(ids).ravel()
        return [
            (int(number), refined(grey, np.asarray(corner, np.float64).reshape(4, 2)))
            for number, corner in zip(numbers, corners, strict=True)
        ]


def refined(grey: NDArray[Any], corners: FloatArray) -> FloatArray:
    """Corners (4, 2) [pixels] where lines through a dark square's edges in a picture (h, w) meet.

    Corners that are nearly right go in; they come back as they are if the edges are not to be seen there.
    """
    best = corners
    for _ in range(ROUNDS):
        sides = [_edge(grey, best[side], best[(side + 1) % 4], best.mean(axis=0)) for side in range(4)]
        lines = [line for line in sides if line is not None]
        if len(lines) < len(sides):
            return best
        found = [np.cross(lines[side - 1], lines[side]) for side in range(4)]
        if any(abs(point[2]) < 1e-9 for point in found):
            return best
        best = np.array([point[:2] / point[2] for point in found])
    return best if np.abs(best - corners).max() < 2.0 * ACROSS * np.linalg.norm(corners[0] - corners[2]) else corners


def _edge(grey: NDArray[Any], start: FloatArray, end: FloatArray, middle: FloatArray) -> FloatArray | None:
    """(3,) homogeneous line along the edge from dark (at `middle`) to bright near the side from `start` to `end`; None
    where it is not to be seen."""
    side = end - start
    length = float(np.linalg.norm(side))
    out = np.array([side[1], -side[0]]) / length
    if out @ (middle - start) > 0.0:
        out = -out
    offsets = np.linspace(-1.0, 1.0, STEPS) * max(ACROSS * length, 1.5)
    on_side = start + ALONG[:, None] * side
    at = on_side[:, None, :] + offsets[None, :, None] * out
    values = cv2.remap(
        grey,
        at[..., 0].astype(np.float32),
        at[..., 1].astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    rise = np.maximum(np.diff(values.astype(np.float64), axis=1), 0.0)
    rise[rise < 0.2 * rise.max(axis=1, keepdims=True)] = 0.0
    weight = rise.sum(axis=1)
    seen = weight > 0.3 * np.median(weight)
    if weight.max() <= 0.0 or np.count_nonzero(seen) < len(ALONG) // 2:
        return None
    where = (rise @ ((offsets[1:] + offsets[:-1]) / 2))[seen] / weight[seen]
    slope, height = np.polyfit(ALONG[seen], where, 1)
    return np.cross([*(start + height * out), 1.0], [*(end + (height + slope) * out), 1.0])
