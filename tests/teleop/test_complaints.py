"""A stream that cannot be used is complained of, and does not flood the log."""

import pytest

from reins.teleop.complaints import Complaints

PAUSE = 2.0
AFTER = 1e-6


@pytest.fixture
def complaints() -> Complaints:
    return Complaints(PAUSE)


def test_the_first_one_is_news(complaints: Complaints) -> None:
    assert complaints.is_news("axis 0 is nan", 0.0)


@pytest.mark.parametrize("wait, told", [(PAUSE, False), (PAUSE + AFTER, True)])
def test_the_same_one_is_news_after_a_pause(complaints: Complaints, wait: float, told: bool) -> None:
    complaints.is_news("axis 0 is nan", 0.0)
    assert complaints.is_news("axis 0 is nan", wait) is told


def test_without_a_pause_the_same_one_is_told_once_however_long_it_goes_on(complaints: Complaints) -> None:
    assert [complaints.is_news("axis 0 is nan", 0.5 * step) for step in range(100)].count(True) == 1


@pytest.mark.parametrize("wait, told", [(PAUSE, False), (PAUSE + AFTER, True)])
def test_another_one_is_news_a_pause_after_the_last_that_was_told(
    complaints: Complaints, wait: float, told: bool
) -> None:
    complaints.is_news("axis 0 is nan", 0.0)
    complaints.is_news("axis 0 is nan", 1.5)
    assert complaints.is_news("axis 1 is nan", wait) is told


def test_text_that_always_changes_is_told_once_a_pause(complaints: Complaints) -> None:
    """As of a stream whose numbers are in it."""
    told = [complaints.is_news(f"z is {step}", 0.02 * step) for step in range(1001)]
    assert told.count(True) == 1 + int(20.0 / (PAUSE + 0.02))
