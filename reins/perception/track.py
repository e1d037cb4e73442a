"""One object over time: what is remembered of it, and how a new sight of it changes that."""

from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from reins.contracts.scene import SceneObject
from reins.perception.shapes import Detection, canonical, top_face

Array = NDArray[np.float64]

SETTLED = 0.003
"""A detection closer than this to the remembered position is the same place [m]: both are averaged."""

SAME_SIZE = 0.07
"""Visible extents within this share of the known ones are all there is."""

GROWN = 1.5
"""A thing that looks longer than known by this factor is two things that touch."""

KEEP = 0.5
"""Share of the remembered position in that average."""


@dataclass(slots=True, eq=False)
class Track:
    """What is remembered of one object.

    Attributes:
        label, colour: what it is.
        id: name in the scene, empty until it has been seen often enough.
        position: (3,) centre of its bounding box [m], base frame.
        rotation: (3, 3) its axes in the base frame.
        size: (3,) full extents along its own axes [m].
        surface: height on which a thing in or on it stands [m].
        measured: its horizontal extents come from a complete view.
        height_measured: its height comes from a view in which it stood on something known.
        last_seen: robot time of the last image that shows it [s].
        confidence: 0 … 1.
        hits: updates in which it was seen.
        empty: updates since it was last seen in which its place was seen to be empty.
        loose: it was let go since it was last wholly visible, so it lies lower than known.
        grasp: pose in the tool frame while it is held: rotation (3, 3), position (3,) [m]; None if it is not.
    """

    label: str
    colour: str
    position: Array
    rotation: Array
    size: Array
    surface: float
    last_seen: float
    id: str = ""
    measured: bool = False
    height_measured: bool = False
    confidence: float = 0.0
    hits: int = 0
    empty: int = 0
    loose: bool = False
    grasp: tuple[Array, Array] | None = field(default=None)

    @property
    def top(self) -> float:
        """Height of its top [m]."""
        return float(self.position[2] + self.size[2] / 2)

    @property
    def radius(self) -> float:
        """Radius of the circle of its footprint's area, nearly: half of the mean extent [m]."""
        return float(self.size[0] + self.size[1]) / 4

    def covers(self, x: float, y: float) -> bool:
        """Whether the point is over its footprint."""
        return bool(np.hypot(x - self.position[0], y - self.position[1]) <= self.radius)

    def to_scene(self) -> SceneObject:
        """The object as scenes carry it."""
        x, y, z, w = (float(v) for v in pin.Quaternion(self.rotation).coeffs())
        px, py, pz = (float(v) for v in self.position)
        sx, sy, sz = (float(v) for v in self.size)
        return SceneObject(
            self.id, self.label, self.colour, (px, py, pz), (x, y, z, w), (sx, sy, sz), self.confidence, self.last_seen
        )


def about_z(yaw: float) -> Array:
    """(3, 3) rotation by `yaw` [rad] about +z."""
    cos, sin = np.cos(yaw), np.sin(yaw)
    return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])


def new_track(found: Detection, stamp: float) -> Track:
    """A track of something not known before; its height is to be settled by `settle_height`."""
    track = Track(
        label=found.label,
        colour=found.colour,
        position=np.array([*found.centre, found.top / 2]),
        rotation=about_z(found.yaw),
        size=np.array([*found.extent, found.top]),
        surface=found.surface,
        last_seen=stamp,
        measured=found.complete,
    )
    track.confidence = confidence_of(found)
    return track


def confidence_of(found: Detection) -> float:
    """How far to believe a detection: less, the more of its outline is hidden."""
    return round(float(max(0.3, (0.98 if found.complete else 0.75) - 0.6 * min(found.hidden, 0.75))), 3)


def see(track: Track, found: Detection, stamp: float) -> None:
    """Take a new sight of the object into account. Does not touch its height or what is below it."""
    track.last_seen, track.hits, track.empty = stamp, track.hits + 1, 0
    track.confidence = confidence_of(found)
    if merged(track, found):
        return
    if found.complete or _shows_whole_top(track, found):
        _take_over(track, found)
    elif track.measured:
        track.position[:2] += nudge(track, found)
    elif found.extent.max() > track.size[:2].max():  # neither view was complete: the one that shows more
        _take_over(track, found)
        track.measured = False
    if found.label != "block" and found.complete:
        track.surface = found.surface


def merged(track: Track, found: Detection) -> bool:
    """Whether it is two things of one colour side by side that look like one: a block does not grow."""
    return track.label == "block" and track.measured and found.extent.max() > GROWN * track.size[:2].max()


def _shows_whole_top(track: Track, found: Detection) -> bool:
    """Whether a block's top face is visible as large as it is known to be, though something touches its outline."""
    return (
        track.label == found.label == "block"
        and track.measured
        and bool(np.allclose(np.sort(found.extent), np.sort(track.size[:2]), rtol=SAME_SIZE))
    )


def _take_over(track: Track, found: Detection) -> None:
    """Move the track to a detection's pose and extents, averaging while it lies still."""
    track.loose = track.loose and not found.complete
    still = np.hypot(*(found.centre - track.position[:2])) < SETTLED and track.measured
    weight = KEEP if still else 0.0
    track.position[:2] = weight * track.position[:2] + (1.0 - weight) * found.centre
    remembered = float(np.arctan2(track.rotation[1, 0], track.rotation[0, 0]))
    turn, extent = canonical(found.yaw - remembered, found.extent)
    track.rotation = about_z(remembered + (1.0 - weight) * turn)
    track.size[:2] = weight * track.size[:2] + (1.0 - weight) * extent
    track.measured = True


def nudge(track: Track, found: Detection) -> Array:
    """(2,) smallest shift of a track of known extents [m] so that its footprint covers what is visible of its top."""
    face = found.points[top_face(found.points)[0], :2] - track.position[:2]
    if track.label != "block":
        distance = np.hypot(face[:, 0], face[:, 1])
        farthest = int(distance.argmax())
        excess = max(float(distance[farthest]) - track.radius - found.pixel, 0.0)
        return np.asarray(face[farthest] / max(float(distance[farthest]), 1e-9) * excess)
    axes = track.rotation[:2, :2]
    local = face @ axes
    room = track.size[:2] / 2
    over = np.maximum(local.max(axis=0) + found.pixel / 2 - room, 0.0)
    under = np.minimum(local.min(axis=0) - found.pixel / 2 + room, 0.0)
    shift = np.where(np.abs(over) > np.abs(under), over, under)
    shift[(over > 0.0) & (under < 0.0)] = 0.0  # more is visible than it is large: the yaw is wrong, not the place
    return np.asarray(axes @ shift)
