"""How much of a thing an image shows: visible pixels over those that its outline would have, were nothing before it."""

from math import pi

import cv2
import numpy as np
from numpy.typing import NDArray

from reins.hardware.robot import FloatArray
from reins.perception.image import to_pixels
from reins.sim.camera import CameraImage
from reins.sim.objects import BOWL_BASE, WALL
from reins.sim.world import ObjectSpec, WorldSpec
from reins.training.renders.arrangement import Arrangement, Spot

STEPS = 48
"""Points around a round thing."""

NEAREST = 0.02
"""What is nearer to the camera, or behind it, has no outline in the image [m]."""


def visible_shares(
    world: WorldSpec, arrangement: Arrangement, image: CameraImage, owner: NDArray[np.int16]
) -> dict[str, float]:
    """Share of the outline of every thing that is visible, 0 … 1. All shapes here have convex outlines."""
    counts = np.bincount(owner[owner >= 0].ravel(), minlength=len(world.by_id))
    shares = {}
    for index, (name, item) in enumerate(world.by_id.items()):
        spot = arrangement.spots.get(name)
        area = 0.0 if spot is None else outline_area(item, spot, image)
        shares[name] = min(float(counts[index]) / area, 1.0) if area > 0.0 else 0.0
    return shares


def outline_area(item: ObjectSpec, spot: Spot, image: CameraImage) -> float:
    """Area of its outline in the image and beyond it [pixel²]; 0 if it is not in front of the camera."""
    columns, rows, depth = to_pixels(image.intrinsics, image.pose, _extremes(item, spot))
    if depth.min() < NEAREST:
        return 0.0
    hull = cv2.convexHull(np.column_stack([columns, rows]).astype(np.float32))
    return float(cv2.contourArea(hull))


def _extremes(item: ObjectSpec, spot: Spot) -> FloatArray:
    """(n, 3) points whose convex hull is the thing's [m], base frame."""
    if item.label == "block":
        angle, lower = (np.arange(4) + 0.5) * (pi / 2) + spot.yaw, item.size[0] * np.sqrt(0.5)
        upper = lower
    else:
        angle, upper = np.arange(STEPS) * (2 * pi / STEPS), item.size[0] / 2
        lower = BOWL_BASE * upper if item.label == "bowl" else upper - 2 * WALL
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    half = item.size[2] / 2
    below = np.column_stack([lower * ring, np.full(len(ring), -half)])
    above = np.column_stack([upper * ring, np.full(len(ring), half)])
    centre = np.array([spot.x, spot.y, spot.z])
    return np.asarray(centre + np.vstack([below, above]))
