"""A legged robot behind the monitor, by itself: what it says before anybody asked for anything, and after."""

import math
from typing import get_args

import numpy as np
import pytest
from legged_walker import standing, wish

from reins.contracts.plan import ConstraintKind
from reins.hardware.legged import Posture
from reins.hardware.quadruped import QuadrupedProfile
from reins.safety.constraints import ConstraintSet
from reins.safety.legged.mover import LeggedMover
from reins.safety.legged.settings import LeggedSettings
from reins.safety.settings import SafetySettings

START = 100.0


@pytest.fixture
def mover(quadruped: QuadrupedProfile) -> LeggedMover:
    """As it is made."""
    return LeggedMover(quadruped, SafetySettings(), LeggedSettings(), ConstraintSet(1.0))


def wants(mover: LeggedMover) -> bool:
    return mover.wants_motion


def test_nobody_is_near_and_nothing_is_wanted_at_first(mover: LeggedMover) -> None:
    assert mover.nearest_person == math.inf
    assert not wants(mover)


def test_what_is_wanted_is_forgotten(mover: LeggedMover) -> None:
    mover.want(wish((0.1, 0.0, 0.0)))
    assert wants(mover)
    mover.want(wish(np.zeros(3)))
    assert not wants(mover)
    mover.want(wish((0.0, 0.0, 0.1)))
    mover.forget()
    assert not wants(mover)


def test_driven_by_nobody_it_does_not_rise(mover: LeggedMover, quadruped: QuadrupedProfile) -> None:
    state = standing(quadruped, START)
    mover.see(state)
    mover.start(state, START)
    mover.want(wish((0.1, 0.0, 0.0)))
    mover.forget()
    command, limits = mover.drive(1.0, START, START, 0)
    assert command.posture is Posture.SIT and not command.velocity.any() and limits == ()


def test_a_payload_is_no_rule_for_legs_and_everything_else_is(mover: LeggedMover) -> None:
    assert set(get_args(ConstraintKind)) - set(mover.kept) == {"payload"}
    assert mover.keeps_distances
