"""Points of a thing, seen from above, to the rectangle or the circle that it covers, and to what it is."""

from dataclasses import dataclass, replace
from math import hypot, pi
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.contracts.scene import PERSON
from reins.perception.shapes import canonical, fit_circle

Array = NDArray[np.float64]

BOX, DOOR, MARKER = "box", "door", "marker"

TALL: Final = 1.2
"""What is at least so high is a door or a person; boxes are lower [m]."""

TALL_IF_CUT: Final = 0.7
"""The same for what goes on beyond the picture [m]: near things show no more of themselves."""

ROUND_RADII: Final = (0.12, 0.45)
"""Smallest and largest radius of a person's outline [m]: a leg's and a shoulder's width."""

ROUNDER: Final = 0.5
"""A thing is round if its points are nearer to a circle than to two sides of a rectangle by this factor."""

ARC: Final = 0.15
"""Least width of what is seen of a round thing [m]."""

THIN: Final = 0.06
"""Depth of a door of which only one side is seen, and of a marker's shortest side at least [m]."""

UNSEEN_SIDE: Final = 0.1
"""A box that looks thinner is seen from one side: it is taken to be as deep as wide [m] …"""

DEEPEST: Final = 0.6
"""… up to this [m]."""

ANGLES: Final = np.radians(np.arange(0.0, 90.0, 2.0))
"""Directions that a rectangle's side is tried along [rad]."""

SLIDES: Final = 5
"""Steps in which a person's place is found."""

SHALLOW: Final = 0.2
"""Directions in which points pull weaker than this, of the strongest, do not move a person."""

COVERED: Final = 0.3
"""Points beyond a person's edge by this share of their width are somebody else's."""

