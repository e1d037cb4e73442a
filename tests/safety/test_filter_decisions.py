"""The filter's decisions one by one, on both sides of each edge; what its parts answer is given here."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Any

import numpy as np
import pytest

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.bodies import Box, Kind
from reins.safety.filter import SafetyFilter
from reins.safety.limits import braked, braking_time, fastest_reachable, stopping_speed
from reins.safety.nearest import Bounds, SpeedLimit
from reins.safety.settings import SafetySettings
from reins.safety.verdict import Limit, Verdict

PERIOD = 0.01
SETTINGS = SafetySettings()
POLE = Box("pole", np.array([0.0, 0.0, 0.05]), np.eye(3), np.array([0.03, 0.03, 0.2]))


class Subject:
    """A filter in a workspace without walls, at its home pose, and what its parts were asked."""

    def __init__(self, profile: RobotProfile, monkeypatch: pytest.MonkeyPatch) -> None:
        walls = {"lower": (-9.0, -9.0, -9.0), "upper": (9.0, 9.0, 9.0)}
        open_ = profile.workspace.model_copy(update=walls)
        self.profile = profile.model_copy(update={"workspace": open_, "table": None})
        self.filter, self.patch = SafetyFilter(self.profile, SETTINGS), monkeypatch
        self.n, self.position = len(profile.joints), profile.home.copy()
        self.acceleration = self.filter._acceleration
        self.solved: list[Bounds] = []
        solve = self.filter._nearest.solve

        def record(wanted: FloatArray, jacobian: FloatArray, bounds: Bounds) -> FloatArray | None:
            self.solved.append(bounds)
            return solve(wanted, jacobian, bounds)

        monkeypatch.setattr(self.filter._nearest, "solve", record)

    def give(self, part: str, name: str, answers: Iterator[Any]) -> list[tuple[Any, ...]]:
        """From now on a part of the filter answers so, one after another; returns what it will have been asked."""
        asked: list[tuple[Any, ...]] = []

        def answer(*arguments: Any) -> Any:
            asked.append(arguments)
            return next(answers)

        self.patch.setattr(getattr(self.filter, part), name, answer)
        return asked

    def only(self, joint: int, value: float) -> FloatArray:
        velocity = np.zeros(self.n)
        velocity[joint] = value
        return velocity

    def step(self, velocity: FloatArray, wanted: FloatArray, elapsed: float = PERIOD, scale: float = 1.0) -> Verdict:
        return self.filter.step(self.position, velocity, wanted, elapsed, scale)

    def bounds(self, velocity: FloatArray, elapsed: float = PERIOD, scale: float = 1.0) -> FloatArray:
        """(2n,) highest velocity of each joint, down and then up [rad/s]."""
        fastest: FloatArray = self.filter._look(self.position, velocity, elapsed, scale).bounds.fastest
        return fastest[: 2 * self.n]


@pytest.fixture
def subject(profile: RobotProfile, monkeypatch: pytest.MonkeyPatch) -> Subject:
    return Subject(profile, monkeypatch)


class TestSurround:
    def test_boxes_and_what_is_held_are_kept_away_from_and_the_hand_is_empty_but_for_a_payload(
        self, subject: Subject
    ) -> None:
        asked = subject.give("_collisions", "surround", repeat(None))
        subject.filter.surround((POLE,), POLE)
        assert asked == [((POLE,), POLE)]
        assert subject.filter._torque.payload == 0.0

    def test_a_payload_is_taken_up_when_it_changes(self, subject: Subject) -> None:
        carried: list[float] = []
        carry = subject.filter._torque.carry

        def record(mass: float) -> None:
            carried.append(mass)
            carry(mass)

        subject.patch.setattr(subject.filter._torque, "carry", record)
        for payload in (0.0, 1.0, 1.0, 0.5, 0.0):
            subject.filter.surround((), None, payload)
            assert subject.filter._torque.payload == payload
        assert carried == [1.0, 0.5, 0.0]


class TestHighestVelocities:
    """Of each joint, both ways; the least of what its limits allow."""

    def test_at_rest_it_is_what_one_period_of_acceleration_gives(self, subject: Subject) -> None:
        expected = np.tile(subject.acceleration * PERIOD, 2)
        np.testing.assert_allclose(subject.bounds(np.zeros(subject.n)), expected)

    @pytest.mark.parametrize("elapsed", [0.0, 0.005, PERIOD, 0.03])
    def test_in_motion_it_is_what_can_be_reached(self, subject: Subject, elapsed: float) -> None:
        velocity = np.linspace(-0.3, 0.4, subject.n)
        up = fastest_reachable(velocity, subject.acceleration, elapsed, PERIOD)
        down = fastest_reachable(-velocity, subject.acceleration, elapsed, PERIOD)
        np.testing.assert_allclose(subject.bounds(velocity, elapsed), np.concatenate([down, up]))

    @pytest.mark.parametrize("scale", [0.5, 0.25])
    def test_it_is_never_more_than_the_share_of_the_speed_that_is_allowed(self, subject: Subject, scale: float) -> None:
        limit = subject.profile.velocity * scale
        velocity = 0.99 * limit
        np.testing.assert_allclose(subject.bounds(velocity, scale=scale)[subject.n :], limit)
        np.testing.assert_allclose(subject.bounds(-velocity, scale=scale)[: subject.n], limit)

    @pytest.mark.parametrize("upwards", [False, True])
    def test_near_the_end_of_its_range_it_is_what_still_stops(self, subject: Subject, upwards: bool) -> None:
        joint, room = 2, 0.05
        end = subject.profile.upper[joint] if upwards else subject.profile.lower[joint]
        inwards = -1.0 if upwards else 1.0
        subject.position[joint] = end + inwards * (SETTINGS.position_margin + room)
        expected = stopping_speed(
            np.array([room]), subject.acceleration[joint : joint + 1], subject.profile.rates.stale_after
        )
        bounds = subject.bounds(subject.only(joint, -inwards * float(expected[0])))
        assert bounds[joint + (subject.n if upwards else 0)] == pytest.approx(float(expected[0]))

    @pytest.mark.parametrize("upwards", [False, True])
    def test_past_what_still_stops_it_is_what_the_hardest_braking_leaves(self, subject: Subject, upwards: bool) -> None:
        """There is always a way out: an arm that starts outside is not asked for more than it can give."""
        joint = 2
        subject.position[joint] = subject.profile.upper[joint] if upwards else subject.profile.lower[joint]
        left = 0.3 - subject.acceleration[joint] * PERIOD
        bounds = subject.bounds(subject.only(joint, 0.3 if upwards else -0.3))
        assert bounds[joint + (subject.n if upwards else 0)] == pytest.approx(left) and left > 0.0

    def test_too_fast_for_a_limit_that_was_tightened_it_brakes_to_it_along_its_path(self, subject: Subject) -> None:
        limit, elapsed = subject.profile.velocity * 0.1, 0.001
        velocity = limit * np.linspace(0.5, 2.0, subject.n)
        slower = braked(velocity, subject.acceleration, elapsed)
        expected = np.maximum(limit, slower)
        np.testing.assert_allclose(
            subject.bounds(velocity, elapsed, 0.1)[subject.n :],
            np.minimum(expected, fastest_reachable(velocity, subject.acceleration, elapsed, PERIOD)),
        )


class TestSpeeds:
    """Of tool, turn and elbow, and a motion that is slowed down to them as a whole."""

    @pytest.mark.parametrize("scale", [1.0, 0.25])
    def test_each_has_its_rows_and_its_share_of_its_speed(self, subject: Subject, scale: float) -> None:
        moment = subject.filter._look(subject.position, np.zeros(subject.n), PERIOD, scale)
        tool, turn, elbow = moment.bounds.speeds
        workspace, of_elbow = subject.profile.workspace, subject.profile.elbow
        assert of_elbow is not None
        assert (tool.limit, tool.largest) == (Limit.TOOL_SPEED, workspace.tool_speed * scale)
        assert (turn.limit, turn.largest) == (Limit.TOOL_TURN_RATE, workspace.tool_turn_rate * scale)
        assert (elbow.limit, elbow.largest) == (Limit.ELBOW_SPEED, of_elbow.speed * scale)
        np.testing.assert_array_equal(tool.rows, moment.jacobian[:3])
        np.testing.assert_array_equal(turn.rows, moment.jacobian[3:])
        np.testing.assert_array_equal(elbow.rows, subject.filter._kinematics.elbow_jacobian())

    def slowed(
        self, subject: Subject, wanted: FloatArray, largest: float, scale: float = 1.0
    ) -> tuple[FloatArray, tuple[Limit, ...]]:
        """Where the first joint's speed is that of the tool."""
        moment = subject.filter._look(subject.position, np.zeros(subject.n), PERIOD, scale)
        speeds = (SpeedLimit(Limit.TOOL_SPEED, np.eye(3, subject.n), largest),)
        return subject.filter._slowed(wanted, replace(moment, bounds=replace(moment.bounds, speeds=speeds)), scale)

    @pytest.mark.parametrize("share, broken", [(0.9, ()), (1.0, ()), (1.5, (Limit.TOOL_SPEED,))])
    def test_one_that_a_target_within_reach_exceeds_is_told(
        self, subject: Subject, share: float, broken: tuple[Limit, ...]
    ) -> None:
        target = subject.only(0, 0.003)
        moment = subject.filter._look(subject.position, np.zeros(subject.n), PERIOD, 1.0)
        speeds = (SpeedLimit(Limit.TOOL_SPEED, np.eye(3, subject.n), 0.003 / share),)
        moment = replace(moment, bounds=replace(moment.bounds, speeds=speeds))
        assert subject.filter._broken(target, moment.jacobian @ target, moment) == broken

    @pytest.mark.parametrize("scale", [1.0, 0.25])
    @pytest.mark.parametrize("excess", [0.9, 1.0, 1.5])
    def test_the_fastest_joint_slows_all(self, subject: Subject, excess: float, scale: float) -> None:
        wanted = 0.01 * np.ones(subject.n)
        wanted[6] = subject.profile.velocity[6] * scale * excess
        velocity, limits = self.slowed(subject, wanted, 99.0, scale)
        if excess <= 1.0:
            assert velocity is wanted and limits == ()
            return
        np.testing.assert_allclose(velocity, wanted / excess)
        assert limits == (Limit.JOINT_SPEED,)

    @pytest.mark.parametrize("excess", [0.9, 1.0, 1.5])
    def test_so_does_the_tool(self, subject: Subject, excess: float) -> None:
        wanted = np.full(subject.n, 0.01)
        wanted[:3] = 0.0
        wanted[0] = 0.5 * excess
        velocity, limits = self.slowed(subject, wanted, 0.5)
        if excess <= 1.0:
            assert velocity is wanted and limits == ()
            return
        np.testing.assert_allclose(velocity, wanted / excess)
        assert limits == (Limit.TOOL_SPEED,)


