"""The reference and what keeps it: how it starts, is taken over, follows, and what is sent of it."""

from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from reins.contracts.plan import Constraint
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, GripperCommand, RobotState, SafeCommand
from reins.safety.bodies import Box
from reins.safety.constraints import ConstraintSet
from reins.safety.filter import SafetyFilter
from reins.safety.motion import FINGERS_MOVE, FINGERS_SPAN, LAG, SETTLED, UNTRACKED, Motion
from reins.safety.settings import SafetySettings
from reins.safety.surroundings import Surroundings

SETTINGS = SafetySettings(takeover_leash=0.0625, following_error=0.25)
NOW = 8.0
PERIOD = 0.01


def state(profile: RobotProfile, stamp: float = NOW, **changes: Any) -> RobotState:
    n = len(profile.joints)
    made = RobotState(stamp, profile.home.copy(), np.zeros(n), np.zeros(n), profile.home.copy(), 0.04, False, 0)
    return replace(made, **changes)


@pytest.fixture
def motion(profile: RobotProfile) -> Motion:
    """It holds the home position."""
    made = Motion(profile, SETTINGS)
    made.start(state(profile), NOW)
    return made


def drive(motion: Motion, velocity: FloatArray, now: float, **changes: Any) -> SafeCommand:
    values: dict[str, Any] = {"scale": 1.0, "now": now, "stamp": now, "trace_ns": 0}
    return motion.drive(velocity, **values | changes)[0]


@pytest.fixture
def gentle(profile: RobotProfile) -> FloatArray:
    return np.full(len(profile.joints), 0.05)


@pytest.fixture
def moving(motion: Motion, gentle: FloatArray) -> Motion:
    """It has moved gently for a period."""
    drive(motion, gentle, NOW)
    return motion


class TestWhatIsSent:
    def test_it_carries_everything_on(self, motion: Motion, profile: RobotProfile, gentle: FloatArray) -> None:
        command, verdict = motion.drive(gentle, 1.0, NOW, NOW - 0.25, 77)
        assert not verdict.changed
        assert (command.sequence, command.stamp, command.period) == (1, NOW - 0.25, PERIOD)
        assert (command.gripper, command.trace_ns) == (None, 77)
        np.testing.assert_array_equal(command.position, profile.home)
        np.testing.assert_array_equal(command.velocity, gentle)

    def test_braking_carries_no_trace(self, moving: Motion) -> None:
        command = moving.brake(NOW + PERIOD, NOW)
        assert (command.sequence, command.stamp, command.trace_ns) == (2, NOW, 0)

    def test_it_advances_by_the_time_that_passes(
        self, moving: Motion, profile: RobotProfile, gentle: FloatArray
    ) -> None:
        command = drive(moving, gentle, NOW + 0.025)
        np.testing.assert_allclose(command.position, profile.home + 0.025 * gentle)

    def test_braking_ends_at_rest(self, moving: Motion) -> None:
        stood = [moving.standing]
        command = moving.brake(NOW + PERIOD, NOW + PERIOD)
        stood.append(moving.standing)
        assert stood == [False, True] and not command.velocity.any()

    def test_the_scale_is_kept(self, motion: Motion, profile: RobotProfile) -> None:
        fast = np.zeros(len(profile.joints))
        fast[-1] = 0.1
        slow = drive(motion, fast, NOW, scale=0.01)
        assert slow.velocity[-1] == pytest.approx(0.01 * min(profile.velocity[-1], profile.workspace.tool_turn_rate))

    def test_periods_are_counted_since_the_last(self, motion: Motion, gentle: FloatArray) -> None:
        assert motion.periods_since_last(NOW) == pytest.approx(1.0), "as if it had been held for one"
        drive(motion, gentle, NOW)
        assert motion.periods_since_last(NOW) == 0.0
        assert motion.periods_since_last(NOW + 0.025) == pytest.approx(2.5)


