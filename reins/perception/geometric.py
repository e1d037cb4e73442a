"""The `geometric` backend: RGB-D images to a scene by colour, depth and shape, tracked over time."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from reins.contracts.scene import Scene, by_id
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import RobotState
from reins.perception.association import merge
from reins.perception.body import RobotBody
from reins.perception.caption import caption_of
from reins.perception.colours import ColourTable
from reins.perception.gate import ImageGate
from reins.perception.hidden import feet, in_hand
from reins.perception.image import CameraImage, Diagnostic
from reins.perception.quality import PictureLimits
from reins.perception.relations import relations_of
from reins.perception.segment import Blob, Segmenter
from reins.perception.shapes import Detection, detections_of
from reins.perception.tracker import Tracker, TrackerSettings
from reins.perception.view import CameraView, Region

REGION_MARGIN = 0.1
"""How far beyond the robot's workspace, sideways, objects are still looked for [m]."""

TABLE_TOLERANCE = 0.004
"""Anything lower than this is the table: depth noise, cloth [m]."""


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


def region_of(profile: RobotProfile) -> Region:
    """Where a robot's cameras look for objects."""
    low, high = profile.workspace.lower, profile.workspace.upper
    return Region(
        (low[0] - REGION_MARGIN, low[1] - REGION_MARGIN, TABLE_TOLERANCE),
        (high[0] + REGION_MARGIN, high[1] + REGION_MARGIN, high[2]),
    )


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
        self._body = RobotBody(profile)
        self.workspace: Final = profile.workspace
        """Where the robot works."""
        self._segmenter = Segmenter(region_of(profile), ColourTable(), settings.least_pixels)
        self._tracker = Tracker(settings.tracker)
        self._gate = ImageGate(self._body, settings.frozen_after, settings.limits, needs_depth=True)
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
        return self._gate.image_stamps

    @property
    def frozen(self) -> Set[str]:
        """Cameras whose image has not changed though it should have; each until it changes."""
        return self._gate.frozen

    def reset(self) -> None:
        """Forget every object, image and state."""
        self._tracker.reset()
        self._gate.reset()
        self._scene = Scene(stamp=0.0, source=self.source, caption="Nothing has been seen yet.")
        self.diagnostics = ()

    def on_state(self, state: RobotState) -> None:
        """Remember a robot state, so that images are read with the body where it was when they were taken, and see to
        the moment where the gripper closes on something.

        `update` calls it too; whoever has more states than images should give them all. A state that is not newer than
        the last one is left out; where robot time starts again (a simulator was restarted), everything is forgotten.
        """
        if self._gate.is_new_start(state):
            self.reset()
        before = self._gate.note(state)
        if before is None:
            return
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
        admitted = [self._gate.admit(image, notes) for image in images]
        views = [CameraView(one.image, one.body) for one in admitted if one is not None]
        if views:
            self._see(views)
        if (newest := self._gate.newest_state) is not None:
            self._tracker.follow(self._body.place(newest).tool, newest.gripper_holding)
        if stamps := self.image_stamps:
            self._scene = self._make_scene(max(stamps.values()))
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

    def _make_scene(self, stamp: float) -> Scene:
        objects = by_id(track.to_scene() for track in self._tracker.tracks)
        held_track = self._tracker.grasp.track
        held = None if held_track is None else held_track.id
        relations = relations_of(objects.values(), held, stamp, self.workspace)
        return Scene(stamp, self.source, objects, relations, caption_of(objects, relations))
