"""Torque, jerk and elbow: as pure functions on both sides of their edges, and through the filter."""

import itertools
from collections.abc import Iterator

import numpy as np
import pinocchio as pin
import pytest
from every_arm import EVERY_ARM
from hypothesis import given, settings
from hypothesis import strategies as st

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import Elbow, RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety import torque
from reins.safety.filter import SafetyFilter
from reins.safety.limits import affordable, jerk_limited
from reins.safety.settings import SafetySettings
from reins.safety.torque import SHARE, TorqueGuard
from reins.safety.verdict import Limit, Verdict

PERIOD = 0.01
SETTINGS = SafetySettings()
ROUNDING = 1e-9

VALUES = st.lists(st.floats(-50.0, 50.0), min_size=3, max_size=3).map(np.array)


class TestAffordable:
    @given(VALUES, VALUES, st.lists(st.floats(0.1, 60.0), min_size=3, max_size=3).map(np.array))
    def test_it_is_the_largest_share_within_the_limit(
        self, least: FloatArray, most: FloatArray, limit: FloatArray
    ) -> None:
        share = affordable(least, most, limit)
        assert 0.0 <= share <= 1.0
        if (np.abs(least) > limit).any():
            assert share == 0.0
            return
        assert (np.abs(least + share * (most - least)) <= limit + 1e-9).all()
        if share < 1.0 - 1e-9:
            more = share + 1e-6 + 1e-6 / max(float(np.abs(most - least).max()), 1e-6)
            assert (np.abs(least + more * (most - least)) > limit - 1e-9).any()

    @pytest.mark.parametrize("offset, share", [(-1e-9, 1.0), (0.0, 1.0)])
    def test_at_the_limit_all_of_it_is(self, offset: float, share: float) -> None:
        assert affordable(np.zeros(1), np.array([2.0 + offset]), np.array([2.0])) == share

    @pytest.mark.parametrize(
        "least, most, share",
        [
            (2.0, 1.0, 1.0),  # from the limit inwards
            (2.0, 2.0, 1.0),  # at the limit, with nothing to change
            (-2.0, -2.0, 1.0),
            (2.0, 3.0, 0.0),  # from the limit outwards
            (1.5, 2.25, 2 / 3),  # a small change, where little room is left
            (-1.5, -2.25, 2 / 3),
            (2.0 + 1e-9, 0.0, 0.0),  # beyond it nothing can be had, not even what leads back
            (np.nan, 0.0, 0.0),
            (0.0, np.nan, 0.0),  # nothing is known of what would be asked for
        ],
    )
    def test_on_both_sides_of_the_limit(self, least: float, most: float, share: float) -> None:
        assert affordable(np.array([least]), np.array([most]), np.array([2.0])) == pytest.approx(share)

    def test_beyond_it_as_much_as_fits(self) -> None:
        assert affordable(np.zeros(2), np.array([4.0, -1.0]), np.array([2.0, 2.0])) == pytest.approx(0.5)
        assert affordable(np.array([-1.0]), np.array([-5.0]), np.array([2.0])) == pytest.approx(0.25)


class TestJerk:
    @given(st.floats(0.1, 30.0), st.floats(1.0, 1e4), st.lists(st.floats(-1.0, 1.0), min_size=2, max_size=50))
    def test_whatever_follows_whatever_the_jerk_limit_holds(
        self, acceleration: float, jerk: float, shares: list[float]
    ) -> None:
        usable = float(jerk_limited(np.array([acceleration]), np.array([jerk]), PERIOD)[0])
        assert usable <= acceleration
        used = usable * np.array(shares)
        assert (np.abs(np.diff(used)) <= jerk * PERIOD * (1 + 1e-12)).all()

    @pytest.mark.parametrize("jerk, usable", [(2000.0 * (1 - 1e-6), 10.0 * (1 - 1e-6)), (2000.0, 10.0), (2001.0, 10.0)])
    def test_the_edge(self, jerk: float, usable: float) -> None:
        assert jerk_limited(np.array([10.0]), np.array([jerk]), PERIOD)[0] == pytest.approx(usable, rel=1e-9)


