"""Where the things of a picture are: on the table, in dishes, on each other, in the gripper; and where the arm is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import cos, pi, sin
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.hardware.kinematics import ToolPose
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.sim.objects import BOWL_BASE, FLOOR, WALL
from reins.sim.world import ObjectSpec, WorldSpec
from reins.skills.pose_ik import PoseSolver
from reins.training.renders.randomisation import RenderRandomisation

TRIES: Final = 40
"""Places that are tried for one thing before it is left out of the way, and poses for the arm before it stays home."""

OFF_CENTRE: Final = 0.006
"""How far from the middle of what it stands on a stacked block is [m]."""

ROUND: Final = 24
"""Corners of the polygon that stands for a round thing."""

HEADROOM: Final = 0.025
"""The fingers are at least this far above everything [m]."""

ASIDE: Final = 30.0
"""Where things are that found no place: out of every camera's sight [m]."""

HAND_DOWN: Final = np.diag([1.0, -1.0, -1.0])
"""Orientation of the tool that points down, fingers opening along y."""

Corners = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a thing is: the centre of its bounding box [m] and its rotation about +z [rad]."""

    x: float
    y: float
    z: float
    yaw: float


@dataclass(frozen=True, slots=True, eq=False)
class Arrangement:
    """Where everything is.

    Attributes:
        spots: of every thing that found a place, by id.
        held: id of the one in the gripper, or None.
        joints: (n,) joint position [rad].
        width: opening of the gripper [m].
        footprints: of what stands on the table.
    """

    spots: Mapping[str, Spot]
    held: str | None
    joints: FloatArray
    width: float
    footprints: Sequence[Corners]


class Arranger:
    """Draws arrangements. Holds the scratch memory of kinematics: one instance per thread.

    Args:
        profile: the robot.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._profile = profile
        self._solver = PoseSolver(profile)

    def arrange(self, world: WorldSpec, ranges: RenderRandomisation, random: np.random.Generator) -> Arrangement:
        """Where the things of `world` and the arm are this time."""
        table = _Table(world, ranges.gap.draw(random), random)
        for name in sorted(world.by_id, key=lambda name: world.by_id[name].label == "block"):
            if world.by_id[name].label == "block":
                if ranges.contained.draw(random) and table.put_in_dish(name):
                    continue
                if ranges.stacked.draw(random) and table.put_on_block(name):
                    continue
            table.put_on_table(name)
        home = Arrangement(
            table.spots, None, np.array(self._profile.home), self._profile.gripper.max_width, table.footprints
        )
        if ranges.arm_away.draw(random):
            return home
        return self._move_arm(home, world, table, ranges, random)

    def _move_arm(
        self,
        home: Arrangement,
        world: WorldSpec,
        table: "_Table",
        ranges: RenderRandomisation,
        random: np.random.Generator,
    ) -> Arrangement:
        """The arm over the table, perhaps with a block that nothing stands on."""
        free = [name for name in table.uncovered("block") if name in home.spots]
        held = str(random.choice(free)) if free and ranges.arm_holding.draw(random) else None
        spots = {name: spot for name, spot in home.spots.items() if name != held}
        tops = [spot.z + world.by_id[name].size[2] / 2 for name, spot in spots.items()]
        room = HEADROOM + (0.0 if held is None else world.by_id[held].size[2] / 2)
        for _ in range(TRIES):
            x, y = random.uniform(world.placement.lower, world.placement.upper).tolist()
            z = max(ranges.arm_height.draw(random), max(tops, default=0.0) + room)
            yaw = float(random.uniform(-pi / 4, pi / 4))
            turn = np.array([[cos(yaw), -sin(yaw), 0.0], [sin(yaw), cos(yaw), 0.0], [0.0, 0.0, 1.0]])
            found = self._solver.solve(ToolPose(np.array([x, y, z]), turn @ HAND_DOWN), [np.array(self._profile.home)])
            if found is None:
                continue
            if held is None:
                return replace(home, joints=found.position)
            spots[held] = Spot(x, y, z, yaw)
            width = world.by_id[held].size[1]
            return replace(home, spots=spots, held=held, joints=found.position, width=width)
        return home


