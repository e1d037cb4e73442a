"""One image in metric terms: pixel to base frame and back."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reins.hardware.robot import FloatArray
from reins.perception.body import Mask, PlacedBody, Points
from reins.perception.image import CameraImage

Image32 = NDArray[np.float32]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Region:
    """Where objects can be: an axis-aligned box in the base frame [m]. Its floor is just above the table top."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


def to_pixels(
    intrinsics: FloatArray, camera_to_base: FloatArray, points: NDArray[Any]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(n,) column, (n,) row [pixel] and (n,) depth along the optical axis [m] of points (n, 3) of the base frame [m].

    Columns and rows mean something only where the depth is positive.
    """
    local = (points - camera_to_base[:3, 3]) @ camera_to_base[:3, :3]
    depth = local[:, 2]
    safe = np.maximum(depth, 1e-6)
    column = local[:, 0] / safe * intrinsics[0, 0] + intrinsics[0, 2]
    row = local[:, 1] / safe * intrinsics[1, 1] + intrinsics[1, 2]
    return column, row, depth


class CameraView:
    """A checked image together with the heights of its pixels.

    Pixel (u, v) is looked through at its centre: the ray of integer pixel coordinates is ((u - cx) / fx, (v - cy) / fy, 1).

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

    def points(self, flat: Indices) -> Points:
        """(n, 3) points in the base frame [m] of the pixels with these flat indices."""
        rows, columns = np.divmod(flat, self.depth.shape[1])
        depth = self.depth.ravel()[flat]
        rays = np.stack([self._ray_x[columns] * depth, self._ray_y[rows] * depth, depth], axis=1)
        return rays @ self._rotation.T + self._origin

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
        """Share of the pixels of `points` (n, 3) that show something lower than `height` [m]; None as in `sees_behind`."""
        row, column, _, inside = self.project(points)
        known = inside & (self.depth[row, column] > 0.0)
        if known.mean() <= 0.9:
            return None
        return float((self.height[row, column][known] < height).mean())
