"""What the filter of a legged robot lets through: every rule by itself, for every quadruped."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from legged_walker import SETTINGS, Walker, box, disc, standing, tilted, wish

from reins.hardware.legged import Posture
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.safety.legged.filter import LeggedFilter
from reins.safety.legged.hazards import ROBOT
from reins.safety.legged.limits import speed_use
from reins.safety.limits import braking_time
from reins.safety.verdict import Limit

SLOW = (0.1, 0.02, 0.05)


@pytest.fixture
def walker(quadruped: QuadrupedProfile) -> Walker:
    """One that may walk, with nothing around it."""
    return Walker(quadruped).stand_up()


def fast(profile: QuadrupedProfile, share: float = 1.0) -> FloatArray:
    """Straight ahead."""
    return np.array([share * profile.body.velocity.forward, 0.0, 0.0])


def drive(walker: Walker, velocity: Any, count: int) -> None:
    for _ in range(count):
        walker.drive(velocity)


class TestSafeCommands:
    def test_they_pass_as_they_are(self, walker: Walker) -> None:
        wanted = wish(np.zeros(3))
        verdict = walker.filter.step(walker.state(), walker.velocity, wanted, walker.period)
        assert verdict.velocity is wanted.velocity
        assert not verdict.changed

    @given(shares=st.tuples(*[st.floats(-0.5, 0.5)] * 3).map(np.array), yaw=st.floats(-3.0, 3.0))
    def test_whatever_the_heading(self, shares: FloatArray, yaw: float, quadruped: QuadrupedProfile) -> None:
        """Half a speed in each direction, going on as it went, a keep-out just far enough to stop before it."""
        body = quadruped.body
        wanted = wish(shares * [body.velocity.backward, body.velocity.sideways, body.velocity.turn])
        walker = Walker(quadruped).stand_up()
        walker.yaw = yaw
        time = quadruped.rates.stale_after + braking_time(wanted.velocity, quadruped.acceleration) / 2
        reach = float(np.hypot(*wanted.velocity[:2])) * time + walker.margin + body.footprint + 1e-6
        walker.filter.surround([disc(reach * math.cos(a), reach * math.sin(a), 0.0) for a in np.linspace(0, 6, 9)])
        verdict = walker.filter.step(walker.state(), wanted.velocity.copy(), wanted, walker.period)
        assert verdict.velocity is wanted.velocity
        assert verdict.limits == ()


class TestSpeed:
    @pytest.mark.parametrize(("factor", "passes"), [(1.0 - 1e-9, True), (1.0 + 1e-6, False)])
    @pytest.mark.parametrize("axis", ["forward", "backward", "sideways", "turn"])
    def test_on_both_sides_of_every_limit(self, walker: Walker, axis: str, factor: float, passes: bool) -> None:
        limit = getattr(walker.profile.body.velocity, axis)
        unit = {"forward": (1, 0, 0), "backward": (-1, 0, 0), "sideways": (0, -1, 0), "turn": (0, 0, 1)}[axis]
        wanted = wish(factor * limit * np.array(unit))
        verdict = walker.filter.step(walker.state(), wanted.velocity.copy(), wanted, walker.period)
        assert (verdict.velocity is wanted.velocity) is passes
        assert (verdict.limits == ()) is passes
        assert speed_use(verdict.velocity, walker.profile.body.velocity) <= 1.0 + 1e-9

    def test_what_is_too_fast_is_slowed_as_a_whole(self, walker: Walker) -> None:
        wanted = np.array([3.0, 1.0, 0.5])
        drive(walker, wanted, 150)
        verdict = walker.verdicts[-1]
        assert verdict.limits == (Limit.BODY_SPEED,)
        np.testing.assert_allclose(verdict.velocity / verdict.velocity[0], wanted / wanted[0], rtol=1e-6)
        assert speed_use(verdict.velocity, walker.profile.body.velocity) == pytest.approx(1.0)

    @pytest.mark.parametrize("scale", [0.1, 0.5])
    def test_a_scale_lowers_it(self, walker: Walker, scale: float) -> None:
        for _ in range(100):
            walker.drive(fast(walker.profile), scale=scale)
        assert walker.velocity[0] == pytest.approx(scale * walker.profile.body.velocity.forward)
        assert walker.verdicts[-1].limits == (Limit.BODY_SPEED,)

    def test_a_scale_that_falls_in_motion_brakes_within_the_acceleration(self, walker: Walker) -> None:
        drive(walker, (*fast(walker.profile)[:2], 1.0), 100)
        while walker.velocity[0] > 0.2 * walker.profile.body.velocity.forward + 1e-9:
            before = walker.velocity
            verdict = walker.drive((*fast(walker.profile)[:2], 1.0), scale=0.2)
            change = np.abs(verdict.velocity - before) / (walker.profile.acceleration * walker.period)
            assert 1.0 - 1e-6 < change.max() <= 1.0 + 1e-9
            assert verdict.limits[0] is Limit.BODY_SPEED and Limit.KEEP_OUT not in verdict.limits
        assert len(walker.verdicts) < 300

    @pytest.mark.parametrize(
        ("changes", "limit"),
        [
            ({"orientation": tilted(0.5)}, Limit.TILT),
            ({"battery": 0.15}, Limit.BATTERY),
            ({"temperature": np.full(12, 80.0)}, Limit.MOTOR_TEMPERATURE),
        ],
    )
    def test_tilt_low_battery_and_warm_motors_slow_it(
        self, walker: Walker, changes: dict[str, Any], limit: Limit
    ) -> None:
        walker.changes = changes
        drive(walker, fast(walker.profile), 100)
        assert walker.verdicts[-1].limits == (limit,)
        share = walker.velocity[0] / walker.profile.body.velocity.forward
        assert SETTINGS.slowest_share < share < 0.9
        assert not walker.filter.faults


class TestAcceleration:
    @given(wanted=st.tuples(*[st.floats(-4.0, 4.0)] * 3).map(np.array), elapsed=st.floats(0.0, 0.1))
    def test_it_is_never_passed(self, wanted: FloatArray, elapsed: float, quadruped: QuadrupedProfile) -> None:
        walker = Walker(quadruped).stand_up()
        before = np.array([0.5, -0.2, 0.3])
        verdict = walker.filter.step(walker.state(), before, wish(wanted), elapsed)
        assert (np.abs(verdict.velocity - before) <= quadruped.acceleration * elapsed + 1e-9).all()

    def test_asked_to_stand_still_in_motion_it_brakes_within_them(self, walker: Walker) -> None:
        drive(walker, fast(walker.profile), 100)
        before = walker.velocity
        verdict = walker.drive((0.0, 0.0, 0.0))
        assert verdict.limits == (Limit.BODY_ACCELERATION,)
        assert before[0] - verdict.velocity[0] == pytest.approx(walker.profile.acceleration[0] * walker.period)

    @pytest.mark.parametrize("periods", [0.5, 1.0, 3.0])
    def test_after_a_gap_it_speeds_up_by_one_periods_worth_only(self, walker: Walker, periods: float) -> None:
        wanted = wish(fast(walker.profile))
        verdict = walker.filter.step(walker.state(), np.zeros(3), wanted, periods * walker.period)
        expected = walker.profile.acceleration[0] * min(periods, 1.0) * walker.period
        assert verdict.velocity[0] == pytest.approx(expected)

    def test_what_is_too_sudden_goes_straight_towards_what_is_wanted(self, walker: Walker) -> None:
        wanted = np.array([1.0, 0.3, 0.2])
        verdict = walker.drive(wanted)
        assert verdict.limits == (Limit.BODY_ACCELERATION,)
        np.testing.assert_allclose(verdict.velocity / verdict.velocity[0], wanted / wanted[0], rtol=1e-9)
        assert (verdict.velocity / (walker.profile.acceleration * walker.period)).max() == pytest.approx(1.0)


class TestKeepOuts:
    def ahead(self, profile: QuadrupedProfile, shape: str, offset: float = 0.0) -> Walker:
        shapes = {"disc": disc(3.0, offset, 0.5), "box": box(3.0, offset, 0.0, (0.3, 0.8))}
        return Walker(profile, [shapes[shape]]).stand_up()

    @pytest.mark.parametrize("shape", ["disc", "box"])
    def test_straight_into_one_it_stops_right_before_it(self, quadruped: QuadrupedProfile, shape: str) -> None:
        walker = self.ahead(quadruped, shape)
        drive(walker, fast(quadruped), 400)
        assert 0.0 <= walker.clearance() < 0.02
        assert np.linalg.norm(walker.velocity[:2]) < 0.01
        assert Limit.KEEP_OUT in walker.verdicts[-1].limits

    @pytest.mark.parametrize("shape", ["disc", "box"])
    @pytest.mark.parametrize("course", [0.3, -0.5])
    def test_at_an_angle_it_slides_along_and_goes_on(
        self, quadruped: QuadrupedProfile, shape: str, course: float
    ) -> None:
        walker = self.ahead(quadruped, shape, offset=math.tan(course))
        walker.yaw = course
        lowest = math.inf
        for _ in range(900):
            walker.drive(fast(quadruped, 0.6))
            lowest = min(lowest, walker.clearance())
        assert lowest > -1e-7
        assert walker.place[0] > 4.5, "it got past"
        assert not walker.verdicts[-1].changed

    def test_turning_on_the_spot_is_free_beside_one(self, quadruped: QuadrupedProfile) -> None:
        walker = self.ahead(quadruped, "box")
        drive(walker, fast(quadruped), 400)
        before = walker.clearance()
        drive(walker, (0.0, 0.0, 0.5), 50)
        assert walker.velocity[2] == pytest.approx(0.5)
        assert not walker.verdicts[-1].changed
        assert walker.clearance() == pytest.approx(before)

    @pytest.mark.parametrize(("wanted", "moves"), [((-0.3, 0.0, 0.0), True), ((0.3, 0.0, 0.0), False)])
    def test_one_that_it_is_in_may_be_left_and_not_be_entered_deeper(
        self, quadruped: QuadrupedProfile, wanted: tuple[float, float, float], moves: bool
    ) -> None:
        walker = Walker(quadruped, [disc(0.6, 0.0, 0.5)]).stand_up()
        before = walker.clearance()
        assert before < -0.3
        drive(walker, wanted, 100)
        assert (walker.clearance() > 0.0) is moves
        assert walker.clearance() >= before - 1e-6

    def test_one_that_appears_too_near_to_stop_makes_it_brake_as_hard_as_it_may(self, walker: Walker) -> None:
        drive(walker, fast(walker.profile), 100)
        walker.filter.surround([disc(walker.place[0] + 0.8, 0.0, 0.1)])
        before = walker.velocity
        verdict = walker.drive(fast(walker.profile))
        assert verdict.limits[-1] is Limit.NO_SAFE_MOTION
        assert before[0] - verdict.velocity[0] == pytest.approx(walker.profile.acceleration[0] * walker.period)
        drive(walker, fast(walker.profile), 100)
        assert not walker.velocity.any() or np.linalg.norm(walker.velocity[:2]) < 0.01

    def test_among_more_than_the_qp_knows_it_is_certain_all_the_same(self, quadruped: QuadrupedProfile) -> None:
        ring = [disc(1.2 * math.cos(a), 1.2 * math.sin(a), 0.1) for a in np.linspace(0.0, 2.0 * math.pi, 30)]
        walker = Walker(quadruped, ring).stand_up()
        for step in range(600):
            walker.drive((math.cos(step / 40), 0.5 * math.sin(step / 25), math.sin(step / 60)))
            assert walker.clearance() > -1e-6
        assert any(Limit.KEEP_OUT in verdict.limits for verdict in walker.verdicts)

    @pytest.mark.parametrize("moving", [0.0, 0.8])
    def test_the_way_that_the_body_still_coasts_counts(self, quadruped: QuadrupedProfile, moving: float) -> None:
        """A body that moves comes to rest its response times its velocity farther on."""
        body = quadruped.body
        wanted = wish((0.8, 0.0, 0.0))
        time = quadruped.rates.stale_after + 0.4 / quadruped.acceleration[0]
        reach = 0.8 * time + body.response * 0.8 + body.footprint + SETTINGS.walking_margin
        for offset, passes in ((1e-6, True), (-1e-6, moving == 0.0)):
            walker = Walker(quadruped, [disc(reach + offset, 0.0, 0.0)]).stand_up()
            state = standing(quadruped, walker.time, moving=(moving, 0.0, 0.0))
            verdict = walker.filter.step(state, wanted.velocity.copy(), wanted, walker.period)
            assert (verdict.limits == ()) is passes


class TestPosture:
    def test_it_does_not_walk_before_it_stands(self, quadruped: QuadrupedProfile) -> None:
        walker = Walker(quadruped)
        begun = walker.time
        while not walker.velocity.any():
            verdict = walker.drive(SLOW)
            assert verdict.posture is Posture.STAND
            assert walker.time < begun + 2.0 * quadruped.body.stand_up
        assert walker.time - begun == pytest.approx(quadruped.body.stand_up, abs=2.5 * walker.period)
        assert {verdict.limits for verdict in walker.verdicts[:-1]} == {(Limit.POSTURE,)}

    def test_a_command_to_sit_brakes_first(self, walker: Walker) -> None:
        drive(walker, fast(walker.profile), 50)
        while walker.velocity.any():
            verdict = walker.drive((0, 0, 0), posture=Posture.SIT)
            assert (verdict.posture, verdict.limits) == (Posture.STAND, (Limit.BODY_ACCELERATION,))
        verdict = walker.drive((0, 0, 0), posture=Posture.SIT)
        assert (verdict.posture, verdict.limits) == (Posture.SIT, ())

    def test_sitting_it_does_not_walk(self, walker: Walker) -> None:
        walker.drive((0, 0, 0), posture=Posture.SIT)
        verdict = walker.drive(SLOW, posture=Posture.SIT)
        assert not verdict.velocity.any()
        assert verdict.limits == (Limit.POSTURE,)

    def test_braking_keeps_it_on_its_legs_unless_it_is_to_sit(self, walker: Walker) -> None:
        assert walker.filter.brake(walker.state(), np.zeros(3), walker.period).posture is Posture.STAND
        drive(walker, fast(walker.profile), 50)
        for _ in range(100):
            assert walker.brake().posture is Posture.STAND
        assert not walker.velocity.any()
        walker.brake(sit=True)
        assert walker.brake().posture is Posture.SIT

    def test_height_and_feet_do_not_count_while_it_stands_up(self, quadruped: QuadrupedProfile) -> None:
        walker = Walker(quadruped)
        walker.changes = {"height": 0.1, "contact": np.zeros(4, dtype=bool)}
        for _ in range(int(0.9 * quadruped.body.stand_up / walker.period)):
            walker.drive((0, 0, 0))
        assert not walker.filter.grounded
        told: set[str] = set()
        for _ in range(int(quadruped.body.stand_up / walker.period)):
            walker.drive((0, 0, 0))
            told |= {kind for kind, _ in walker.filter.faults}
        assert "base_height" in told
        assert walker.verdicts[-1].posture is Posture.SIT
        assert not walker.filter.faults, "sitting, its height is as it should be"


HAZARDS: dict[str, dict[str, Any]] = {
    "tilt": {"orientation": tilted(1.2, 0.7)},
    "base_height": {"height": 0.08},
    "foot_contact": {"contact": np.array([True, False, False, False])},
    "leg_joint": {"effort": np.full(12, 99.0)},
    "battery": {"battery": 0.05},
    "motor_temperature": {"temperature": np.full(12, 95.0)},
}


class TestHazards:
    @pytest.mark.parametrize("kind", HAZARDS)
    def test_each_brakes_within_the_limits_sits_down_and_says_why(self, walker: Walker, kind: str) -> None:
        drive(walker, fast(walker.profile, 0.8), 100)
        walker.changes = HAZARDS[kind]
        told: dict[tuple[str, str], str] = {}
        for _ in range(150):
            before = walker.velocity
            verdict = walker.drive(fast(walker.profile, 0.8))
            told = {**walker.filter.faults, **told}
            assert (np.abs(verdict.velocity - before) <= walker.profile.acceleration * walker.period + 1e-9).all()
            assert verdict.posture is Posture.STAND or not before.any(), "it sits only once it stands still"
        assert verdict.posture is Posture.SIT
        assert verdict.limits == (Limit[kind.upper()],)
        assert set(told) == {(kind, ROBOT)}
        assert walker.filter.grounded == told[kind, ROBOT]

    def test_the_stop_is_as_short_as_the_limits_allow(self, walker: Walker) -> None:
        drive(walker, fast(walker.profile), 100)
        walker.changes = HAZARDS["tilt"]
        least = braking_time(walker.velocity, walker.profile.acceleration)
        begun = walker.time
        while walker.velocity.any():
            walker.drive(fast(walker.profile))
        assert walker.time - begun <= least + 2 * walker.period

    def test_it_stays_down_when_the_hazard_is_over_until_a_reset(self, walker: Walker) -> None:
        walker.changes = HAZARDS["battery"]
        walker.drive(SLOW)
        walker.changes = {}
        drive(walker, SLOW, 200)
        assert not walker.filter.faults
        assert walker.filter.grounded
        walker.filter.reset()
        drive(walker, SLOW, 200)
        postures = [verdict.posture for verdict in walker.verdicts]
        assert (postures[-201], postures[-1]) == (Posture.SIT, Posture.STAND)
        np.testing.assert_array_equal(walker.velocity, SLOW)

    def test_a_reset_while_it_goes_on_changes_nothing(self, walker: Walker) -> None:
        walker.changes = HAZARDS["tilt"]
        drive(walker, SLOW, 5)
        walker.filter.reset()
        drive(walker, SLOW, 200)
        assert walker.verdicts[-1].posture is Posture.SIT

    def test_the_first_reason_of_each_is_kept(self, walker: Walker) -> None:
        for kind in ("battery", "tilt"):
            walker.changes = HAZARDS[kind]
            walker.drive(SLOW)
        walker.changes = {"battery": 0.01}
        walker.drive(SLOW)
        assert walker.filter.grounded.startswith("the battery is at 5%")
        assert "; the body tilts by 1.20 rad" in walker.filter.grounded
        assert walker.verdicts[-1].limits == (Limit.BATTERY, Limit.TILT)

    def test_braking_notices_them_as_well(self, walker: Walker) -> None:
        drive(walker, SLOW, 20)
        walker.changes = HAZARDS["motor_temperature"]
        for _ in range(20):
            walker.brake()
        assert walker.verdicts[-1].posture is Posture.SIT
        assert walker.verdicts[-1].limits == (Limit.MOTOR_TEMPERATURE,)

    def test_one_that_sits_does_not_rise_with_one(self, quadruped: QuadrupedProfile) -> None:
        walker = Walker(quadruped)
        walker.changes = HAZARDS["battery"]
        drive(walker, SLOW, 10)
        assert {verdict.posture for verdict in walker.verdicts} == {Posture.SIT}


def test_a_filter_begins_sitting(quadruped: QuadrupedProfile) -> None:
    made = LeggedFilter(quadruped, SETTINGS)
    assert made.faults == {}
    verdict = made.brake(standing(quadruped), np.zeros(3), 0.02)
    assert (verdict.posture, verdict.changed) == (Posture.SIT, False)


def test_where_nobody_has_told_it_what_surrounds_it_it_walks(quadruped: QuadrupedProfile) -> None:
    made, wanted = LeggedFilter(quadruped, SETTINGS), wish(SLOW)
    made.step(standing(quadruped, 100.0), np.zeros(3), wanted, 0.02)
    up = standing(quadruped, 101.0 + quadruped.body.stand_up)
    assert made.step(up, wanted.velocity.copy(), wanted, 0.02).velocity is wanted.velocity


def test_time_that_goes_back_only_makes_it_wait_again(walker: Walker) -> None:
    walker.time -= 50.0
    assert not walker.drive(SLOW).velocity.any()
    drive(walker, SLOW, int(walker.profile.body.stand_up / walker.period) + 5)
    assert walker.velocity.any()
