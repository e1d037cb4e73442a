"""Which blob is which thing, or a part of one."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.perception.legs.looking import Blob, Look
from reins.perception.legs.outline import distance
from reins.perception.legs.things import Array, Thing, stem

REACH: Final = 0.5
"""What is seen of a thing is no farther than this from where it is known to be [m]: people walk, and a side that comes
into view is beside what was seen before."""

TOUCHES: Final = 0.1
"""Things that are both so near to what is seen as one are one [m]."""

WIDEST: Final = 1.2
"""Halves of one thing are no farther apart than this [m]: a door is a metre wide."""

HIDDEN: Final = 0.8
"""Share of what is between two halves that something nearer hides."""

PART: Final = 0.15
"""A flat blob nearer than this to something that stands, of its colour, is its foot [m]."""

MOST: Final = 60
"""Points of a blob that are compared with what is known."""

NEARER: Final = 0.3
"""What hides something is nearer by more than this [m]."""


def is_alike(thing: Thing, blob: Blob) -> bool:
    """Whether both have one colour, and both stand or both lie."""
    return thing.colour == blob.colour and thing.stands == blob.stands


def known_of(blob: Blob, things: Sequence[Thing]) -> Thing | None:
    """The thing that a blob is, or is a part of: the nearest one that is like it."""
    xy = thinned(blob.points)
    near = [
        (float(distance(thing.outline, xy).min()), index) for index, thing in enumerate(things) if is_alike(thing, blob)
    ]
    gap, index = min(near, default=(np.inf, -1))
    return things[index] if gap <= REACH else None


def touched_by(blob: Blob, things: Sequence[Thing]) -> list[Thing]:
    """The things that a blob touches, which are one then."""
    xy = thinned(blob.points)
    return [thing for thing in things if is_alike(thing, blob) and float(distance(thing.outline, xy).min()) <= TOUCHES]


def half_of(blob: Blob, things: Sequence[Thing], look: Look) -> Thing | None:
    """The thing of which a blob is the other half: something nearer hides what is in between."""
    middle = blob.points[:, :2].mean(axis=0)
    for thing in things:
        if not (thing.stands and is_alike(thing, blob)) or float(distance(thing.outline, middle[None])[0]) > WIDEST:
            continue
        nearest = blob.points[int(distance(thing.outline, blob.points[:, :2].astype(np.float64)).argmin())]
        other = thing.cells[int(np.hypot(*(thing.cells - nearest[:2]).T).argmin())]
        share = np.linspace(0.0, 1.0, 12)[1:-1, None]
        between = np.column_stack([(1.0 - share) * nearest[:2] + share * other, np.full(len(share), nearest[2])])
        row, column, depth, inside = look.view.project(between)
        hidden = look.view.depth[row, column] < depth - NEARER
        if inside.all() and hidden.mean() >= HIDDEN:
            return thing
    return None


def without_feet(blobs: Sequence[Blob]) -> list[Blob]:
    """All but what lies at the foot of something that stands and has its colour."""
    kept: list[Blob] = []
    for blob in blobs:
        beside = [other for other in blobs if other.stands and other.colour == blob.colour]
        if blob.stands or not any(_gap(blob, other) < PART for other in beside):
            kept.append(blob)
    return kept


def takes_over(new: Thing, gone: Sequence[Thing]) -> bool:
    """Whether something that is seen anew is a known thing whose place is seen to be empty: it has moved."""
    for thing in gone:
        if thing.id and thing.empty and stem(thing) == stem(new):
            thing.cells, thing.cell_times = new.cells, new.cell_times
            thing.outline, thing.last_seen = new.outline, new.last_seen
            thing.hits, thing.empty = thing.hits + 1, 0
            return True
    return False


def _gap(one: Blob, other: Blob) -> float:
    """Distance of two blobs, seen from above [m]."""
    offset = thinned(one.points)[:, None] - thinned(other.points)[None]
    return float(np.hypot(offset[..., 0], offset[..., 1]).min())


def thinned(points: NDArray[np.float32]) -> Array:
    """(m, 2) at most MOST of points (n, 3), seen from above."""
    every = max(1, len(points) // MOST)
    return points[::every, :2].astype(np.float64)