def test_the_filter_learns_what_is_around(profile: RobotProfile) -> None:
    constraints = ConstraintSet(1.0)
    constraints.add(Constraint(kind="keep_out", centre=(0.5, 0.2, 0.3), size=(0.1, 0.2, 0.3)), "planner")
    constraints.add(Constraint(kind="payload", mass=0.5), "planner")
    around = Surroundings(profile, constraints)
    assert around.changed()
    assert [box.id for box in around.keep_outs] == ["planner-1"]
    around.held = Box("red_block", np.zeros(3), np.eye(3), np.full(3, 0.04))
    learned = Mock(spec=SafetyFilter)
    Motion(profile, SETTINGS, lambda *_: learned).surround(around)
    learned.surround.assert_called_once_with(around.keep_outs, around.held, 0.5)


def test_before_its_start_it_follows_the_arm_and_wants_nothing(profile: RobotProfile) -> None:
    fresh = Motion(profile, SETTINGS)
    fresh.see(state(profile, 0.15, reference=profile.home + 0.5))
    command = fresh.brake(0.15, 0.15)
    np.testing.assert_array_equal(command.position, profile.home)
    assert (command.sequence, command.gripper) == (1, None)


class TestGripper:
    WIDE, NARROW = GripperCommand(0.04, 10.0), GripperCommand(0.01, 10.0)

    def test_a_target_is_passed_on_until_another_one_comes(self, motion: Motion, gentle: FloatArray) -> None:
        """Each message may be the one that is lost."""
        motion.want_gripper(self.WIDE)
        assert [drive(motion, gentle, NOW + i * PERIOD).gripper for i in range(2)] == [self.WIDE] * 2
        motion.want_gripper(self.NARROW)
        assert drive(motion, gentle, NOW + 2 * PERIOD).gripper is self.NARROW

    @pytest.mark.parametrize("stopped", [False, True])
    def test_none_is_passed_on_while_it_brakes_or_holds(
        self, motion: Motion, gentle: FloatArray, stopped: bool
    ) -> None:
        motion.want_gripper(self.NARROW)
        assert [motion.brake(NOW + i * PERIOD, NOW, stopped).gripper for i in range(3)] == [None] * 3
        assert drive(motion, gentle, NOW + 3 * PERIOD).gripper is self.NARROW

    def test_who_takes_over_does_not_pass_on_what_another_wanted(
        self, motion: Motion, profile: RobotProfile, gentle: FloatArray
    ) -> None:
        motion.want_gripper(self.NARROW)
        motion.take_over(state(profile))
        assert drive(motion, gentle, NOW).gripper is None

    def test_none_changes_nothing_and_the_newest_counts(self, motion: Motion, gentle: FloatArray) -> None:
        for target in (self.WIDE, self.NARROW, None):
            motion.want_gripper(target)
        assert drive(motion, gentle, NOW).gripper is self.NARROW

    def test_one_that_is_forgotten_is_not_passed_on(self, motion: Motion, gentle: FloatArray) -> None:
        motion.want_gripper(self.WIDE)
        motion.forget_gripper()
        assert drive(motion, gentle, NOW).gripper is None

    def test_a_start_forgets_it_too(self, motion: Motion, profile: RobotProfile, gentle: FloatArray) -> None:
        motion.want_gripper(self.WIDE)
        motion.start(state(profile), NOW)
        assert drive(motion, gentle, NOW).gripper is None


