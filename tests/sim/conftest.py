"""Fixtures of the simulated arm."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec

import mujoco
import pytest
from sim_mover import Mover

from reins.hardware.profile import RobotProfile, load_profile
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.world import WorldSpec, load_world

Put = Callable[..., None]

collect_ignore = [] if find_spec("pybullet") else ["test_pybullet_robot.py"]


@pytest.fixture(scope="session")
def profile() -> RobotProfile:
    """The arm."""
    return load_profile("franka")


@pytest.fixture(scope="session")
def tabletop() -> WorldSpec:
    """The default world."""
    return load_world("tabletop")


@pytest.fixture
def robot(profile: RobotProfile, tabletop: WorldSpec) -> Iterator[MujocoRobot]:
    """A simulated arm that holds its home pose."""
    made = MujocoRobot(profile, tabletop, seed=3)
    made.connect()
    yield made
    made.close()


@pytest.fixture
def mover(robot: MujocoRobot, profile: RobotProfile) -> Mover:
    """Moves `robot`."""
    return Mover(robot, profile)


@pytest.fixture
def put(robot: MujocoRobot) -> Put:
    """Put an object of `robot`'s world somewhere, upright, without physics."""

    def put(name: str, x: float, y: float, bottom: float = 0.0) -> None:
        height = robot.world.by_id[name].size[2] / 2
        robot.data.joint(name).qpos[:] = [x, y, bottom + height, 1.0, 0.0, 0.0, 0.0]
        robot.data.joint(name).qvel[:] = 0.0
        mujoco.mj_forward(robot.model, robot.data)

    return put
