"""The `geometric` backend of a robot that walks: pictures with depth of the camera in its head to a scene."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.contracts.scene import PERSON, Scene, SceneObject, by_id
from reins.hardware.legged import LeggedState
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.perception.gate import Admitted, ImageGate
from reins.perception.geometric import GeometricSettings
from reins.perception.image import CameraImage, Diagnostic
from reins.perception.legs.base import PlacedBase, WalkingBody
from reins.perception.legs.looking import Looking
from reins.perception.legs.memory import Memory
from reins.perception.legs.things import Thing
from reins.perception.state import OnTheGround
from reins.perception.view import CameraView

MARKER_HEIGHT: Final = 0.01
"""Of what lies flat [m]: nobody measures it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    """An image whose pose is in the ground frame; fits `CameraImage`."""

    name: str
    stamp: float
    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    intrinsics: FloatArray
    pose: FloatArray


class GeometricOnLegs:
    """Camera images to scenes of what stands about; implements `reins.perception.seeing.Seeing`. One thread calls it.

    Args:
        profile: the robot.
        settings: thresholds, as of the backend for tables; `least_pixels` has no meaning here.
    """

    source: Final = "geometric"

    def __init__(self, profile: QuadrupedProfile, settings: GeometricSettings | None = None) -> None:
        settings = settings or GeometricSettings()
        self._body = WalkingBody()
        self._gate = ImageGate(self._body, settings.frozen_after, settings.limits, needs_depth=True)
        self._looking = Looking(profile.body.footprint)
        self._memory = Memory(settings.tracker)
        self._setting = OnTheGround(profile)
        self._nothing = Scene(stamp=0.0, source=self.source, caption="Nothing has been seen yet.")
        self._scene = self._nothing
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
        """Forget every thing, image and state."""
        self._memory.reset()
        self._gate.reset()
        self._scene, self.diagnostics = self._nothing, ()

    def on_state(self, state: LeggedState) -> None:
        """Remember a robot state, so that images are read with the base where it was when they were taken. Where robot
        time starts again (a simulator was restarted), everything is forgotten."""
        if self._gate.is_new_start(state):
            self.reset()
        if self._gate.note(state) is not None:
            self._setting.on_state(state)

    def update(self, images: Sequence[CameraImage], state: LeggedState | None) -> Scene:
        """The scene after these images, whose poses are in the base frame.

        An image that cannot be used is left out and told in `diagnostics`; with none left the last scene stays.

        Args:
            images: at most one per camera, all of about one time.
            state: the newest robot state, or None if there is none besides those that `on_state` was told.
        """
        notes: list[Diagnostic] = []
        if state is not None:
            self.on_state(state)
        seen = [one for image in images if (one := self._gate.admit(image, notes)) is not None]
        for one in sorted(seen, key=lambda each: each.image.stamp):
            self._see(one)
        self.diagnostics = tuple(notes)
        return self._scene

    def _see(self, admitted: Admitted[PlacedBase]) -> None:
        image, base = admitted.image, admitted.body
        if base is None:
            return
        if base.is_upright:
            pose = base.pose @ image.pose
            placed = _Placed(image.name, image.stamp, image.rgb, image.depth, image.intrinsics, pose)
            self._memory.update(self._looking.look(CameraView(placed, None), base.place))
        objects = by_id(_seen_from(base, thing, image.stamp) for thing in self._memory.things)
        relations = self._setting.relations(objects, None, image.stamp)
        words = self._setting.caption(objects, relations)
        self._scene = Scene(image.stamp, self.source, objects, relations, words)


def _seen_from(base: PlacedBase, thing: Thing, now: float) -> SceneObject:
    """A thing in the frame of scenes: that of the base, with z up."""
    outline = thing.outline
    x, y = outline.centre - base.place
    cos, sin = np.cos(base.yaw), np.sin(base.yaw)
    height = max(thing.top, MARKER_HEIGHT)
    turn = 0.5 * (0.0 if outline.label == PERSON else outline.yaw - base.yaw)
    return SceneObject(
        thing.id,
        outline.label,
        thing.colour,
        (float(cos * x + sin * y), float(cos * y - sin * x), height / 2.0 - base.height),
        (0.0, 0.0, float(np.sin(turn)), float(np.cos(turn))),
        (float(outline.size[0]), float(outline.size[1]), height),
        thing.confidence(now),
        thing.last_seen,
    )