class Arm:
    """A reference that follows whatever the filter lets through."""

    def __init__(self, profile: RobotProfile, payload: float = 0.0) -> None:
        self.profile = profile
        self.filter = SafetyFilter(profile, SETTINGS)
        self.filter.surround((), None, payload)
        self.position = profile.home.copy()
        self.velocity = np.zeros(len(profile.joints))
        self.acceleration = np.zeros(len(profile.joints))
        kinematics = Kinematics(profile)
        self.kinematics, self.model = kinematics, kinematics.model.copy()
        inertia = pin.Inertia(payload, np.zeros(3), np.zeros((3, 3)))
        self.model.appendBodyToJoint(self.model.nv, inertia, kinematics.tool_in_last_joint)
        self.data = self.model.createData()

    def step(self, wanted: FloatArray) -> Verdict:
        self.position = self.position + self.velocity * PERIOD
        verdict = self.filter.step(self.position, self.velocity, wanted, PERIOD)
        self.follow(verdict.velocity)
        return verdict

    def brake(self) -> None:
        self.position = self.position + self.velocity * PERIOD
        self.follow(self.filter.brake(self.position, self.velocity, PERIOD))

    def follow(self, velocity: FloatArray) -> None:
        acceleration = (velocity - self.velocity) / PERIOD
        torque = pin.rnea(self.model, self.data, self.position, self.velocity, acceleration)
        assert (np.abs(torque) <= self.profile.effort).all()
        assert (np.abs(acceleration - self.acceleration) <= self.profile.jerk * PERIOD * (1 + 1e-9)).all()
        assert (np.abs(acceleration) <= self.profile.acceleration * (1 + 1e-9)).all()
        self.velocity, self.acceleration = velocity, acceleration

    def elbow_speed(self) -> float:
        self.kinematics.tool_jacobian(self.position)
        return float(np.linalg.norm(self.kinematics.elbow_jacobian() @ self.velocity))


def streams(profile: RobotProfile) -> st.SearchStrategy[list[tuple[FloatArray, int]]]:
    n = len(profile.joints)
    wanted = st.lists(st.floats(-4.0, 4.0), min_size=n, max_size=n).map(np.array)
    return st.lists(st.tuples(wanted, st.integers(1, 30)), min_size=1, max_size=4)


def weak(profile: RobotProfile, share: float) -> RobotProfile:
    """With joints so weak that its own limits ask for more."""
    joints = [joint.model_copy(update={"effort": joint.effort * share}).model_dump() for joint in profile.joints]
    return RobotProfile.model_validate(profile.model_dump() | {"joints": joints})


def jerky(profile: RobotProfile, jerk: float) -> RobotProfile:
    joints = [joint.model_copy(update={"jerk": jerk}).model_dump() for joint in profile.joints]
    return RobotProfile.model_validate(profile.model_dump() | {"joints": joints})


