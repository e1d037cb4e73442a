"""The `geometric` backend: RGB-D images to a scene by colour, depth and shape, tracked over time."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.contracts.scene import Scene, by_id
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, RobotState
from reins.perception.association import merge
from reins.perception.body import PlacedBody, RobotBody
from reins.perception.caption import caption_of
from reins.perception.colours import ColourTable
from reins.perception.hidden import feet, in_hand
from reins.perception.image import CameraImage, Diagnostic, check_image
from reins.perception.quality import BadPicture, PictureLimits
from reins.perception.relations import relations_of
from reins.perception.segment import Blob, Segmenter
from reins.perception.shapes import Detection, detections_of
from reins.perception.tracker import Tracker, TrackerSettings
from reins.perception.view import CameraView, Region, to_pixels

REGION_MARGIN = 0.1
"""How far beyond the robot's workspace, sideways, objects are still looked for [m]."""

TABLE_TOLERANCE = 0.004
"""Anything lower than this is the table: depth noise, cloth [m]."""

STALE = 1.0
"""Images older than this are reported; a clock that goes back by more was started again [s]."""

HISTORY = 200
"""Robot states that are kept to know where the robot was when an image was taken: 2 s at 100 Hz."""

MOVED = 0.02
"""If the hand moved by this in front of a camera and no pixel changed, the camera is frozen [m]."""

THUMB = 8
"""Rows and columns between the pixels that are compared to notice a frozen camera."""


@dataclass(frozen=True, slots=True)
class GeometricSettings:
    """Settings of the geometric backend.

    Attributes:
        tracker: when objects appear and disappear.
        least_pixels: smaller blobs of colour are noise.
        frozen_after: a camera of which no pixel changes for longer is frozen [s]; 0 for cameras without noise, which
            are found out only when the hand moves before them.
        limits: beyond what a picture is left out.
    """

    tracker: TrackerSettings = field(default_factory=TrackerSettings)
    least_pixels: int = 12
    frozen_after: float = 0.0
    limits: PictureLimits = field(default_factory=PictureLimits)


@dataclass(slots=True, eq=False)
class _LastImage:
    """What is remembered of a camera's newest image, to notice repeats and freezes."""

    stamp: float
    thumb: NDArray[np.uint8]
    pose: FloatArray
    tool: FloatArray | None
    changed: float  # when its pixels were last seen to change


