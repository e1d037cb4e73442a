"""Pictures of tags on objects with known truth: each tag drawn where a pinhole camera sees it."""

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from reins.hardware.camera.tags import family
from reins.hardware.robot import FloatArray
from reins.perception.image import to_pixels
from reins.perception.tagged import TaggedObjects

WIDTH, HEIGHT = 640, 480
MATRIX = np.array([[700.0, 0.0, 321.0], [0.0, 702.0, 239.0], [0.0, 0.0, 1.0]])
CELLS = 8
"""Across a tag's black border; a white cell on each side is drawn, too."""

SHARP = 4
"""Pictures are drawn so many times larger first."""


def looking(eye: tuple[float, float, float], point: tuple[float, float, float]) -> FloatArray:
    """(4, 4) pose of a camera at `eye` with `point` in the middle of its picture [m]; +x is up in it, or nearly."""
    forward = np.subtract(point, eye) / np.linalg.norm(np.subtract(point, eye))
    right = np.cross(forward, [1.0, 0.0, 0.2])
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([right, np.cross(forward, right), forward])
    pose[:3, 3] = eye
    return pose


FROM_ABOVE = looking((0.42, 0.05, 0.7), (0.47, 0.03, 0.0))
FROM_THE_SIDE = looking((0.0, 0.15, 0.4), (0.46, 0.03, 0.0))


@dataclass(frozen=True)
class Shown:
    """One image, as perception takes it."""

    name: str
    stamp: float
    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    intrinsics: FloatArray
    pose: FloatArray


def at(x: float, y: float, z: float, yaw: float = 0.0, tilt: float = 0.0) -> FloatArray:
    """(4, 4) pose of an object, turned about +z and then leaning about its own y."""
    return np.asarray(pin.SE3(pin.rpy.rpyToMatrix(0.0, tilt, yaw), np.array([x, y, z])).homogeneous)


def show(
    tagged: TaggedObjects,
    poses: Mapping[str, FloatArray],
    stamp: float = 1.0,
    camera: FloatArray = FROM_ABOVE,
    name: str = "overhead",
) -> Shown:
    """What a camera sees of objects (by name: (4, 4) poses in the base frame): their tags on speckled ground before
    a dark wall."""
    noise = np.random.default_rng(round(stamp * 1000))
    canvas = np.full((HEIGHT * SHARP, WIDTH * SHARP), 120, np.uint8)
    canvas[: 20 * SHARP] = 60
    for item in tagged.objects:
        if item.name in poses:
            for tag in item.tags:
                pose = poses[item.name] @ item.pose_of(tag)
                if ((camera[:3, 3] - pose[:3, 3]) @ pose[:3, 2]) > 0.0:
                    _draw(canvas, tagged, tag.id, tag.size, pose, camera)
    small = cv2.resize(canvas, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    grey = np.clip(small + noise.normal(0.0, 2.0, small.shape), 0, 255).astype(np.uint8)
    nothing = np.zeros((HEIGHT, WIDTH), np.float32)
    return Shown(name, stamp, np.stack([grey] * 3, axis=2), nothing, MATRIX, camera)


def _draw(
    canvas: NDArray[np.uint8], tagged: TaggedObjects, number: int, size: float, pose: FloatArray, camera: FloatArray
) -> None:
    cell = 20
    side = cell * CELLS
    image = np.full((side + 2 * cell, side + 2 * cell), 255, np.uint8)
    image[cell:-cell, cell:-cell] = cv2.aruco.generateImageMarker(family(tagged.family), number, side)
    half = size / 2 * (CELLS + 2) / CELLS
    local = np.array([[-half, half, 0.0], [half, half, 0.0], [half, -half, 0.0], [-half, -half, 0.0]])
    columns, rows, _ = to_pixels(MATRIX, camera, local @ pose[:3, :3].T + pose[:3, 3])
    target = ((np.stack([columns, rows], axis=1) + 0.5) * SHARP - 0.5).astype(np.float32)
    end = len(image) - 0.5
    source = np.array([[-0.5, -0.5], [end, -0.5], [end, end], [-0.5, end]], np.float32)
    turn = cv2.getPerspectiveTransform(source, target)
    shape = canvas.shape[::-1]
    warped = cv2.warpPerspective(image, turn, shape, flags=cv2.INTER_LINEAR, borderValue=0)
    mask = cv2.warpPerspective(np.full_like(image, 255), turn, shape, flags=cv2.INTER_NEAREST, borderValue=0)
    canvas[mask > 0] = warped[mask > 0]
