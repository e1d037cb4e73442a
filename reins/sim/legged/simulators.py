"""Simulated legged robots by the name of their physics engine. Nothing is imported before it is asked for."""

from collections.abc import Callable
from typing import Final

from reins.hardware.legs import LegControl
from reins.hardware.quadruped import QuadrupedProfile
from reins.sim.legged.engine import LegEngine
from reins.sim.legged.ground import GroundSpec
from reins.sim.legged.walker import SimulatedWalker
from reins.sim.simulators import require_simulator


def _mujoco(profile: QuadrupedProfile, ground: GroundSpec) -> LegEngine:
    from reins.sim.legged.mujoco_legs import MujocoLegs

    return MujocoLegs(profile, ground)


def _pybullet(profile: QuadrupedProfile, ground: GroundSpec) -> LegEngine:
    from reins.sim.legged.bullet_legs import BulletLegs

    return BulletLegs(profile, ground)


ENGINES: Final[dict[str, Callable[[QuadrupedProfile, GroundSpec], LegEngine]]] = {
    "mujoco": _mujoco,
    "pybullet": _pybullet,
}
"""Name → engine with this robot on this ground."""


def make_engine(name: str, profile: QuadrupedProfile, ground: GroundSpec) -> LegEngine:
    """The engine of that name.

    Raises:
        UnknownName: no such engine; lists those that exist.
        ReinsError: it is not installed; says how to install it.
    """
    require_simulator(name)
    return ENGINES[name](profile, ground)


def make_walker(
    name: str, profile: QuadrupedProfile, ground: GroundSpec, seed: int, legs: LegControl
) -> SimulatedWalker:
    """The simulated robot of an engine; `legs` carry its body. Raises as `make_engine` does."""
    return SimulatedWalker(profile, ground, seed, make_engine(name, profile, ground), legs)
