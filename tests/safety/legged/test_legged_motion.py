"""What a legged robot was told last, and what becomes of it: time, order, and a driver that does not listen."""

import numpy as np
import pytest
from legged_walker import disc, standing, tilted, wish

from reins.hardware.legged import AS_USUAL, Gait, Posture
from reins.hardware.quadruped import QuadrupedProfile
from reins.safety.legged.motion import UNAPPLIED, LeggedMotion
from reins.safety.legged.settings import LeggedSettings
from reins.safety.verdict import Limit

START = 100.0
SLOW = np.array([0.02, 0.01, 0.03])
"""One period's acceleration reaches it."""


@pytest.fixture
def motion(quadruped: QuadrupedProfile) -> LeggedMotion:
    """Started; the robot sits."""
    made = LeggedMotion(quadruped, LeggedSettings())
    made.see(standing(quadruped, START))
    made.start(START)
    return made


@pytest.fixture
def up(motion: LeggedMotion, quadruped: QuadrupedProfile) -> LeggedMotion:
    """On its legs since START, as of `up_at`."""
    motion.drive(wish(np.zeros(3)), 1.0, START, START, 0)
    motion.see(standing(quadruped, up_at(quadruped), sequence=1))
    return motion


def up_at(profile: QuadrupedProfile) -> float:
    """When it has stood up."""
    return START + profile.body.stand_up + 1.0


def period(profile: QuadrupedProfile) -> float:
    return 1.0 / profile.rates.command


def rest_of(motion: LeggedMotion) -> tuple[bool, bool]:
    """Whether it is told to stand still, and to sit."""
    return motion.standing, motion.sitting


class TestCommands:
    def test_a_command_is_in_order_and_says_what_it_was_made_of(
        self, up: LeggedMotion, quadruped: QuadrupedProfile
    ) -> None:
        now = up_at(quadruped)
        command, limits = up.drive(wish(SLOW), 1.0, now, now - 0.01, 77)
        assert (command.sequence, command.stamp, command.trace_ns) == (2, now - 0.01, 77)
        assert command.period == period(quadruped) and command.posture is Posture.STAND
        assert command.velocity.tolist() == SLOW.tolist() and limits == ()
        braked = up.brake(now, now - 0.01, sit=False)
        assert (braked.sequence, braked.stamp, braked.trace_ns) == (3, now - 0.01, 0)

    def test_a_gait_is_let_through_and_kept_while_it_brakes(
        self, up: LeggedMotion, quadruped: QuadrupedProfile
    ) -> None:
        now, high = up_at(quadruped), Gait(1.0, 0.5)
        command, _ = up.drive(wish(SLOW, gait=high), 1.0, now, now, 0)
        assert command.gait == high and up.brake(now, now, sit=False).gait == high
        assert up.drive(wish(SLOW), 1.0, now, now, 0)[0].gait == AS_USUAL

    def test_the_scale_and_what_it_changes(self, up: LeggedMotion, quadruped: QuadrupedProfile) -> None:
        command, limits = up.drive(wish(SLOW), 1e-3, up_at(quadruped), START, 0)
        assert limits == (Limit.BODY_SPEED,) and 0.0 < command.velocity[0] < SLOW[0]

    @pytest.mark.parametrize("periods", [0.25, 0.5, 1.0])
    def test_velocity_changes_with_the_robot_time_that_passes(
        self, up: LeggedMotion, quadruped: QuadrupedProfile, periods: float
    ) -> None:
        now, step = up_at(quadruped), period(quadruped)
        up.drive(wish(SLOW), 1.0, now, now, 0)
        command, _ = up.drive(wish((9.0, 0.0, 0.0)), 1.0, now + periods * step, now, 0)
        assert command.velocity[0] <= SLOW[0] + quadruped.acceleration[0] * periods * step + 1e-9
        assert command.velocity[0] > SLOW[0] + 0.5 * quadruped.acceleration[0] * periods * step

    def test_a_long_pause_counts_no_longer_than_the_driver_goes_on(
        self, up: LeggedMotion, quadruped: QuadrupedProfile
    ) -> None:
        now, longest = up_at(quadruped), quadruped.rates.stale_after
        up.drive(wish(SLOW), 1.0, now, now, 0)
        command, _ = up.drive(wish((9.0, 0.0, 0.0)), 1.0, now + 5.0, now, 0)
        assert command.velocity[0] <= SLOW[0] + quadruped.acceleration[0] * longest + 1e-9

    def test_it_keeps_out_of_what_surrounds_it(self, up: LeggedMotion, quadruped: QuadrupedProfile) -> None:
        now, touching = up_at(quadruped), quadruped.body.footprint
        up.surround([disc(touching + 0.1, 0.0, 0.0)])
        command, limits = up.drive(wish(SLOW), 1.0, now, now, 0)
        assert Limit.KEEP_OUT in limits and command.velocity[0] <= 0.0

    def test_periods_since_the_last(self, up: LeggedMotion, quadruped: QuadrupedProfile) -> None:
        now, step = up_at(quadruped), period(quadruped)
        up.drive(wish(SLOW), 1.0, now, now, 0)
        assert up.periods_since_last(now) == 0.0
        assert up.periods_since_last(now + 1.5 * step) == pytest.approx(1.5)

    def test_as_started_a_command_is_due(self, motion: LeggedMotion) -> None:
        assert motion.periods_since_last(START) == pytest.approx(1.0)