class TestKeeps:
    def test_at_each_of_the_highest_velocities_it_is_kept_and_past_it_it_is_not(self, subject: Subject) -> None:
        """Joints down, joints up, and the tool towards each wall."""
        n = subject.n
        moment = subject.filter._look(subject.position, np.zeros(n), PERIOD, 1.0)
        moment.bounds.fastest[:] = 0.5
        for way in range(2 * n + 6):
            for speed, kept in ((0.5, True), (np.nextafter(0.5, 1.0), False), (-9.0, False)):
                target, twist = np.zeros(n), np.zeros(6)
                if way < 2 * n:
                    target[way % n] = -speed if way < n else speed
                else:
                    twist[(way - 2 * n) % 3] = -speed if way < 2 * n + 3 else speed
                assert subject.filter._keeps(target, twist, moment) is kept, way


class TestAtRest:
    def test_to_stay_there_takes_no_look_at_anything(self, subject: Subject) -> None:
        subject.patch.setattr(subject.filter, "_look", None)
        still = np.zeros(subject.n)
        assert subject.step(still, still).velocity is still
        assert subject.filter.brake(subject.position, still, PERIOD) is still

    def test_to_come_to_rest_takes_the_time_that_it_takes(self, subject: Subject) -> None:
        velocity = np.full(subject.n, 0.3)
        verdict = subject.step(velocity, np.zeros(subject.n))
        np.testing.assert_allclose(verdict.velocity, braked(velocity, subject.acceleration, PERIOD))
        assert verdict.limits == (Limit.JOINT_ACCELERATION,)

    @pytest.mark.parametrize("elapsed", [0.0, 2e-5, 9e-5, 1e-4, 2e-4])
    def test_in_hardly_any_time_it_hardly_gets_going(self, subject: Subject, elapsed: float) -> None:
        wanted = np.full(subject.n, 0.3)
        verdict = subject.step(np.zeros(subject.n), wanted, elapsed)
        np.testing.assert_allclose(verdict.velocity, np.full(subject.n, subject.acceleration.min() * elapsed))


