"""The small parts of the monitor: watchdog, events, constraints, clock, reference, settings."""

import numpy as np
import pytest
from pydantic import ValidationError

from reins.contracts.errors import ReinsError
from reins.contracts.event import SafetyEvent, Severity
from reins.safety.clock import RobotClock
from reins.safety.events import EventLog
from reins.safety.reference import Reference
from reins.safety.settings import SafetySettings, parse_deadline
from reins.safety.watchdog import Watchdog


class TestWatchdog:
    @pytest.mark.parametrize("offset, late", [(-1e-9, False), (1e-9, True)])
    def test_exactly_at_the_deadline(self, offset: float, late: bool) -> None:
        watchdog = Watchdog({"robot": 0.09})
        watchdog.beat("robot", 1.0)
        assert ("robot" in watchdog.late(1.09 + offset)) is late

    def test_each_node_has_its_own_deadline(self) -> None:
        watchdog = Watchdog({"robot": 0.09, "planner": 0.5})
        for node in ("robot", "planner"):
            watchdog.beat(node, 0.0)
        assert set(watchdog.late(0.2)) == {"robot"}
        assert set(watchdog.late(0.6)) == {"robot", "planner"}

    def test_a_node_never_heard_of_is_late(self) -> None:
        assert Watchdog({"robot": 0.09}).late(0.0) == {"robot": float("inf")}

    def test_a_node_that_is_not_watched_does_not_matter(self) -> None:
        watchdog = Watchdog({})
        watchdog.beat("stranger", 0.0)
        assert watchdog.late(100.0) == {}

    def test_a_node_that_is_gone_is_late_until_it_is_heard_of_again(self) -> None:
        watchdog = Watchdog({"robot": 0.09})
        watchdog.beat("robot", 0.0)
        watchdog.forget("robot")
        watchdog.forget("stranger")
        assert watchdog.late(0.0) == {"robot": float("inf")}
        watchdog.beat("robot", 0.01)
        assert watchdog.late(0.01) == {}

    def test_a_beat_that_arrives_out_of_order_takes_nothing_back(self) -> None:
        watchdog = Watchdog({"robot": 0.09})
        watchdog.beat("robot", 2.0)
        watchdog.beat("robot", 1.0)
        assert watchdog.late(2.05) == {}


def event(stamp: float, reason: str = "too fast") -> SafetyEvent:
    return SafetyEvent(stamp, Severity.INFO, "limit_clipped", "skill", reason)


