"""Which driver stands behind the robot node: backends by name. Nothing is imported before it is asked for."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, Protocol

from reins.contracts.errors import ReinsError, look_up
from reins.hardware.legged import LeggedRobot
from reins.hardware.profile import RobotProfile
from reins.hardware.profile_base import Profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.real import REAL
from reins.hardware.robot import Driver, Robot
from reins.locomotion.odometry import StandingFeet
from reins.locomotion.walks import SCRIPTED, make_legs
from reins.peers.robot import PEERS, peer_robot
from reins.sim.legged.ground import load_ground
from reins.sim.legged.simulators import make_walker
from reins.sim.simulators import SIMULATORS, make_simulator
from reins.sim.world import load_world

RealDriver = Callable[[RobotProfile, str], Robot]


class LeggedDriver(Protocol):
    """Makes the driver of a real legged robot at an address, carried by the walk of that name or file."""

    def __call__(self, profile: QuadrupedProfile, address: str, walk: str = SCRIPTED) -> LeggedRobot: ...


def _simulated(simulator: str, profile: Profile, world: str, seed: int) -> Driver[Any, Any]:
    if isinstance(profile, QuadrupedProfile):
        return _walker(simulator, profile, world, seed, SCRIPTED)
    if isinstance(profile, RobotProfile):
        return make_simulator(simulator, profile, load_world(world), seed)
    raise ReinsError(f"backend '{simulator}' simulates arms and quadrupeds, and '{profile.name}' is a {profile.kind}")


def _walker(simulator: str, profile: QuadrupedProfile, world: str, seed: int, walk: str) -> LeggedRobot:
    return make_walker(simulator, profile, load_ground(world), seed, make_legs(walk, profile))


def _peer(name: str, profile: Profile, world: str, seed: int) -> Driver[Any, Any]:
    if not isinstance(profile, RobotProfile):
        raise ReinsError(f"backend '{name}' is an arm behind its protocol, and '{profile.name}' is a {profile.kind}")
    return peer_robot(name, profile, world, seed)


DRIVERS: Final[dict[str, Callable[[Any, str, int], Driver[Any, Any]]]] = {
    **{name: partial(_simulated, name) for name in SIMULATORS},
    **{name: partial(_peer, name) for name in PEERS},
}
"""Backend name → driver from (profile, world name, seed). Real arms are in `reins.hardware.real`."""


def _ros2_control(profile: RobotProfile, _address: str) -> Robot:
    from reins.nodes.ros2_control.driver import ros2_control_robot

    return ros2_control_robot(profile)


def real_drivers() -> dict[str, RealDriver]:
    """Name → driver of a real arm, not yet connected, from (profile, address): those of `reins.hardware.real`, and what
    speaks ROS itself, which needs no address."""
    return {**REAL, "ros2_control": _ros2_control}


def _go2(profile: QuadrupedProfile, address: str, walk: str = SCRIPTED) -> LeggedRobot:
    from reins.hardware.go2.driver import go2_robot

    return go2_robot(profile, address, make_legs(walk, profile), StandingFeet(profile))


LEGGED: Final[dict[str, LeggedDriver]] = {"go2": _go2}
"""Name → driver of a real legged robot, not yet connected."""


def make_robot(
    backend: str, profile: Profile, world: str, seed: int, address: str = "", walk: str = SCRIPTED
) -> Driver[Any, Any]:
    """The driver of a backend; a real robot ignores world and seed, a simulation the address, and an arm the walk.

    Raises:
        UnknownName: no such backend, world or walk.
        ReinsError: the driver cannot be made; says why.
    """
    arms = real_drivers()
    look_up("backend", backend, {**DRIVERS, **arms, **LEGGED})
    if backend in SIMULATORS and isinstance(profile, QuadrupedProfile):
        return _walker(backend, profile, world, seed, walk)
    if backend in DRIVERS:
        return DRIVERS[backend](profile, world, seed)
    if backend in arms and isinstance(profile, RobotProfile):
        return arms[backend](profile, address)
    if backend in LEGGED and isinstance(profile, QuadrupedProfile):
        return LEGGED[backend](profile, address, walk)
    drives = "arms" if backend in arms else "robots with legs"
    raise ReinsError(f"backend '{backend}' drives {drives}, and robot '{profile.name}' is of kind {profile.kind}")
