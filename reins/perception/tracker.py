"""Detections to objects with stable ids. Nothing appears from one glance, and nothing vanishes because it is hidden."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reins.contracts.scene import MOVABLE
from reins.hardware.kinematics import ToolPose
from reins.perception.association import GATE, assign, is_part, split
from reins.perception.colours import ACHROMATIC
from reins.perception.evidence import place_is_empty
from reins.perception.grasp import Grasp
from reins.perception.shapes import Detection
from reins.perception.track import Track, merged, new_track, see
from reins.perception.view import CameraView

ANYWHERE = 10.0
"""Gate for an object whose place is known to be empty, or hidden: it can have gone anywhere on the table [m]."""

SAME_LEVEL = 0.003
"""The highest visible part of a partly hidden object is its top if it is above the known one by more than this [m]."""

PART_OF_BLOCK = (0.015, 0.08)
"""Shortest and longest visible side of a partly hidden thing that is taken for a new block [m]."""

PART_TOP = 0.022
"""Least height of its top: lower things of which a part is hidden may be discs, lids or the rims of plates [m]."""

PART_HIDDEN = 0.5
"""Share of its outline that may be hidden then."""


@dataclass(frozen=True, slots=True)
class TrackerSettings:
    """When objects appear and disappear.

    Attributes:
        appear_at_start: updates in which a thing must be seen to be believed, while nothing is known yet.
        appear_after: the same, later.
        drop_after: updates in which a thing's place must be seen to be empty before it is given up.
    """

    appear_at_start: int = 1
    appear_after: int = 2
    drop_after: int = 5


class Tracker:
    """Keeps the objects. One instance per scene; not thread-safe."""

    def __init__(self, settings: TrackerSettings) -> None:
        self._settings = settings
        self._tracks: list[Track] = []
        self._started = False
        self.grasp = Grasp()

    @property
    def tracks(self) -> list[Track]:
        """The objects that are believed, oldest first."""
        return [track for track in self._tracks if track.id]

    def reset(self) -> None:
        """Forget everything."""
        self._tracks, self._started, self.grasp = [], False, Grasp()

    def follow(self, tool: ToolPose, holding: bool) -> None:
        """Move what is in the gripper with the tool."""
        self.grasp.update(self._tracks, tool, holding)

    def update(self, detections: Sequence[Detection], views: Sequence[CameraView]) -> None:
        """Take in what all cameras saw at one time."""
        stamp = max(view.stamp for view in views)
        matched: list[tuple[Track, Detection]] = []
        apart = [part for found in detections for part in split(found, self.tracks)]
        tracks, rest = self._match(list(self._tracks), apart, GATE, matched)
        for track in tracks:
            if place_is_empty(track, views):
                track.empty += 1
        # What is left on both sides is rather a known thing that moved unseen than a new one.
        known, new = [track for track in tracks if track.id], [track for track in tracks if not track.id]
        real = [found for found in rest if _believable(found) and not is_part(found, self._tracks)]
        unknown = self._match_moved(known, real, matched, views)
        self._forget(new)
        for track, found in matched:
            if track is self.grasp.track:
                self._see_held(track, found, views)
            else:
                see(track, found, stamp)
        born = [(new_track(found, stamp), found) for found in unknown]
        for track, _ in born:
            track.hits = 1
        self._tracks.extend(track for track, _ in born)
        self._settle_heights([pair for pair in [*matched, *born] if pair[0] is not self.grasp.track], views)
        self._forget([track for track in self._tracks if track.empty >= self._settings.drop_after])
        self._name()
        self._started = True

    def _match_moved(
        self,
        known: list[Track],
        real: list[Detection],
        matched: list[tuple[Track, Detection]],
        views: Sequence[CameraView],
    ) -> list[Detection]:
        """Known things that are not where they were; the detections that are none of them.

        What the fingers closed on is with the tool, and its like elsewhere is another one, unless that lies where the
        fingers closed, or a camera sees that there is nothing between them.
        """
        held = self.grasp.track
        others = [track for track in known if track is not held]
        if held is not None and len(others) < len(known):
            is_free = place_is_empty(held, views)
            left = [found for found in real if is_free or np.hypot(*(found.centre - self.grasp.taken_at)) <= GATE]
            self._match([held], left, ANYWHERE, matched)
            taken = {id(found) for _, found in matched}
            real = [found for found in real if id(found) not in taken]
        return self._match(others, real, ANYWHERE, matched)[1]

    def _match(
        self,
        tracks: list[Track],
        detections: list[Detection],
        gate: float,
        matched: list[tuple[Track, Detection]],
    ) -> tuple[list[Track], list[Detection]]:
        """Assign and append to `matched`; return the tracks and the detections that are left."""
        pairs = [(tracks[row], detections[column]) for row, column in assign(tracks, detections, gate)]
        matched.extend(pairs)
        taken_tracks = {id(track) for track, _ in pairs}
        taken = {id(found) for _, found in pairs}
        return (
            [track for track in tracks if id(track) not in taken_tracks],
            [found for found in detections if id(found) not in taken],
        )

    def _see_held(self, track: Track, found: Detection, views: Sequence[CameraView]) -> None:
        """A sight of the held object: it is where the tool has it, or else it is not the one that is held."""
        stamp = max(view.stamp for view in views)
        if np.hypot(*(found.centre - track.position[:2])) > GATE:
            self.grasp.mistaken()
            see(track, found, stamp)
            self._settle_heights([(track, found)], views)
        else:
            track.last_seen, track.empty, track.hits = stamp, 0, track.hits + 1
            self.grasp.correct(found)

    def _settle_heights(self, pairs: Iterable[tuple[Track, Detection]], views: Sequence[CameraView]) -> None:
        """Height, and with it the centre, of what was seen, from the lowest up: each stands on what is below it."""
        for track, found in sorted(pairs, key=lambda pair: pair[1].top):
            hidden_top = not found.complete and track.height_measured and found.top < track.top + SAME_LEVEL
            fixed_height = track.height_measured and track.label not in MOVABLE and not found.complete
            if fixed_height or merged(track, found):
                continue
            if hidden_top and not track.loose and not place_is_empty(track, views):
                continue
            support, known = self._support(track, found.top)
            if not track.height_measured or (found.complete and support == 0.0):
                height = found.top - support
                side = float(track.size[:2].mean())
                known = known and not (track.label == "block" and height > 1.6 * side)
                # A block that stands on nothing we know is taken to be as high as it is wide.
                track.size[2] = height if known or track.label != "block" else min(height, side)
                track.height_measured = known and found.complete
            track.position[2] = found.top - track.size[2] / 2
            if track.label == "block":
                track.surface = found.top

    def _support(self, track: Track, top: float) -> tuple[float, bool]:
        """Height of what the track stands on, and whether that is sure. A dish stands on no block: it has one in it."""
        x, y = track.position[:2]
        below = [
            other.surface
            for other in self._tracks
            if other is not track
            and other is not self.grasp.track
            and (track.label in MOVABLE or other.label not in MOVABLE)
            and other.covers(x, y)
            and other.surface < top - 0.008
        ]
        return (max(below), True) if below else (0.0, True)

    def _forget(self, gone: Iterable[Track]) -> None:
        for track in gone:
            self.grasp.forget(track)
            self._tracks.remove(track)

    def _name(self) -> None:
        """Give ids to those that have been seen often enough, from left to right."""
        need = self._settings.appear_after if self._started else self._settings.appear_at_start
        ready = [track for track in self._tracks if not track.id and track.hits >= need]
        for track in sorted(ready, key=lambda item: (-item.position[1], item.position[0])):
            track.id = self._free_name(f"{track.colour}_{track.label}")

    def _free_name(self, stem: str) -> str:
        used = {track.id for track in self._tracks}
        number = 1
        while (name := stem if number == 1 else f"{stem}_{number}") in used:
            number += 1
        return name


def _believable(found: Detection) -> bool:
    """Whether a thing not known yet can be taken for real: wholly visible, in its place by other evidence, or a good
    part of a block with a hue."""
    if found.complete or found.sure:
        return True
    shortest, longest = PART_OF_BLOCK
    return (
        found.colour not in ACHROMATIC
        and found.label == "block"
        and found.hidden < PART_HIDDEN
        and found.top > PART_TOP
        and bool(shortest < found.extent.min() and found.extent.max() < longest)
    )
