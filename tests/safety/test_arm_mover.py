"""An arm behind the monitor, by itself."""

from typing import Any

import numpy as np
import pytest

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import JointCommand, RobotState
from reins.safety.arm import ArmMover
from reins.safety.constraints import ConstraintSet
from reins.safety.filter import SafetyFilter
from reins.safety.settings import SafetySettings

START = 5.0
PERIOD = 0.01


@pytest.fixture
def mover(profile: RobotProfile) -> ArmMover:
    """Holds the arm at home."""
    made = ArmMover(profile, SafetySettings(), ConstraintSet(1.0), SafetyFilter)
    made.see(at_home(profile, START))
    made.start(at_home(profile, START), START)
    return made


def at_home(profile: RobotProfile, stamp: float) -> RobotState:
    zeros = np.zeros(len(profile.joints))
    return RobotState(stamp, profile.home.copy(), zeros, zeros, profile.home.copy(), 0.04, False, 0)


def asks(profile: RobotProfile, velocity: Any) -> JointCommand:
    return JointCommand("skill", 1, START, PERIOD, profile.joint_names, velocity, START)


def test_who_takes_over_in_motion_goes_on_from_where_the_reference_will_be(
    mover: ArmMover, profile: RobotProfile
) -> None:
    wanted = np.full(len(profile.joints), 0.01)
    mover.want(asks(profile, wanted))
    first, _ = mover.drive(1.0, START, START, 0)
    now = START + PERIOD
    mover.take_over(at_home(profile, now), now)
    second, _ = mover.drive(1.0, now, now, 0)
    np.testing.assert_allclose(second.position, first.position + first.velocity * PERIOD, atol=1e-12)


def test_whole_numbers_are_numbers(mover: ArmMover, profile: RobotProfile) -> None:
    mover.want(asks(profile, np.zeros(len(profile.joints), dtype=int)))
    command, limits = mover.drive(1.0, START, START, 0)
    assert command.velocity.dtype == np.float64 and limits == ()


def test_what_was_asked_for_is_its_own(mover: ArmMover, profile: RobotProfile) -> None:
    """A source may use its array again."""
    given = np.full(len(profile.joints), 0.01)
    mover.want(asks(profile, given))
    given[:] = 9.0
    command, limits = mover.drive(1.0, START, START, 0)
    assert limits == () and command.velocity.max() == 0.01