class TestRest:
    def test_it_begins_at_rest(self, motion: LeggedMotion) -> None:
        assert rest_of(motion) == (True, True)

    def test_braking_stands_or_sits(self, up: LeggedMotion, quadruped: QuadrupedProfile) -> None:
        now = up_at(quadruped)
        up.drive(wish(SLOW), 1.0, now, now, 0)
        assert rest_of(up) == (False, False)
        assert up.brake(now + 0.1, now, sit=False).posture is Posture.STAND
        assert rest_of(up) == (True, False)
        assert up.brake(now + 0.2, now, sit=True).posture is Posture.SIT
        assert rest_of(up) == (True, True)

    def test_it_is_told_to_sit_only_once_it_stands_still(self, up: LeggedMotion, quadruped: QuadrupedProfile) -> None:
        now = up_at(quadruped)
        up.drive(wish(SLOW), 1.0, now, now, 0)
        assert up.brake(now + 0.1, now, sit=True).posture is Posture.STAND
        assert rest_of(up) == (True, False)
        assert up.brake(now + 0.2, now, sit=True).posture is Posture.SIT

    def test_a_start_stands_it_still_and_ends_what_made_it_sit(
        self, up: LeggedMotion, quadruped: QuadrupedProfile
    ) -> None:
        now = up_at(quadruped)
        up.drive(wish(SLOW), 1.0, now, now, 0)
        up.see(standing(quadruped, now, orientation=tilted(0.9)))
        assert up.faults and all(who == "robot" for _, who in up.faults)
        up.see(standing(quadruped, now))
        assert not up.faults
        assert up.drive(wish(SLOW), 1.0, now + 0.1, now, 0)[1] == (Limit.TILT,), "it sits for good"
        up.start(now + 0.2)
        assert up.standing
        assert up.drive(wish(np.zeros(3)), 1.0, now + 0.2, now, 0)[1] == ()


class TestDeafDriver:
    @pytest.mark.parametrize(("offset", "found"), [(-1e-6, False), (1e-6, True)])
    def test_on_both_sides_of_its_patience(
        self, motion: LeggedMotion, quadruped: QuadrupedProfile, offset: float, found: bool
    ) -> None:
        state = standing(quadruped, START + UNAPPLIED * quadruped.rates.stale_after + offset)
        motion.see(state)
        assert bool(motion.lagging(state)) is found

    def test_exactly_at_its_patience_it_may_yet_listen(self, quadruped: QuadrupedProfile) -> None:
        """From second 0 on, so that the difference of two stamps is exact."""
        motion = LeggedMotion(quadruped, LeggedSettings())
        motion.see(standing(quadruped, 0.0))
        motion.start(0.0)
        assert not motion.lagging(standing(quadruped, UNAPPLIED * quadruped.rates.stale_after))

    def test_it_says_for_how_long(self, motion: LeggedMotion, quadruped: QuadrupedProfile) -> None:
        state = standing(quadruped, START + 1.25)
        motion.see(state)
        assert motion.lagging(state) == "the robot has applied no command for 1.25 s; is it armed?"

    def test_every_command_that_it_applies_counts(self, motion: LeggedMotion, quadruped: QuadrupedProfile) -> None:
        for sequence, stamp in enumerate((START + 1.0, START + 2.0, START + 3.0), 1):
            state = standing(quadruped, stamp, sequence=sequence)
            motion.see(state)
            assert not motion.lagging(state)
        state = standing(quadruped, START + 4.0, sequence=3)
        motion.see(state)
        assert "1.00 s" in motion.lagging(state)

    def test_a_new_start_is_new_patience(self, motion: LeggedMotion, quadruped: QuadrupedProfile) -> None:
        state = standing(quadruped, START + 9.0)
        motion.see(state)
        motion.start(START + 9.0)
        assert not motion.lagging(state)


class TestTime:
    @pytest.mark.parametrize("jump", [-50.0, 50.0])
    def test_a_jump_changes_nothing_of_what_it_does(
        self, up: LeggedMotion, quadruped: QuadrupedProfile, jump: float
    ) -> None:
        now, step = up_at(quadruped), period(quadruped)
        up.drive(wish(SLOW), 1.0, now, now, 0)
        up.rebase(jump)
        state = standing(quadruped, now + jump + step, sequence=1)
        up.see(state)
        assert up.periods_since_last(now + jump + step) == pytest.approx(1.0)
        assert not up.lagging(state)
        late = standing(quadruped, now + jump + 1.0, sequence=1)
        assert "1.00 s" in up.lagging(late)

    def test_extrapolated_time_is_taken_back(self, up: LeggedMotion, quadruped: QuadrupedProfile) -> None:
        """States were lost, the monitor went on by its own clock, and the robot's turns out to be behind."""
        now, step = up_at(quadruped), period(quadruped)
        up.brake(now + 10 * step, now, sit=False)
        up.see(standing(quadruped, now + step, sequence=1))
        assert up.periods_since_last(now + 2 * step) == pytest.approx(1.0)

    def test_a_robot_whose_time_went_back_is_no_longer_deaf_than_it_was_heard(
        self, motion: LeggedMotion, quadruped: QuadrupedProfile
    ) -> None:
        back = standing(quadruped, START - 60.0)
        motion.see(back)
        later = standing(quadruped, START - 59.0)
        assert "1.00 s" in motion.lagging(later)
