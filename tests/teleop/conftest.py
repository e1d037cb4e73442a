"""A pad for tests, and the core that it drives."""

import numpy as np
import pytest
from teleop_pad import ArmCore, Pad

from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import RobotState
from reins.teleop.core import TeleopCore
from reins.teleop.mapping import load_joy_mapping


@pytest.fixture(scope="session")
def profile() -> RobotProfile:
    """The arm."""
    return load_profile("franka")


@pytest.fixture
def state(profile: RobotProfile) -> RobotState:
    """At home, some time after the start."""
    n = len(profile.joints)
    return RobotState(5.0, profile.home.copy(), np.zeros(n), np.zeros(n), profile.home.copy(), 0.04, False, 0)


@pytest.fixture
def core(profile: RobotProfile) -> ArmCore:
    """Driven by an Xbox pad."""
    return TeleopCore(profile, load_joy_mapping("xbox"))


@pytest.fixture
def pad(core: ArmCore, state: RobotState) -> Pad:
    """In the operator's hands, nothing pressed."""
    return Pad(core, state, load_joy_mapping("xbox"))