class GeometricPerception:
    """Camera images to scenes. Not thread-safe: one thread calls it.

    Args:
        profile: the robot, to know its body in the images and the reach of its workspace.
        settings: thresholds.

    Raises:
        UnknownName: perception knows no body shape for this robot.
    """

    source = "geometric"

    def __init__(self, profile: RobotProfile, settings: GeometricSettings | None = None) -> None:
        settings = settings or GeometricSettings()
        low, high = profile.workspace.lower, profile.workspace.upper
        region = Region(
            (low[0] - REGION_MARGIN, low[1] - REGION_MARGIN, TABLE_TOLERANCE),
            (high[0] + REGION_MARGIN, high[1] + REGION_MARGIN, high[2]),
        )
        self._body = RobotBody(profile)
        self._segmenter = Segmenter(region, ColourTable(), settings.least_pixels)
        self._tracker = Tracker(settings.tracker)
        self._states: deque[RobotState] = deque(maxlen=HISTORY)
        self._frozen_after, self._limits = settings.frozen_after, settings.limits
        self._last: dict[str, _LastImage] = {}
        self._frozen: set[str] = set()
        self._scene = Scene(stamp=0.0, source=self.source, caption="Nothing has been seen yet.")
        self.diagnostics: tuple[Diagnostic, ...] = ()
        """What was wrong with the last update; empty if nothing was."""

    @property
    def scene(self) -> Scene:
        """The newest scene."""
        return self._scene

    @property
    def image_stamps(self) -> Mapping[str, float]:
        """Robot time of each camera's newest image that could be used [s]."""
        return {name: last.stamp for name, last in self._last.items()}

    @property
    def frozen(self) -> Set[str]:
        """Cameras whose image has not changed though it should have; each until it changes."""
        return self._frozen

    def reset(self) -> None:
        """Forget every object, image and state."""
        self._tracker.reset()
        self._states.clear()
        self._last.clear()
        self._frozen.clear()
        self._scene = Scene(stamp=0.0, source=self.source, caption="Nothing has been seen yet.")
        self.diagnostics = ()

    def on_state(self, state: RobotState) -> None:
        """Remember a robot state, so that images are read with the body where it was when they were taken, and see to
        the moment where the gripper closes on something.

        `update` calls it too; whoever has more states than images should give them all. A state that is not newer than
        the last one is left out; where robot time starts again (a simulator was restarted), everything is forgotten.
        """
        if self._states and state.stamp <= self._states[-1].stamp:
            if state.stamp > self._states[-1].stamp - STALE:
                return
            self.reset()
        before = self._states[-1] if self._states else state
        self._states.append(state)
        if state.gripper_holding != before.gripper_holding:
            # Closed on something: it is where the fingers are now. Let go: it is where they were a moment ago.
            self._tracker.follow(self._body.place(before).tool, before.gripper_holding)
            self._tracker.follow(self._body.place(state).tool, state.gripper_holding)

    def update(self, images: Sequence[CameraImage], state: RobotState | None) -> Scene:
        """The scene after these images.

        An image that cannot be used is left out and told in `diagnostics`; with none left the last scene stays, except
        that what is in the gripper moves with it.

        Args:
            images: at most one per camera, all of about one time.
            state: the newest robot state, or None if there is none: the robot is then not told from objects.
        """
        notes: list[Diagnostic] = []
        if state is not None:
            self.on_state(state)
        views = [view for image in images if (view := self._view(image, notes)) is not None]
        if views:
            self._see(views)
        if self._states:
            newest = self._states[-1]
            self._tracker.follow(self._body.place(newest).tool, newest.gripper_holding)
        if self._last:
            self._scene = self._make_scene(max(last.stamp for last in self._last.values()))
        self.diagnostics = tuple(notes)
        return self._scene

    def _see(self, views: Sequence[CameraView]) -> None:
        latest = max(views, key=lambda view: view.stamp)
        if latest.body is not None:
            self._tracker.follow(latest.body.tool, latest.body.holding)
        found: list[Detection] = []
        pieces: list[tuple[Blob, str]] = []
        for view in views:
            for blob in self._segmenter.blobs(view):
                here = [in_hand(item, view.body) for item in detections_of(blob, view.name)]
                found += here
                if not any(item.complete or item.sure for item in here):
                    pieces.append((blob, view.name))
        found += feet(pieces, found)
        self._tracker.update(merge(found), views)

    def _view(self, image: CameraImage, notes: list[Diagnostic]) -> CameraView | None:
        """The image ready for use, or None, with the reason added to `notes` where it is a fault."""
        try:
            check_image(image, self._limits)
        except ReinsError as error:
            kind = error.kind if isinstance(error, BadPicture) else "bad_image"
            notes.append(Diagnostic(image.name, Severity.ERROR, kind, str(error)))
            return None
        last = self._last.get(image.name)
        if last is not None and image.stamp <= last.stamp:
            if image.stamp < last.stamp:
                notes.append(_out_of_order(image, last.stamp))
            return None
        body = self._body_at(image.stamp)
        tool = None if body is None else body.tool.position
        thumb = np.ascontiguousarray(image.rgb[::THUMB, ::THUMB])
        same = last is not None and np.array_equal(thumb, last.thumb)
        if last is not None and same and self._is_frozen(image, tool, last):
            self._frozen.add(image.name)
            text = (
                f"camera '{image.name}' shows the same image since {last.changed:.2f} s though it should have changed"
            )
            notes.append(Diagnostic(image.name, Severity.ERROR, "frozen", text))
            return None
        self._frozen.discard(image.name)
        changed = last.changed if last is not None and same else image.stamp
        self._last[image.name] = _LastImage(image.stamp, thumb, image.pose.copy(), tool, changed)
        notes.extend(self._doubts(image))
        return CameraView(image, body)

    def _doubts(self, image: CameraImage) -> Iterator[Diagnostic]:
        """What is odd about the time of an image that is used all the same."""
        if not self._states:
            text = f"no robot state for the image of camera '{image.name}': the robot cannot be told from objects"
            yield Diagnostic(image.name, Severity.WARN, "no_state", text)
        elif (age := self._states[-1].stamp - image.stamp) > STALE:
            yield Diagnostic(
                image.name, Severity.WARN, "stale", f"the image of camera '{image.name}' is {age:.1f} s old"
            )
        elif age < -STALE:
            text = (
                f"the image of camera '{image.name}' is {-age:.1f} s ahead of the newest robot state; "
                "camera and robot must use one clock"
            )
            yield Diagnostic(image.name, Severity.WARN, "ahead", text)

    def _is_frozen(self, image: CameraImage, tool: FloatArray | None, last: _LastImage) -> bool:
        """Whether an image whose pixels are the last one's shows that its camera is frozen. Once frozen, it stays so
        until they change: the arm may come back to where it was."""
        if image.name in self._frozen or 0.0 < self._frozen_after < image.stamp - last.changed:
            return True
        return _should_differ(image, tool, last)

    def _body_at(self, stamp: float) -> PlacedBody | None:
        """The robot's body at `stamp`, interpolated between the remembered states; None without any."""
        if not self._states:
            return None
        later = next((state for state in self._states if state.stamp >= stamp), self._states[-1])
        earlier = next((state for state in reversed(self._states) if state.stamp <= stamp), self._states[0])
        if earlier is later or later.stamp <= earlier.stamp:
            return self._body.place(later)
        share = (stamp - earlier.stamp) / (later.stamp - earlier.stamp)
        position = (1.0 - share) * earlier.position + share * later.position
        width = (1.0 - share) * earlier.gripper_width + share * later.gripper_width
        return self._body.place(replace(earlier, position=position, gripper_width=width))

    def _make_scene(self, stamp: float) -> Scene:
        objects = by_id(track.to_scene() for track in self._tracker.tracks)
        held_track = self._tracker.grasp.track
        relations = relations_of(objects.values(), None if held_track is None else held_track.id)
        return Scene(stamp, self.source, objects, relations, caption_of(objects, relations))


def _out_of_order(image: CameraImage, newest: float) -> Diagnostic:
    text = (
        f"an image of camera '{image.name}' from {image.stamp:.2f} s came after one from {newest:.2f} s; "
        "does something else publish on its topics?"
    )
    return Diagnostic(image.name, Severity.ERROR, "out_of_order", text)


def _should_differ(image: CameraImage, tool: FloatArray | None, last: _LastImage) -> bool:
    """Whether the camera, or the hand in front of it, moved since the last image."""
    if np.abs(image.pose - last.pose).max() > MOVED:
        return True
    if tool is None or last.tool is None or np.abs(tool - last.tool).max() <= MOVED:
        return False
    column, row, depth = to_pixels(image.intrinsics, image.pose, np.stack([tool, last.tool]))
    rows, columns = image.depth.shape
    return bool(((column >= 0) & (column < columns) & (row >= 0) & (row < rows) & (depth > 0)).any())
