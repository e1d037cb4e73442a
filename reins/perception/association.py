"""Which detection is which known object, and which detections of several cameras are the same thing."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from reins.perception.shapes import Detection, apart, within
from reins.perception.track import Track

GATE = 0.08
"""How far an object may have moved between two looks and still be taken for the same one at once [m]."""

OTHER_LEVEL = 0.02
"""Complete blocks of one colour whose tops differ by more than this are two, one above the other [m]."""

OVERLAP = 0.6
"""A partly hidden thing with this share of its points over a known one of its colour is part of that one."""

MOVED_TOUCHING = 0.015
"""How far blocks that now touch may have moved since they were seen apart [m]."""

MISLABEL_COST = 0.05
"""Extra cost of taking a partly hidden thing for a known one of another kind [m]."""

IMPOSSIBLE = 1e3


def merge(detections: Sequence[Detection]) -> list[Detection]:
    """One detection per thing from those of all cameras: the complete and finest one; parts of it are left out."""
    kept: list[Detection] = []
    for found in sorted(detections, key=lambda item: (not item.complete, item.pixel if item.complete else item.hidden)):
        if not any(_same_thing(found, other) for other in kept):
            kept.append(found)
    return kept


def _same_thing(found: Detection, kept: Detection) -> bool:
    if found.colour != kept.colour:
        return False
    if found.complete and kept.complete:
        level = abs(found.top - kept.top) < OTHER_LEVEL
        return found.label == kept.label and level and apart(found, kept) < 0.5 * kept.extent.min()
    if found.complete:
        return False
    if found.top > kept.top + OTHER_LEVEL:
        return False
    return bool(within(kept, found.points[:, :2], 0.01).mean() > OVERLAP)


def split(found: Detection, tracks: Sequence[Track]) -> list[Detection]:
    """Blocks of one colour that touch look like one long block: cut it into those that are known to be there."""
    if found.label != "block" or not found.complete:
        return [found]
    there = [
        track
        for track in tracks
        if track.label == "block"
        and track.colour == found.colour
        and track.measured
        and within(found, track.position[None, :2], MOVED_TOUCHING)[0]
    ]
    length = float(found.extent.max())
    if len(there) < 2 or abs(length - sum(track.size[:2].mean() for track in there)) > MOVED_TOUCHING:
        return [found]
    long_axis = int(found.extent.argmax())
    angle = found.yaw + long_axis * np.pi / 2
    along = np.array([np.cos(angle), np.sin(angle)])
    part = length / len(there)
    extent = found.extent.copy()
    extent[long_axis] = part
    offsets = (np.arange(len(there)) - (len(there) - 1) / 2) * part
    return [replace(found, centre=found.centre + offset * along, extent=extent) for offset in offsets]


def assign(tracks: Sequence[Track], detections: Sequence[Detection], gate: float) -> list[tuple[int, int]]:
    """Pairs (track, detection) of indices: the assignment of least total distance, none farther than `gate` [m]."""
    if not tracks or not detections:
        return []
    cost = np.array([[_cost(track, found, gate) for found in detections] for track in tracks])
    rows, columns = linear_sum_assignment(cost)
    return [(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if cost[r, c] < IMPOSSIBLE]


def is_part(found: Detection, tracks: Sequence[Track]) -> bool:
    """Whether a partly hidden thing is only another piece of something known that is seen in pieces."""
    return not found.complete and any(
        track.colour == found.colour
        and found.top < track.top + OTHER_LEVEL
        and _share_over(track, found.points[:, :2]) > OVERLAP
        for track in tracks
    )


def _cost(track: Track, found: Detection, gate: float) -> float:
    if track.colour != found.colour:
        return IMPOSSIBLE
    distance = float(np.hypot(*(found.centre - track.position[:2])))
    if track.label != found.label:
        low_enough = not found.complete and found.top < track.top + OTHER_LEVEL
        part_of = low_enough and _share_over(track, found.points[:, :2]) > OVERLAP
        return distance + MISLABEL_COST if part_of else IMPOSSIBLE
    reach = gate if found.complete else gate + track.radius
    height = abs(found.top - track.top)
    return distance + 0.5 * height if distance <= reach else IMPOSSIBLE


def _share_over(track: Track, xy: NDArray[np.float32]) -> float:
    """Share of points (n, 2) over the track's footprint, a centimetre more allowed."""
    away = np.hypot(xy[:, 0] - track.position[0], xy[:, 1] - track.position[1])
    return float((away <= track.radius + 0.01).mean())
