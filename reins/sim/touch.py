"""Who touches what, from an engine's contacts.

Engines tell what is in contact as pairs of kinds: 0 for the table, 1 and up for the world's objects in its order,
negative for the robot.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.sim.world import WorldSpec

ROBOT: Final = -1
"""Any part of the robot but its fingers."""

FINGER_KINDS: Final = (-2, -3)
"""Left and right finger."""


class TouchWatch:
    """Remembers which objects the robot has touched, and tells which one both fingers touch.

    Args:
        world: whose objects are watched.
        contacts: gives the (c, 2) kinds that are in contact at this moment.
    """

    def __init__(self, world: WorldSpec, contacts: Callable[[], NDArray[np.int32]]) -> None:
        self._contacts = contacts
        self._index = {name: number for number, name in enumerate(world.by_id)}
        self._ids = tuple(world.by_id)
        self._touched = np.zeros(len(self._ids) + 1, dtype=bool)

    def reset(self) -> None:
        """Forget every touch."""
        self._touched[:] = False

    def touched(self, name: str) -> bool:
        """Whether the robot, or what it held, touched the object since the last reset."""
        return bool(self._touched[self._index[name] + 1])

    def look(self) -> None:
        """Note the contacts of this moment."""
        kinds = self._contacts()
        if not (kinds.size and kinds.min() < 0):
            return
        robot = kinds.min(axis=1) < 0
        self._touched[np.maximum(kinds[robot].max(axis=1), 0)] = True
        if held := _held(kinds):
            pairs = kinds[(kinds == held).any(axis=1)]
            others = pairs[pairs != held]
            self._touched[others[others > 0]] = True

    def held(self) -> str | None:
        """Id of the object in contact with both fingers, or None."""
        held = _held(self._contacts())
        return self._ids[held - 1] if held else None


def _held(kinds: NDArray[np.int32]) -> int:
    """Kind of the object that both fingers touch, or 0."""
    left, right = (set(kinds[(kinds == finger).any(axis=1)].ravel().tolist()) for finger in FINGER_KINDS)
    return min((kind for kind in left & right if kind > 0), default=0)
