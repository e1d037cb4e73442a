"""What every safety test needs: the profiles, and a loop."""

from collections.abc import Callable

import pytest
from safety_loop import Loop

from reins.hardware.profile import RobotProfile, known_profiles, load_profile


@pytest.fixture(scope="session", params=[name for name in known_profiles() if load_profile(name).kind == "arm"])
def profile(request: pytest.FixtureRequest) -> RobotProfile:
    """Every arm that ships with reins."""
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
