"""What is a stop, what follows from one, and when its file is due."""

from typing import Final

import pytest

from reins.blackbox.stops import SILENCE, SILENT, StopWatch

SECOND: Final = 1_000_000_000
AFTER: Final = SECOND


@pytest.fixture
def watch() -> StopWatch:
    watch = StopWatch(AFTER)
    watch.on_mode(0, "READY", "waiting")
    watch.on_mode(1, "active_teleop", "teleop is in charge")
    return watch


@pytest.mark.parametrize("mode", ["stopping", "stopped", "estop", "ESTOP"])
def test_every_mode_that_stops_is_a_case(watch: StopWatch, mode: str) -> None:
    watch.on_mode(10, mode, "why")
    assert watch.pending
    (cause,) = watch.close()
    assert (cause.stamp, cause.kind, cause.reason, cause.mode) == (10, mode.lower(), "why", "active_teleop")


@pytest.mark.parametrize("mode", ["ready", "active_skill", "hold", "starting"])
def test_no_other_mode_is(watch: StopWatch, mode: str) -> None:
    watch.on_mode(10, mode, "why")
    assert not watch.pending


@pytest.mark.parametrize(("later", "due"), [(AFTER - 1, False), (AFTER, True)])
def test_it_is_due_exactly_when_the_braking_is_on_record(watch: StopWatch, later: int, due: bool) -> None:
    watch.on_mode(10, "stopping", "why")
    assert bool(watch.due(10 + later)) is due
    assert watch.pending is not due


def test_several_stops_at_once_are_one_case(watch: StopWatch) -> None:
    watch.on_mode(10, "stopping", "node 'skills' has ended")
    watch.on_event(11, "robot_stopped", "no command/safe for 100 ms")
    watch.on_mode(12, "stopped", "stopped")
    watch.on_mode(13, "estop", "emergency stop by ann")
    causes = watch.due(10 + AFTER)
    assert [cause.kind for cause in causes] == ["stopping", "robot_stopped", "estop"]
    assert watch.due(10 + 2 * AFTER) == ()


def test_a_disarmed_robot_is_a_stop_unless_the_monitor_has_stopped_already(watch: StopWatch) -> None:
    watch.on_event(10, "robot_stopped", "disarmed by ann")
    assert [cause.reason for cause in watch.close()] == ["disarmed by ann"]
    watch.on_mode(20, "estop", "emergency stop by ann")
    watch.close()
    watch.on_event(30, "robot_stopped", "no command/safe for 100 ms")
    assert not watch.pending


def test_a_cut_is_told_whatever_went_before(watch: StopWatch) -> None:
    watch.on_event(10, "robot_stopped", "no command/safe for 100 ms")
    watch.on_event(300_000_000, "cut", "cut (stop of category 0): joint1 moves at 0.80 rad/s")
    assert [cause.kind for cause in watch.due(10 + AFTER)] == ["robot_stopped", "cut"]
    watch.on_event(20 + AFTER, "cut", "cut (stop of category 0): joint1 moves at 0.80 rad/s")
    assert [cause.kind for cause in watch.close()] == ["cut"], "the first file does not tell it"


def test_a_monitor_that_is_not_there_any_more_leaves_stopped_what_is(watch: StopWatch) -> None:
    watch.on_mode(10, "estop", "emergency stop by ann")
    watch.close()
    watch.on_mode(20, "starting", "the safety node is not active")
    watch.on_event(30, "robot_stopped", "no command/safe for 100 ms")
    assert not watch.pending


def test_a_monitor_that_leaves_a_moving_robot_makes_its_end_a_stop(watch: StopWatch) -> None:
    watch.on_mode(20, "starting", "the safety node is not active")
    watch.on_event(30, "robot_stopped", "no command/safe for 100 ms")
    assert [cause.mode for cause in watch.close()] == ["starting"]


def test_what_follows_the_end_of_safety_is_no_further_stop(watch: StopWatch) -> None:
    watch.on_robot(5)
    watch.on_event(10, "robot_stopped", "node 'safety' has ended")
    assert watch.due(10 + AFTER)
    watch.on_event(20 + AFTER, "robot_stopped", "the robot node is being deactivated")
    watch.look(100 * SECOND)
    assert not watch.pending
    watch.on_mode(101 * SECOND, "ready", "a new monitor")
    watch.on_event(102 * SECOND, "robot_stopped", "disarmed by ann")
    assert watch.pending


def test_other_events_and_repeated_modes_are_none(watch: StopWatch) -> None:
    watch.on_event(10, "limit_clipped", "held to the limits")
    assert not watch.pending
    watch.on_mode(10, "estop", "emergency stop by ann")
    watch.close()
    watch.on_mode(20, "estop", "emergency stop by ann")
    assert not watch.pending


def test_a_second_stop_is_a_second_case(watch: StopWatch) -> None:
    watch.on_mode(10, "stopping", "first")
    watch.on_mode(20, "stopped", "first")
    assert watch.due(10 + AFTER)
    watch.on_mode(10 + 2 * AFTER, "estop", "while it stands")
    assert [cause.reason for cause in watch.close()] == ["while it stands"]
    watch.on_mode(10 + 3 * AFTER, "ready", "reset")
    watch.on_mode(10 + 4 * AFTER, "stopping", "third")
    assert watch.pending


@pytest.mark.parametrize(("silence", "gone"), [(SILENCE, False), (SILENCE + 0.001, True)])
def test_a_robot_that_falls_silent_is_a_stop(watch: StopWatch, silence: float, gone: bool) -> None:
    watch.on_robot(10)
    watch.look(10 + round(silence * SECOND))
    assert [(cause.kind, cause.stamp) for cause in watch.close()] == ([(SILENT, 10)] if gone else [])
    watch.look(10 * SECOND * 2)
    assert watch.pending is not gone, "told once, until it is heard again"


def test_a_robot_that_was_never_heard_is_none_and_neither_is_one_that_was_stopped() -> None:
    watch = StopWatch(AFTER)
    watch.look(100 * SECOND)
    assert not watch.pending
    watch.on_robot(100 * SECOND)
    watch.on_mode(100 * SECOND, "estop", "why")
    watch.close()
    watch.look(200 * SECOND)
    assert not watch.pending
