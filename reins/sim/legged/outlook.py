"""What stands about a simulated legged robot, as a scene: the simulator's truth, in the form that perception gives it.

A scene's frame is the base's, with z up: a trot sways, and what stands on the ground does not.
"""

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from reins.contracts.scene import PERSON, ROBOT, SITTING, STANDING, Relation, Scene, SceneObject, by_id
from reins.hardware.legged import LeggedState
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.sim.legged.ground import GroundSpec, Thing

AT: Final = 1.6
"""A robot whose footprint is no farther than this from the edge of something is at it [m]."""

SOURCE: Final = "state"
"""What such scenes say of their source."""


def named(ground: GroundSpec) -> Iterator[tuple[str, Thing]]:
    """What stands on a ground by the names that scenes use: "red_door", and "red_door_2" for a second one; people have
    no colour that matters, so they are "person", "person_2"."""
    counts: dict[str, int] = {}
    for thing in ground.things:
        name = PERSON if thing.label == PERSON else f"{thing.colour}_{thing.label}"
        counts[name] = counts.get(name, 0) + 1
        yield (name if counts[name] == 1 else f"{name}_{counts[name]}"), thing


def edge_distance(thing: Thing, point: FloatArray) -> float:
    """Distance of (2,) on the ground from the edge of something [m]; negative inside. A person is round."""
    x, y = (float(part) for part in point - np.array(thing.at))
    if thing.label == PERSON:
        return math.hypot(x, y) - 0.5 * thing.size[0]
    cos, sin = math.cos(thing.yaw), math.sin(thing.yaw)
    along, across = abs(cos * x + sin * y) - 0.5 * thing.size[0], abs(cos * y - sin * x) - 0.5 * thing.size[1]
    return math.hypot(max(along, 0.0), max(across, 0.0)) + min(max(along, across), 0.0)


def is_up(state: LeggedState, profile: QuadrupedProfile) -> bool:
    """Whether the robot is on its legs, by the height of its base."""
    return state.height is not None and state.height >= profile.height.lowest


def scene_of(ground: GroundSpec, state: LeggedState, profile: QuadrupedProfile) -> Scene:
    """What is true now: what stands about, the robot's posture, and what it is at."""
    position, yaw = state.odometry.position, _yaw(state.odometry.orientation)
    objects: list[SceneObject] = []
    relations = {Relation(ROBOT, "is", STANDING if is_up(state, profile) else SITTING)}
    for name, thing in named(ground):
        x, y = thing.at[0] - position[0], thing.at[1] - position[1]
        z = ground.height_at(*thing.at) + 0.5 * thing.size[2] - position[2]
        place = (float(math.cos(yaw) * x + math.sin(yaw) * y), float(math.cos(yaw) * y - math.sin(yaw) * x), float(z))
        turn = 0.5 * (thing.yaw - yaw)
        quaternion = (0.0, 0.0, math.sin(turn), math.cos(turn))
        objects.append(SceneObject(name, thing.label, thing.colour, place, quaternion, thing.size, 1.0, state.stamp))
        if edge_distance(thing, position[:2]) - profile.body.footprint <= AT:
            relations.add(Relation(ROBOT, "at", name))
    return Scene(state.stamp, SOURCE, by_id(objects), frozenset(relations))


def _yaw(orientation: FloatArray) -> float:
    """Where the base's x axis points on the ground [rad]."""
    x, y, z, w = orientation.tolist()
    return math.atan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z))
