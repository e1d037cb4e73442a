"""What stands about a simulated legged robot, as a scene: the simulator's truth, in the form that perception gives it.

A scene's frame is the base's, with z up: a trot sways, and what stands on the ground does not.
"""

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from reins.contracts import around
from reins.contracts.footprints import yaw_of
from reins.contracts.scene import PERSON, Scene, SceneObject, by_id
from reins.hardware.legged import LeggedState
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.sim.legged.ground import GroundSpec, Thing
from reins.sim.world_state import TruthObject

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
    return around.edge_distance(thing.label, thing.size, thing.yaw, x, y)


def things_of(ground: GroundSpec, position: FloatArray, orientation: FloatArray) -> Iterator[TruthObject]:
    """What stands about a base at (3,) [m] with this quaternion x y z w, as seen from it. Touches are not watched."""
    yaw = yaw_of(orientation)
    for name, thing in named(ground):
        x, y = thing.at[0] - position[0], thing.at[1] - position[1]
        z = ground.height_at(*thing.at) + 0.5 * thing.size[2] - position[2]
        place = (float(math.cos(yaw) * x + math.sin(yaw) * y), float(math.cos(yaw) * y - math.sin(yaw) * x), float(z))
        turn = 0.5 * (thing.yaw - yaw)
        quaternion = (0.0, 0.0, math.sin(turn), math.cos(turn))
        yield TruthObject(name, thing.label, thing.colour, place, quaternion, thing.size, touched=False)


def scene_of(ground: GroundSpec, state: LeggedState, profile: QuadrupedProfile) -> Scene:
    """What is true now: what stands about, the robot's posture, and what it is at."""
    objects = [
        SceneObject(item.id, item.label, item.colour, item.position, item.orientation, item.size, 1.0, state.stamp)
        for item in things_of(ground, state.odometry.position, state.odometry.orientation)
    ]
    posture = around.posture_relation(profile.is_up(state.height), profile.has_fallen(state.orientation))
    relations = {posture} | around.nearness(objects, profile.body.footprint)
    return Scene(state.stamp, SOURCE, by_id(objects), frozenset(relations))
