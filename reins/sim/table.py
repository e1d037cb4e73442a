"""The objects of a simulated world: where they start, where they are now, and who touches them."""

from collections.abc import Mapping

import numpy as np

from reins.contracts.errors import look_up
from reins.hardware.robot import FloatArray
from reins.sim.objects import rest_height
from reins.sim.physics import Physics
from reins.sim.placement import TablePose, place
from reins.sim.touch import TouchWatch
from reins.sim.world import WorldSpec
from reins.sim.world_state import TruthObject, WorldState


class Table:
    """What stands on the table, in any `Physics`.

    Args:
        world: the world.
        physics: the engine, made from the same world.
    """

    def __init__(self, world: WorldSpec, physics: Physics) -> None:
        self._world = world
        self._physics = physics
        self._touch = TouchWatch(world, physics.contacts)

    def poses(self, seed: int) -> Mapping[str, FloatArray]:
        """(7,) pose of every object as `seed` draws them, x y z [m] and w x y z.

        Raises:
            ReinsError: they do not fit on the table.
        """
        return {name: self._standing(name, pose) for name, pose in place(self._world, seed).items()}

    def put(self, name: str, pose: TablePose) -> None:
        """Have somebody else put an object on the table, at once, wherever it was.

        Raises:
            UnknownName: no such object; lists those that exist.
        """
        look_up("object", name, self._world.by_id)
        self._physics.put(name, self._standing(name, pose))

    def look(self) -> None:
        """Note who touches what at this moment."""
        self._touch.look()

    def forget_touches(self) -> None:
        """Nothing was touched yet."""
        self._touch.reset()

    def truth(self, seed: int) -> WorldState:
        """What is true now, in a world whose objects `seed` placed."""
        poses = self._physics.objects
        return WorldState(
            stamp=self._physics.time,
            world=self._world.name,
            seed=seed,
            objects={name: self._truth(name, poses[name]) for name in self._world.by_id},
            held=self._touch.held(),
            qpos=self._physics.qpos(),
        )

    def _truth(self, name: str, pose: FloatArray) -> TruthObject:
        item = self._world.by_id[name]
        x, y, z, qw, qx, qy, qz = pose.tolist()
        return TruthObject(
            id=name,
            label=item.label,
            colour=item.colour,
            position=(x, y, z),
            orientation=(qx, qy, qz, qw),
            size=item.size,
            touched=self._touch.touched(name),
        )

    def _standing(self, name: str, pose: TablePose) -> FloatArray:
        """(7,) pose of an object that stands on the table."""
        height = rest_height(self._world.by_id[name])
        return np.array([pose.x, pose.y, height, np.cos(pose.yaw / 2), 0.0, 0.0, np.sin(pose.yaw / 2)])