class TestFingersOfAStop:
    """Widths are measured every sixteenth of a second."""

    def halted(
        self, profile: RobotProfile, *widths: float, holding: bool = False, stopped: bool = True
    ) -> GripperCommand | None:
        motion = Motion(profile, SETTINGS)
        motion.start(state(profile, 0.0), 0.0)
        for number, width in enumerate(widths):
            motion.see(state(profile, number / 16, gripper_width=width, gripper_holding=holding))
        return motion.brake(1.0, 1.0, stopped).gripper

    @pytest.mark.parametrize("way", [-1.0, 1.0])
    @pytest.mark.parametrize("moved, halts", [(FINGERS_MOVE * 0.99, False), (FINGERS_MOVE * 1.01, True)])
    def test_those_that_move_stay_where_they_are(
        self, profile: RobotProfile, way: float, moved: float, halts: bool
    ) -> None:
        now = 0.03 + way * moved
        told = self.halted(profile, 0.03, now)
        assert told == (GripperCommand(now, profile.gripper.grasp_force) if halts else None)

    def test_looked_at_more_often_they_stay_where_the_last_look_found_them(
        self, motion: Motion, profile: RobotProfile
    ) -> None:
        for number, width in enumerate((0.05, 0.04, 0.035)):
            motion.see(state(profile, NOW + number / 32, gripper_width=width))
        told = motion.brake(NOW + 0.1, NOW, stopped=True).gripper
        assert told == GripperCommand(0.035, profile.gripper.grasp_force)

    @pytest.mark.parametrize("moved, later, halts", [(FINGERS_MOVE, 0.0625, False), (0.02, FINGERS_SPAN, True)])
    def test_both_edges_are_exact(
        self, motion: Motion, profile: RobotProfile, moved: float, later: float, halts: bool
    ) -> None:
        """From closed fingers, and from time 0, so that no difference rounds."""
        motion.start(state(profile, 0.0), 0.0)
        motion.see(state(profile, 0.0, gripper_width=0.0))
        motion.see(state(profile, later, gripper_width=moved))
        assert (motion.brake(later, later, stopped=True).gripper is not None) is halts

    def test_unless_it_is_told_that_it_stops_they_go_on(self, motion: Motion, profile: RobotProfile) -> None:
        for number, width in enumerate((0.06, 0.05)):
            motion.see(state(profile, NOW + number / 16, gripper_width=width))
        assert motion.brake(NOW + 0.1, NOW).gripper is None

    def test_those_that_hold_something_go_on_holding(self, profile: RobotProfile) -> None:
        assert self.halted(profile, 0.05, 0.03, holding=True) is None

    def test_those_that_came_to_rest_are_left_alone(self, profile: RobotProfile) -> None:
        """They may hold what no sensor tells of."""
        assert self.halted(profile, 0.08, 0.05, 0.03, 0.03, 0.03) is None

    def test_where_the_robot_only_holds_they_go_on(self, profile: RobotProfile) -> None:
        assert self.halted(profile, 0.05, 0.03, stopped=False) is None

    def test_they_are_told_the_same_place_until_they_rest(self, motion: Motion, profile: RobotProfile) -> None:
        told = []
        for number, width in enumerate((0.06, 0.05, 0.045, 0.044, 0.044, 0.044, 0.02)):
            motion.see(state(profile, NOW + number / 16, gripper_width=width))
            told.append(motion.brake(NOW + number / 16, NOW, stopped=True).gripper)
        widths = [command.width if command else None for command in told]
        assert widths == [None, 0.05, 0.05, 0.05, None, None, 0.02]

    def test_a_clock_that_went_back_is_no_motion_of_theirs(self, motion: Motion, profile: RobotProfile) -> None:
        motion.see(state(profile, NOW, gripper_width=0.08))
        motion.see(state(profile, NOW - 5.0, gripper_width=0.02))
        assert motion.brake(NOW - 5.0, NOW, stopped=True).gripper is None


class TestTakeover:
    def test_standing_it_starts_from_what_is_measured(self, motion: Motion, profile: RobotProfile) -> None:
        sagged = profile.home - SETTINGS.takeover_leash
        motion.take_over(state(profile, position=sagged))
        sagged_before = sagged.copy()
        sagged += 1.0
        np.testing.assert_array_equal(motion.brake(NOW, NOW).position, sagged_before)

    @pytest.mark.parametrize("speed", [0.0, 0.05])
    @pytest.mark.parametrize("side", [-1.0, 1.0])
    def test_it_is_drawn_to_within_the_leash_and_the_lag_without_a_step(
        self, motion: Motion, profile: RobotProfile, gentle: FloatArray, side: float, speed: float
    ) -> None:
        """A blocked arm at the other end of a stiff spring: each step of the reference is one of its torque."""
        wanted = np.full_like(gentle, speed)
        before, now = drive(motion, wanted, NOW).position, NOW
        measured = profile.home + side * 0.125
        motion.take_over(state(profile, position=measured))
        fastest = speed + profile.acceleration * PERIOD
        for _ in range(400):
            now += PERIOD
            motion.see(state(profile, now, position=measured, reference=before))
            position = drive(motion, wanted, now).position
            assert (np.abs(position - before) <= fastest * PERIOD + 1e-12).all()
            before, measured = position, measured + wanted * PERIOD
        away = np.abs(position - measured)
        assert (away <= SETTINGS.takeover_leash + LAG * speed + 2 * speed * PERIOD + 1e-9).all()

    def test_braking_it_is_not_drawn_in(self, moving: Motion, profile: RobotProfile) -> None:
        """A stop that holds holds."""
        moving.take_over(state(profile, position=profile.home + 0.2))
        stopped = moving.brake(NOW + PERIOD, NOW).position
        np.testing.assert_array_equal(moving.brake(NOW + 2 * PERIOD, NOW).position, stopped)

    def test_a_start_ends_it(self, moving: Motion, profile: RobotProfile) -> None:
        moving.take_over(state(profile, position=profile.home + 0.2))
        moving.start(state(profile), NOW)
        moving.see(state(profile, position=profile.home + 0.2))
        np.testing.assert_array_equal(drive(moving, np.zeros(len(profile.joints)), NOW).position, profile.home)

    def test_moving_close_by_it_goes_on(self, moving: Motion, profile: RobotProfile, gentle: FloatArray) -> None:
        moving.take_over(state(profile, position=profile.home + 0.0625))
        command = drive(moving, gentle, NOW + PERIOD)
        np.testing.assert_allclose(command.position, profile.home + PERIOD * gentle)
        np.testing.assert_array_equal(command.velocity, gentle)