@pytest.mark.parametrize("profile", EVERY_ARM, indirect=True)
class TestThroughTheFilter:
    """Jerk, torque and the elbow's speed."""

    @settings(max_examples=20)
    @given(data=st.data())
    def test_jerk_and_torque_hold_for_any_stream_and_in_braking(
        self, profile: RobotProfile, data: st.DataObject
    ) -> None:
        arm = Arm(data.draw(st.sampled_from([profile, jerky(profile, 400.0), weak(profile, 0.7)])), 1.0)
        for wanted, count in data.draw(streams(profile)):
            for _ in range(count):
                arm.step(wanted)
        for _ in range(200):
            arm.brake()
        assert not arm.velocity.any()

    def test_weak_joints_slow_its_acceleration_and_it_says_why(self, profile: RobotProfile) -> None:
        """One of them has little to spare beyond what gravity takes where the arm is."""
        model = Kinematics(profile).model
        loaded = np.abs(pin.computeGeneralizedGravity(model, model.createData(), profile.home)) / profile.effort
        limits: set[Limit] = set()
        arm = Arm(weak(profile, float(loaded.max()) / 0.9))
        wanted = np.zeros(len(profile.joints))
        wanted[int(loaded.argmax())] = 0.4
        for direction in (1.0, -1.0, 1.0):
            for _ in range(30):
                limits |= set(arm.step(direction * wanted).limits)
        assert Limit.TORQUE in limits

    def test_the_elbow_is_held_to_its_speed(self, profile: RobotProfile) -> None:
        assert profile.elbow is not None
        slow = profile.model_copy(update={"elbow": Elbow(joint=profile.elbow.joint, speed=0.2)})
        arm = Arm(slow)
        wanted = np.zeros(len(profile.joints))
        wanted[1] = 1.5
        limits: set[Limit] = set()
        for _ in range(25):
            limits |= set(arm.step(wanted).limits)
            assert arm.elbow_speed() <= 0.2 * (1 + 1e-6)
        assert Limit.ELBOW_SPEED in limits
        assert arm.elbow_speed() > 0.19

    @pytest.mark.parametrize("offset, passes", [(-1e-6, True), (+1e-6, False)])
    def test_exactly_at_the_elbows_speed(self, profile: RobotProfile, offset: float, passes: bool) -> None:
        assert profile.elbow is not None
        slow = profile.model_copy(update={"elbow": Elbow(joint=profile.elbow.joint, speed=0.1)})
        arm = Arm(slow)
        wanted = np.zeros(len(profile.joints))
        wanted[1] = 1.0
        arm.velocity = wanted
        wanted = wanted * (0.1 / arm.elbow_speed()) * (1 + offset)
        verdict = arm.filter.step(arm.position, wanted, wanted, PERIOD)
        assert verdict.limits == (() if passes else (Limit.ELBOW_SPEED,))

    def test_without_an_elbow_nothing_is_asked_of_it(self, profile: RobotProfile) -> None:
        arm = Arm(profile.model_copy(update={"elbow": None}))
        wanted = np.zeros(len(profile.joints))
        wanted[1] = 0.05
        assert arm.step(wanted).velocity is wanted

    def test_gentle_motion_with_a_payload_passes_unchanged(self, profile: RobotProfile) -> None:
        arm = Arm(profile, 1.0)
        wanted = np.full(len(profile.joints), 0.02)
        for _ in range(20):
            assert arm.step(wanted).velocity is wanted


