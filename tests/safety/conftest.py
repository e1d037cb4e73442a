"""What every safety test needs: the profiles, and a loop."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings
from safety_loop import Loop

from reins.hardware.profile import RobotProfile, load_profile

settings.register_profile(
    "mutation",  # mutmut runs the tests once for every mutant: what a few examples find, the others do too
    settings.get_profile("reins"),
    max_examples=8,
    suppress_health_check=[HealthCheck.differing_executors],  # it runs them again in the process that collected them
)


@pytest.fixture(scope="session", params=["franka"])
def profile(request: pytest.FixtureRequest) -> RobotProfile:
    """The arm for whose figures the tests are written, unless a test asks for every arm that ships with reins."""
    return load_profile(request.param)


@pytest.fixture
def make_loop(profile: RobotProfile) -> Callable[..., Loop]:
    """Makes loops on a robot that tracks exactly; keywords go to `Loop`."""

    def make(**keywords: object) -> Loop:
        return Loop(profile, **keywords)

    return make


@pytest.fixture
def loop(make_loop: Callable[..., Loop]) -> Loop:
    """A loop whose monitor is ready and whose host is armed."""
    return make_loop().begin()
