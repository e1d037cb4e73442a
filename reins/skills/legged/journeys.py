"""Skills that go somewhere: walk_to, go_to, follow."""

import math
from dataclasses import replace
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.contracts.scene import Scene
from reins.hardware.legged import LeggedState, Posture
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.skills.controller import Status
from reins.skills.legged.controller import BodyOutput
from reins.skills.legged.frames import bearing, heading_of, wrapped
from reins.skills.legged.obstacles import Obstacle, ObstacleMap
from reins.skills.legged.pace import Pace
from reins.skills.legged.route import SLACK, Ground, length_of
from reins.skills.legged.stances import ALIGNED
from reins.skills.legged.walk import Stride, Walk

ARRIVED: Final = 0.1
"""How near to its goal a robot has to come to rest [m]; half a step of a trot is as much."""

GAVE_WAY: Final = 0.3
"""A goal beside an object stays until the object has moved this far, or something else stands there [m]."""

COURSES: Final = 16
"""Directions from which an object can be come to."""

LOST_AFTER: Final = 3.0
"""Who is followed may be out of sight for this long [s]."""

STAYS: Final = 0.2
"""A robot that has arrived and is not farther off than this, while it turns, need not walk again [m]."""

LEASH: Final = 0.25
"""Beyond the wanted distance by which somebody is walked after; between the two the robot stands [m]."""


class WalkTo:
    """`walk_to`: to a place.

    Args:
        around: what stands about, as it was when the skill began.
        walk, pace: of this skill.
        goal: (2,) in the odometry frame [m].
    """

    def __init__(self, around: ObstacleMap, walk: Walk, pace: Pace, goal: FloatArray) -> None:
        self._around, self._walk, self._pace, self._goal = around, walk, pace, goal

    def step(self, state: LeggedState, scene: Scene) -> BodyOutput:
        """Walk on, and stand still there."""
        self._around.update(state, scene)
        if _apart(self._goal, self._pace.place(state)) <= ARRIVED:
            return _settled(self._pace, state)
        stride = self._walk.step(state, self._goal)
        if stride.trouble:
            return _failed(self._pace, state, f"the place cannot be reached: {stride.trouble}")
        return _walking(stride)


class GoTo:
    """`go_to`: near an object, and face it; onto one that lies flat.

    Args:
        profile: the robot.
        around: what stands about, as it was when the skill began.
        walk, pace: of this skill.
        name: id of the object.
        distance: free distance to leave [m].
    """

    def __init__(
        self, profile: QuadrupedProfile, around: ObstacleMap, walk: Walk, pace: Pace, name: str, distance: float
    ) -> None:
        self._footprint = profile.body.footprint
        self._around, self._walk, self._pace = around, walk, pace
        self._name, self._distance = name, distance
        self._goal: FloatArray | None = None
        self._seen_at, self._decided = np.zeros(2), -math.inf
        self._arrived = False

    def step(self, state: LeggedState, scene: Scene) -> BodyOutput:
        """Walk, stand still, turn to it."""
        self._around.update(state, scene)
        target = self._around.known.get(self._name)
        if target is None:
            return _failed(self._pace, state, f"{self._name} is not seen any more")
        if scene.stamp != self._decided or self._goal is None:
            self._decided, self._goal = scene.stamp, self._chosen(state, target)
        if self._goal is None:
            return _failed(self._pace, state, f"there is no way to stand beside {self._name}")
        off = _apart(self._goal, self._pace.place(state))
        self._arrived = off <= (STAYS if self._arrived else ARRIVED)
        if self._arrived:
            return _settled(self._pace, state) if target.flat else _facing(self._pace, state, target)
        stride = self._walk.step(state, self._goal)
        if stride.trouble:
            return _failed(self._pace, state, f"{self._name} cannot be reached: {stride.trouble}")
        return _walking(stride)

    def _chosen(self, state: LeggedState, target: Obstacle) -> FloatArray | None:
        """Where to stand; the same place as before while it serves."""
        ground = Ground(self._around.in_the_way, self._footprint)
        stays = _apart(target.centre, self._seen_at) <= GAVE_WAY
        if self._goal is not None and stays and not ground.blocker(self._goal):
            return self._goal
        self._seen_at = target.centre
        return target.centre if target.flat else beside(target, self._distance, state, ground, self._footprint)