class TestEvents:
    def test_the_first_is_told_at_once_and_the_rest_in_one(self) -> None:
        log = EventLog(window=1.0)
        for step in range(100):
            log.tell_repeated(event(step * 0.01), "speed")
        assert [e.reason for e in log.take()] == ["too fast"]
        log.close_windows(0.99)
        assert log.take() == []
        log.close_windows(1.0)
        assert [e.reason for e in log.take()] == ["too fast (and 99 more like it)"]

    def test_a_single_repeat_is_told_as_it_was(self) -> None:
        log = EventLog(window=1.0)
        log.tell_repeated(event(0.0), "speed")
        log.tell_repeated(event(0.5), "speed")
        log.close_windows(2.0)
        assert [e.reason for e in log.take()] == ["too fast", "too fast"]

    def test_a_window_without_repeats_ends_in_silence_and_the_next_is_told_at_once(self) -> None:
        log = EventLog(window=1.0)
        log.tell_repeated(event(0.0), "speed")
        log.close_windows(1.5)
        log.tell_repeated(event(1.6), "speed")
        assert len(log.take()) == 2

    def test_other_codes_are_other_things(self) -> None:
        log = EventLog(window=1.0)
        log.tell_repeated(event(0.0), "speed")
        log.tell_repeated(event(0.0, "too far"), "position")
        assert len(log.take()) == 2

    def test_a_flood_is_told_at_a_bounded_rate(self) -> None:
        log = EventLog(window=1.0)
        told = 0
        for step in range(10_000):
            log.tell_repeated(event(step * 0.001), "speed")
            log.close_windows(step * 0.001)
            told += len(log.take())
        assert told <= 12

    def test_what_nobody_collects_is_bounded(self) -> None:
        log = EventLog(window=1.0)
        for step in range(5000):
            log.tell(event(float(step)))
        events = log.take()
        assert len(events) == 1000 and events[-1].stamp == 4999.0

    def test_the_sum_is_of_the_last_one_and_has_the_time_of_its_telling(self) -> None:
        log = EventLog(window=1.0)
        for severity, reason in ((Severity.INFO, "first"), (Severity.INFO, "second"), (Severity.WARN, "third")):
            log.tell_repeated(SafetyEvent(0.5, severity, "limit_clipped", "skill", reason), "speed")
        log.take()
        log.close_windows(1.5)
        assert log.take() == [SafetyEvent(1.5, Severity.WARN, "limit_clipped", "skill", "third (and 2 more like it)")]

    def test_what_was_summed_up_opens_a_window_of_its_own(self) -> None:
        log = EventLog(window=1.0)
        log.tell_repeated(event(0.0), "speed")
        log.tell_repeated(event(0.5), "speed")
        log.close_windows(1.0)
        log.tell_repeated(event(1.25), "speed")
        assert len(log.take()) == 2
        log.close_windows(2.0)
        assert [e.stamp for e in log.take()] == [2.0]

    def test_a_window_is_open_from_its_very_beginning(self) -> None:
        log = EventLog(window=1.0)
        log.tell_repeated(event(0.5), "speed")
        log.close_windows(0.5)
        log.tell_repeated(event(0.5), "speed")
        assert len(log.take()) == 1

    def test_kinds_and_sources_are_counted_apart(self) -> None:
        log = EventLog(window=1.0)
        for kind, source in (("limit_clipped", "skill"), ("limit_clipped", "teleop"), ("command_rejected", "skill")):
            log.tell_repeated(SafetyEvent(0.0, Severity.INFO, kind, source, "too fast"), "speed")
        assert len(log.take()) == 3

    def test_a_clock_that_goes_back_closes_the_window(self) -> None:
        log = EventLog(window=1.0)
        log.tell_repeated(event(100.0), "speed")
        log.tell_repeated(event(100.0), "speed")
        log.take()
        log.close_windows(0.0)
        assert len(log.take()) == 1


class TestClock:
    def test_between_states_it_stands_so_that_jitter_is_none(self) -> None:
        clock = RobotClock(lost_after=0.09)
        clock.set(5.0, t=100.0)
        assert clock.now(100.0) == clock.now(100.089) == 5.0

    def test_when_states_are_lost_it_goes_on(self) -> None:
        clock = RobotClock(lost_after=0.09)
        clock.set(5.0, t=100.0)
        assert clock.now(100.19) == pytest.approx(5.1)

    def test_where_no_state_can_come_it_goes_on_at_once(self) -> None:
        clock = RobotClock(lost_after=0.09)
        clock.set(5.0, t=100.0)
        clock.ended = True
        assert clock.now(100.04) == pytest.approx(5.04)
        clock.ended = False
        assert clock.now(100.04) == 5.0

    def test_it_knows_how_long_no_state_came(self) -> None:
        clock = RobotClock(lost_after=0.09)
        clock.set(5.0, t=100.0)
        assert clock.stamp == 5.0
        assert clock.silence(100.25) == 0.25

    def test_before_the_first_state_it_stands(self) -> None:
        clock = RobotClock(lost_after=0.09)
        assert clock.now(50.0) == clock.stamp == 0.0
        assert clock.silence(50.0) == float("inf")


