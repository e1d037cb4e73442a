"""Whether a thing is gone: its place is in view, and nothing is there."""

from typing import Final

import numpy as np

from reins.perception.colours import COLOURS
from reins.perception.legs.looking import Look
from reins.perception.legs.things import Thing

BEHIND: Final = 0.3
"""A place is empty where the camera measures this much farther [m]."""

SEEN_THROUGH: Final = 0.9
"""Share of a thing's samples that must be seen through, or show the ground."""

READABLE: Final = 2.5
"""Nearer than this a marker that is there is seen [m]."""


def is_empty(thing: Thing, look: Look) -> bool:
    """Whether the camera sees that a thing is not where it was."""
    return _is_seen_through(thing, look) if thing.stands else _shows_ground(thing, look)


def _is_seen_through(thing: Thing, look: Look) -> bool:
    """Whether it sees what is behind the middle of something that stood there."""
    outline, heights = thing.outline, np.linspace(0.15, 0.8, 5) * min(thing.top, 0.8)
    along = np.array([np.cos(outline.yaw), np.sin(outline.yaw)]) * outline.size[0]
    if outline.size[1] > outline.size[0]:
        along = np.array([-np.sin(outline.yaw), np.cos(outline.yaw)]) * outline.size[1]
    columns = outline.centre + np.array([-0.25, 0.0, 0.25])[:, None] * along
    samples = np.column_stack([np.repeat(columns, len(heights), axis=0), np.tile(heights, len(columns))])
    share = look.view.sees_behind(samples, BEHIND)
    return share is not None and share >= SEEN_THROUGH


def _shows_ground(thing: Thing, look: Look) -> bool:
    """Whether the place of a marker is in view, near, and of another colour."""
    outline, view = thing.outline, look.view
    if float(np.hypot(*(outline.centre - view.eye[:2]))) > READABLE:
        return False
    grid = np.linspace(-0.25, 0.25, 3)
    u, v = (part.ravel() for part in np.meshgrid(grid * outline.size[0], grid * outline.size[1]))
    cos, sin = np.cos(outline.yaw), np.sin(outline.yaw)
    samples = np.column_stack([cos * u - sin * v, sin * u + cos * v, np.zeros_like(u)])
    samples[:, :2] += outline.centre
    row, column, depth, inside = view.project(samples)
    open_view = inside & (np.abs(view.depth[row, column] - depth) < 0.1 + 0.1 * depth)
    if not open_view.all():
        return False
    words = look.classes[row, column]
    return float((words != COLOURS.index(thing.colour)).mean()) >= SEEN_THROUGH
