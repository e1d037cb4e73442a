"""One thing over time: what is remembered of it, and how a new sight changes that."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.contracts.scene import PERSON
from reins.perception.legs.looking import Blob
from reins.perception.legs.outline import Outline, distance, flat_outline, is_tall, outline_of, slid

Array = NDArray[np.float64]

CELL: Final = 0.02
"""Points nearer to each other than this are one [m]."""

REMEMBERED_SIDE: Final = 30.0
"""A side of a thing that is in view and was not seen again for so long is forgotten [s]: a robot's odometry drifts."""

MOVED: Final = 0.15
"""A thing half of whose points are farther than this from where it was has moved [m]."""

PEOPLE_REMEMBERED: Final = 60.0
"""A person who is not seen is taken to stand there for so long [s], as the safety monitor has it …"""

THINGS_REMEMBERED: Final = 600.0
"""… and a thing for so long [s]."""

SAME_TOP: Final = 0.05
"""A top that is not lower than the known one by more is that one [m]."""

SAME_WIDTH: Final = 0.15
"""A person who looks thinner or wider by this share is partly hidden."""

LEAST_CONFIDENCE: Final = 0.3
"""Of a thing that was not seen for long."""


@dataclass(slots=True, eq=False)
class Thing:
    """What is remembered of one thing.

    Attributes:
        colour: word for it.
        stands: whether it is higher than a step.
        cells: (n, 2) its points seen from above [m] …
        cell_times: (n,) … and when each was seen last [s].
        top: how high it was seen to be [m].
        is_cut: whether it goes on above that.
        tall: whether it is higher than a box.
        outline: what it covers of the ground.
        last_seen: robot time [s].
        width: of a person [m], as it was first seen; 0 of anything else.
        hits: looks in which it was seen.
        empty: looks since, in which its place was seen to be empty.
        id: name in the scene, empty until it was seen often enough.
    """

    colour: str
    stands: bool
    cells: Array
    cell_times: Array
    top: float
    is_cut: bool
    tall: bool
    outline: Outline
    last_seen: float
    width: float = 0.0
    hits: int = 1
    empty: int = 0
    id: str = field(default="")

    @property
    def lasts(self) -> float:
        """For how long it is remembered without being seen [s]."""
        return PEOPLE_REMEMBERED if self.outline.label == PERSON else THINGS_REMEMBERED

    def confidence(self, now: float) -> float:
        """0 … 1: less, the longer it was not seen."""
        fresh = 0.95 if self.outline.is_sure else 0.7
        return round(max(LEAST_CONFIDENCE, fresh * (1.0 - (now - self.last_seen) / self.lasts)), 3)


def stem(thing: Thing) -> str:
    """People have no colour that matters."""
    label = thing.outline.label
    return PERSON if label == PERSON else f"{thing.colour}_{label}"


def new_thing(blob: Blob, eye: Array, now: float) -> Thing:
    """A thing not known before, seen from (2,) [m] at robot time `now` [s]."""
    cells = _cells_of([blob])
    top = _top(blob)
    tall = is_tall(top, blob.is_cut)
    outline = outline_of(cells, tall, blob.is_cut, eye) if blob.stands else flat_outline(cells)
    times = np.full(len(cells), now)
    return Thing(blob.colour, blob.stands, cells, times, top, blob.is_cut, tall, outline, now, _width_of(outline))


def see(thing: Thing, blobs: Sequence[Blob], eye: Array, now: float) -> None:
    """Take a new sight into account: a thing's points add up while it stands still; of people only the last count."""
    cells = _cells_of(blobs)
    moved = thing.outline.label == PERSON or float(np.median(distance(thing.outline, cells))) > MOVED
    times = np.full(len(cells), now)
    if not moved:
        fresh = now - thing.cell_times <= REMEMBERED_SIDE
        cells = np.concatenate([cells, thing.cells[fresh]])
        times = np.concatenate([times, thing.cell_times[fresh]])
        first = _one_a_cell(cells)
        cells, times = cells[first], times[first]
    _see_height(thing, blobs)
    outline = outline_of(cells, thing.tall, thing.is_cut, eye) if thing.stands else flat_outline(cells)
    if thing.width and not (outline.label == PERSON and abs(outline.size[0] / thing.width - 1.0) < SAME_WIDTH):
        outline = slid(thing.outline, thing.width, cells)  # part of a person is a person, and so is who touches them
    thing.cells, thing.cell_times, thing.outline, thing.last_seen = cells, times, outline, now
    thing.width = thing.width or _width_of(outline)


def _see_height(thing: Thing, blobs: Sequence[Blob]) -> None:
    """A sight that shows less of it than is known says nothing; who was once seen to be tall is."""
    highest = max(blobs, key=_top)
    if _top(highest) < thing.top - SAME_TOP:
        return
    thing.is_cut = highest.is_cut and (thing.is_cut or _top(highest) > thing.top)
    thing.top = max(thing.top, _top(highest))
    thing.tall = thing.tall or is_tall(thing.top, thing.is_cut)


def _width_of(outline: Outline) -> float:
    """Of a person who is known to be one [m]; 0 of anything else."""
    return float(outline.size[0]) if outline.label == PERSON and outline.is_sure else 0.0


def _cells_of(blobs: Sequence[Blob]) -> Array:
    """(n, 2) points of blobs, seen from above, one in each cell."""
    xy = np.concatenate([blob.points[:, :2] for blob in blobs]).astype(np.float64)
    return xy[_one_a_cell(xy)]


def _one_a_cell(xy: Array) -> NDArray[np.intp]:
    """Which of points (n, 2) to keep so that there is one in each cell, the first."""
    column, row = np.floor(xy / CELL).astype(np.int64).T
    _, first = np.unique((column << 32) + row, return_index=True)
    return np.asarray(first)


def _top(blob: Blob) -> float:
    return float(np.percentile(blob.points[:, 2], 98)) if blob.stands else 0.0
