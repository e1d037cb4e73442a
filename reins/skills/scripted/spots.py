"""Where to put the held object down: candidate spots in, on and beside things, and the choice among them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import hypot, pi
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.contracts.facts import CAPACITY
from reins.contracts.footprints import yaw_of
from reins.contracts.relations import radius
from reins.contracts.scene import CONTAINERS, TABLE, Scene, SceneObject
from reins.hardware.robot import RobotState
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.dish import face_of, wall_at
from reins.skills.scripted.hand import pointing_down, room_inside
from reins.skills.scripted.held import Held
from reins.skills.scripted.layout import Layout, block_at, by_wrist_turn, least_gap, reaches, ring, seen

RELEASE_GAP: Final = 0.003
"""The held object is let go this far above what it goes on [m]."""

BOWL_DEPTH: Final = 0.02
"""In a bowl it is let go with its underside this far below the rim, where the fingers still have room [m]."""

RELEASE_OPENING: Final = 0.018
"""How much the fingers open to let go [m]."""

IN_BOWL: Final = (0.021, 0.024, 0.027, 0.031, 0.038, 0.046, 0.012, 0.0)
"""Distances from the middle of a bowl that are tried, in turn [m]: the first leaves room for one more block."""

BOWL_OVERLAP: Final = 0.005
"""In a bowl it may be let go this far over what is in it already, for it slides down beside it [m]."""

BESIDE: Final = 0.028
"""Free distance to the thing it is put beside: well within what counts as beside, with room for error [m]."""

SPARE: Final = (0.03, 0.012, 0.003)
"""Free distance to everything else that is tried for, in turn [m]; the last is the error of perception."""

TABLE_MARGIN: Final = 0.10
"""On the table it is put at least this far from the workspace's side walls [m]."""

TABLE_GRID: Final = 0.03
"""Distance between the places on the table that are tried [m]."""

SIDE_ANGLES: Final = {"left_of": pi / 2, "right_of": -pi / 2, "behind": 0.0, "in_front_of": pi}
"""Direction from the object to each side of it, about +z from +x [rad]."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where the held object is let go.

    Attributes:
        anchor: id of the object that it moves along with, or TABLE.
        x, y: offset of its centre from the anchor's; from the base frame's origin for TABLE [m].
        yaw: yaw of the tool, and of the object's sides [rad].
        underside: height of its underside when it is let go [m].
    """

    anchor: str
    x: float
    y: float
    yaw: float
    underside: float

    def centre(self, scene: Scene) -> tuple[float, float]:
        """(x, y) of the object's centre in the base frame [m], with the anchor as it is seen now."""
        if self.anchor == TABLE:
            return self.x, self.y
        x, y, _ = seen(scene, self.anchor).position
        return x + self.x, y + self.y


