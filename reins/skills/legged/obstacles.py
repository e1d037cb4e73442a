"""What stands around a walking robot, in the odometry frame, and how much room it is left.

Scenes are in the base frame of their time, so each is placed by the state that is nearest in time. What is seen and not
higher than a step is walked on; everything else is walked round. People stay where they were seen last while they are
not seen; other things are then taken for gone, as the safety monitor does.
"""

import math
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.spatial.transform import Rotation

from reins.contracts.plan import Constraint
from reins.contracts.scene import PERSON, Scene, SceneObject, sensible
from reins.hardware.legged import LeggedState
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.skills.legged.frames import heading_of, turned

REMEMBERED: Final = 128
"""States whose pose a scene of their time is held against."""


@dataclass(frozen=True, slots=True)
class Margins:
    """Free distances between the robot's footprint and what stands about [m]. They are wider than those at which the
    safety monitor steps in, so that it need not.

    Attributes:
        thing: of things.
        person: of people: nearer than this the monitor lets a robot barely move, for a person may walk.
        avoided: of what a constraint says to avoid without saying how far.
        step: what is not higher than this above the ground is walked on.
        extra: what is added to the distance that a constraint asks for: a trot sways.
    """

    thing: float = 0.15
    person: float = 1.0
    avoided: float = 0.6
    step: float = 0.05
    extra: float = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Obstacle:
    """The ground that something covers: a rectangle, or a disc for a person.

    Attributes:
        id: what it is.
        centre: (2,) [m].
        heading: of its x axis [rad].
        half: (2,) half of its extents along its axes [m]; both 0 for a disc.
        radius: of the disc; 0 for a rectangle [m].
        margin: free distance that the robot's footprint keeps from it [m].
        flat: whether it is walked on instead of round.
        seen: robot time at which it was seen last [s].
    """

    id: str
    centre: FloatArray
    heading: float
    half: FloatArray
    radius: float
    margin: float
    flat: bool
    seen: float

    def distance(self, point: FloatArray) -> float:
        """From (2,) to its edge [m], negative inside.

        Source: the signed distance of a rectangle: outside it the length of what is beyond its half extents, inside it
        the nearest side.
        """
        beyond = np.abs(turned(point - self.centre, -self.heading)) - self.half
        outside = float(np.hypot(*np.maximum(beyond, 0.0)))
        return outside + min(float(beyond.max()), 0.0) - self.radius


class ObstacleMap:
    """What is known to stand about, for one skill.

    Args:
        profile: the robot.
        margins: how much room to leave.
        constraints: of the task; what is to be avoided is left at least the distance that its constraint names.

    Attributes:
        known: everything that is seen or remembered, by id.
    """

    def __init__(self, profile: QuadrupedProfile, margins: Margins, constraints: Iterable[Constraint]) -> None:
        rules = tuple(constraints)
        self._tallest, self._margins = profile.height.highest, margins
        self._avoided = _distances(rules)
        self._boxes = tuple(_box(rule, margins.thing) for rule in rules if rule.kind == "keep_out")
        self._states: deque[LeggedState] = deque(maxlen=REMEMBERED)
        self._stamp = -math.inf
        self.known: Mapping[str, Obstacle] = {}

    @property
    def in_the_way(self) -> tuple[Obstacle, ...]:
        """What is walked round."""
        return (*(item for item in self.known.values() if not item.flat), *self._boxes)

    def update(self, state: LeggedState, scene: Scene) -> None:
        """The newest state, and the newest scene, which may be older or the same as before."""
        self._states.append(state)
        if scene.stamp == self._stamp:
            return
        self._stamp = scene.stamp
        base = min(self._states, key=lambda each: abs(each.stamp - scene.stamp))
        people = {name: item for name, item in self.known.items() if item.radius > 0.0}
        seen = {item.id: self._placed(item, base) for item in sensible(scene).objects.values()}
        self.known = {**people, **seen}

    def _placed(self, item: SceneObject, base: LeggedState) -> Obstacle:
        """An object of a scene on the ground; the base is taken for level."""
        yaw = heading_of(base.odometry.orientation)
        centre = base.odometry.position[:2] + turned(np.array(item.position[:2]), yaw)
        rotation = Rotation.from_quat(item.orientation).as_matrix()
        own = math.atan2(rotation[1, 0], rotation[0, 0])
        half = np.abs(turned(rotation[:2].T, -own).T) @ np.array(item.size) / 2.0
        top = item.position[2] + float(np.abs(rotation[2]) @ np.array(item.size)) / 2.0
        height = self._tallest if base.height is None else base.height
        person = item.label == PERSON
        avoided = self._avoided.get(item.id)
        margin = self._margins.person if person else self._margins.thing
        if avoided is not None:
            margin = max(margin, self._margins.avoided, avoided + self._margins.extra)
        flat = not person and avoided is None and height + top <= self._margins.step
        if person:
            return Obstacle(item.id, centre, 0.0, np.zeros(2), float(np.hypot(*half)), margin, flat, item.last_seen)
        return Obstacle(item.id, centre, yaw + own, half, 0.0, margin, flat, item.last_seen)


def _distances(rules: Iterable[Constraint]) -> dict[str, float]:
    """The largest distance that is asked for of each object to avoid [m]."""
    distances: dict[str, float] = {}
    for rule in rules:
        if rule.kind == "avoid":
            distances[rule.object] = max(rule.distance, distances.get(rule.object, 0.0))
    return distances


def _box(rule: Constraint, margin: float) -> Obstacle:
    half = 0.5 * np.array(rule.size[:2])
    return Obstacle("a keep-out", np.array(rule.centre[:2]), 0.0, half, 0.0, margin, False, math.inf)