class TestBraking:
    def test_it_asks_for_the_hardest_braking_along_its_path(self, subject: Subject) -> None:
        velocity = np.linspace(0.1, 0.4, subject.n)
        asked = subject.give("_torque", "share", repeat(1.0))
        slower = subject.filter.brake(subject.position, velocity, PERIOD)
        np.testing.assert_allclose(slower, braked(velocity, subject.acceleration, PERIOD))
        (position, moving, hardest), *_ = asked
        assert position is subject.position and moving is velocity
        np.testing.assert_allclose(hardest, -velocity / braking_time(velocity, subject.acceleration))

    def test_a_motion_that_is_hardly_one_takes_hardly_any_force(self, subject: Subject) -> None:
        """To divide by its braking time would ask for the same force as always."""
        velocity = np.full(subject.n, 1e-6)
        asked = subject.give("_torque", "share", repeat(1.0))
        subject.filter.brake(subject.position, velocity, PERIOD)
        np.testing.assert_allclose(asked[0][2], -velocity / 1e-4)

    @pytest.mark.parametrize("share, reckoned, expected", [(0.7, 0.4, 0.7), (0.4, 0.7, 0.7)])
    def test_it_brakes_as_hard_as_the_joints_can_and_as_was_reckoned_with(
        self, subject: Subject, share: float, reckoned: float, expected: float
    ) -> None:
        velocity = np.linspace(0.1, 0.4, subject.n)
        subject.give("_torque", "share", repeat(share))
        subject.filter._braking = reckoned
        slower = subject.filter.brake(subject.position, velocity, PERIOD)
        np.testing.assert_allclose(slower, braked(velocity, expected * subject.acceleration, PERIOD))

    def test_faster_than_a_joint_may_be_it_brakes_as_hard_as_its_limit_allows_whatever_the_force(
        self, subject: Subject
    ) -> None:
        velocity, elapsed = subject.only(6, float(subject.profile.velocity[6]) + 0.05), 0.001
        subject.give("_torque", "share", repeat(0.5))
        subject.filter._braking = 0.5
        slower = subject.filter.brake(subject.position, velocity, elapsed)
        np.testing.assert_allclose(slower, braked(velocity, subject.acceleration, elapsed))


