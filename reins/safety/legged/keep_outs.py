"""Regions of the ground that a walking robot keeps out of: rectangles with round corners, of which a disc is one.

Everything is in the odometry frame. Distances count from the place of the base; what the robot itself needs around it
is part of the regions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reins.hardware.robot import FloatArray

_CORNERS = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])


@dataclass(frozen=True, slots=True, eq=False)
class KeepOut:
    """One region.

    Attributes:
        id: what it is, for messages.
        centre: (2,) of the rectangle [m].
        heading: of the rectangle's x axis [rad].
        half: (2,) half of the rectangle's extents along its axes [m]; both 0 for a disc.
        radius: what belongs to it around the rectangle [m].
    """

    id: str
    centre: FloatArray
    heading: float
    half: FloatArray
    radius: float


class Regions:
    """All of them, as arrays.

    Args:
        keep_outs: k regions.
        grown: what is added to each one's radius: the robot's footprint [m].

    Attributes:
        count: k.
    """

    def __init__(self, keep_outs: Sequence[KeepOut], grown: float) -> None:
        self.count = len(keep_outs)
        headings = np.array([item.heading for item in keep_outs])
        self._centre = np.array([item.centre for item in keep_outs]).reshape(-1, 2)
        self._half = np.array([item.half for item in keep_outs]).reshape(-1, 2)
        self._radius = np.array([item.radius for item in keep_outs]) + grown
        self._cos, self._sin = np.cos(headings), np.sin(headings)
        self.headings = headings
        """(k,) of their x axes [rad]."""
        self.corners = self._centre[:, None] + self._turned_back(_CORNERS * self._half[:, None])
        """(k, 4, 2) of their rectangles [m]."""

    def distances(self, points: FloatArray) -> FloatArray:
        """How far points are from the regions.

        Args:
            points: (k, m, 2), m for each region, or (1, m, 2) of all [m].

        Returns:
            (k, m) [m]; negative inside.

        Source: the signed distance of a rectangle, max(q, 0) outside and the nearest side's inside with
        q = |p| - half in its frame, less the radius.
        """
        beyond = np.abs(self._turned(points - self._centre[:, None])) - self._half[:, None]
        outside = np.hypot(np.maximum(beyond[..., 0], 0.0), np.maximum(beyond[..., 1], 0.0))
        inside = np.minimum(beyond.max(axis=-1), 0.0)
        distances: FloatArray = outside + inside - self._radius[:, None]
        return distances

    def towards(self, place: FloatArray) -> FloatArray:
        """(k, 2) unit vectors from `place` (2,) straight into the regions; any at the very centre of one."""
        local = self._turned((place - self._centre)[:, None])[:, 0]
        side = np.where(local < 0.0, -1.0, 1.0)
        beyond = np.abs(local) - self._half
        out = np.maximum(beyond, 0.0)
        length = np.hypot(out[:, 0], out[:, 1])
        nearest_side = np.eye(2)[beyond.argmax(axis=1)]
        outside = np.divide(out, length[:, None], out=nearest_side, where=length[:, None] > 0.0)
        into: FloatArray = -self._turned_back((side * outside)[:, None])[:, 0]
        return into

    def _turned(self, vectors: FloatArray) -> FloatArray:
        """(k, m, 2) vectors, in the frames of the rectangles."""
        x, y = vectors[..., 0], vectors[..., 1]
        cos, sin = self._cos[:, None], self._sin[:, None]
        return np.stack([cos * x + sin * y, cos * y - sin * x], axis=-1)

    def _turned_back(self, vectors: FloatArray) -> FloatArray:
        """(k, m, 2) vectors in the frames of the rectangles, in the odometry frame."""
        x, y = vectors[..., 0], vectors[..., 1]
        cos, sin = self._cos[:, None], self._sin[:, None]
        return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)
