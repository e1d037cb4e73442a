"""Things that move: whether each keeps its name, and whether things appear that are not there."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import cos, pi, sin
from typing import Final

import numpy as np

from reins.bench.perception.looks import Looker
from reins.bench.perception.score import match
from reins.contracts.scene import SceneObject
from reins.hardware.kinematics import ToolPose
from reins.hardware.profile import RobotProfile
from reins.sim.world_state import TruthObject
from reins.skills.pose_ik import PoseSolver
from reins.training.renders.arrangement import HAND_DOWN, Spot, is_free, outline
from reins.training.renders.picture import Painter, Picture

PERIOD: Final = 0.2
"""Robot time between two looks [s]; the node looks five times a second."""

SECONDS: Final = 6.0
"""Length of a sequence [s]."""

SPEED: Final = (0.03, 0.12)
"""Of the pushed block [m/s]."""

BEHIND: Final = 0.035
"""The tool is so far behind the middle of the block that it pushes [m]."""

TOOL_HEIGHT: Final = 0.03
"""Of the tool over the table while it pushes [m]."""

TRIES: Final = 30
"""Directions that are tried for a push."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """One sequence, judged.

    Attributes:
        seed: of its picture.
        switches: how often an object was given another id than it had.
        invented: looks after which more of a kind are in the scene than there are. What moves unseen stays where it was
            seen last, and is not invented.
        looks: how many there were.
    """

    seed: int
    switches: int
    invented: int
    looks: int

    @property
    def minutes(self) -> float:
        """Robot time [min]."""
        return self.looks * PERIOD / 60.0


class Mover:
    """Makes sequences: the arm pushes a block over the table, mostly between it and the overhead camera.

    Args:
        profile: the robot.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._home = np.array(profile.home)
        self._solver = PoseSolver(profile)

    def frames(self, picture: Picture, random: np.random.Generator) -> list[Picture]:
        """The pictures of a sequence; empty if nothing on this table can be pushed anywhere."""
        arrangement = picture.arrangement
        spots = {name: spot for name, spot in arrangement.spots.items() if name != arrangement.held}
        world, picture = picture.world, replace(picture, arrangement=replace(arrangement, spots=spots, held=None))
        blocks = [
            name
            for name, spot in spots.items()
            if world.by_id[name].label == "block" and abs(spot.z - world.by_id[name].size[2] / 2) < 1e-6
        ]
        bare = [name for name in blocks if not any(_over(spots[name], spot) for spot in spots.values())]
        for _ in range(TRIES if bare else 0):
            name, heading = str(random.choice(bare)), float(random.uniform(-pi, pi))
            speed = float(random.uniform(*SPEED))
            made = list(self._push(picture, name, heading, speed))
            if len(made) >= SECONDS / PERIOD / 2:
                return made
        return []

    def _push(self, picture: Picture, name: str, heading: float, speed: float) -> Iterator[Picture]:
        """As far as it goes: until something is in the way, the block leaves the table, or the arm's reach ends."""
        arrangement, rules = picture.arrangement, picture.world.placement
        start, item = arrangement.spots[name], picture.world.by_id[name]
        others = [
            outline(picture.world.by_id[other], spot.x, spot.y, spot.yaw)
            for other, spot in arrangement.spots.items()
            if other != name
        ]
        joints = self._home
        for step in range(round(SECONDS / PERIOD)):
            way = speed * PERIOD * step
            spot = replace(start, x=start.x + way * cos(heading), y=start.y + way * sin(heading))
            inside = rules.lower[0] < spot.x < rules.upper[0] and rules.lower[1] < spot.y < rules.upper[1]
            if not inside or not is_free(outline(item, spot.x, spot.y, spot.yaw), others, 0.01):
                return
            back = BEHIND + item.size[0] / 4
            at = np.array([spot.x - back * cos(heading), spot.y - back * sin(heading), TOOL_HEIGHT])
            found = self._solver.solve(ToolPose(at, HAND_DOWN), [joints, self._home])
            if found is None:
                return
            joints = found.position
            spots = {**arrangement.spots, name: spot}
            yield replace(picture, arrangement=replace(arrangement, spots=spots, joints=joints, width=0.0))


def _over(foot: Spot, other: Spot) -> bool:
    return other.z > foot.z + 0.01 and bool(np.hypot(other.x - foot.x, other.y - foot.y) < 0.05)


def _kinds(things: Iterable[SceneObject | TruthObject]) -> "Counter[tuple[str, str]]":
    return Counter((item.label, item.colour) for item in things)


def follow(looker: Looker, painter: Painter, seed: int, frames: list[Picture]) -> Sequence:
    """Look at a sequence from its beginning to its end."""
    looker.forget()
    names: dict[str, str] = {}
    switches = invented = 0
    for number, frame in enumerate(frames):
        stamp = number * PERIOD
        shots = painter.paint(frame, stamp)
        scene = looker.look(frame, [shot.image for shot in shots], stamp)
        truth = frame.truth(stamp).objects
        pairs = match(truth, scene)
        switches += sum(names.get(true, seen) != seen for true, seen in pairs.items())
        names |= pairs
        invented += bool(_kinds(scene.objects.values()) - _kinds(truth.values()))
    return Sequence(seed, switches, invented, len(frames))
