"""A client's time limit stands still while its task is paused."""

import pytest

from reins.nodes.deadline import Deadline


@pytest.mark.parametrize(("t", "passed"), [(14.999, False), (15.001, True)])
def test_the_limit_counts_from_acceptance(t: float, passed: bool) -> None:
    deadline = Deadline(5.0)
    deadline.start(10.0)
    deadline.heard(11.0, False)
    assert deadline.passed(t) is passed


@pytest.mark.parametrize(("t", "passed"), [(114.999, False), (115.001, True)])
def test_a_pause_does_not_count(t: float, passed: bool) -> None:
    deadline = Deadline(5.0)
    deadline.start(10.0)
    deadline.heard(12.0, True)
    assert not deadline.passed(100.0)
    deadline.heard(112.0, False)
    assert deadline.passed(t) is passed


def test_feedback_before_acceptance_counts_nothing() -> None:
    deadline = Deadline(5.0)
    deadline.heard(1.0, False)
    deadline.start(10.0)
    assert not deadline.passed(14.0)


def test_silence_counts_in_a_pause_too() -> None:
    deadline = Deadline(5.0)
    deadline.start(10.0)
    deadline.heard(12.0, True)
    assert deadline.silence(15.0) == pytest.approx(3.0)
