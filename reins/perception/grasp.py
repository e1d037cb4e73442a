"""What the gripper holds: which object, and where it is by forward kinematics while no camera sees it."""

from collections.abc import Iterable

import numpy as np

from reins.contracts.scene import MOVABLE
from reins.hardware.kinematics import ToolPose
from reins.perception.shapes import Detection
from reins.perception.track import Array, Track, about_z

REACH = 0.025
"""How far the tool may be outside an object's box when we notice that the fingers have closed on it [m]."""

UNSURE = 0.004
"""Rises of the held object smaller than this are doubt, not knowledge [m]."""


class Grasp:
    """Follows the object in the gripper. The fingers' travel is the tool's y axis."""

    def __init__(self) -> None:
        self.track: Track | None = None
        self.taken_at = np.zeros(2)
        """(2,) where on the table the held object was when the fingers closed [m]."""
        self._mistaken = False
        self._tool_rotation = np.eye(3)

    def update(self, tracks: Iterable[Track], tool: ToolPose, holding: bool) -> None:
        """Notice a grasp or a release, and move the held object with the tool."""
        self._tool_rotation = tool.rotation
        if not holding:
            self.release()
            self._mistaken = False
        elif self.track is None and not self._mistaken:
            self._take(tracks, tool)
        if self.track is not None and self.track.grasp is not None:
            rotation, position = self.track.grasp
            self.track.rotation = tool.rotation @ rotation
            self.track.position = tool.position + tool.rotation @ position

    def release(self) -> None:
        """The object is no longer in the gripper; it stays where it was last."""
        if self.track is not None:
            self.track.grasp = None
            self.track.loose = True
            self.track = None

    def mistaken(self) -> None:
        """The cameras show that it is something else that the fingers closed on: hold nothing until they open."""
        self.release()
        self._mistaken = True

    def correct(self, found: Detection) -> None:
        """Raise the held object so that it covers what is seen of it: the fingers may have closed before we noticed."""
        if self.track is None or self.track.grasp is None or found.label != self.track.label:
            return
        rise = float(found.points[:, 2].max()) - self.track.top
        if UNSURE < rise < 2 * REACH:
            rotation, position = self.track.grasp
            self.track.grasp = rotation, position + self._tool_rotation[2] * rise
            self.track.position[2] += rise

    def forget(self, track: Track) -> None:
        """The track is gone."""
        if self.track is track:
            self.release()

    def _take(self, tracks: Iterable[Track], tool: ToolPose) -> None:
        near = [track for track in tracks if track.label in MOVABLE and track.id and _reaches(tool, track)]
        if near:
            self.track = min(near, key=lambda track: float(np.linalg.norm(track.position - tool.position)))
            self.taken_at = self.track.position[:2].copy()
            self.track.grasp = _relative(tool, self.track)
            self.track.empty = 0


def _reaches(tool: ToolPose, track: Track) -> bool:
    """Whether the tool is inside the object's box, some error allowed."""
    local = track.rotation.T @ (tool.position - track.position)
    return bool((np.abs(local) <= track.size / 2 + REACH).all())


def _relative(tool: ToolPose, track: Track) -> tuple[Array, Array]:
    """Pose of the object in the tool frame, as closing fingers set it: sides parallel to them, in their middle."""
    rotation = tool.rotation.T @ track.rotation
    position = tool.rotation.T @ (track.position - tool.position)
    angle = float(np.arctan2(rotation[1, 0], rotation[0, 0]))
    off = (angle + np.pi / 4) % (np.pi / 2) - np.pi / 4
    position[1] = 0.0
    return about_z(-off) @ rotation, position
