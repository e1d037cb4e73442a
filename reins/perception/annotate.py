"""Draw a scene over the image it was seen in."""

from collections.abc import Sequence

import cv2
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from reins.contracts.scene import Scene, SceneObject
from reins.hardware.robot import FloatArray
from reins.perception.image import CameraImage, to_pixels

LINE = (255, 255, 255)
"""Colour of boxes and letters (RGB)."""

SHADE = (0, 0, 0)
"""Colour of their outlines, so that they can be read on any ground (RGB)."""

FONT_SCALE = 0.33

NEAREST = 0.02
"""Things nearer to the camera than this are not drawn [m]."""

BLOCK_CORNERS = 4

ROUND_STEPS = 32
"""Corners of the lines that are drawn around round things."""


def annotate(image: CameraImage, scene: Scene) -> NDArray[np.uint8]:
    """(h, w, 3) copy of the image with a box and a name for every object of the scene in front of the camera."""
    canvas = np.ascontiguousarray(image.rgb).copy()
    held = scene.held()
    for item in scene.objects.values():
        columns, rows, depth = to_pixels(image.intrinsics, image.pose, _edges(item))
        if depth.min() < NEAREST:
            continue
        pixels = np.rint(np.stack([columns, rows], axis=1)).astype(np.int32)
        column, row = pixels.mean(axis=0)
        if not (0 <= column < canvas.shape[1] and 0 <= row < canvas.shape[0]):
            continue
        _outline(canvas, pixels)
        _label(canvas, item.id + (" (held)" if item.id == held else ""), pixels)
    return canvas


def annotate_all(images: Sequence[CameraImage], scene: Scene) -> NDArray[np.uint8]:
    """(h, w, 3) the annotated images of all cameras side by side, as high as the first, each with its camera's name.

    Args:
        images: one or more.
        scene: what was seen in them.
    """
    height = images[0].rgb.shape[0]
    return np.hstack([_named(annotate(image, scene), image.name, height) for image in images])


def _named(picture: NDArray[np.uint8], name: str, height: int) -> NDArray[np.uint8]:
    if picture.shape[0] != height:
        width = max(1, round(picture.shape[1] * height / picture.shape[0]))
        picture = np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    (_, letters), _ = cv2.getTextSize(name, cv2.FONT_HERSHEY_SIMPLEX, FONT_SCALE, 1)
    _write(picture, name, (3, letters + 3))
    return picture


def _edges(item: SceneObject) -> FloatArray:
    """(2 n, 3) the lower edge of the object, then its upper edge, as points in the base frame [m]."""
    steps = BLOCK_CORNERS if item.label == "block" else ROUND_STEPS
    angle = (np.arange(steps) + 0.5) * (2 * np.pi / steps)
    radius = np.sqrt(0.5) if item.label == "block" else 0.5
    ring = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    unit = np.vstack([np.column_stack([ring, np.full(steps, level)]) for level in (-0.5, 0.5)])
    rotation = pin.Quaternion(np.array(item.orientation)).matrix()
    return np.asarray(unit * np.array(item.size) @ rotation.T + np.array(item.position))


def _outline(canvas: NDArray[np.uint8], pixels: NDArray[np.int32]) -> None:
    steps = len(pixels) // 2
    lower, upper = pixels[:steps], pixels[steps:]
    for colour, width in ((SHADE, 2), (LINE, 1)):
        cv2.polylines(canvas, [lower, upper], True, colour, width, cv2.LINE_AA)
        if steps == BLOCK_CORNERS:
            for start, end in zip(lower.tolist(), upper.tolist(), strict=True):
                cv2.line(canvas, start, end, colour, width, cv2.LINE_AA)


def _label(canvas: NDArray[np.uint8], text: str, pixels: NDArray[np.int32]) -> None:
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, FONT_SCALE, 1)
    left = int(np.clip(pixels[:, 0].mean() - width / 2, 0, max(canvas.shape[1] - width, 0)))
    base = int(np.clip(pixels[:, 1].min() - 3, height + 1, canvas.shape[0] - 1))
    _write(canvas, text, (left, base))


def _write(canvas: NDArray[np.uint8], text: str, at: tuple[int, int]) -> None:
    """Letters that begin `at` column and row, on whatever ground."""
    for colour, thickness in ((SHADE, 3), (LINE, 1)):
        cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, FONT_SCALE, colour, thickness, cv2.LINE_AA)
