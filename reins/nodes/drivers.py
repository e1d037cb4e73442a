"""Which driver stands behind the robot node: backends by name. Nothing is imported before it is asked for."""

from collections.abc import Callable
from functools import partial
from typing import Final

from reins.contracts.errors import look_up
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import Robot
from reins.sim.simulators import SIMULATORS, make_simulator
from reins.sim.world import load_world


def _simulated(simulator: str, profile: RobotProfile, world: str, seed: int) -> Robot:
    return make_simulator(simulator, profile, load_world(world), seed)


DRIVERS: Final[dict[str, Callable[[RobotProfile, str, int], Robot]]] = {
    name: partial(_simulated, name) for name in SIMULATORS
}
"""Backend name → driver from (profile, world name, seed); a real driver ignores world and seed."""


def make_robot(backend: str, profile: RobotProfile, world: str, seed: int) -> Robot:
    """The driver of a backend.

    Raises:
        UnknownName: no such backend, or no such world.
        ReinsError: the driver cannot be made; says why.
    """
    return look_up("backend", backend, DRIVERS)(profile, world, seed)
