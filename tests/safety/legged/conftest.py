"""What every test of legged safety needs: the quadrupeds that ship with reins."""

import pytest

from reins.hardware.profile import known_profiles, load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.safety.legged.settings import LeggedSettings


@pytest.fixture(scope="session", params=known_profiles("quadruped"))
def quadruped(request: pytest.FixtureRequest) -> QuadrupedProfile:
    """Every quadruped that ships with reins."""
    return load_profile(request.param, QuadrupedProfile)


@pytest.fixture(scope="session")
def settings() -> LeggedSettings:
    """The defaults."""
    return LeggedSettings()
