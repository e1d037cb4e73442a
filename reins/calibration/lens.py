"""The lens of a camera from views of a board: pinhole matrix and distortion, with how well they fit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from reins.calibration.board import View
from reins.contracts.errors import ReinsError
from reins.hardware.camera.intrinsics import Intrinsics, intrinsics_from

LEAST_VIEWS: Final = 8
"""Fewer views leave focal length and distortion to chance."""

LEAST_COVER: Final = 0.6
"""The corners of all views must reach over this share of the picture's width and height: distortion is at the edges."""

LEAST_TILT: Final = 15.0
"""Between the two boards that are tilted most differently [degrees]: views that are all parallel do not tell the focal
length from the distance."""


@dataclass(frozen=True, slots=True)
class LensReport:
    """A calibrated lens.

    Attributes:
        intrinsics: what was found.
        rms: root mean square distance between corners and where the calibration has them [pixels].
        focal_std: standard deviation of the focal lengths [pixels].
        worst: name of the picture that fits worst, and its rms [pixels].
        views: how many pictures there were.
        cover: share of the picture's width and height that the corners reach over, the lesser of both.
        tilt: between the two boards that are tilted most differently [degrees].
    """

    intrinsics: Intrinsics
    rms: float
    focal_std: float
    worst: tuple[str, float]
    views: int
    cover: float
    tilt: float


def calibrate_lens(views: Sequence[View], width: int, height: int, name: str) -> LensReport:
    """Calibrate a camera.

    Args:
        views: of one board by one camera.
        width, height: of its pictures [pixels].
        name: of the camera.

    Raises:
        ReinsError: too few views, or views that do not fix the lens; says what to take.
    """
    if len(views) < LEAST_VIEWS:
        raise ReinsError(
            f"{len(views)} pictures show the board, and a lens needs {LEAST_VIEWS}; take more, with the board at the "
            "edges and tilted"
        )
    corners = np.concatenate([view.pixels for view in views])
    cover = float(np.min(np.ptp(corners, axis=0) / [width, height]))
    if cover < LEAST_COVER:
        raise ReinsError(
            f"the board reaches over {cover:.0%} of the picture, and distortion is at the edges; take views until it "
            f"has been over {LEAST_COVER:.0%} of the width and of the height"
        )
    points = [view.points.astype(np.float32) for view in views]
    pixels = [view.pixels.astype(np.float32) for view in views]
    begin = np.eye(3), np.zeros(5)  # without CALIB_USE_INTRINSIC_GUESS it begins by itself
    rms, matrix, distortion, turns, _, deviations, _, each = cv2.calibrateCameraExtended(
        points, pixels, (width, height), *begin, flags=cv2.CALIB_FIX_K3
    )
    tilt = _tilt([np.asarray(cv2.Rodrigues(turn)[0])[:, 2] for turn in turns])
    if tilt < LEAST_TILT:
        raise ReinsError(
            f"the boards are tilted against each other by {tilt:.0f}° at most, so that focal length and distance "
            f"cannot be told apart; tilt it by {LEAST_TILT:.0f}° and more, to all sides"
        )
    each = np.asarray(each).ravel()
    index = int(each.argmax())
    return LensReport(
        intrinsics_from(
            np.asarray(matrix, np.float64), np.asarray(distortion, np.float64).ravel()[:5], width, height, name
        ),
        float(rms),
        float(np.max(np.asarray(deviations).ravel()[:2])),
        (views[index].name, float(each[index])),
        len(views),
        cover,
        tilt,
    )


def _tilt(normals: Sequence[np.ndarray]) -> float:
    """Largest angle between two of some unit vectors (3,) [degrees]."""
    stacked = np.stack(normals)
    return float(np.degrees(np.arccos(np.clip((stacked @ stacked.T).min(), -1.0, 1.0))))
