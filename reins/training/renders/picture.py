"""Everything that one picture shows, before it is painted; and what a painter gives back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, RobotState
from reins.sim.camera import CameraImage
from reins.sim.world import WorldSpec
from reins.sim.world_state import TruthObject, WorldState
from reins.training.renders.arrangement import Arrangement
from reins.training.renders.distractors import Distractor
from reins.training.renders.look import Look

NOTHING: Final = -1
"""Owner of a pixel that shows none of the things: table, floor, robot or a distractor."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Everything that is drawn from one seed.

    Attributes:
        seed: of the picture.
        world: things and cameras.
        arrangement: where the things and the arm are.
        distractors: what else lies about.
        look: paints, surfaces and light.
    """

    seed: int
    world: WorldSpec
    arrangement: Arrangement
    distractors: Sequence[Distractor]
    look: Look

    def qpos(self) -> FloatArray:
        """(nq,) generalised position: joints, fingers, then every thing of the world; left-out ones far away."""
        arrangement = self.arrangement
        poses = []
        for index, name in enumerate(self.world.by_id):
            spot = arrangement.spots.get(name)
            if spot is None:
                poses.append([30.0 + index, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
            else:
                half = spot.yaw / 2
                poses.append([spot.x, spot.y, spot.z, float(np.cos(half)), 0.0, 0.0, float(np.sin(half))])
        return np.concatenate([arrangement.joints, [arrangement.width / 2] * 2, *poses])

    def truth(self, stamp: float) -> WorldState:
        """What is true."""
        objects = {}
        for name, spot in self.arrangement.spots.items():
            item = self.world.by_id[name]
            turned = (0.0, 0.0, float(np.sin(spot.yaw / 2)), float(np.cos(spot.yaw / 2)))
            objects[name] = TruthObject(
                name, item.label, item.colour, (spot.x, spot.y, spot.z), turned, item.size, touched=False
            )
        return WorldState(stamp, self.world.name, self.seed, objects, self.arrangement.held, self.qpos())

    def state(self, profile: RobotProfile, stamp: float) -> RobotState:
        """What the robot measures: it stands still."""
        joints, still = self.arrangement.joints, np.zeros(len(profile.joints))
        holding = self.arrangement.held is not None
        return RobotState(stamp, joints, still, still, joints, self.arrangement.width, holding, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One camera's image of a picture.

    Attributes:
        image: what the camera gives.
        owner: (height, width) index of the thing in the world's order that each pixel shows; NOTHING where none.
        visible: share of every thing's outline that is visible in it, by id. All of the outline counts, also what is
            outside the image.
    """

    image: CameraImage
    owner: NDArray[np.int16]
    visible: Mapping[str, float]


class Painter(Protocol):
    """A renderer of pictures."""

    def paint(self, picture: Picture, stamp: float) -> list[Shot]:
        """What every camera of the picture's world sees."""
        ...

    def close(self) -> None:
        """Free what it holds. Safe to call twice."""
        ...
