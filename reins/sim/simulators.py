"""The physics engines by name, and what every simulated robot gives beyond `Robot`. Nothing is imported before it is
asked for."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Final, Protocol, runtime_checkable

from reins.contracts.errors import ReinsError, look_up
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import Robot
from reins.sim.placement import TablePose
from reins.sim.world import WorldSpec
from reins.sim.world_state import WorldState


@runtime_checkable
class SimulatedRobot(Robot, Protocol):
    """What a simulated driver gives beyond `Robot`."""

    def world_state(self) -> WorldState:
        """What is true in the world now."""
        ...

    def reset(self, seed: int) -> None:
        """Back to the start with other random poses; robot time starts at 0 again."""


class SimulatedTable(SimulatedRobot, Protocol):
    """A simulated arm at a table that others reach, too."""

    def put(self, name: str, pose: TablePose) -> None:
        """Have somebody else put an object on the table, at once, wherever it was.

        Raises:
            UnknownName: no such object; lists those that exist.
        """


def _mujoco(profile: RobotProfile, world: WorldSpec, seed: int) -> SimulatedTable:
    from reins.sim.mujoco_robot import MujocoRobot

    return MujocoRobot(profile, world, seed)


def _pybullet(profile: RobotProfile, world: WorldSpec, seed: int) -> SimulatedTable:
    from reins.sim.pybullet_robot import PybulletRobot

    return PybulletRobot(profile, world, seed)


INSTALL_PYBULLET: Final = (
    "run `./run setup pybullet`, or `pip install pybullet` (there are wheels for Python 3.10 and 3.11 on x86-64; "
    "elsewhere pip compiles it)"
)
"""What to do about it."""

SIMULATORS: Final[dict[str, Callable[[RobotProfile, WorldSpec, int], SimulatedTable]]] = {
    "mujoco": _mujoco,
    "pybullet": _pybullet,
}
"""Name → robot from (profile, world, seed of the objects' poses)."""


def require_simulator(name: str) -> None:
    """Make sure that an engine can be used, without importing it.

    Raises:
        UnknownName: no such engine; lists those that exist.
        ReinsError: it is not installed; says how to install it.
    """
    look_up("simulator", name, SIMULATORS)
    if name == "pybullet" and find_spec("pybullet") is None:
        raise ReinsError(f"the simulator 'pybullet' is not installed; {INSTALL_PYBULLET}")


def make_simulator(name: str, profile: RobotProfile, world: WorldSpec, seed: int) -> SimulatedTable:
    """The simulated robot of an engine.

    Raises:
        UnknownName: no such engine; lists those that exist.
        ReinsError: it is not installed, or the robot cannot be made; says why.
    """
    require_simulator(name)
    return SIMULATORS[name](profile, world, seed)
