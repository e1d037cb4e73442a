"""A table without physics: objects have places, skills do what they declare, and a scene shows it.

Histories for training and benchmarks without physics come from here. Same frame and units as a Scene.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import hypot
from typing import Final

from reins.contracts.facts import AXES
from reins.contracts.plan import SkillCall
from reins.contracts.relations import bottom, is_in, is_on, relations_between
from reins.contracts.scene import TABLE, Scene, SceneObject
from reins.skills.library import DEFAULT_PUSH

LOWER: Final = (0.32, -0.36)
UPPER: Final = (0.70, 0.36)
"""Corners of the rectangle in which things stand (x, y) [m]."""

GAP: Final = 0.03
"""Free distance between the edges of two things on the table [m]."""

SPREAD: Final = ((-0.035, -0.035), (0.035, 0.035), (-0.035, 0.035), (0.035, -0.035))
"""Where several things stand in a bowl or on a plate, from its middle [m]."""

HANGS: Final = (0.40, 0.0, 0.40)
"""Where a held thing is [m]."""

_FLOOR: Final = 0.006
"""Thickness of a bowl's floor [m]."""

_WAYS: Final = {"left_of": (0, 1), "right_of": (0, -1), "behind": (1, 0), "in_front_of": (-1, 0)}
_GRID: Final = [
    (LOWER[0] + (UPPER[0] - LOWER[0]) * i / 7, LOWER[1] + (UPPER[1] - LOWER[1]) * j / 11)
    for i in range(8)
    for j in range(12)
]


class Table:
    """Objects and what is held.

    Args:
        scene: how it begins.

    Attributes:
        objects: by id.
        held: id of what is in the gripper, or None.
        stamp: robot time [s].
    """

    def __init__(self, scene: Scene) -> None:
        self.objects = dict(scene.objects)
        self.held = scene.held()
        self.stamp = scene.stamp

    def scene(self) -> Scene:
        """What perception shows now."""
        every = {name: replace(item, last_seen=self.stamp) for name, item in self.objects.items()}
        return Scene(self.stamp, "made up", every, relations_between(every.values(), self.held))

    def do(self, call: SkillCall) -> None:
        """Carry out a skill whose preconditions hold. Those that leave everything where it is only take time."""
        self.stamp += 4.0
        arguments = call.arguments
        if call.skill == "pick":
            self.held = str(arguments["object"])
            self.move(self.held, HANGS[:2], HANGS[2])
        elif call.skill == "push":
            self._push(call)
        elif call.skill.startswith("place") and self.held is not None:
            name, self.held = self.held, None
            where = str(next(iter(arguments.values())))
            if where == TABLE:
                self.to_table(name)
            elif call.skill == "place_beside":
                self._beside(name, self.objects[where], str(arguments.get("side", "beside")))
            else:
                self.load(name, where)

    def move(self, name: str, spot: tuple[float, float], under: float = 0.0) -> None:
        """Put an object at (x, y) [m] with its underside at `under` [m]; what is on it or in it goes with it."""
        item = self.objects[name]
        moved = replace(item, position=(spot[0], spot[1], under + item.size[2] / 2))
        shift = tuple(new - old for new, old in zip(moved.position, item.position, strict=True))
        for other in self._on(name):
            x, y, z = (old + d for old, d in zip(self.objects[other].position, shift, strict=True))
            self.objects[other] = replace(self.objects[other], position=(x, y, z))
        self.objects[name] = moved

    def load(self, name: str, where: str) -> None:
        """Put an object in or on another one."""
        below = self.objects[where]
        taken = [self.objects[other] for other in self._on(where) if other != name]
        spread = SPREAD if below.label in ("bowl", "plate") else ((0.0, 0.0),)
        spots = [(below.position[0] + dx, below.position[1] + dy) for dx, dy in spread]
        under = bottom(below) + _FLOOR if below.label == "bowl" else below.top
        self.move(name, _roomiest(spots, taken), under)

    def to_table(self, name: str) -> None:
        """Put an object on the freest place of the table."""
        self.move(name, _roomiest(_GRID, [item for other, item in self.objects.items() if other != name]))

    def _push(self, call: SkillCall) -> None:
        name, direction = str(call.arguments["object"]), str(call.arguments["direction"])
        axis, sign = AXES[direction]
        spot = list(self.objects[name].position[:2])
        spot[axis] += sign * float(call.arguments.get("distance", DEFAULT_PUSH))
        self.move(name, (spot[0], spot[1]))

    def _beside(self, name: str, other: SceneObject, side: str) -> None:
        reach = (other.size[0] + self.objects[name].size[0]) / 2 + GAP
        ways = [_WAYS[side]] if side in _WAYS else list(_WAYS.values())
        spots = [(other.position[0] + reach * dx, other.position[1] + reach * dy) for dx, dy in ways]
        others = [item for key, item in self.objects.items() if key not in (name, other.id)]
        self.move(name, _roomiest(spots, others))

    def _on(self, name: str) -> list[str]:
        """Ids of what is on or in an object, and on that."""
        if name == self.held:
            return []
        item = self.objects[name]
        direct = [
            other.id
            for other in self.objects.values()
            if other.id not in (name, self.held) and (is_on(other, item) or is_in(other, item))
        ]
        return direct + [above for other in direct for above in self._on(other)]


def _roomiest(spots: Sequence[tuple[float, float]], others: Iterable[SceneObject]) -> tuple[float, float]:
    """The spot that is farthest from the edges of all the others."""
    there = list(others)

    def room(spot: tuple[float, float]) -> float:
        gaps = [hypot(item.position[0] - spot[0], item.position[1] - spot[1]) - item.size[0] / 2 for item in there]
        return min(gaps, default=1.0)

    return max(spots, key=room)
