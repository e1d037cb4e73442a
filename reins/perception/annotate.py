"""Draw a scene over the image it was seen in."""

from itertools import pairwise

import cv2
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from reins.contracts.scene import Scene, SceneObject
from reins.hardware.robot import FloatArray
from reins.perception.image import CameraImage
from reins.perception.view import to_pixels

LINE = (255, 255, 255)
"""Colour of boxes and letters (RGB)."""

SHADE = (0, 0, 0)
"""Colour of their outlines, so that they can be read on any ground (RGB)."""

FONT_SCALE = 0.33


def annotate(image: CameraImage, scene: Scene) -> NDArray[np.uint8]:
    """(h, w, 3) copy of the image with a box and a name for every object of the scene in front of the camera."""
    canvas = np.ascontiguousarray(image.rgb).copy()
    held = scene.held()
    for item in scene.objects.values():
        columns, rows, depth = to_pixels(image.intrinsics, image.pose, _corners(item))
        if (depth < 0.02).any():
            continue
        corners = np.rint(np.stack([columns, rows], axis=1)).astype(np.int32)
        if (np.abs(corners) > 10 * max(canvas.shape)).any():
            continue
        _outline(canvas, corners)
        _label(canvas, item.id + (" (held)" if item.id == held else ""), corners)
    return canvas


def _corners(item: SceneObject) -> FloatArray:
    """(8, 3) corners of the object's box in the base frame [m]: the lower four in turn, then the upper four."""
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) / 2
    unit = np.vstack([np.column_stack([square, np.full(4, level)]) for level in (-0.5, 0.5)])
    rotation = pin.Quaternion(np.array(item.orientation)).matrix()
    return np.asarray(unit * np.array(item.size) @ rotation.T + np.array(item.position))


def _outline(canvas: NDArray[np.uint8], corners: NDArray[np.int32]) -> None:
    for colour, width in ((SHADE, 2), (LINE, 1)):
        for ring in (corners[:4], corners[4:]):
            cv2.polylines(canvas, [ring], True, colour, width, cv2.LINE_AA)
        for low, high in zip(corners[:4], corners[4:], strict=True):
            for start, end in pairwise((low, high)):
                cv2.line(canvas, start.tolist(), end.tolist(), colour, width, cv2.LINE_AA)


def _label(canvas: NDArray[np.uint8], text: str, corners: NDArray[np.int32]) -> None:
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, FONT_SCALE, 1)
    left = int(np.clip(corners[:, 0].mean() - width / 2, 0, max(canvas.shape[1] - width, 0)))
    base = int(np.clip(corners[:, 1].min() - 3, height + 1, canvas.shape[0] - 1))
    for colour, thickness in ((SHADE, 3), (LINE, 1)):
        cv2.putText(canvas, text, (left, base), cv2.FONT_HERSHEY_SIMPLEX, FONT_SCALE, colour, thickness, cv2.LINE_AA)
