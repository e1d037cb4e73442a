"""Which driver stands behind the robot node: backends by name. Nothing is imported before it is asked for."""

from collections.abc import Callable
from typing import Final, Protocol, runtime_checkable

from reins.contracts.errors import look_up
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import Robot
from reins.sim.world_state import WorldState


@runtime_checkable
class SimulatedRobot(Robot, Protocol):
    """What a simulated driver gives beyond `Robot`."""

    def world_state(self) -> WorldState:
        """What is true in the world now."""
        ...

    def reset(self, seed: int) -> None:
        """Back to the start with other random poses; robot time starts at 0 again."""


def _mujoco(profile: RobotProfile, world: str, seed: int) -> Robot:
    from reins.sim.mujoco_robot import MujocoRobot
    from reins.sim.world import load_world

    return MujocoRobot(profile, load_world(world), seed)


DRIVERS: Final[dict[str, Callable[[RobotProfile, str, int], Robot]]] = {"mujoco": _mujoco}
"""Backend name → driver from (profile, world name, seed); a real driver ignores world and seed."""


def make_robot(backend: str, profile: RobotProfile, world: str, seed: int) -> Robot:
    """The driver of a backend.

    Raises:
        UnknownName: no such backend, or no such world.
        ReinsError: the driver cannot be made; says why.
    """
    return look_up("backend", backend, DRIVERS)(profile, world, seed)