class _Table:
    """Things are put on it one after another."""

    def __init__(self, world: WorldSpec, gap: float, random: np.random.Generator) -> None:
        self._world, self._gap, self._random = world, gap, random
        self.spots: dict[str, Spot] = {}
        self._covered: set[str] = set()
        self.footprints: list[Corners] = []

    def uncovered(self, *labels: str) -> list[str]:
        """The things of these kinds with nothing on or in them."""
        return [name for name in self.spots if self._world.by_id[name].label in labels and name not in self._covered]

    def put_on_table(self, name: str) -> bool:
        """Put it somewhere free; False if there is no room."""
        item, rules = self._world.by_id[name], self._world.placement
        for _ in range(TRIES):
            x, y = self._random.uniform(rules.lower, rules.upper).tolist()
            yaw = float(self._random.uniform(-pi, pi))
            corners = outline(item, x, y, yaw)
            if is_free(corners, self.footprints, self._gap):
                self.footprints.append(corners)
                self.spots[name] = Spot(x, y, item.size[2] / 2, yaw)
                return True
        return False

    def put_in_dish(self, name: str) -> bool:
        """Put it in an empty bowl or on an empty plate; False if there is none that has room."""
        half_diagonal = np.hypot(*self._world.by_id[name].size[:2]) / 2
        for dish in self.uncovered("bowl", "plate"):
            item = self._world.by_id[dish]
            floor = item.size[0] / 2 * (BOWL_BASE if item.label == "bowl" else 1.0) - 2 * WALL
            if floor > half_diagonal:
                self._put_over(name, dish, FLOOR, floor - half_diagonal)
                return True
        return False

    def put_on_block(self, name: str) -> bool:
        """Put it on a block that nothing stands on; False if there is none."""
        blocks = self.uncovered("block")
        if not blocks:
            return False
        foot = str(self._random.choice(blocks))
        self._put_over(name, foot, self.spots[foot].z + self._world.by_id[foot].size[2] / 2, OFF_CENTRE)
        return True

    def _put_over(self, name: str, below: str, height: float, room: float) -> None:
        """Near the middle of `below`, with its underside at `height` [m]."""
        spot, angle = self.spots[below], self._random.uniform(-pi, pi)
        off = float(room * np.sqrt(self._random.random()))
        x, y = spot.x + off * cos(angle), spot.y + off * sin(angle)
        yaw = float(self._random.uniform(-pi, pi))
        self.spots[name] = Spot(x, y, height + self._world.by_id[name].size[2] / 2, yaw)
        self._covered.add(below)


def outline(item: ObjectSpec, x: float, y: float, yaw: float) -> Corners:
    """(k, 2) corners of its footprint [m], in order."""
    if item.label == "block":
        angle = yaw + (np.arange(4) + 0.5) * (pi / 2)
        return np.asarray([x, y] + item.size[0] * np.sqrt(0.5) * np.column_stack([np.cos(angle), np.sin(angle)]))
    return circle(x, y, item.size[0] / 2)


def circle(x: float, y: float, radius: float) -> Corners:
    """(ROUND, 2) corners of a polygon around a circle [m]."""
    angle = np.arange(ROUND) * (2 * pi / ROUND)
    return np.asarray([x, y] + radius / cos(pi / ROUND) * np.column_stack([np.cos(angle), np.sin(angle)]))


def free_distance(a: Corners, b: Corners) -> float:
    """Widest gap between two convex polygons along the normals of their sides [m]; negative if they overlap."""
    widest = -np.inf
    for one, other in ((a, b), (b, a)):
        side = np.roll(one, -1, axis=0) - one
        normal = np.column_stack([side[:, 1], -side[:, 0]]) / np.hypot(side[:, 0], side[:, 1])[:, None]
        gap = (other @ normal.T).min(axis=0) - (one * normal).sum(axis=1)
        widest = max(widest, float(gap.max()))
    return widest


def is_free(corners: Corners, taken: Sequence[Corners], gap: float) -> bool:
    """Whether a footprint is `gap` [m] or more away from all others."""
    return all(free_distance(corners, other) >= gap for other in taken)