class TestEasing:
    """The joints can give only a part of an acceleration."""

    def test_as_much_of_the_change_is_made_as_they_can_give(self, subject: Subject) -> None:
        velocity, wanted = np.full(subject.n, 0.05), np.full(subject.n, 0.07)
        asked = subject.give("_torque", "share", repeat(0.25))
        subject.give("_torque", "braking", repeat(1.0))
        verdict = subject.step(velocity, wanted)
        assert verdict.limits == (Limit.TORQUE,)
        np.testing.assert_allclose(verdict.velocity, velocity + 0.25 * (wanted - velocity))
        position, moving, acceleration = asked[0]
        assert position is subject.position and moving is velocity
        np.testing.assert_allclose(acceleration, (wanted - velocity) / PERIOD)
        assert not subject.solved

    def test_of_a_command_that_they_can_give_it_is_asked_once(self, subject: Subject) -> None:
        """It costs as much as all kinematics."""
        velocity = np.full(subject.n, 0.05)
        asked = subject.give("_torque", "share", repeat(1.0))
        subject.give("_torque", "braking", repeat(1.0))
        wanted = velocity + 0.01
        assert subject.step(velocity, wanted).velocity is wanted
        assert len(asked) == 1

    @pytest.mark.parametrize("elapsed, asks", [(1e-4, True), (np.nextafter(1e-4, 0.0), False), (0.0, False)])
    def test_in_no_time_nothing_accelerates(self, subject: Subject, elapsed: float, asks: bool) -> None:
        velocity = np.full(subject.n, 0.05)
        asked = subject.give("_torque", "share", repeat(1.0))
        subject.give("_torque", "braking", repeat(1.0))
        assert subject.step(velocity, velocity.copy(), elapsed).limits == ()
        assert bool(asked) is asks

    @pytest.mark.parametrize("sign", [-1.0, 1.0])
    def test_a_change_of_just_what_the_acceleration_limits_allow_is_not_held_to_them(
        self, subject: Subject, sign: float
    ) -> None:
        wanted = sign * subject.acceleration * PERIOD * np.array([1.0, 1.0, 1.0, 0.1, 0.1, 0.1, 0.1])[: subject.n]
        subject.give("_torque", "share", chain([0.5, 1.0], repeat(1.0)))
        subject.give("_torque", "braking", repeat(1.0))
        verdict = subject.step(np.zeros(subject.n), wanted)
        assert verdict.limits == ()
        np.testing.assert_array_equal(verdict.velocity, wanted)

    def test_a_speed_that_was_cut_to_its_limit_keeps_it(self, subject: Subject) -> None:
        """Whatever is left of it by rounding."""
        scale, jacobian = 0.2, subject.filter._kinematics.tool_jacobian(subject.position)[1]
        wanted = np.linalg.pinv(jacobian) @ np.array([0.0, 0.5, 0.0, 0.0, 0.0, 0.0])
        slowed = wanted * (subject.profile.workspace.tool_speed * scale / 0.5)
        subject.give("_torque", "share", chain([0.5], repeat(1.0)))
        subject.give("_torque", "braking", repeat(1.0))
        verdict = subject.step(slowed, 1.5 * slowed, scale=scale)
        assert Limit.TOOL_SPEED in verdict.limits
        np.testing.assert_allclose(verdict.velocity, slowed)
        assert not subject.solved

    def test_too_fast_by_half_for_a_limit_that_was_tightened_it_brakes_and_says_so(self, subject: Subject) -> None:
        scale, jacobian = 0.2, subject.filter._kinematics.tool_jacobian(subject.position)[1]
        wanted = np.linalg.pinv(jacobian) @ np.array([0.0, 0.5, 0.0, 0.0, 0.0, 0.0])
        moving = wanted * (2.5 * subject.profile.workspace.tool_speed * scale / 0.5)
        verdict = subject.step(moving, moving.copy(), scale=scale)
        assert Limit.TOOL_SPEED in verdict.limits and Limit.NO_SAFE_MOTION in verdict.limits
        np.testing.assert_allclose(verdict.velocity, braked(moving, subject.acceleration, PERIOD))


