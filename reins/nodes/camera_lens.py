"""What `camera_info` says of a lens, and pictures as a pinhole camera has them."""

from dataclasses import replace
from typing import Final

import numpy as np
from pydantic import ValidationError
from sensor_msgs.msg import CameraInfo

from reins.contracts.errors import ReinsError
from reins.hardware.camera.intrinsics import Intrinsics, Rectifier, intrinsics_from
from reins.hardware.robot import FloatArray
from reins.nodes.convert_sensors import CameraFrame

STRAIGHT: Final = np.zeros(5)
"""Distortion of a pinhole camera, in the plumb bob model."""


def intrinsics_from_msg(info: CameraInfo, name: str, width: int, height: int, rectified: bool) -> Intrinsics:
    """The lens of pictures (width, height) [pixels]: K, D and the distortion model, or of rectified ones P alone.

    Raises:
        ReinsError: a model that is not understood, or numbers that are no calibration; names the camera.
    """
    matrix, bent = _matrix(info, rectified), np.array(info.d, dtype=np.float64)
    try:
        if rectified or not bent.any():
            return intrinsics_from(matrix, STRAIGHT, width, height, name)
        return intrinsics_from(matrix, bent, width, height, name, info.distortion_model)
    except ValidationError as error:
        words = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise ReinsError(f"camera '{name}': camera_info: {words}") from error


def _matrix(info: CameraInfo, rectified: bool) -> FloatArray:
    """(3, 3) pinhole matrix [pixels]: P of rectified pictures, or K where the driver leaves P out; else K."""
    projection = np.array(info.p, dtype=np.float64).reshape(3, 4)[:, :3]
    return projection if rectified and projection.any() else np.array(info.k, dtype=np.float64).reshape(3, 3)


class Lens:
    """Makes one camera's frames those of a pinhole camera; keeps what it works out until `camera_info` changes.

    Args:
        rectified: whether somebody has taken the distortion out of the pictures already, as image_proc does.
    """

    def __init__(self, rectified: bool) -> None:
        self._rectified = rectified
        self._intrinsics: Intrinsics | None = None
        self._rectifier: Rectifier | None = None

    def pinhole(self, frame: CameraFrame, info: CameraInfo) -> CameraFrame:
        """The frame without distortion, with the pinhole matrix that it then has.

        Raises:
            ReinsError: a distortion model that is not understood; names the camera.
        """
        if self._rectified:
            return replace(frame, intrinsics=_matrix(info, rectified=True))
        if not np.any(info.d):
            return frame
        height, width = frame.rgb.shape[:2]
        intrinsics = intrinsics_from_msg(info, frame.name, width, height, rectified=False)
        if self._rectifier is None or intrinsics != self._intrinsics:
            self._intrinsics, self._rectifier = intrinsics, Rectifier(intrinsics)
        rgb, depth = self._rectifier.rectified(frame.rgb), self._rectifier.rectified_depth(frame.depth)
        return replace(frame, rgb=rgb, depth=depth)