class TestTorqueGuard:
    @pytest.fixture
    def guard(self, profile: RobotProfile) -> TorqueGuard:
        return TorqueGuard(profile, Kinematics(profile), profile.acceleration)

    def test_at_rest_it_can_always_brake(self, guard: TorqueGuard, profile: RobotProfile) -> None:
        guard.place(profile.home)
        assert guard.braking(profile.home, np.zeros(len(profile.joints))) == 1.0

    def test_in_gentle_motion_it_can_brake_as_hard_as_its_limits_allow(
        self, guard: TorqueGuard, profile: RobotProfile
    ) -> None:
        guard.place(profile.home)
        assert guard.braking(profile.home, np.full(len(profile.joints), 0.01)) == 1.0

    def test_before_it_is_told_anything_the_hand_is_empty_and_the_efforts_count(
        self, guard: TorqueGuard, profile: RobotProfile
    ) -> None:
        still = np.zeros(len(profile.joints))
        assert guard.payload == 0.0
        assert guard._model is guard._empty
        assert guard.share(profile.home, still, still) == 1.0
        assert guard.share(profile.home, still, still + 1e4) < 1.0

    @pytest.mark.parametrize("limit, share", [(1.0, 1.0), (1.0 - 1e-9, 0.0)])
    def test_an_acceleration_that_takes_load_off_is_had_up_to_the_limit(
        self, guard: TorqueGuard, profile: RobotProfile, limit: float, share: float
    ) -> None:
        """To stand still asks for more than that."""
        still = np.zeros(len(profile.joints))
        weight = pin.rnea(guard._model, guard._data, profile.home, still, still).copy()
        mass = pin.crba(guard._model, guard._data, profile.home)
        falling = np.linalg.solve(np.triu(mass) + np.triu(mass, 1).T, -0.5 * weight)
        eased = pin.rnea(guard._model, guard._data, profile.home, still, falling).copy()
        assert (np.abs(eased) < np.abs(weight)).any()
        guard._limit = np.abs(eased) * limit
        assert guard.share(profile.home, still, falling) == share

    def test_an_arm_that_is_loaded_beyond_its_strength_may_only_ease_off(self, profile: RobotProfile) -> None:
        guard = TorqueGuard(profile, Kinematics(profile), profile.acceleration)
        stretched = profile.home.copy()
        stretched[1], stretched[3] = 1.2, -0.4
        guard.carry(8.0)
        guard.place(stretched)
        assert (guard._limit >= SHARE * profile.effort).all()
        assert (guard._limit > profile.effort).any()
        still, raise_arm = np.zeros(len(profile.joints)), np.zeros(len(profile.joints))
        raise_arm[1] = -0.01
        assert guard.share(stretched, still, still) == 1.0
        assert guard.braking(stretched, raise_arm) > 0.0
        lower_arm = np.zeros(len(profile.joints))
        lower_arm[3] = 0.3
        assert guard.braking(stretched, lower_arm) == 0.0

    def test_braking_that_is_too_hard_is_made_gentler(self, profile: RobotProfile) -> None:
        """The share that it answers can be given wherever the arm may brake, and hardly more."""
        guard = TorqueGuard(profile, Kinematics(profile), profile.acceleration)
        guard.carry(2.0)
        generator = np.random.default_rng(1)
        gentler = 0
        for _ in range(400):
            position = generator.uniform(profile.lower, profile.upper)
            velocity = generator.normal(size=len(profile.joints)) * 0.5
            guard.place(position)
            share = guard.braking(position, velocity)
            if share == 0.0:
                continue
            gentler += share < 1.0
            time = float((np.abs(velocity) / profile.acceleration).max())
            way = velocity * (profile.rates.stale_after + 0.5 * time / share)
            for part in np.linspace(0.0, 1.0, 7):
                here = position + part * way
                speed = velocity * min(1.0, 2.0 * (1.0 - part))
                assert guard.share(here, speed, -velocity / time * share) >= 0.97
        assert gentler > 5

    def test_a_mass_adds_its_weight(self, profile: RobotProfile) -> None:
        guard = TorqueGuard(profile, Kinematics(profile), profile.acceleration)
        guard.carry(1.0)
        kinematics = Kinematics(profile)
        lift = kinematics.tool_jacobian(profile.home)[1][2] * 9.81
        empty = pin.computeGeneralizedGravity(kinematics.model, kinematics.model.createData(), profile.home)
        loaded = pin.computeGeneralizedGravity(guard._model, guard._model.createData(), profile.home)
        np.testing.assert_allclose(loaded - empty, lift, atol=1e-6)
        assert guard.payload == 1.0
        guard.carry(0.0)
        assert guard._model is guard._empty


def recorded(
    guard: TorqueGuard, shares: Iterator[float], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[FloatArray, ...]]:
    """What the guard asks for the share of from now on; it is given `shares` one after another."""
    asked: list[tuple[FloatArray, ...]] = []

    def share(*state: FloatArray) -> float:
        asked.append(state)
        return next(shares)

    monkeypatch.setattr(guard, "share", share)
    return asked


