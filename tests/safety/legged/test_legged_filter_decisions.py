"""The legged filter's decisions one by one, on both sides of each edge, in figures worked out anew."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from legged_walker import SETTINGS, box, disc, standing, tilted

from reins.hardware.legged import LeggedState
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.safety.legged.arc import Arc
from reins.safety.legged.filter import ROWS, LeggedFilter, _Moment
from reins.safety.legged.keep_outs import Regions
from reins.safety.legged.limits import speed_use
from reins.safety.limits import braked, braking_time, fastest_reachable, stopping_speed
from reins.safety.nearest import Bounds
from reins.safety.verdict import Limit

PERIOD = 0.02
FREE = 1e30


class Subject:
    """A filter that looks at a state; a keep-out of 0.1 m is 3 m ahead unless others are."""

    def __init__(self, profile: QuadrupedProfile) -> None:
        self.profile, self.filter = profile, LeggedFilter(profile, SETTINGS)
        self.keep_outs = [disc(3.0, 0.0, 0.1)]
        self.filter.surround(self.keep_outs)
        self.footprint = profile.body.footprint + SETTINGS.walking_margin

    def moment(self, velocity: FloatArray | None = None, allowed: float = 1.0, **state: object) -> _Moment:
        """Seen from a state, while `velocity` is being braked."""
        velocity = np.zeros(3) if velocity is None else velocity
        brake = braked(velocity, self.profile.acceleration, PERIOD)
        return self.filter._look(standing(self.profile, **state), brake, allowed)

    def reachable(self, velocity: FloatArray) -> FloatArray:
        both = np.concatenate([-velocity, velocity])
        return fastest_reachable(both, np.tile(self.profile.acceleration, 2), PERIOD, self.filter._period)

    def time(self, velocity: FloatArray) -> float:
        """That a velocity is kept and half of what braking it takes [s]."""
        return self.profile.rates.stale_after + 0.5 * braking_time(velocity, self.profile.acceleration)


@pytest.fixture
def subject(quadruped: QuadrupedProfile) -> Subject:
    return Subject(quadruped)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("axis", range(3))
def test_what_is_no_number_is_braked_and_never_passed_on(subject: Subject, axis: int, value: float) -> None:
    """The gate refuses such a command; the filter does not lean on that."""
    velocity, wanted = np.array([0.4, 0.0, 0.0]), np.zeros(3)
    wanted[axis] = value
    answer, limits = subject.filter._filter(standing(subject.profile), velocity, wanted, PERIOD, 1.0)
    assert limits == (Limit.NO_SAFE_MOTION,)
    assert answer == pytest.approx(braked(velocity, subject.profile.acceleration, PERIOD))


def test_what_is_too_fast_for_limits_that_fell_is_not_told_as_a_keep_out(subject: Subject) -> None:
    """It runs ahead and is to go sideways: what it cannot brake yet leaves no room for that."""
    speed = subject.profile.body.velocity
    subject.filter.surround([disc(-9.0, 0.0, 0.1)])
    velocity, wanted = np.array([speed.forward, 0.0, 0.0]), np.array([0.0, speed.sideways, 0.0])
    answer, limits = subject.filter._filter(standing(subject.profile), velocity, wanted, PERIOD, 0.2)
    assert Limit.BODY_SPEED in limits and Limit.KEEP_OUT not in limits
    brake = braked(velocity, subject.profile.acceleration, PERIOD)
    assert speed_use(answer, speed) <= speed_use(brake, speed) + 1e-6


class TestSlowed:
    """A velocity that uses so much of the speed limits, and what its state leaves of them."""

    def slowed(
        self, subject: Subject, use: float, scale: float = 1.0, **state: object
    ) -> tuple[FloatArray, FloatArray, tuple[Limit, ...], float]:
        wanted = use * np.array([subject.profile.body.velocity.forward, 0.0, 0.0])
        return (wanted, *subject.filter._slowed(standing(subject.profile, **state), wanted, scale))

    @pytest.mark.parametrize("scale", [1.0, 0.5])
    def test_what_is_within_them_is_itself(self, subject: Subject, scale: float) -> None:
        wanted, velocity, limits, allowed = self.slowed(subject, scale, scale)
        assert velocity is wanted
        assert (limits, allowed) == ((), scale)

    def test_what_is_past_them_is_cut_to_them(self, subject: Subject) -> None:
        wanted, velocity, limits, allowed = self.slowed(subject, 0.8, 0.5)
        np.testing.assert_allclose(velocity, wanted * 0.5 / 0.8)
        assert (limits, allowed) == ((Limit.BODY_SPEED,), 0.5)

    @pytest.mark.parametrize(("use", "limit"), [(1.0, Limit.TILT), (1.0 + 1e-9, Limit.BODY_SPEED)])
    def test_the_limit_that_is_told_is_what_else_would_have_let_it_through(
        self, subject: Subject, use: float, limit: Limit
    ) -> None:
        tilt = subject.profile.tilt
        orientation = tilted(0.5 * (tilt.slow + tilt.stop))
        share = 0.5 * (1.0 + SETTINGS.slowest_share)
        wanted, velocity, limits, allowed = self.slowed(subject, use, orientation=orientation)
        assert limits == (limit,)
        assert allowed == pytest.approx(share)
        np.testing.assert_allclose(velocity, wanted * share / use)

    def test_of_several_the_one_that_leaves_least_counts(self, subject: Subject) -> None:
        battery, motor = subject.profile.battery, subject.profile.motor
        low = battery.slow - 0.25 * (battery.slow - battery.sit)
        warm = np.full(len(subject.profile.joints), motor.slow + 0.75 * (motor.sit - motor.slow))
        _, _, limits, allowed = self.slowed(subject, 0.9, battery=low, temperature=warm)
        assert limits == (Limit.MOTOR_TEMPERATURE,)
        assert allowed == pytest.approx(1.0 - 0.75 * (1.0 - SETTINGS.slowest_share))


class TestLook:
    def test_the_place_is_where_the_body_will_have_coasted_to(self, subject: Subject) -> None:
        yaw, place = 0.7, np.array([1.0, -2.0])
        moment = subject.moment(place=place, yaw=yaw, moving=(0.4, 0.2, 0.9))
        along = np.array([math.cos(yaw), math.sin(yaw)])
        left = np.array([-along[1], along[0]])
        expected = place + subject.profile.body.response * (0.4 * along + 0.2 * left)
        np.testing.assert_allclose(moment.place, expected)
        assert moment.yaw == pytest.approx(yaw)
        distance = np.linalg.norm(expected - [3.0, 0.0]) - 0.1 - subject.footprint
        np.testing.assert_allclose(moment.distances, [distance])

    @pytest.mark.parametrize(("speed", "more"), [(0.1, False), (1.0, True)])
    def test_what_the_hardest_braking_still_uses_is_allowed(self, subject: Subject, speed: float, more: bool) -> None:
        velocity = np.array([speed, 0.0, 0.0])
        moment = subject.moment(velocity, allowed=0.2)
        use = speed_use(braked(velocity, subject.profile.acceleration, PERIOD), subject.profile.body.velocity)
        assert (use > 0.2) is more
        assert moment.allowed == pytest.approx(max(use, 0.2))

    @pytest.mark.parametrize(("offset", "too_fast"), [(0.9e-9, False), (1.1e-9, True)])
    def test_too_fast_begins_a_rounding_past_what_is_allowed(
        self, subject: Subject, offset: float, too_fast: bool
    ) -> None:
        moment = subject.moment(allowed=0.5)
        velocity = (0.5 + offset) * np.array([0.0, 0.0, subject.profile.body.velocity.turn])
        assert subject.filter._is_too_fast(velocity, moment) is too_fast
        assert subject.filter._is_safe(velocity, moment) is not too_fast


class TestDeficit:
    """How much too fast a velocity is towards each keep-out."""

    @pytest.mark.parametrize("velocity", [(0.8, 0.0, 0.0), (0.8, 0.2, 0.5)])
    def test_it_is_what_its_arc_lacks_by_its_time(self, subject: Subject, velocity: tuple[float, ...]) -> None:
        wanted = np.array(velocity)
        time = subject.time(wanted)
        length = float(np.hypot(*wanted[:2])) * time
        subject.filter.surround([disc(length + subject.footprint - 0.05, 0.0, 0.0), disc(-9.0, 0.0, 0.1)])
        moment = subject.moment()
        arc = Arc(np.zeros(2), wanted[:2], wanted[2], time)
        regions = Regions([disc(length + subject.footprint - 0.05, 0.0, 0.0)], subject.footprint)
        expected = max(-float(arc.clearance(regions)[0]), 0.0) / time
        np.testing.assert_allclose(subject.filter._deficit(wanted, moment), [expected, 0.0], atol=1e-12)
        assert subject.filter._is_safe(wanted, moment) is (expected == 0.0)

    def test_turned_it_goes_where_it_heads(self, subject: Subject) -> None:
        wanted = np.array([0.8, 0.0, 0.0])
        reach = 0.8 * subject.time(wanted) + subject.footprint - 0.05
        subject.filter.surround([disc(0.0, reach, 0.0), disc(reach, 0.0, 0.0)])
        deficit = subject.filter._deficit(wanted, subject.moment(yaw=math.pi / 2))
        np.testing.assert_allclose(deficit, [0.05 / subject.time(wanted), 0.0], atol=1e-9)

    @pytest.mark.parametrize(("deeper", "lacks"), [(0.9e-9, False), (1.1e-9, True)])
    def test_in_one_already_it_may_go_no_deeper_but_for_a_rounding(
        self, subject: Subject, deeper: float, lacks: bool
    ) -> None:
        subject.filter.surround([disc(0.3, 0.0, 0.0)])
        moment = subject.moment()
        assert moment.distances[0] < 0.0
        velocity = np.array([1e-9, 0.0, 0.0])
        velocity *= deeper / (1e-9 * subject.time(velocity))
        assert bool(subject.filter._deficit(velocity, moment).any()) is lacks

    def test_what_is_out_of_reach_lacks_nothing(self, subject: Subject) -> None:
        deficit = subject.filter._deficit(np.array([0.5, 0.0, 0.0]), subject.moment())
        np.testing.assert_array_equal(deficit, [0.0])
        assert deficit.shape == (1,)


class TestBounds:
    def bounds(
        self, subject: Subject, target: FloatArray, velocity: FloatArray, allowed: float = 1.0, yaw: float = 0.0
    ) -> Bounds:
        moment = subject.moment(velocity, allowed, yaw=yaw)
        nearest = np.argsort(moment.distances)[:ROWS]
        return subject.filter._bounds(target, subject.reachable(velocity), nearest, moment)

    def test_each_way_ends_at_its_speed_and_at_what_can_be_reached(self, subject: Subject) -> None:
        speed, allowed = subject.profile.body.velocity, 0.5
        velocity = np.array([0.45 * speed.forward, 0.1, -0.2])
        reachable = subject.reachable(velocity)
        fastest = self.bounds(subject, np.ones(3), velocity, allowed).fastest
        limits = allowed * np.array(
            [speed.backward, speed.sideways, speed.turn, speed.forward, speed.sideways, speed.turn]
        )
        lowest = -np.concatenate([reachable[3:], reachable[:3]])
        np.testing.assert_allclose(fastest[:6], np.maximum(np.minimum(limits, reachable), lowest))
        np.testing.assert_array_equal(fastest[6:], np.full(6, FREE))

    def test_too_fast_already_it_must_brake_as_hard_as_it_can_and_no_harder(self, subject: Subject) -> None:
        velocity = np.array([subject.profile.body.velocity.forward, 0.0, 0.0])
        fastest = self.bounds(subject, velocity, velocity, allowed=0.01).fastest
        assert fastest[3] == pytest.approx(velocity[0] - subject.profile.acceleration[0] * PERIOD)

    @pytest.mark.parametrize("along", [0.5, 0.0, -0.5])
    def test_forward_and_sideways_share_an_ellipse(self, subject: Subject, along: float) -> None:
        speed = subject.profile.body.velocity
        (limit,) = self.bounds(subject, np.array([along, 0.1, 0.0]), np.zeros(3), 0.7).speeds
        farthest = speed.forward if along >= 0.0 else speed.backward
        np.testing.assert_allclose(limit.rows, np.diag([1.0 / farthest, 1.0 / speed.sideways, 0.0]))
        assert (limit.limit, limit.largest) == (Limit.BODY_SPEED, 0.7)

    def test_keep_outs_are_approached_no_faster_than_braking_allows_the_nearest_first(self, subject: Subject) -> None:
        """One to the left of the robot, one farther ahead of it; it heads to the right of both."""
        subject.filter.surround([disc(2.0, 0.0, 0.1), disc(0.0, 1.0, 0.2)])
        bounds = self.bounds(subject, np.array([0.1, 0.0, 0.0]), np.zeros(3), yaw=-math.pi / 2)
        distances = np.array([1.0 - 0.2, 2.0 - 0.1]) - subject.footprint
        braking = subject.profile.acceleration[[0, 1]]
        np.testing.assert_allclose(bounds.approach[:2], [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], atol=1e-12)
        assert not bounds.approach[2:].any()
        expected = stopping_speed(distances, braking, subject.profile.rates.stale_after)
        np.testing.assert_allclose(bounds.closing[:2], expected)
        np.testing.assert_array_equal(bounds.closing[2:], np.full(ROWS - 2, FREE))


class TestNearestSafe:
    """What is tried, in order, towards a target of which the robot could not stop."""

    TARGET = np.array([0.5, 0.0, 0.0])

    def ask(
        self,
        subject: Subject,
        monkeypatch: pytest.MonkeyPatch,
        solve: Callable[[int], FloatArray | None],
        safe: Callable[[FloatArray], bool],
        deficits: list[float],
    ) -> tuple[FloatArray | None, list[FloatArray]]:
        """The answer, and the closing speeds that each question had; `deficits` are given one after another."""
        asked: list[FloatArray] = []
        given = iter(deficits)

        def answer(target: FloatArray, jacobian: FloatArray, bounds: Bounds) -> FloatArray | None:
            assert target is self.TARGET and jacobian.shape == (6, 3)
            asked.append(bounds.closing.copy())
            return solve(len(asked))

        monkeypatch.setattr(subject.filter._nearest, "solve", answer)
        monkeypatch.setattr(subject.filter, "_is_safe", lambda velocity, _: safe(velocity))
        monkeypatch.setattr(subject.filter, "_deficit", lambda *_: np.array([next(given, 0.0)]))
        moment = replace(subject.moment(), brake=np.array([0.1, 0.0, 0.0]))
        return subject.filter._nearest_safe(self.TARGET, subject.reachable(np.zeros(3)), moment), asked

    def test_an_answer_that_is_safe_is_it(self, subject: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
        answer, asked = self.ask(subject, monkeypatch, lambda _: self.TARGET, lambda _: True, [])
        assert answer is self.TARGET and len(asked) == 1

    def test_every_keep_out_that_is_near_has_a_row(self, subject: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
        subject.filter.surround([disc(3.0, 0.0, 0.1), disc(0.0, 2.0, 0.1)])
        _, (closing,) = self.ask(subject, monkeypatch, lambda _: self.TARGET, lambda _: True, [])
        assert ((closing < FREE) == (np.arange(ROWS) < 2)).all()

    def test_without_an_answer_there_is_none(self, subject: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
        answer, asked = self.ask(subject, monkeypatch, lambda _: None, lambda _: True, [])
        assert answer is None and len(asked) == 1

    def test_what_lacks_is_taken_off_the_approach_three_times_at_most(
        self, subject: Subject, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answers = [np.array([0.5 - 0.1 * count, 0.0, 0.0]) for count in range(5)]
        answer, asked = self.ask(
            subject, monkeypatch, lambda count: answers[count], lambda _: True, [0.1, 0.2, 0.3, 9.0]
        )
        np.testing.assert_allclose(np.diff([closing[0] for closing in asked]), [-0.1, -0.2, -0.3])
        assert all((closing[1:] == FREE).all() for closing in asked)
        assert answer is answers[4]

    def test_once_nothing_lacks_it_is_asked_no_more(self, subject: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
        answer, asked = self.ask(
            subject, monkeypatch, lambda count: count * self.TARGET, lambda _: True, [0.1, 0.0, 0.3]
        )
        assert len(asked) == 2 and answer is not None
        np.testing.assert_array_equal(answer, 2 * self.TARGET)

    def test_where_no_slower_one_is_found_the_last_is_shortened(
        self, subject: Subject, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answer, asked = self.ask(
            subject,
            monkeypatch,
            lambda count: self.TARGET if count == 1 else None,
            lambda v: v is not self.TARGET,
            [0.1],
        )
        assert len(asked) == 2 and answer is not None
        np.testing.assert_allclose(answer, [0.1 + 0.5 * 0.4, 0.0, 0.0])

    @pytest.mark.parametrize(("refused", "share"), [(1, 0.5), (2, 0.25), (3, 0.1), (4, None)])
    def test_it_is_shortened_towards_braking_until_it_is_safe(
        self, subject: Subject, monkeypatch: pytest.MonkeyPatch, refused: int, share: float | None
    ) -> None:
        verdicts = iter([False] * refused)
        answer, _ = self.ask(subject, monkeypatch, lambda _: self.TARGET, lambda _: next(verdicts, True), [])
        if share is None:
            assert answer is None
            return
        assert answer is not None
        np.testing.assert_allclose(answer, [0.1 + share * 0.4, 0.0, 0.0])


class TestFiltered:
    def filtered(
        self, subject: Subject, velocity: FloatArray, wanted: FloatArray, **state: object
    ) -> tuple[FloatArray, tuple[Limit, ...]]:
        seen: LeggedState = standing(subject.profile, **state)
        return subject.filter._filter(seen, velocity, wanted, PERIOD, 1.0)

    def test_at_rest_it_stays_there_without_a_look(self, subject: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(subject.filter, "_look", None)
        still = np.zeros(3)
        velocity, limits = self.filtered(subject, np.zeros(3), still)
        assert velocity is still and limits == ()

    def test_asked_to_stand_it_brakes_within_its_limits(self, subject: Subject) -> None:
        moving = np.array([0.5, 0.1, 0.2])
        velocity, limits = self.filtered(subject, moving, np.zeros(3))
        np.testing.assert_allclose(velocity, braked(moving, subject.profile.acceleration, PERIOD))
        assert limits == (Limit.BODY_ACCELERATION,)

    @pytest.mark.parametrize(("excess", "limits"), [(1.0, ()), (1.0 + 1e-9, (Limit.BODY_ACCELERATION,))])
    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_a_change_of_just_what_can_be_reached_is_itself(
        self, subject: Subject, sign: float, excess: float, limits: tuple[Limit, ...]
    ) -> None:
        wanted = sign * excess * subject.profile.acceleration * PERIOD
        velocity, told = self.filtered(subject, np.zeros(3), wanted)
        assert told == limits
        assert (velocity is wanted) is (not limits)

    def test_too_near_and_too_fast_are_told_apart(self, subject: Subject) -> None:
        subject.filter.surround([box(subject.footprint + 0.3, 0.0, 0.0, (0.1, 2.0))])
        moving = np.array([0.8, 0.0, 0.0])
        assert self.filtered(subject, moving, moving.copy())[1][0] is Limit.KEEP_OUT
        subject.filter.surround([])
        fast = np.array([1.2 * subject.profile.body.velocity.forward, 0.0, 0.0])
        velocity, limits = self.filtered(subject, fast, fast.copy())
        assert limits[:2] == (Limit.BODY_SPEED, Limit.BODY_ACCELERATION)
        np.testing.assert_allclose(velocity, braked(fast, subject.profile.acceleration, PERIOD), atol=1e-6)