class TestFollowing:
    @pytest.mark.parametrize("error, lags", [(0.25, False), (-0.25, False), (0.2501, True), (-0.2501, True)])
    def test_the_joint_that_lags_most_is_named(
        self, motion: Motion, profile: RobotProfile, error: float, lags: bool
    ) -> None:
        reference = np.full(len(profile.joints), 0.5)
        motion.start(state(profile, position=reference), NOW)
        position = reference.copy()
        position[1] += 0.01
        position[2] += error
        said = f"{profile.joint_names[2]} is 0.25 rad away from its reference; is the robot armed, or blocked?"
        assert motion.lagging(state(profile, position=position)) == (said if lags else "")

    @pytest.mark.parametrize("off, follows", [(UNTRACKED / 2, False), (UNTRACKED * 2, True), (-UNTRACKED * 2, True)])
    def test_an_untracked_hold_follows_the_arm_once_it_had_time(
        self, motion: Motion, profile: RobotProfile, off: float, follows: bool
    ) -> None:
        moved = profile.home + 0.5
        elsewhere = state(profile, NOW + SETTLED + 0.01, position=moved, reference=profile.home + off)
        motion.see(elsewhere)
        np.testing.assert_array_equal(motion.brake(NOW + 0.2, NOW).position, moved if follows else profile.home)

    def test_one_untracked_joint_is_enough(self, motion: Motion, profile: RobotProfile) -> None:
        reference, moved = profile.home.copy(), profile.home + 0.5
        reference[3] -= 2 * UNTRACKED
        motion.see(state(profile, NOW + SETTLED + 0.01, position=moved, reference=reference))
        np.testing.assert_array_equal(motion.brake(NOW + 0.2, NOW).position, moved)

    @pytest.mark.parametrize("fault, follows", [("", False), ("reflex", True)])
    def test_before_that_only_a_fault_lets_it_follow(
        self, motion: Motion, profile: RobotProfile, fault: str, follows: bool
    ) -> None:
        moved = profile.home + 0.5
        motion.see(state(profile, NOW + SETTLED - 0.01, position=moved, reference=moved, fault=fault))
        np.testing.assert_array_equal(motion.brake(NOW + 0.2, NOW).position, moved if follows else profile.home)

    def test_a_fault_of_a_tracked_hold_lets_it_follow(self, motion: Motion, profile: RobotProfile) -> None:
        moved = profile.home + 0.5
        motion.see(state(profile, NOW, position=moved, fault="reflex"))
        np.testing.assert_array_equal(motion.brake(NOW, NOW).position, moved)

    def test_in_motion_it_does_not_follow(self, moving: Motion, profile: RobotProfile, gentle: FloatArray) -> None:
        moving.see(state(profile, NOW + 1.0, position=profile.home + 0.5, reference=profile.home + 0.5, fault="reflex"))
        np.testing.assert_allclose(drive(moving, gentle, NOW).position, profile.home)

    def test_it_stands_only_since_it_last_moved(self, moving: Motion, profile: RobotProfile) -> None:
        """The driver gets its time anew after every motion."""
        for step in range(1, 40):
            moving.brake(NOW + step * PERIOD, NOW)
        drive(moving, np.full(len(profile.joints), 0.05), NOW + 0.4)
        held = moving.brake(NOW + 0.41, NOW).position
        moving.see(state(profile, NOW + 0.45, position=held + 0.5, reference=held + 0.5))
        np.testing.assert_array_equal(moving.brake(NOW + 0.46, NOW).position, held)
        moving.see(state(profile, NOW + 0.52, position=held + 0.5, reference=held + 0.5))
        np.testing.assert_array_equal(moving.brake(NOW + 0.53, NOW).position, held + 0.5)

    @pytest.mark.parametrize(
        "stamp, off, follows",
        [
            (SETTLED, 1.0, False),
            (SETTLED + 1e-9, 1.0, True),
            (1.0, UNTRACKED, False),
            (1.0, UNTRACKED + 1e-9, True),
        ],
    )
    def test_both_edges_are_exact(
        self, motion: Motion, profile: RobotProfile, stamp: float, off: float, follows: bool
    ) -> None:
        """From the origin, and from time 0, so that no difference rounds."""
        origin = np.zeros(len(profile.joints))
        motion.start(state(profile, 0.0, position=origin), 0.0)
        motion.see(state(profile, stamp, position=origin + 0.5, reference=origin + off))
        np.testing.assert_array_equal(motion.brake(stamp, stamp).position, origin + (0.5 if follows else 0.0))

    def test_while_it_brakes_it_does_not_stand(self, motion: Motion, profile: RobotProfile) -> None:
        """The driver gets its time from the last braking command that moved."""
        velocity = np.zeros(len(profile.joints))
        now = NOW
        for speed in (0.1, 0.2, 0.25):
            velocity = np.append(np.array([speed]), velocity[1:])
            drive(motion, velocity, now)
            now += PERIOD
        braking = 0
        while (sent := motion.brake(now, now)).velocity.any():
            now += PERIOD
            braking += 1
        assert braking == np.ceil(0.25 / (profile.acceleration[0] * PERIOD)) - 1
        moved = sent.position + 0.5
        motion.see(state(profile, now + SETTLED - 0.015, position=moved, reference=moved))
        np.testing.assert_array_equal(motion.brake(now + SETTLED, NOW).position, sent.position)
        motion.see(state(profile, now + SETTLED + 0.005, position=moved, reference=moved))
        np.testing.assert_array_equal(motion.brake(now + SETTLED + 0.01, NOW).position, moved)


