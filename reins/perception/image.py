"""RGB-D images: the type that perception takes, and the checks before an image is believed."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.hardware.robot import FloatArray
from reins.perception.quality import SAMPLE_STEP, PictureLimits, check_picture, is_measured

FARTHEST_M = 20.0
"""Longest depth that a tabletop camera can mean in metres; medians beyond it are millimetres."""

NEAREST_M = 0.005
"""Shortest median depth that a camera can measure in metres; below it are metres that were taken for millimetres."""

LEAST_MEASURED = 0.05
"""Smallest share of pixels with a usable depth in an image worth looking at."""

THUMB = 8
"""Rows and columns between the pixels that are compared to notice a frozen camera."""


class CameraImage(Protocol):
    """One RGB-D image.

    Attributes:
        name: the camera's name.
        stamp: robot time at which it was taken [s].
        rgb: (h, w, 3) uint8.
        depth: (h, w) float32, distance along the optical axis [m]; 0, NaN or inf where nothing was measured.
        intrinsics: (3, 3) pinhole matrix [pixel].
        pose: (4, 4) pose of the optical frame (x right, y down, z forward) in the robot's base frame.
    """

    @property
    def name(self) -> str: ...
    @property
    def stamp(self) -> float: ...
    @property
    def rgb(self) -> NDArray[np.uint8]: ...
    @property
    def depth(self) -> NDArray[np.float32]: ...
    @property
    def intrinsics(self) -> FloatArray: ...
    @property
    def pose(self) -> FloatArray: ...


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something about the last update that a person should know.

    Attributes:
        camera: name of the camera, or empty if it is about the whole.
        severity: WARN where the image was used all the same, ERROR where it was left out.
        kind: machine-readable, snake_case: of an image that was left out "black", "overexposed", "blurred", "blocked",
            "frozen", "out_of_order", "ahead", "no_state" or "bad_image"; of one that was used "stale".
        text: one sentence.
    """

    camera: str
    severity: Severity
    kind: str
    text: str


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


def thumb_of(image: CameraImage) -> NDArray[np.uint8]:
    """(rows, columns, 3) a few of its pixels, to compare images by."""
    return np.ascontiguousarray(image.rgb[::THUMB, ::THUMB])


def check_image(image: CameraImage, limits: PictureLimits | None = None, needs_depth: bool = True) -> None:
    """Raise ReinsError, saying what is wrong and what is expected, unless `image` can be used.

    Args:
        image: what is checked.
        limits: beyond what a picture shows nothing.
        needs_depth: whether it is of no use without depth.

    Raises:
        BadPicture: its numbers are fine, and the picture is black, over-exposed, blurred or blocked.
        ReinsError: arrays, intrinsics, pose, time or depth are not what they have to be.
    """
    who = f"camera '{image.name}'"
    _check_arrays(who, image.rgb, image.depth)
    height, width = image.depth.shape
    _check_intrinsics(who, image.intrinsics, width, height)
    _check_pose(who, image.pose)
    if not np.isfinite(image.stamp):
        raise ReinsError(f"{who}: its time stamp is {image.stamp}; expected robot time in seconds")
    if needs_depth:
        _check_unit(who, image.depth)
    check_picture(who, image.rgb, image.depth, limits or PictureLimits())
    if needs_depth:
        _check_measured(who, image.depth)


def _check_arrays(who: str, rgb: Any, depth: Any) -> None:
    if not isinstance(rgb, np.ndarray) or rgb.dtype != np.uint8 or rgb.ndim != 3 or rgb.shape[2] != 3:
        raise ReinsError(f"{who}: rgb is {_describe(rgb)}; expected a (height, width, 3) uint8 array")
    if not isinstance(depth, np.ndarray) or depth.ndim != 2 or depth.dtype != np.float32:
        hint = "; convert millimetres to metres" if isinstance(depth, np.ndarray) and depth.dtype.kind in "iu" else ""
        raise ReinsError(
            f"{who}: depth is {_describe(depth)}; expected a (height, width) float32 array in metres{hint}"
        )
    if rgb.shape[:2] != depth.shape:
        raise ReinsError(
            f"{who}: rgb is {rgb.shape[1]}x{rgb.shape[0]} and depth {depth.shape[1]}x{depth.shape[0]}; "
            "expected depth registered to the colour image, of one size"
        )
    if min(depth.shape) < SAMPLE_STEP:
        raise ReinsError(f"{who}: the image is only {depth.shape[1]}x{depth.shape[0]} pixels")


def _describe(value: Any) -> str:
    return f"a {value.shape} {value.dtype} array" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"


def _check_intrinsics(who: str, matrix: Any, width: int, height: int) -> None:
    if not isinstance(matrix, np.ndarray) or matrix.shape != (3, 3) or not np.isfinite(matrix).all():
        raise ReinsError(
            f"{who}: intrinsics are {_describe(matrix)}; expected a finite (3, 3) pinhole matrix in pixels"
        )
    if matrix[0, 0] <= 0.0 or matrix[1, 1] <= 0.0:
        raise ReinsError(
            f"{who}: focal lengths {matrix[0, 0]:.1f}, {matrix[1, 1]:.1f} must be positive pixels; is it calibrated?"
        )
    # A calibrated principal point lies near the middle; outside the middle half the matrix is of another resolution.
    if not (0.25 * width < matrix[0, 2] < 0.75 * width and 0.25 * height < matrix[1, 2] < 0.75 * height):
        raise ReinsError(
            f"{who}: principal point ({matrix[0, 2]:.1f}, {matrix[1, 2]:.1f}) does not fit a {width}x{height} image; "
            "the intrinsics are of another resolution"
        )


def _check_pose(who: str, pose: Any) -> None:
    if not isinstance(pose, np.ndarray) or pose.shape != (4, 4) or not np.isfinite(pose).all():
        raise ReinsError(f"{who}: pose is {_describe(pose)}; expected a finite (4, 4) pose in metres")
    rotation = pose[:3, :3]
    if np.abs(rotation @ rotation.T - np.eye(3)).max() > 1e-3 or np.linalg.det(rotation) < 0.0:
        raise ReinsError(f"{who}: the rotation part of pose is not a rotation")


def _check_unit(who: str, depth: NDArray[np.float32]) -> None:
    usable = _usable(depth)
    if not usable.size:
        return
    median = float(np.median(usable))
    if median > FARTHEST_M:
        raise ReinsError(f"{who}: median depth is {median:.0f}; expected metres, these look like millimetres")
    if median < NEAREST_M:
        raise ReinsError(
            f"{who}: median depth is {median * 1e3:.1f} mm, nearer than any camera measures; these look like metres "
            "that were taken for millimetres: 16UC1 means millimetres, and 32FC1 metres"
        )


def _check_measured(who: str, depth: NDArray[np.float32]) -> None:
    usable, count = _usable(depth).size, depth[::SAMPLE_STEP, ::SAMPLE_STEP].size
    if usable < LEAST_MEASURED * count:
        raise ReinsError(f"{who}: {usable} of {count} sampled pixels have a depth; the depth image is empty")


def _usable(depth: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n,) the sampled depths that were measured [m]."""
    sample = depth[::SAMPLE_STEP, ::SAMPLE_STEP]
    return sample[is_measured(sample)]