class TestRefusal:
    """What one velocity is refused for."""

    @pytest.fixture
    def velocity(self, subject: Subject) -> FloatArray:
        return np.full(subject.n, 0.05)

    def refusal(self, subject: Subject, velocity: FloatArray, *, bears: bool = False) -> Limit | None:
        moment = subject.filter._look(subject.position, velocity, PERIOD, 1.0)
        return subject.filter._refusal(velocity, moment, **({"bears": True} if bears else {}))

    @pytest.mark.parametrize("share, refused", [(1.0 - 1e-6, False), (np.nextafter(1.0 - 1e-6, 0.0), True)])
    def test_an_acceleration_that_the_joints_cannot_give(
        self, subject: Subject, velocity: FloatArray, share: float, refused: bool
    ) -> None:
        subject.give("_torque", "braking", repeat(1.0))
        subject.give("_torque", "share", repeat(share))
        assert self.refusal(subject, velocity) is (Limit.TORQUE if refused else None)
        assert self.refusal(subject, velocity, bears=True) is None

    @pytest.mark.parametrize("bears", [False, True])
    def test_braking_that_the_joints_cannot_give(self, subject: Subject, velocity: FloatArray, bears: bool) -> None:
        subject.give("_torque", "share", repeat(1.0))
        subject.give("_torque", "braking", repeat(0.0))
        assert self.refusal(subject, velocity, bears=bears) is Limit.TORQUE

    @pytest.mark.parametrize("upwards", [False, True])
    @pytest.mark.parametrize("offset, refused", [(1e-9, False), (-1e-9, True)])
    def test_gentle_braking_that_would_leave_the_range_of_a_joint(
        self, subject: Subject, upwards: bool, offset: float, refused: bool
    ) -> None:
        joint, speed, braking = 6, 0.2, 0.5
        profile = subject.profile
        way = speed * (profile.rates.stale_after + 0.5 * speed / float(subject.acceleration[joint]) / braking)
        end = (
            profile.upper[joint] - SETTINGS.position_margin
            if upwards
            else profile.lower[joint] + SETTINGS.position_margin
        )
        outwards = 1.0 if upwards else -1.0
        subject.position[joint] = end - outwards * (way + offset)
        subject.give("_torque", "braking", repeat(braking))
        velocity = subject.only(joint, outwards * speed)
        assert self.refusal(subject, velocity, bears=True) is (Limit.JOINT_POSITION if refused else None)
        assert refused or subject.filter._braking == braking

    def test_the_hardest_braking_is_reckoned_with_in_the_highest_velocities_alone(self, subject: Subject) -> None:
        """They are exact where an end point would miss by a rounding."""
        subject.position[6] = subject.profile.upper[6] - SETTINGS.position_margin
        subject.give("_torque", "braking", repeat(1.0))
        assert self.refusal(subject, subject.only(6, 0.01), bears=True) is None

    @pytest.mark.parametrize("side", ["_lower", "_upper"])
    def test_the_ends_of_a_range_are_within_it(self, subject: Subject, side: str) -> None:
        end = getattr(subject.filter, side)
        assert subject.filter._is_within(end)
        beyond = end.copy()
        beyond[3] = np.nextafter(beyond[3], -9.0 if side == "_lower" else 9.0)
        assert not subject.filter._is_within(beyond)

    def test_it_looks_along_hold_time_and_braking(self, subject: Subject, velocity: FloatArray) -> None:
        braking = 0.5
        subject.give("_torque", "braking", repeat(braking))
        walls = subject.give("_guard", "can_go", repeat(True))
        bodies = subject.give("_collisions", "can_go", repeat(True))
        assert self.refusal(subject, velocity, bears=True) is None
        time = subject.profile.rates.stale_after + 0.5 * braking_time(velocity, subject.acceleration) / braking
        np.testing.assert_allclose(walls[0][0], subject.position)
        np.testing.assert_allclose(walls[0][1], velocity * time)
        assert bodies[0][1] is velocity and bodies[0][2] == pytest.approx(time)

    def test_walls_come_before_bodies(self, subject: Subject, velocity: FloatArray) -> None:
        subject.give("_guard", "can_go", chain([False], repeat(True)))
        subject.give("_collisions", "can_go", repeat(False))
        subject.patch.setattr(type(subject.filter._collisions), "refused", Kind.KEEP_OUT)
        assert self.refusal(subject, velocity, bears=True) is Limit.WORKSPACE
        assert self.refusal(subject, velocity, bears=True) is Limit.KEEP_OUT


