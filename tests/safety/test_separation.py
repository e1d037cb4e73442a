"""A person comes near: the rule as a pure function on both sides of each boundary, then in the closed loop."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from safety_loop import SETTINGS, Loop

from reins.contracts.errors import ReinsError
from reins.safety.modes import Mode
from reins.safety.separation import (
    MOST_SOURCES,
    OTHERS,
    HumanDistance,
    Separation,
    allowed_speed,
    protective_distance,
)
from reins.safety.settings import SafetySettings

RULE = Separation(stop_distance=0.3, slow_distance=1.5, reaction=0.1, human_speed=1.6, deceleration=3.0)
TOP = 1.0
EPS = 1e-9
MakeLoop = Callable[..., Loop]

rules = st.builds(
    Separation,
    stop_distance=st.floats(0.0, 2.0),
    slow_distance=st.floats(2.1, 10.0),
    reaction=st.floats(0.0, 1.0),
    human_speed=st.floats(0.0, 3.0),
    deceleration=st.floats(0.5, 20.0),
)
distances = st.floats(-1.0, 30.0)


class TestRule:
    @pytest.mark.parametrize("distance", [-math.inf, -1.0, 0.0, 0.3 - EPS, 0.3, math.nan])
    def test_up_to_the_stop_distance_it_stands(self, distance: float) -> None:
        assert allowed_speed(distance, TOP, RULE) == 0.0

    @pytest.mark.parametrize(("offset", "sign"), [(-0.1, 0.0), (-1e-6, 0.0), (1e-6, 1.0)])
    def test_it_begins_to_move_where_a_person_who_walks_on_could_not_reach_it_while_it_reacts(
        self, offset: float, sign: float
    ) -> None:
        distance = RULE.stop_distance + RULE.human_speed * RULE.reaction + offset
        assert np.sign(allowed_speed(distance, TOP, RULE)) == sign

    def test_the_speed_is_the_one_whose_protective_distance_it_is(self) -> None:
        gentle = Separation(0.3, 0.31, 0.1, 1.6, 3.0)  # so that only the formula counts
        for speed in (0.1, 0.4, 0.9):
            assert allowed_speed(protective_distance(speed, gentle), TOP, gentle) == pytest.approx(speed)

    def test_the_formula_in_figures(self) -> None:
        # 0.3 + 1.6 * (0.1 + 0.6 / 3) + 0.6 * 0.1 + 0.6² / 6
        assert protective_distance(0.6, RULE) == pytest.approx(0.9)

    @pytest.mark.parametrize(("offset", "share"), [(-0.012, 0.99), (0.0, 1.0), (0.012, 1.0)])
    def test_it_slows_evenly_from_the_slow_distance_on(self, offset: float, share: float) -> None:
        still = Separation(0.3, 1.5, 0.0, 0.0, 1000.0)  # brakes at once, and people stand: only the even part counts
        assert allowed_speed(still.slow_distance + offset, TOP, still) == pytest.approx(share)

    def test_nobody_in_range_is_full_speed(self) -> None:
        assert allowed_speed(math.inf, TOP, RULE) == TOP
        assert allowed_speed(10.0, TOP, RULE) == TOP

    @given(rule=rules, distance=distances, top=st.floats(0.05, 3.0))
    def test_whatever_the_parameters_it_can_stop_in_time(self, rule: Separation, distance: float, top: float) -> None:
        speed = allowed_speed(distance, top, rule)
        assert 0.0 <= speed <= top
        if speed > 0.0:
            assert protective_distance(speed, rule) <= distance + 1e-6

    @given(rule=rules, near=distances, far=distances)
    def test_nearer_is_never_faster(self, rule: Separation, near: float, far: float) -> None:
        assume(near <= far)
        assert allowed_speed(near, TOP, rule) <= allowed_speed(far, TOP, rule) + EPS

    def test_its_parameters_are_those_of_the_settings(self) -> None:
        settings = SafetySettings(
            human_stop_distance=0.25,
            human_slow_distance=1.25,
            human_reaction=0.125,
            human_speed=1.75,
            tool_deceleration=2.5,
        )
        assert Separation.of(settings) == Separation(0.25, 1.25, 0.125, 1.75, 2.5)

    @pytest.mark.parametrize(("slow", "fine"), [(0.3, False), (0.3 + 1e-6, True)])
    def test_the_slow_distance_lies_beyond_the_stop_distance(self, slow: float, fine: bool) -> None:
        settings = SafetySettings(human_stop_distance=0.3, human_slow_distance=slow)
        if fine:
            Separation.of(settings)
            return
        with pytest.raises(ReinsError, match=r"human_slow_distance is 0\.3 m"):
            Separation.of(settings)


class TestSensors:
    TIMEOUT = 0.3

    @pytest.fixture
    def told(self) -> list[tuple[Any, ...]]:
        return []

    @pytest.fixture
    def human(self, told: list[tuple[Any, ...]]) -> HumanDistance:
        return HumanDistance(RULE, TOP, self.TIMEOUT, lambda *event: told.append(event))

    def test_without_a_sensor_there_is_no_limit(self, human: HumanDistance, told: list[Any]) -> None:
        human.watch(1e6)
        assert (human.scale, told) == (1.0, [])

    @pytest.mark.parametrize(("silence", "scale"), [(TIMEOUT, 1.0), (TIMEOUT + 1e-6, 0.0)])
    def test_one_that_spoke_must_go_on(self, human: HumanDistance, silence: float, scale: float) -> None:
        human.on_distance("lidar", math.inf, 0.0)
        human.watch(silence)
        assert human.scale == scale

    def test_silence_is_told_once_and_so_is_its_end(self, human: HumanDistance, told: list[tuple[Any, ...]]) -> None:
        human.on_distance("lidar", math.inf, 10.0)
        for step in range(20):
            human.watch(10.0 + 0.1 * step)
        human.on_distance("lidar", math.inf, 12.0)
        assert human.scale == 1.0
        assert [(kind, source) for _, kind, source, _ in told] == [
            ("human_sensor_lost", "lidar"),
            ("human_sensor_back", "lidar"),
            ("human_near", "safety"),
        ]

    def test_it_listens_to_those_that_have_spoken(self, human: HumanDistance) -> None:
        human.on_distance("lidar", math.nan, 0.0)
        assert human.listens_to("lidar") and not human.listens_to("radar")

    def test_the_nearest_counts_and_each_sensor_has_its_own_deadline(self, human: HumanDistance) -> None:
        human.on_distance("left", 5.0, 0.0)
        human.on_distance("right", 0.1, 0.0)
        assert human.scale == 0.0
        human.on_distance("left", 5.0, 0.1)
        human.on_distance("right", 5.0, 0.3 + 1e-6)
        assert human.scale == 1.0
        human.on_distance("right", 5.0, 0.45)
        assert human.scale == 0.0, "left is silent"

    @pytest.mark.parametrize(("wait", "scale"), [(TIMEOUT, 0.0), (TIMEOUT + 1e-6, 1.0)])
    def test_who_was_near_is_near_for_a_while(self, human: HumanDistance, wait: float, scale: float) -> None:
        human.on_distance("lidar", 0.1, 0.0)
        human.on_distance("lidar", math.inf, 0.1)
        human.watch(wait)
        assert human.scale == scale

    def test_a_sensor_that_loses_sight_of_a_person_now_and_then_holds(
        self, human: HumanDistance, told: list[tuple[Any, ...]]
    ) -> None:
        for step in range(500):
            human.on_distance("lidar", math.inf if step % 3 else 0.1, 0.02 * step)
            assert human.scale == 0.0
        assert [kind for _, kind, _, _ in told] == ["human_near"]

    def test_who_comes_nearer_counts_at_once(self, human: HumanDistance) -> None:
        distances = [2.0, 1.2, 1.5, 0.9, 5.0, 0.8]
        for step, distance in enumerate(distances):
            human.on_distance("lidar", distance, 0.01 * step)
            nearest = min(distances[: step + 1])
            assert human.scale == pytest.approx(allowed_speed(nearest, TOP, RULE) / TOP)

    @given(st.lists(st.tuples(st.floats(0.0, 0.2), st.floats(-1.0, 5.0) | st.just(math.inf)), min_size=1, max_size=60))
    def test_the_nearest_of_the_last_while_counts(self, seen: list[tuple[float, float]]) -> None:
        human, t, past = HumanDistance(RULE, TOP, self.TIMEOUT, lambda *_: None), 0.0, list[tuple[float, float]]()
        for wait, distance in seen:
            t += wait
            past.append((t, distance))
            human.on_distance("lidar", distance, t)
            nearest = min(distance for at, distance in past if t - at <= self.TIMEOUT)
            assert human.scale == allowed_speed(nearest, TOP, RULE) / TOP

    def test_sensors_beyond_the_most_do_not_hide_what_each_other_sees(self, human: HumanDistance) -> None:
        for number in range(MOST_SOURCES):
            human.on_distance(f"sensor {number}", 5.0, 0.0)
        human.on_distance("one more", 0.1, 0.0)
        human.on_distance("and another", 5.0, 0.01)
        assert human.scale == 0.0

    def test_what_is_no_number_is_nothing_heard(self, human: HumanDistance, told: list[tuple[Any, ...]]) -> None:
        human.on_distance("lidar", math.nan, 0.0)
        human.watch(0.0)
        assert human.scale == 0.0, "it spoke, and said nothing"
        assert [(kind, source) for _, kind, source, _ in told] == [("human_sensor_lost", "lidar")]
        human.on_distance("lidar", 5.0, 0.1)
        human.on_distance("lidar", math.nan, 0.3)
        human.watch(0.41)
        assert human.scale == 0.0

    def test_the_share_is_of_the_tools_own_top_speed(self) -> None:
        """At 0.9 m the rule lets the tool have 0.6 m/s, and half of its top speed for half of the way."""
        slow = HumanDistance(RULE, 0.5, self.TIMEOUT, lambda *_: None)
        slow.on_distance("lidar", 0.9, 0.0)
        assert slow.scale == pytest.approx(0.5)
        fast = HumanDistance(RULE, 2.0, self.TIMEOUT, lambda *_: None)
        fast.on_distance("lidar", 0.9, 0.0)
        assert fast.scale == pytest.approx(0.6 / 2.0)

    def test_too_close_to_measure_holds(self, human: HumanDistance, told: list[tuple[Any, ...]]) -> None:
        human.on_distance("lidar", -math.inf, 0.0)
        assert human.scale == 0.0
        assert "0.00 m away: the robot holds" in told[-1][3]

    def test_a_flood_of_names_is_bounded_and_none_is_forgotten(self, human: HumanDistance) -> None:
        for number in range(10 * MOST_SOURCES):
            human.on_distance(f"sensor {number}", 5.0, 0.0)
        assert human.scale == 1.0
        human.on_distance("one more", 0.1, 0.0)
        assert human.scale == 0.0
        assert len(human._sensors) <= MOST_SOURCES + 1 and OTHERS in human._sensors


class TestInTheLoop:
    SPEED = 0.3

    @pytest.mark.parametrize("source", ["skill", "teleop"])
    def test_a_person_who_comes_near_holds_the_robot_and_one_who_leaves_lets_it_go_on(
        self, make_loop: MakeLoop, source: str
    ) -> None:
        loop = make_loop().begin()
        begun = loop.robot.read().stamp

        def drive(distance: float, count: int) -> None:
            for _ in range(count):
                loop.monitor.on_human_distance("lidar", distance, loop.t)
                loop.drive(source, self.SPEED, 1, begun)

        drive(5.0, 30)
        assert np.abs(loop.sent[-1].velocity).max() > 0.9 * self.SPEED
        drive(0.2, 60)
        assert not loop.sent[-1].velocity.any()
        assert loop.monitor.status(loop.t).speed_scale == 0.0
        assert loop.moved_since(20) == 0.0
        assert loop.sent[-1].stamp == loop.state.stamp
        drive(5.0, 60)
        assert np.abs(loop.sent[-1].velocity).max() > 0.9 * self.SPEED
        assert loop.kinds().count("human_near") == 2

    def test_the_tool_is_no_faster_than_the_rule_allows(self, make_loop: MakeLoop) -> None:
        loop = make_loop().begin()
        begun = loop.robot.read().stamp
        for _ in range(100):
            loop.monitor.on_human_distance("lidar", 0.8, loop.t)
            loop.drive("skill", 10.0, 1, begun)
        top = loop.profile.workspace.tool_speed
        allowed = allowed_speed(0.8, top, Separation.of(SETTINGS)) / top
        assert 0.0 < allowed < 1.0
        assert loop.monitor.status(loop.t).speed_scale == pytest.approx(allowed)
        assert (np.abs(loop.sent[-1].velocity) <= allowed * loop.profile.velocity + 1e-9).all()

    def test_a_sensor_that_falls_silent_holds_the_robot_and_an_event_says_so(self, make_loop: MakeLoop) -> None:
        loop = make_loop().begin()
        begun = loop.robot.read().stamp
        loop.monitor.on_human_distance("lidar", math.inf, loop.t)
        loop.drive("skill", 0.1, 25, begun)
        assert loop.sent[-1].velocity.any()
        loop.drive("skill", 0.1, 60, begun)
        assert not loop.sent[-1].velocity.any() and loop.is_in(Mode.ACTIVE_SKILL)
        assert [event.source for event in loop.events if event.kind == "human_sensor_lost"] == ["lidar"]

    def test_the_operators_scale_counts_besides(self, make_loop: MakeLoop) -> None:
        loop = make_loop().begin()
        loop.monitor.rules.set_speed_scale(0.1, "anna")
        loop.monitor.on_human_distance("lidar", 5.0, loop.t)
        assert loop.monitor.status(loop.t).speed_scale == 0.1