class TestWithoutTheForce:
    """What the filter does where the joints cannot brake as hard as their limits allow."""

    @pytest.fixture
    def moving(self, profile: RobotProfile) -> Arm:
        arm = Arm(profile)
        for _ in range(10):
            arm.step(np.full(len(profile.joints), 0.2))
        return arm

    def asked(self, arm: Arm) -> Verdict:
        return arm.filter.step(arm.position, arm.velocity, arm.velocity.copy(), PERIOD)

    def test_where_it_could_not_be_held_it_brakes(self, moving: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(moving.filter._torque, "braking", lambda *_: 0.0)
        verdict = self.asked(moving)
        assert verdict.limits == (Limit.TORQUE, Limit.NO_SAFE_MOTION)
        assert np.linalg.norm(verdict.velocity) < np.linalg.norm(moving.velocity)

    @pytest.mark.parametrize("braking, passes", [(1.0, True), (0.1, False)])
    def test_gentler_braking_needs_more_room(
        self, moving: Arm, monkeypatch: pytest.MonkeyPatch, braking: float, passes: bool
    ) -> None:
        joint, hold, speed = 6, moving.profile.rates.stale_after, 0.2
        room = speed * (hold + 0.5 * speed / float(moving.profile.acceleration[joint]))
        moving.position[joint] = moving.profile.upper[joint] - SETTINGS.position_margin - room - 1e-6
        monkeypatch.setattr(moving.filter._torque, "braking", lambda *_: braking)
        verdict = self.asked(moving)
        assert (Limit.JOINT_POSITION not in verdict.limits) is passes

    def test_it_brakes_as_gently_as_was_reckoned_with_and_no_less(
        self, moving: Arm, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(moving.filter._torque, "braking", lambda *_: 0.5)
        self.asked(moving)
        monkeypatch.setattr(moving.filter._torque, "share", lambda *_: 0.1)
        slower = moving.filter.brake(moving.position, moving.velocity, PERIOD)
        change = np.abs(moving.velocity - slower).max()
        longest = (np.abs(moving.velocity) / moving.profile.acceleration).max()
        assert change == pytest.approx(0.5 * PERIOD / longest * np.abs(moving.velocity).max())

    def test_no_force_at_all_is_no_braking(self, profile: RobotProfile, monkeypatch: pytest.MonkeyPatch) -> None:
        guard = TorqueGuard(profile, Kinematics(profile), profile.acceleration)
        guard.place(profile.home)
        shares = iter([1.0, 0.0])
        monkeypatch.setattr(guard, "share", lambda *_: next(shares, 1.0))
        assert guard.braking(profile.home, np.full(len(profile.joints), 0.1)) == 0.0

    @pytest.mark.parametrize("long", [False, True])
    def test_it_looks_at_where_braking_begins_and_ends_and_on_a_long_way_in_the_middle(
        self, profile: RobotProfile, monkeypatch: pytest.MonkeyPatch, long: bool
    ) -> None:
        guard = TorqueGuard(profile, Kinematics(profile), profile.acceleration)
        n, still = len(profile.joints), np.zeros(len(profile.joints))
        velocity = np.linspace(0.1, 0.4, n)
        time = float((velocity / profile.acceleration).max())
        way = velocity * (profile.rates.stale_after + 0.5 * time)
        turned = float(np.abs(way).sum())
        monkeypatch.setattr(torque, "_LONG", np.nextafter(turned, 0.0) if long else turned)
        asked = recorded(guard, itertools.repeat(1.0), monkeypatch)
        assert guard.braking(profile.home, velocity) == 1.0
        start, end, force = profile.home, profile.home + way, -velocity / time
        expected = [(end, still, still), (start, velocity, force), (end, still, force)]
        expected += [(start + 0.5 * way, velocity, force)] if long else []
        np.testing.assert_allclose(asked, expected)

    def test_gentler_and_gentler_it_goes_farther_each_time(
        self, profile: RobotProfile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each time 95 % of what could be given of the braking that was tried last."""
        guard = TorqueGuard(profile, Kinematics(profile), profile.acceleration)
        velocity = np.full(len(profile.joints), 0.01)
        time = float((velocity / profile.acceleration).max())
        asked = recorded(guard, iter([1.0, 0.9, 0.8, 1.0, 0.7, 0.9, 1.0, 1.0, 1.0]), monkeypatch)
        possible = guard.braking(profile.home, velocity)
        assert possible == pytest.approx(0.95 * 0.8 * 0.95 * 0.7)
        end, _, force = asked[-1]
        np.testing.assert_allclose(force, -velocity / time * possible)
        np.testing.assert_allclose(end, profile.home + velocity * (profile.rates.stale_after + 0.5 * time / possible))

    def test_braking_that_finds_no_end_is_none(self, profile: RobotProfile, monkeypatch: pytest.MonkeyPatch) -> None:
        guard = TorqueGuard(profile, Kinematics(profile), profile.acceleration)
        guard.place(profile.home)
        shares = iter([1.0, 0.9, 0.9] * 3)
        monkeypatch.setattr(guard, "share", lambda *_: next(shares))
        assert guard.braking(profile.home, np.full(len(profile.joints), 0.01)) == 0.0
