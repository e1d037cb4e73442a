"""What a walking robot must keep out of: whatever is seen around it, people with more room, and the operator's boxes.

An arm touches what it works on, so it keeps away from what a constraint names and from nothing else. A robot that walks
has no reason to touch anything, so everything that is seen and too high to be stepped on is a keep-out.
"""

import math
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.spatial.transform import Rotation

from reins.contracts.scene import Scene, SceneObject, makes_sense
from reins.hardware.legged import LeggedState
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.safety.constraints import ConstraintSet
from reins.safety.legged.keep_outs import KeepOut
from reins.safety.legged.limits import yaw_of
from reins.safety.legged.settings import LeggedSettings
from reins.safety.surroundings import complaint

PERSON: Final = "person"
"""The label of people in scenes."""

REMEMBERED: Final = 128
"""States whose pose a scene of their time is held against."""


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """One object as it was seen last.

    Attributes:
        is_person: whether it is a person.
        shape: the ground that it covers, in the odometry frame.
        in_the_way: whether it is kept out of without a constraint, too.
        seen: robot time of the scene [s].
    """

    is_person: bool
    shape: KeepOut
    in_the_way: bool
    seen: float


class LeggedSurroundings:
    """Keep-outs in the odometry frame, made from the constraints in force and the newest scene.

    Scenes are in the base frame of their time; boxes of "keep_out" constraints are in the odometry frame. What is named
    by an "avoid" constraint gets as much room as people, and is not stepped on either. What is to be avoided stays
    where it was seen last when it is not seen any more, and so do people, for `person_memory`: one who left behind the
    robot's back must not hold it for good. Other things are then taken for gone.

    Args:
        profile: the robot.
        settings: the filter's.
        constraints: those in force.

    Attributes:
        keep_outs: as `LeggedFilter.surround` takes them.
        people: where people are, without margins.
    """

    def __init__(self, profile: QuadrupedProfile, settings: LeggedSettings, constraints: ConstraintSet) -> None:
        self._settings, self._constraints = settings, constraints
        self._tallest_stance = profile.height.highest
        self._states: deque[LeggedState] = deque(maxlen=REMEMBERED)
        self._known: dict[str, _Known] = {}
        self._seen = -1  # those that are in force already count, too
        self.keep_outs: Sequence[KeepOut] = ()
        self.people: Sequence[KeepOut] = ()

    @property
    def seen(self) -> Collection[str]:
        """Ids of the objects that are seen, or not forgotten."""
        return self._known.keys()

    def follow(self, state: LeggedState) -> None:
        """The newest state: where the base was when a scene was seen."""
        self._states.append(state)

    def see(self, scene: Scene) -> str:
        """The newest scene; returns why some of it cannot be used, one sentence, or nothing."""
        if not self._states:
            return "a scene came before any robot state, so nobody knows where it is"
        base = min(self._states, key=lambda state: abs(state.stamp - scene.stamp))
        wrong = [item.id for item in scene.objects.values() if not makes_sense(item)]
        good = [item for item in scene.objects.values() if item.id not in wrong]
        self._known = self._remembered(wrong, scene.stamp) | {
            item.id: _Known(item.label == PERSON, _placed(item, base), self._is_in_the_way(item, base), scene.stamp)
            for item in good
        }
        self._update()
        return complaint(wrong)

    def changed(self) -> bool:
        """Whether the constraints have changed since the last call; `keep_outs` are up to date then."""
        if self._seen == self._constraints.changes:
            return False
        self._update()
        return True

    def _is_in_the_way(self, item: SceneObject, base: LeggedState) -> bool:
        """Whether it is too high to be stepped on; nobody steps on a person."""
        if item.label == PERSON:
            return True
        above_base = item.position[2] + float((np.abs(_rotation_of(item)[2]) * item.size).sum()) / 2.0
        height = self._tallest_stance if base.height is None else base.height
        return height + above_base > self._settings.step_height

    def _remembered(self, wrong: Iterable[str], now: float) -> dict[str, _Known]:
        kept, oldest = {*wrong, *self._constraints.avoided}, now - self._settings.person_memory
        return {
            name: known
            for name, known in self._known.items()
            if name in kept or (known.is_person and known.seen >= oldest)
        }

    def _update(self) -> None:
        self._seen = self._constraints.changes
        avoided, known = self._constraints.avoided, self._known.values()
        self.people = tuple(each.shape for each in known if each.is_person)
        wide = avoided | {each.shape.id for each in known if each.is_person}
        extra = max(self._settings.person_margin - self._settings.walking_margin, 0.0)
        shapes = [
            _grown(each.shape, extra if each.shape.id in wide else 0.0)
            for each in known
            if each.in_the_way or each.shape.id in avoided
        ]
        for constraint in self._constraints.keep_outs:
            half = 0.5 * np.array(constraint.size[:2])
            shapes.append(KeepOut(constraint.id, np.array(constraint.centre[:2]), 0.0, half, 0.0))
        self.keep_outs = tuple(shapes)


def _placed(item: SceneObject, base: LeggedState) -> KeepOut:
    """The ground that an object covers, in the odometry frame: a disc for a person, a rectangle for anything else.

    The base is taken for level. The rectangle lies along the object's own x axis as seen from above.
    """
    yaw, position = yaw_of(base.odometry.orientation), base.odometry.position
    ahead = _turn(yaw) @ np.array(item.position[:2])
    rotation = _rotation_of(item)
    own = math.atan2(rotation[1, 0], rotation[0, 0])
    half = np.abs(_turn(-own) @ rotation[:2]) @ np.array(item.size) / 2.0
    centre = position[:2] + ahead
    if item.label == PERSON:
        return KeepOut(item.id, centre, 0.0, np.zeros(2), float(np.hypot(*half)))
    return KeepOut(item.id, centre, yaw + own, half, 0.0)


def _grown(shape: KeepOut, margin: float) -> KeepOut:
    return KeepOut(shape.id, shape.centre, shape.heading, shape.half, shape.radius + margin)


def _turn(angle: float) -> FloatArray:
    """(2, 2) rotation by `angle` [rad]."""
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([[cos, -sin], [sin, cos]])


def _rotation_of(item: SceneObject) -> FloatArray:
    """(3, 3) of the object's orientation in the base frame."""
    rotation: FloatArray = Rotation.from_quat(item.orientation).as_matrix()
    return rotation