class TestReference:
    @pytest.fixture
    def reference(self) -> Reference:
        made = Reference(2, period=0.01, longest=0.06)
        made.restart(np.array([1.0, 2.0]), now=5.0)
        return made

    def test_a_new_one_stands_at_the_origin(self) -> None:
        fresh = Reference(3, period=0.01, longest=0.06)
        assert fresh.standing and fresh.stamp == 0.0
        np.testing.assert_array_equal(fresh.position, np.zeros(3))
        np.testing.assert_array_equal(fresh.velocity, np.zeros(3))

    def test_it_keeps_a_position_of_its_own(self) -> None:
        where = np.array([1.0, 2.0])
        fresh = Reference(2, period=0.01, longest=0.06)
        fresh.restart(where, now=0.0)
        where[:] = 9.0
        np.testing.assert_array_equal(fresh.position, [1.0, 2.0])

    def test_restarted_in_motion_it_stands(self, reference: Reference) -> None:
        reference.velocity = np.array([1.0, -1.0])
        reference.restart(np.array([3.0, 4.0]), now=6.0)
        assert reference.standing and reference.stamp == pytest.approx(5.99)
        assert reference.velocity.shape == (2,)
        np.testing.assert_array_equal(reference.position, [3.0, 4.0])

    def test_it_starts_as_if_held_for_a_period(self, reference: Reference) -> None:
        assert reference.standing
        assert reference.elapsed(5.0) == pytest.approx(0.01)

    def test_it_advances_by_the_time_that_passes(self, reference: Reference) -> None:
        reference.advance(5.0)
        reference.velocity = np.array([1.0, -1.0])
        assert reference.advance(5.02) == pytest.approx(0.02)
        np.testing.assert_allclose(reference.position, [1.02, 1.98])

    def test_time_that_goes_back_or_stands_moves_nothing(self, reference: Reference) -> None:
        reference.advance(5.0)
        reference.velocity = np.array([1.0, -1.0])
        assert reference.advance(4.0) == reference.advance(5.0) == 0.0
        np.testing.assert_array_equal(reference.position, [1.0, 2.0])

    def test_after_time_went_back_it_counts_from_there(self, reference: Reference) -> None:
        reference.advance(5.0)
        reference.not_after(1.0)
        assert reference.elapsed(1.02) == pytest.approx(0.02)

    def test_no_command_acts_for_ever(self, reference: Reference) -> None:
        reference.advance(5.0)
        reference.velocity = np.array([1.0, -1.0])
        assert reference.advance(99.0) == 0.06

    def test_arrays_that_were_handed_out_never_change(self, reference: Reference) -> None:
        before = reference.position
        reference.velocity = np.array([1.0, 1.0])
        reference.advance(5.05)
        np.testing.assert_array_equal(before, [1.0, 2.0])

    @pytest.mark.parametrize(
        "measured, leash, most, there, enough",
        [
            ((1.05, 2.5), (0.1, 0.1), 1.0, (1.0, 2.4), True),
            ((1.5, 1.5), (0.1, 0.2), 1.0, (1.4, 1.7), True),
            ((1.5, 1.5), (0.1, 0.2), 0.25, (1.25, 1.75), False),
            ((1.5, 2.0), (0.25, 0.25), 0.25, (1.25, 2.0), True),
            ((1.5, 2.0), (0.25, 0.25), 0.0, (1.0, 2.0), False),
        ],
    )
    def test_the_leash_is_taut_only_beyond_its_length_and_pulls_no_farther_than_it_may(
        self,
        reference: Reference,
        measured: tuple[float, ...],
        leash: tuple[float, ...],
        most: float,
        there: tuple[float, ...],
        enough: bool,
    ) -> None:
        reference.velocity = np.array([2.0, -2.0])
        assert reference.draw_to(np.array(measured), np.array(leash), np.full(2, most)) is enough
        np.testing.assert_allclose(reference.position, there)
        np.testing.assert_array_equal(reference.velocity, [2.0, -2.0])


class TestSettings:
    @pytest.mark.parametrize(
        "entry", ["planner", "planner=", "=0.5", "planner=-1", "planner=0", "planner=soon", "p=inf"]
    )
    def test_a_deadline_that_is_none(self, entry: str) -> None:
        with pytest.raises(ReinsError, match="NODE=SECONDS"):
            parse_deadline(entry)
        with pytest.raises(ValidationError, match="NODE=SECONDS"):
            SafetySettings(heartbeat_deadlines=[entry])

    def test_deadlines_by_node(self) -> None:
        settings = SafetySettings(heartbeat_timeout=0.1, heartbeat_deadlines=["planner=0.5", "perception=1"])
        assert [settings.deadline(node) for node in ("robot", "planner", "perception")] == [0.1, 0.5, 1.0]

    @pytest.mark.parametrize("scale", [0.0, 1.1, float("nan")])
    def test_values_out_of_bounds(self, scale: float) -> None:
        with pytest.raises(ValidationError):
            SafetySettings(speed_scale=scale)

    def test_an_unknown_name(self) -> None:
        with pytest.raises(ValidationError):
            SafetySettings(speed=0.5)  # type: ignore[call-arg]

    def test_every_parameter_says_what_it_is(self) -> None:
        for name, field in SafetySettings.model_fields.items():
            assert field.description and field.description.endswith("."), name
            assert field.metadata, name
