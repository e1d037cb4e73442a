"""Whether a robot is on its legs, and since when."""

import pytest

from reins.hardware.legged import Posture
from reins.safety.legged.stance import Stance
from reins.safety.verdict import Limit

STAND_UP = 1.5
SOON = 1e-9


@pytest.fixture
def stance() -> Stance:
    return Stance(STAND_UP)


def test_it_begins_sitting_and_never_gets_up_by_itself(stance: Stance) -> None:
    assert (stance.posture, stance.grounded) == (Posture.SIT, {})
    stance.take(Posture.SIT, 1.0)
    assert not stance.is_up(100.0)


@pytest.mark.parametrize("again", [(), (11.0,), (10.5, 11.4)])
def test_it_is_up_once_it_has_had_the_time_however_often_it_is_told(stance: Stance, again: tuple[float, ...]) -> None:
    for now in (10.0, *again):
        stance.take(Posture.STAND, now)
    assert stance.posture is Posture.STAND
    assert not stance.is_up(10.0 + STAND_UP - SOON)
    assert stance.is_up(10.0 + STAND_UP)


def test_sitting_down_in_between_takes_the_time_again(stance: Stance) -> None:
    stance.take(Posture.STAND, 10.0)
    stance.take(Posture.SIT, 12.0)
    assert not stance.is_up(100.0)
    stance.take(Posture.STAND, 20.0)
    assert not stance.is_up(20.0 + STAND_UP - SOON)
    assert stance.is_up(20.0 + STAND_UP)


def test_time_that_goes_back_counts_from_there(stance: Stance) -> None:
    stance.take(Posture.STAND, 100.0)
    stance.take(Posture.STAND, 5.0)
    assert not stance.is_up(5.0 + STAND_UP - SOON)
    assert stance.is_up(5.0 + STAND_UP)


def test_each_hazard_is_kept_with_its_first_reason_until_a_reset(stance: Stance) -> None:
    stance.ground({Limit.TILT: "first"})
    stance.ground({Limit.BATTERY: "empty", Limit.TILT: "second"})
    stance.ground({})
    assert list(stance.grounded.items()) == [(Limit.TILT, "first"), (Limit.BATTERY, "empty")]
    stance.reset()
    assert stance.grounded == {}
    stance.ground({Limit.TILT: "third"})
    assert stance.grounded == {Limit.TILT: "third"}
