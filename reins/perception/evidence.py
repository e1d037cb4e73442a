"""Whether an object is gone: its place is in sight, and nothing is there."""

from collections.abc import Sequence

import numpy as np

from reins.perception.track import Array, Track
from reins.perception.view import CameraView

SEEN_THROUGH = 0.9
"""Share of an object's samples behind which the camera must see for its place to count as empty."""

BEHIND = 0.01
"""How much farther than the object the camera must measure there [m]."""

TABLE_LEVEL = 0.006
"""Anything lower than this is the table [m]."""


def place_is_empty(track: Track, views: Sequence[CameraView]) -> bool:
    """Whether some camera sees through where the object should be."""
    samples = _samples(track)
    for view in views:
        block = track.label == "block"
        share = view.sees_behind(samples, BEHIND) if block else view.lower_than(samples, TABLE_LEVEL)
        if share is not None and share >= SEEN_THROUGH:
            return True
    return False


def _samples(track: Track) -> Array:
    """(n, 3) points on the object that a camera above must see: of a block the middle of its top, of a dish its rim."""
    if track.label == "block":
        grid = np.linspace(-0.3, 0.3, 5)
        x, y = np.meshgrid(grid, grid)
        local = np.stack([x.ravel(), y.ravel(), np.full(x.size, 0.5)], axis=1) * track.size
        return np.asarray(local @ track.rotation.T + track.position)
    angle = np.linspace(0.0, 2 * np.pi, 24, endpoint=False)
    ring = np.concatenate([np.stack([np.cos(angle), np.sin(angle)], axis=1) * share for share in (0.8, 0.9, 0.97)])
    return np.column_stack([ring * track.radius + track.position[:2], np.full(len(ring), track.top)])
