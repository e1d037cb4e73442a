"""A simulated Go2 on a ground, in either engine."""

from collections.abc import Callable, Iterator

import pytest

from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.locomotion.walks import make_legs
from reins.sim.legged.engine import LegEngine
from reins.sim.legged.ground import load_ground
from reins.sim.legged.simulators import ENGINES, make_engine, make_walker
from reins.sim.legged.walker import SimulatedWalker


@pytest.fixture(scope="session")
def go2() -> QuadrupedProfile:
    return load_profile("go2", QuadrupedProfile)


@pytest.fixture(params=sorted(ENGINES))
def engine_name(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if name == "pybullet":
        pytest.importorskip("pybullet")
    return name


@pytest.fixture
def make_legs_on(engine_name: str, go2: QuadrupedProfile) -> Iterator[Callable[[str], LegEngine]]:
    """An engine on a ground by name."""
    made: list[LegEngine] = []

    def make(ground: str = "flat") -> LegEngine:
        made.append(make_engine(engine_name, go2, load_ground(ground)))
        return made[-1]

    yield make
    for engine in made:
        engine.close()


@pytest.fixture
def walker(engine_name: str, go2: QuadrupedProfile) -> Iterator[SimulatedWalker]:
    """Lies on flat ground, connected."""
    robot = make_walker(engine_name, go2, load_ground("flat"), 0, make_legs("scripted", go2))
    robot.connect()
    yield robot
    robot.close()
