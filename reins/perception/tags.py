"""The `apriltag` backend: colour images to a scene of the objects that carry known tags. It needs no depth."""

from collections.abc import Mapping, Sequence, Set
from typing import Final

import numpy as np

from reins.contracts.scene import Scene, by_id
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import RobotState
from reins.perception.body import PlacedBody, RobotBody
from reins.perception.caption import caption_of
from reins.perception.gate import Admitted, ImageGate
from reins.perception.geometric import GeometricSettings
from reins.perception.grasp import Grasp
from reins.perception.image import CameraImage, Diagnostic, to_pixels
from reins.perception.relations import relations_of
from reins.perception.tag_finder import TagFinder, TagSight
from reins.perception.tagged import TaggedObjects
from reins.perception.track import KEEP, SETTLED, Array, Track

ALONG: Final = np.linspace(0.05, 0.95, 24)[:, None]
"""Shares of the way from a camera to an object at which it is looked whether the robot is in between."""

ROBOT_MARGIN: Final = 0.03
"""How near to the robot's boxes such a point counts as robot [m]: sleeves and cables."""

READABLE: Final = 16.0
"""Side of a tag in the picture from which on it is found if it is there [pixels]: twice its cells."""

STEEPEST: Final = 0.5
"""Cosine of the angle between a tag's normal and the way to the camera from which on it is: 60 degrees."""


class TagPerception:
    """Tagged objects over time. Not thread-safe: one thread calls it.

    Nothing appears but what a tag says, so that one sight is enough; and nothing vanishes because the robot, or a thing
    on top of it, hides it, or because its tag is too far away or turned away.

    Args:
        profile: the robot.
        tagged: which tag is on which object.
        settings: thresholds, as of the geometric backend.

    Raises:
        UnknownName: perception knows no body shape for this robot.
    """

    source = "apriltag"

    def __init__(self, profile: RobotProfile, tagged: TaggedObjects, settings: GeometricSettings | None = None) -> None:
        settings = settings or GeometricSettings()
        self._body = RobotBody(profile)
        self._gate = ImageGate(self._body, settings.frozen_after, settings.limits, needs_depth=False)
        self._workspace = profile.workspace
        self._finder = TagFinder(tagged)
        self._items = {item.name: item for item in tagged.objects}
        self._drop_after = settings.tracker.drop_after
        self._tracks: dict[str, Track] = {}
        self._grasp = Grasp()
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
        self._gate.reset()
        self._tracks, self._grasp = {}, Grasp()
        self._scene = Scene(stamp=0.0, source=self.source, caption="Nothing has been seen yet.")
        self.diagnostics = ()

    def on_state(self, state: RobotState) -> None:
        """Remember a robot state, and see to the moment where the gripper closes on something; see `geometric`."""
        if self._gate.is_new_start(state):
            self.reset()
        before = self._gate.note(state)
        if before is not None and state.gripper_holding != before.gripper_holding:
            for one in (before, state):
                self._grasp.update(self._tracks.values(), self._body.place(one).tool, one.gripper_holding)

    def update(self, images: Sequence[CameraImage], state: RobotState | None) -> Scene:
        """The scene after these images: at most one per camera, all of about one time; see `geometric`."""
        notes: list[Diagnostic] = []
        if state is not None:
            self.on_state(state)
        admitted = [one for image in images if (one := self._gate.admit(image, notes)) is not None]
        if admitted:
            self._see(admitted, notes)
        if (newest := self._gate.newest_state) is not None:
            self._grasp.update(self._tracks.values(), self._body.place(newest).tool, newest.gripper_holding)
        if stamps := self.image_stamps:
            objects = by_id(track.to_scene() for track in self._tracks.values())
            held = self._grasp.track
            now = max(stamps.values())
            relations = relations_of(objects.values(), None if held is None else held.id, now, self._workspace)
            self._scene = Scene(now, self.source, objects, relations, caption_of(objects, relations))
        self.diagnostics = tuple(notes)
        return self._scene

    def _see(self, admitted: Sequence[Admitted[PlacedBody]], notes: list[Diagnostic]) -> None:
        best: dict[str, tuple[TagSight, float]] = {}
        for one in admitted:
            for sight in self._finder.find(one.image, notes):
                name = sight.item.name
                if name not in best or sight.pixels > best[name][0].pixels:
                    best[name] = (sight, one.image.stamp)
        for name, (sight, stamp) in best.items():
            self._take(name, sight, stamp)
        for name in [name for name in self._tracks if name not in best]:
            track = self._tracks[name]
            if track is not self._grasp.track and any(self._shows_its_place(one, track) for one in admitted):
                track.empty += 1
                if track.empty >= self._drop_after:
                    del self._tracks[name]

    def _take(self, name: str, sight: TagSight, stamp: float) -> None:
        """A tag says where its object is; while it lies still, sights are averaged."""
        rotation, position = sight.pose[:3, :3], sight.pose[:3, 3]
        track = self._tracks.get(name)
        if track is None:
            item = sight.item
            track = self._tracks[name] = Track(
                item.label, item.colour, position.copy(), rotation.copy(), np.array(item.size), 0.0, stamp, id=name
            )
        elif track is not self._grasp.track:
            still = float(np.linalg.norm(position - track.position)) < SETTLED
            weight = KEEP if still else 0.0
            track.position = weight * track.position + (1.0 - weight) * position
            track.rotation = rotation.copy()
        track.surface = track.top
        track.last_seen, track.empty, track.confidence = stamp, 0, sight.confidence

    def _shows_its_place(self, one: Admitted[PlacedBody], track: Track) -> bool:
        """Whether an image should show a tag of the object if it were still there."""
        if any(_is_on(other, track) for other in self._tracks.values()):
            return False
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = track.rotation, track.position
        item = self._items[track.id]
        return any(_should_be_read(one, pose @ item.pose_of(tag), tag.size) for tag in item.tags)


def _should_be_read(one: Admitted[PlacedBody], tag: Array, size: float) -> bool:
    """Whether a tag (4, 4, base frame) of a size [m] faces the camera, large enough, with no robot in between."""
    eye, place = one.image.pose[:3, 3], tag[:3, 3]
    (column,), (row,), (depth,) = to_pixels(one.image.intrinsics, one.image.pose, place[None, :])
    height, width = one.image.rgb.shape[:2]
    if not (depth > 0.0 and 0.0 <= column < width and 0.0 <= row < height):
        return False
    slant = float(tag[:3, 2] @ (eye - place) / np.linalg.norm(eye - place))
    if slant < STEEPEST or size * one.image.intrinsics[0, 0] / depth * np.sqrt(slant) < READABLE:
        return False
    between = (eye + ALONG * (place - eye)).astype(np.float32)
    return one.body is None or not one.body.contains(between, ROBOT_MARGIN).any()


def _is_on(other: Track, track: Track) -> bool:
    """Whether another object stands on this one, or is held over it."""
    x, y, z = other.position
    return other is not track and track.covers(float(x), float(y)) and float(z) > float(track.position[2])
