"""The world around a peer: our MuJoCo model, with what stands on its table."""

from typing import Final

from reins.peers.requests import tell_world
from reins.sim.mujoco_robot import MujocoPhysics
from reins.sim.table import Table
from reins.sim.world import load_world
from reins.sim.world_state import WorldState

TOLD: Final = 0.02
"""Time between two lines of truth [s]."""

LOOK: Final = 0.01
"""Time between two looks at who touches what [s]: as often as a simulated arm looks."""


class PeerWorld:
    """Sets the table, and tells what is true on it as the robot's time goes on.

    Args:
        name: of the world.
        physics: the engine, made from the same world.
        seed: of the objects' poses at the start.

    Raises:
        ReinsError: there is no such world, or its objects do not fit on the table.
    """

    def __init__(self, name: str, physics: MujocoPhysics, seed: int) -> None:
        self._physics = physics
        self._table = Table(load_world(name), physics)
        self._seed = seed
        physics.begin(self._table.poses(seed))
        self._look = round(LOOK / physics.timestep)
        self._tell = round(TOLD / physics.timestep)
        self._ticks = 0

    def set_table(self, seed: int) -> None:
        """Put every object where `seed` has it; the arm stays.

        Raises:
            ReinsError: they do not fit on the table.
        """
        for name, pose in self._table.poses(seed).items():
            self._physics.put(name, pose)
        self._seed = seed
        self._table.forget_touches()

    def truth(self) -> WorldState:
        """What is true now."""
        return self._table.truth(self._seed)

    def tick(self, telling: bool) -> None:
        """After every step of the engine: look, and now and then tell."""
        self._ticks += 1
        if self._ticks % self._look == 0:
            self._table.look()
        if telling and self._ticks % self._tell == 0:
            tell_world(self.truth())
