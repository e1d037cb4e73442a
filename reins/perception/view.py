"""One image in metric terms: pixel to base frame and back."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reins.perception.body import Mask, PlacedBody, Points
from reins.perception.image import CameraImage, to_pixels

Image32 = NDArray[np.float32]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Region:
    """Where objects can be: an axis-aligned box in the base frame [m]. Its floor is just above the table top."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Window:
    """A rectangle of pixels."""

    row: int
    column: int
    height: int
    width: int

    def grown(self, shape: tuple[int, int]) -> "Window":
        """One pixel larger on every side, within an image of `shape` (rows, columns)."""
        row, column = max(self.row - 1, 0), max(self.column - 1, 0)
        below, right = min(self.row + self.height + 1, shape[0]), min(self.column + self.width + 1, shape[1])
        return Window(row, column, below - row, right - column)

    @property
    def slices(self) -> tuple[slice, slice]:
        """To cut it out of an image."""
        return slice(self.row, self.row + self.height), slice(self.column, self.column + self.width)

    def at_border(self, shape: tuple[int, int]) -> Mask:
        """(height, width) which of its pixels are in the first or last row or column of an image of `shape`."""
        border = np.zeros((self.height, self.width), bool)
        if self.row == 0:
            border[0] = True
        if self.column == 0:
            border[:, 0] = True
        if self.row + self.height == shape[0]:
            border[-1] = True
        if self.column + self.width == shape[1]:
            border[:, -1] = True
        return border


class CameraView:
    """A checked image together with the heights of its pixels.

    Pixel (u, v) is looked through at its centre: the ray of whole coordinates is
    ((u - cx) / fx, (v - cy) / fy, 1).

    Args:
        image: passed `check_image`.
        body: the robot at the image's stamp, or None if it is not known.

    Attributes:
        depth: (h, w) float32 along the optical axis [m]; 0 where nothing was measured.
        height: (h, w) float32 height above the table [m]; -inf where nothing was measured.
    """

    def __init__(self, image: CameraImage, body: PlacedBody | None) -> None:
        self.name, self.stamp, self.rgb, self.body = (image.name, image.stamp, image.rgb, body)
        matrix, pose = image.intrinsics, image.pose.astype(np.float32)
        rows, columns = image.depth.shape
        self.focal = float(np.sqrt(matrix[0, 0] * matrix[1, 1]))
        self._matrix, self._pose = matrix, image.pose
        self._rotation, self._origin = pose[:3, :3], pose[:3, 3]
        self._ray_x = ((np.arange(columns) - matrix[0, 2]) / matrix[0, 0]).astype(np.float32)
        self._ray_y = ((np.arange(rows) - matrix[1, 2]) / matrix[1, 1]).astype(np.float32)
        usable = (image.depth > 0.0) & (image.depth < np.inf)  # False for NaN as well
        self.depth: Image32 = image.depth if usable.all() else np.where(usable, image.depth, np.float32(0.0))
        down = self._rotation[2]
        slope = (self._ray_x * down[0])[None, :] + (self._ray_y * down[1] + down[2])[:, None]
        self.height: Image32 = self.depth * slope + self._origin[2]
        if self.depth is not image.depth:
            self.height[~usable] = -np.inf

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self.depth.shape[0], self.depth.shape[1]

    @property
    def eye(self) -> NDArray[np.float32]:
        """(3,) where the camera is [m]."""
        return self._origin

    def points(self, flat: Indices) -> Points:
        """(n, 3) points in the base frame [m] of the pixels with these flat indices."""
        rows, columns = np.divmod(flat, self.depth.shape[1])
        depth = self.depth.ravel()[flat]
        camera = np.empty((3, len(flat)), np.float32)
        np.multiply(self._ray_x[columns], depth, out=camera[0])
        np.multiply(self._ray_y[rows], depth, out=camera[1])
        camera[2] = depth
        return np.ascontiguousarray((self._rotation @ camera + self._origin[:, None]).T)

    def ground_area(self, rows: Indices, columns: Indices) -> NDArray[np.float32]:
        """(n,) area of a level surface that each pixel shows [m²].

        A pixel at depth d of a camera of focal length f sees d³ / (f² h) of a level surface h below the camera.
        """
        depth = self.depth[rows, columns]
        below = np.maximum(self._origin[2] - self.height[rows, columns], np.float32(0.01))
        return np.asarray(depth**3 / (below * np.float32(self.focal**2)), np.float32)

    def project(self, points: NDArray[Any]) -> tuple[Indices, Indices, NDArray[np.float64], Mask]:
        """Where points (n, 3) of the base frame [m] appear.

        Returns:
            (n,) row, (n,) column, (n,) depth along the optical axis [m], (n,) whether the pixel is inside the image and
            the point in front of the camera. Rows and columns are clipped to the image.
        """
        column, row, depth = to_pixels(self._matrix, self._pose, points)
        column, row = np.rint(column), np.rint(row)
        rows, columns = self.shape
        inside = (depth > 1e-3) & (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
        return (
            np.clip(row, 0, rows - 1).astype(np.intp),
            np.clip(column, 0, columns - 1).astype(np.intp),
            depth,
            inside,
        )

    def sees_behind(self, points: NDArray[Any], margin: float) -> float | None:
        """Share of `points` (n, 3) through which the camera measured something farther by more than `margin` [m].

        None if a tenth of them or more are outside the image, or nothing was measured there: then it says nothing.
        """
        row, column, depth, inside = self.project(points)
        measured = self.depth[row, column]
        known = inside & (measured > 0.0)
        if known.mean() <= 0.9:
            return None
        return float((measured[known] > depth[known] + margin).mean())

    def lower_than(self, points: NDArray[Any], height: float) -> float | None:
        """Share of the pixels of `points` (n, 3) that show something lower than `height` [m]; None as above."""
        row, column, _, inside = self.project(points)
        known = inside & (self.depth[row, column] > 0.0)
        if known.mean() <= 0.9:
            return None
        return float((self.height[row, column][known] < height).mean())