class SpotFinder:
    """Finds a spot for the held object.

    Args:
        arm: the arm that puts it there.
        layout: what it keeps clear of.
        held: the object in the gripper.
        state, scene: newest.
    """

    def __init__(self, arm: Arm, layout: Layout, held: Held, state: RobotState, scene: Scene) -> None:
        self._arm, self._layout, self._held = arm, layout, held
        self._state, self._scene = state, scene
        self._opening = min(state.gripper_width + RELEASE_OPENING, layout.profile.gripper.max_width)

    def inside(self, container: SceneObject) -> Spot:
        """In a container, beside what is in it already."""
        contents = self._load(container)
        low = container.top - BOWL_DEPTH
        above_contents = max((item.top for item in contents), default=0.0) + RELEASE_GAP
        over = above_contents + self._layout.hand.fingertip - self._held.hanging
        spots = [*self._around(container, IN_BOWL, low)]
        if contents:
            spots += self._around(container, IN_BOWL, max(low, over))
            spots.sort(key=lambda spot: round(max(0.0, 0.001 - self._gap(spot, contents)), 3))
        others = self._layout.others(self._scene, container.id)
        chosen = self._best(spots, others, contents, loosest=-BOWL_OVERLAP, wall=container, levels=(0.0,))
        return self._or_refuse(chosen, f"there is no room left {_where(container)}")

    def on(self, support: SceneObject) -> Spot:
        """On a plate, beside what is on it already, or on a block, with the sides aligned."""
        load = self._load(support)
        underside = support.top + RELEASE_GAP
        if support.label == "block":
            sides = yaw_of(support.orientation)
            yaws = by_wrist_turn((sides + quarter * pi / 2 for quarter in range(4)), self._arm.tool(self._state))
            spots = [Spot(support.id, 0.0, 0.0, yaw, underside) for yaw in yaws]
        else:
            face = face_of(support).radius
            reach = max(0.0, face - max(self._held.size[:2]) / 2)
            spots = list(self._around(support, (0.0, reach, 0.8 * reach), underside))
        others = self._layout.others(self._scene, support.id)
        return self._or_refuse(self._best(spots, others, load), f"there is no room left {_where(support)}")

    def beside(self, item: SceneObject, side: str) -> Spot:
        """On the table beside an object, on one side of it or on any."""
        centre = SIDE_ANGLES.get(side)
        directions = [angle for _, _, angle in ring(0.0, 0.0, 1.0, 16, first=pi / 2)]
        if centre is not None:
            directions = [centre, centre + pi / 10, centre - pi / 10]
        apart = radius(item) + (self._held.size[0] + self._held.size[1]) / 4
        spots = [
            Spot(
                item.id, (apart + away) * float(np.cos(angle)), (apart + away) * float(np.sin(angle)), yaw, RELEASE_GAP
            )
            for away in (BESIDE, BESIDE + 0.008)
            for angle in directions
            for yaw in self._yaws(angle)
        ]
        where = f"beside {item.id}" if centre is None else f"{side.replace('_', ' ')} {item.id}"
        others = self._layout.others(self._scene)
        chosen = self._best(spots, others, [], own=item)
        return self._or_refuse(chosen, f"there is no free place {where}")

    def table(self) -> Spot:
        """A free place on the table, near the tool."""
        box = self._layout.profile.workspace
        near = self._arm.tool(self._state).position
        xs = np.arange(box.lower[0] + TABLE_MARGIN, box.upper[0] - TABLE_MARGIN, TABLE_GRID)
        ys = np.arange(box.lower[1] + TABLE_MARGIN, box.upper[1] - TABLE_MARGIN, TABLE_GRID)
        places = [(float(x), float(y)) for x in xs for y in ys]
        places.sort(key=lambda place: hypot(place[0] - near[0], place[1] - near[1]))
        spots = (Spot(TABLE, x, y, yaw, RELEASE_GAP) for x, y in places for yaw in self._yaws(0.0)[:2])
        others = self._layout.others(self._scene)
        chosen = self._best(spots, others, [], levels=(SPARE[1],))
        return self._or_refuse(chosen, "there is no free place on the table")

    def _load(self, support: SceneObject) -> list[SceneObject]:
        """What is in or on it already. Raises ReinsError where no more fits."""
        names = {*self._scene.related("in", support.id), *self._scene.related("on", support.id)} - {self._held.id}
        if len(names) >= CAPACITY.get(support.label, 1):
            raise ReinsError(f"there is no room left {_where(support)}: {', '.join(sorted(names))}")
        return [self._scene.objects[name] for name in sorted(names) if name in self._scene.objects]

    def _yaws(self, first: float) -> list[float]:
        """Yaws to try: `first` and quarter turns from it, then those between."""
        steps = [first + quarter * pi / 2 for quarter in range(4)] + [
            first + pi / 4 + quarter * pi / 2 for quarter in range(4)
        ]
        now = self._arm.tool(self._state)
        return [*by_wrist_turn(steps[:4], now), *by_wrist_turn(steps[4:], now)]

    def _around(self, item: SceneObject, radii: Iterable[float], underside: float) -> Iterator[Spot]:
        for distance in radii:
            for x, y, angle in ring(0.0, 0.0, distance, 12 if distance > 0.0 else 1):
                for yaw in self._yaws(angle):
                    yield Spot(item.id, x, y, yaw, underside)

    def _best(
        self,
        spots: Iterable[Spot],
        others: Sequence[SceneObject],
        load: Sequence[SceneObject],
        loosest: float = SPARE[-1],
        wall: SceneObject | None = None,
        own: SceneObject | None = None,
        levels: Sequence[float] = (*SPARE[:2], 0.0),
    ) -> Spot | None:
        """The first spot with plenty of room that is within reach; where none has plenty, one with less.

        Args:
            spots: in order of preference.
            others: what the hand and the object keep clear of.
            load: what is in or on the same thing already: from these the object itself keeps only `loosest` apart.
            wall: container whose wall the fingers must stay inside of.
            own: the object it goes beside; its distance is part of the spot.
            levels: how much room is asked for, in turn [m].
        """
        rated: list[tuple[float, Spot]] = []
        for spot in spots:
            spare = self._spare(spot, others, load, loosest, wall, own)
            if spare >= levels[0] and self._reaches(spot):
                return spot
            rated.append((spare, spot))
        for least in levels[1:]:
            for spare, spot in rated:
                if least <= spare < levels[0] and self._reaches(spot):
                    return spot
        return None

    def _spare(
        self,
        spot: Spot,
        others: Sequence[SceneObject],
        load: Sequence[SceneObject],
        loosest: float,
        wall: SceneObject | None,
        own: SceneObject | None,
    ) -> float:
        """Room to spare at a spot [m]; negative where something would be touched."""
        x, y = spot.centre(self._scene)
        block = block_at(x, y, spot.yaw, self._held.size)
        too_near = least_gap(block, load) < loosest or (own is not None and least_gap(block, [own]) < SPARE[-1])
        if too_near or not self._layout.reachable_area(x, y):
            return -1.0
        pose = pointing_down(x, y, spot.underside + self._held.hanging, spot.yaw)
        around = [item for item in others if item not in load and item is not own and item.top > spot.underside]
        spare = min(self._layout.room(pose, self._opening, others), least_gap(block, around) - SPARE[-1])
        tips = float(pose.position[2]) - self._layout.hand.fingertip
        if wall is not None and wall.label in CONTAINERS and tips < wall.top:
            spare = min(spare, room_inside(self._layout.hand, pose, self._opening, wall_at(wall, tips)))
        return spare

    def _gap(self, spot: Spot, items: Iterable[SceneObject]) -> float:
        """Free distance between the held object at a spot and other objects [m]."""
        x, y = spot.centre(self._scene)
        return least_gap(block_at(x, y, spot.yaw, self._held.size), items)

    def _reaches(self, spot: Spot) -> bool:
        x, y = spot.centre(self._scene)
        travel = self._layout.travel_height(self._scene, self._held.hanging)
        pose = pointing_down(x, y, spot.underside + self._held.hanging, spot.yaw)
        return reaches(self._arm, pose, travel, self._state)

    def _or_refuse(self, spot: Spot | None, reason: str) -> Spot:
        if spot is None:
            raise ReinsError(reason)
        return spot


def _where(item: SceneObject) -> str:
    """E.g. "in blue_bowl" or "on white_plate"."""
    return f"{'in' if item.label in CONTAINERS else 'on'} {item.id}"