class TestCertified:
    """What is tried after a refusal."""

    @pytest.fixture
    def moving(self, subject: Subject) -> FloatArray:
        subject.give("_torque", "braking", repeat(1.0))
        subject.give("_torque", "share", repeat(1.0))
        return np.full(subject.n, 0.1)

    def refuse(self, subject: Subject, refusals: Sequence[Limit | None]) -> None:
        """The filter's own refusals, one after another, and then none; each after a time of its own."""
        given = chain(refusals, repeat(None))

        def refusal(*_: Any, **__: Any) -> Limit | None:
            subject.filter._time += 1.0
            return next(given)

        subject.filter._time = 0.0
        subject.patch.setattr(subject.filter, "_refusal", refusal)

    def test_a_body_is_approached_more_slowly_each_time(self, subject: Subject, moving: FloatArray) -> None:
        pulled = subject.give("_collisions", "pull_back", repeat(None))
        self.refuse(subject, [Limit.KEEP_OUT] * 3)
        verdict = subject.step(moving, moving.copy())
        assert pulled == [(2.0,), (3.0,)]
        assert verdict.limits == (Limit.KEEP_OUT,)
        assert len(subject.solved) == 3

    def test_walls_are_moved_in_by_what_was_too_far(self, subject: Subject, moving: FloatArray) -> None:
        excess = np.array([0.0, 0.01, 0.02, 0.03, 0.0, 0.04])
        subject.patch.setattr(type(subject.filter._guard), "excess", excess)
        self.refuse(subject, [Limit.WORKSPACE, Limit.WORKSPACE])
        before = subject.filter._look(subject.position, moving, PERIOD, 1.0).bounds.fastest[2 * subject.n :].copy()
        subject.filter._time = 0.0
        verdict = subject.step(moving, moving.copy())
        assert verdict.limits == (Limit.WORKSPACE,)
        assert len(subject.solved) == 2
        np.testing.assert_allclose(subject.solved[1].fastest[2 * subject.n :], before - excess / 2.0)

    @pytest.mark.parametrize("refusal", [Limit.TORQUE, Limit.JOINT_POSITION])
    def test_what_no_wall_can_help_is_shortened_at_once(
        self, subject: Subject, moving: FloatArray, refusal: Limit
    ) -> None:
        pulled = subject.give("_collisions", "pull_back", repeat(None))
        self.refuse(subject, [refusal, refusal])
        verdict = subject.step(moving, moving.copy())
        assert len(subject.solved) == 1 and not pulled
        assert verdict.limits == (refusal,)
        brake = braked(moving, subject.acceleration, PERIOD)
        np.testing.assert_allclose(verdict.velocity, brake + 0.5 * (moving - brake), atol=1e-6)

    def test_a_limit_that_is_met_twice_is_told_once_and_each_in_its_order(
        self, subject: Subject, moving: FloatArray
    ) -> None:
        subject.give("_collisions", "pull_back", repeat(None))
        self.refuse(subject, [Limit.KEEP_OUT, Limit.TABLE, Limit.KEEP_OUT])
        assert subject.step(moving, moving.copy()).limits == (Limit.KEEP_OUT, Limit.TABLE)


def test_at_the_end_of_a_range_a_wall_is_all_that_is_told_of(subject: Subject) -> None:
    """The joint there is not asked to move."""
    subject.position[2] = subject.profile.upper[2] - SETTINGS.position_margin
    subject.patch.setattr(subject.filter._guard, "place", lambda tool: np.full(6, -1.0))
    wanted = np.full(subject.n, 0.01)
    wanted[2] = 0.0
    verdict = subject.step(np.zeros(subject.n), wanted)
    assert verdict.limits[0] is Limit.WORKSPACE and Limit.JOINT_POSITION not in verdict.limits


def test_what_is_not_a_number_moves_nothing(subject: Subject) -> None:
    moving = np.full(subject.n, 0.1)
    wanted = moving.copy()
    wanted[3] = np.nan
    verdict = subject.step(moving, wanted)
    assert Limit.NO_SAFE_MOTION in verdict.limits
    np.testing.assert_allclose(verdict.velocity, braked(moving, subject.acceleration, PERIOD))