class TestTime:
    def test_a_jump_changes_nothing(self, moving: Motion, profile: RobotProfile, gentle: FloatArray) -> None:
        moving.rebase(100.0)
        command = drive(moving, gentle, NOW + 100.0 + 0.025)
        np.testing.assert_allclose(command.position, profile.home + 0.025 * gentle)

    def test_a_jump_gives_the_driver_no_less_time(self, motion: Motion, profile: RobotProfile) -> None:
        motion.rebase(100.0)
        elsewhere = profile.home + 0.5
        motion.see(state(profile, NOW + 100.0 + SETTLED / 2, position=elsewhere, reference=elsewhere))
        np.testing.assert_array_equal(motion.brake(NOW + 100.1, NOW).position, profile.home)

    def test_time_that_went_back_counts_from_there(
        self, moving: Motion, profile: RobotProfile, gentle: FloatArray
    ) -> None:
        moving.see(state(profile, NOW - 5.0))
        command = drive(moving, gentle, NOW - 5.0 + 0.025)
        np.testing.assert_allclose(command.position, profile.home + 0.025 * gentle)

    def test_time_that_went_back_gives_the_driver_its_time_from_there(
        self, motion: Motion, profile: RobotProfile
    ) -> None:
        motion.see(state(profile, NOW - 5.0))
        moved = profile.home + 0.5
        motion.see(state(profile, NOW - 5.0 + SETTLED + 0.01, position=moved, reference=moved))
        np.testing.assert_array_equal(motion.brake(NOW - 4.8, NOW).position, moved)