CLOSEST: Final = 0.01
"""Nearer to a side than this is on it [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """What something covers of the ground.

    Attributes:
        label: what it is.
        centre: (2,) [m].
        yaw: of its x axis [rad].
        size: (2,) full extents along its axes [m].
        is_sure: whether its label is known; else it is the likeliest.
    """

    label: str
    centre: Array
    yaw: float
    size: Array
    is_sure: bool


def is_tall(top: float, is_cut: bool) -> bool:
    """Whether what is seen to be so high [m], and may go on above that, is higher than a box."""
    return top >= (TALL_IF_CUT if is_cut else TALL)


def outline_of(xy: Array, tall: bool, is_cut: bool, eye: Array) -> Outline:
    """Of something that stands.

    Args:
        xy: (n, 2) points of it, seen from above [m].
        tall: whether it is higher than a box.
        is_cut: whether it goes on above what is seen of it.
        eye: (2,) from where it is seen [m].
    """
    centre, yaw, size, off = _rectangle(xy)
    if (circle := _circle(xy, off)) is not None and (tall or is_cut):
        middle, radius = circle
        return Outline(PERSON, middle, 0.0, np.full(2, 2.0 * radius), tall)
    label = DOOR if tall else BOX
    return _completed(label, centre, yaw, size, eye, is_sure=tall or not is_cut)


def flat_outline(xy: Array) -> Outline:
    """Of something that lies: (n, 2) points of it [m]."""
    centre, yaw, size, _ = _rectangle(xy)
    return Outline(MARKER, centre, yaw, np.maximum(size, THIN), is_sure=True)


def _circle(xy: Array, off: float) -> tuple[Array, float] | None:
    """Centre (2,) and radius of something round, whose points are `off` [m] from a rectangle; None if it is not."""
    middle, radius = fit_circle(xy, xy.mean(axis=0))
    if not ROUND_RADII[0] <= radius <= ROUND_RADII[1]:
        return None
    ring = float(np.abs(np.hypot(*(xy - middle).T) - radius).mean())
    wide = float(np.ptp(xy, axis=0).max())
    return (middle, radius) if wide >= ARC and ring < ROUNDER * off else None


def _rectangle(xy: Array) -> tuple[Array, float, Array, float]:
    """Centre (2,), yaw and extents (2,) of the rectangle of which points (n, 2) show one side or two; and how far from
    its nearest side they are on average [m].

    Source: X. Zhang, W. Xu, C. Dong, J. M. Dolan, "Efficient L-shape fitting for vehicle detection using laser
    scanners", IEEE Intelligent Vehicles 2017: the direction in which the points are closest to two sides.
    """
    cos, sin = np.cos(ANGLES)[:, None], np.sin(ANGLES)[:, None]
    along, across = cos * xy[:, 0] + sin * xy[:, 1], cos * xy[:, 1] - sin * xy[:, 0]  # (angles, n)
    near = np.minimum(_to_side(along), _to_side(across))
    best = int((1.0 / np.maximum(near, CLOSEST)).sum(axis=1).argmax())
    u, v, angle = along[best], across[best], float(ANGLES[best])
    low, high = np.array([u.min(), v.min()]), np.array([u.max(), v.max()])
    middle = (low + high) / 2.0
    centre = np.array(
        [cos[best, 0] * middle[0] - sin[best, 0] * middle[1], sin[best, 0] * middle[0] + cos[best, 0] * middle[1]]
    )
    yaw, size = canonical(angle, high - low)
    return centre, yaw, size, float(near[best].mean())


def _to_side(values: Array) -> Array:
    """Distances of values (k, n) to the side of each row that they are nearer to as a whole: its least or its most."""
    low = values - values.min(axis=1, keepdims=True)
    high = values.max(axis=1, keepdims=True) - values
    is_low = (low**2).sum(axis=1, keepdims=True) <= (high**2).sum(axis=1, keepdims=True)
    return np.asarray(np.where(is_low, low, high))


def _completed(label: str, centre: Array, yaw: float, size: Array, eye: Array, is_sure: bool) -> Outline:
    """With the side that is not seen, which is away from the eye."""
    thin = int(size.argmin())
    width = float(size[1 - thin])
    depth = min(width, DEEPEST) if label == BOX else THIN
    if size[thin] < (UNSEEN_SIDE if label == BOX else THIN) and depth > size[thin]:
        angle = yaw + thin * pi / 2
        axis = np.array([np.cos(angle), np.sin(angle)])
        away = axis if axis @ (centre - eye) >= 0.0 else -axis
        centre = centre + away * (depth - size[thin]) / 2.0
        size = size.copy()
        size[thin] = depth
    return Outline(label, centre, yaw, size, is_sure)


def slid(person: Outline, width: float, xy: Array) -> Outline:
    """A person of a known width [m], moved as little as brings their edge to the points (n, 2) of which they show; as
    wide as it takes to cover them all, where somebody stands beside them.

    Gauss and Newton's steps, each the shortest that solves its equations.
    """
    centre = person.centre
    for _ in range(SLIDES):
        offset = xy - centre
        far = np.maximum(np.hypot(*offset.T), 1e-6)
        step, *_ = np.linalg.lstsq(offset / far[:, None], far - width / 2.0, rcond=SHALLOW)
        centre = centre + step
    covers = 2.0 * float(np.hypot(*(xy - centre).T).max())
    wide = width if covers < (1.0 + COVERED) * width else covers
    return replace(person, centre=centre, size=np.full(2, wide))


def distance(outline: Outline, xy: Array) -> Array:
    """(n,) distances of points (n, 2) from the edge of what is covered [m]; 0 inside."""
    offset = xy - outline.centre
    if outline.label == PERSON:
        return np.asarray(np.maximum(np.hypot(*offset.T) - outline.size[0] / 2.0, 0.0))
    cos, sin = np.cos(outline.yaw), np.sin(outline.yaw)
    along = np.abs(cos * offset[:, 0] + sin * offset[:, 1]) - outline.size[0] / 2.0
    across = np.abs(cos * offset[:, 1] - sin * offset[:, 0]) - outline.size[1] / 2.0
    return np.asarray(np.hypot(np.maximum(along, 0.0), np.maximum(across, 0.0)))


def apart(one: Outline, other: Outline) -> float:
    """Distance of two middles [m]."""
    x, y = one.centre - other.centre
    return hypot(float(x), float(y))