class Follow:
    """`follow`: stay a distance behind a person for a while.

    Args:
        profile: the robot.
        around: what stands about, as it was when the skill began.
        walk, pace: of this skill.
        name: id of the person.
        distance: free distance to keep [m].
        duration: for how long [s].
        begun: when it begins [s].
    """

    def __init__(
        self,
        profile: QuadrupedProfile,
        around: ObstacleMap,
        walk: Walk,
        pace: Pace,
        name: str,
        distance: float,
        duration: float,
        begun: float,
    ) -> None:
        self._footprint = profile.body.footprint
        self._around, self._walk, self._pace = around, walk, pace
        self._name, self._distance, self._duration, self._begun = name, distance, duration, begun
        self._walks, self._decided = False, -math.inf
        self._goal: FloatArray | None = None

    def step(self, state: LeggedState, scene: Scene) -> BodyOutput:
        """Walk after them, or stand and face them."""
        self._around.update(state, scene)
        target = self._around.known.get(self._name)
        if target is None or state.stamp - target.seen > LOST_AFTER:
            return _failed(self._pace, state, f"{self._name} was lost from sight")
        way = (state.stamp - self._begun) / self._duration
        if way >= 1.0:
            return _settled(self._pace, state)
        room = target.distance(state.odometry.position[:2]) - self._footprint - self._keeps(target)
        self._walks = room > (ARRIVED if self._walks else LEASH)
        if not self._walks:
            return replace(_facing(self._pace, state, target), status=Status.RUNNING, phase="stay", progress=way)
        if scene.stamp != self._decided or self._goal is None:
            ground = Ground(self._around.in_the_way, self._footprint)
            self._decided = scene.stamp
            self._goal = beside(target, self._keeps(target), state, ground, self._footprint)
        if self._goal is None:
            return _failed(self._pace, state, f"there is no way to stand near {self._name}")
        stride = self._walk.step(state, self._goal)
        if stride.trouble:
            return _failed(self._pace, state, f"{self._name} cannot be followed: {stride.trouble}")
        return replace(_walking(stride), progress=way)

    def _keeps(self, target: Obstacle) -> float:
        return max(self._distance, target.margin + 2.0 * SLACK)


def beside(
    target: Obstacle, distance: float, state: LeggedState, ground: Ground, footprint: float
) -> FloatArray | None:
    """Where to stand beside an object: the free place that is nearest to walk to, of those all round it.

    Args:
        target: the object.
        distance: free distance to it that is wanted [m]; its own margin where that is more.
        state: of the robot.
        ground: what is free.
        footprint: radius of the robot [m].

    Returns:
        (2,) in the odometry frame [m]; None where every place is taken or no way leads there.
    """
    place, free = state.odometry.position[:2], max(distance, target.margin + 2.0 * SLACK) + footprint
    first = bearing(target.centre, place)
    courses = first + 2.0 * np.pi / COURSES * np.arange(COURSES)
    shortest = math.inf
    best: FloatArray | None = None
    for course in sorted(courses, key=lambda course: abs(wrapped(course - first))):
        point = _at(target, float(course), free)
        if ground.blocker(point) or float(np.hypot(*(point - place))) >= shortest:
            continue
        way = ground.route(place, point)
        if way is not None and (length := length_of(place, way)) < shortest:
            best, shortest = point, length
    return best


def place_ahead(state: LeggedState, x: float, y: float) -> FloatArray:
    """(2,) in the odometry frame: x ahead and y to the left of the robot as it is now [m]."""
    yaw = heading_of(state.odometry.orientation)
    cos, sin = math.cos(yaw), math.sin(yaw)
    place: FloatArray = state.odometry.position[:2] + np.array([cos * x - sin * y, sin * x + cos * y])
    return place


def require_room(ground: Ground, goal: FloatArray) -> None:
    """Raise ReinsError unless the robot can stand at (2,)."""
    if blocker := ground.blocker(goal):
        raise ReinsError(f"there is no room to stand at that place: {blocker} is there, or too near")


def _at(target: Obstacle, course: float, distance: float) -> FloatArray:
    """(2,) the point in that direction from the middle of an object that is `distance` from its edge [m]."""
    way = np.array([math.cos(course), math.sin(course)])
    low, high = 0.0, distance + float(np.hypot(*target.half)) + target.radius
    for _ in range(40):  # the distance grows along a ray from the middle, so halving finds it
        middle = 0.5 * (low + high)
        low, high = (middle, high) if target.distance(target.centre + middle * way) < distance else (low, middle)
    point: FloatArray = target.centre + high * way
    return point


def _apart(one: FloatArray, other: FloatArray) -> float:
    """Distance between two places (2,) [m]."""
    return float(np.hypot(*(one - other)))


def _walking(stride: Stride) -> BodyOutput:
    return BodyOutput(stride.velocity, Posture.STAND, Status.RUNNING, "walk", stride.way)


def _settled(pace: Pace, state: LeggedState) -> BodyOutput:
    """Brake; succeeded once it stands."""
    velocity = pace.still(state)
    status = Status.SUCCEEDED if pace.stands(state) else Status.RUNNING
    return BodyOutput(velocity, Posture.STAND, status, "settle", 1.0)


def _facing(pace: Pace, state: LeggedState, target: Obstacle) -> BodyOutput:
    """Turn to it on the spot; succeeded once it stands so."""
    odometry = state.odometry
    angle = wrapped(bearing(odometry.position[:2], target.centre) - heading_of(odometry.orientation))
    if abs(angle) > 2.0 * ALIGNED:
        return BodyOutput(pace.facing(state, angle), Posture.STAND, Status.RUNNING, "face", 1.0)
    return _settled(pace, state)


def _failed(pace: Pace, state: LeggedState, reason: str) -> BodyOutput:
    return BodyOutput(pace.still(state), Posture.STAND, Status.FAILED, "stop", 0.0, reason)
