"""Who touches what, from MuJoCo's contacts."""

import mujoco
import numpy as np

from reins.sim.model import FINGERS
from reins.sim.world import WorldSpec


class TouchWatch:
    """Remembers which objects the robot has touched, and tells which one both fingers touch.

    Args:
        model, data: the simulation.
        world: whose objects are watched.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, world: WorldSpec) -> None:
        self._data = data
        self._index = {name: number for number, name in enumerate(world.by_id)}
        self._ids = tuple(world.by_id)
        # One class per geom: -1 for the robot, k + 1 for object k, 0 for the table.
        objects = {model.body(name).id: number + 1 for name, number in self._index.items()}
        classes = [objects.get(int(body), 0 if body == 0 else -1) for body in model.geom_bodyid]
        self._class = np.array(classes, dtype=np.int32)
        self._finger = np.array(
            [FINGERS.index(name) if (name := model.body(body).name) in FINGERS else -1 for body in model.geom_bodyid]
        )
        self._touched = np.zeros(len(self._ids) + 1, dtype=bool)

    def reset(self) -> None:
        """Forget every touch."""
        self._touched[:] = False

    def touched(self, name: str) -> bool:
        """Whether the robot, or what it held, touched the object since the last reset."""
        return bool(self._touched[self._index[name] + 1])

    def look(self) -> None:
        """Note the contacts of this moment."""
        kinds = self._class[self._data.contact.geom]
        if not (kinds.size and kinds.min() < 0):
            return
        robot = kinds.min(axis=1) < 0
        self._touched[np.maximum(kinds[robot].max(axis=1), 0)] = True
        if held := self._held():
            pairs = kinds[(kinds == held).any(axis=1)]
            others = pairs[pairs != held]
            self._touched[others[others > 0]] = True

    def held(self) -> str | None:
        """Id of the object in contact with both fingers, or None."""
        held = self._held()
        return self._ids[held - 1] if held else None

    def _held(self) -> int:
        """Class of that object, or 0."""
        touching: tuple[set[int], set[int]] = (set(), set())
        for pair in self._data.contact.geom.tolist():
            for one, other in (pair, pair[::-1]):
                finger, kind = self._finger[one], self._class[other]
                if finger >= 0 and kind > 0:
                    touching[finger].add(int(kind))
        return min(touching[0] & touching[1], default=0)
