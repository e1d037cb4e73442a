"""What speaks against walking, on both sides of each edge, for every quadruped: a class for each kind of limit."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from legged_walker import standing, tilted

from reins.hardware.quadruped import QuadrupedProfile
from reins.safety.legged.hazards import ROBOT, HazardFinder, Spell, faults_of
from reins.safety.legged.limits import tilt_of
from reins.safety.legged.settings import LeggedSettings
from reins.safety.verdict import Limit

BEYOND = [(-1e-6, False), (1e-6, True)]
"""Steps to both sides of an edge, and whether what is there is a hazard."""

UP_TO = [(-1e-6, False), (0.0, False), (1e-6, True)]
"""The same where the edge itself is none yet."""


@pytest.fixture
def finder(quadruped: QuadrupedProfile, settings: LeggedSettings) -> HazardFinder:
    return HazardFinder(quadruped, settings)


def shares(finder: HazardFinder, profile: QuadrupedProfile, **changes: object) -> dict[Limit, float]:
    return dict(finder.shares(standing(profile, **changes)))


def test_a_healthy_robot_has_none(finder: HazardFinder, quadruped: QuadrupedProfile) -> None:
    assert not finder.find(standing(quadruped), on_legs=True)
    assert set(shares(finder, quadruped).values()) == {1.0}


def test_hazards_are_faults_of_the_robot(finder: HazardFinder, quadruped: QuadrupedProfile) -> None:
    state = standing(quadruped, battery=0.0, orientation=tilted(3.0))
    faults = faults_of(finder.find(state, on_legs=True))
    assert set(faults) == {("tilt", ROBOT), ("battery", ROBOT)}
    assert faults["battery", ROBOT] == "the battery is at 0%, and at 10% the robot sits down"


def test_each_is_told_with_its_figures(quadruped: QuadrupedProfile, settings: LeggedSettings) -> None:
    finder, names = HazardFinder(quadruped, settings), quadruped.joint_names
    heat = np.full(len(names), 40.0)
    heat[3] = 150.0
    changes = {
        "orientation": tilted(1.5),
        "height": 0.015,
        "contact": np.zeros(len(quadruped.feet), dtype=bool),
        "battery": 0.04,
        "temperature": heat,
    }
    finder.find(standing(quadruped, 0.0, **changes), True)
    found = finder.find(standing(quadruped, 2.0, **changes), True)
    height, motor = quadruped.height, quadruped.motor
    assert found == {
        Limit.TILT: f"the body tilts by 1.50 rad, and {quadruped.tilt.stop:.2f} rad is the limit",
        Limit.BASE_HEIGHT: f"the base is 0.01 m above the ground instead of {height.lowest:g} … {height.highest:g} m",
        Limit.FOOT_CONTACT: f"fewer than {quadruped.contact.feet} feet have touched the ground for 2.00 s",
        Limit.BATTERY: f"the battery is at 4%, and at {quadruped.battery.sit:.0%} the robot sits down",
        Limit.MOTOR_TEMPERATURE: f"the motor of {names[3]} has 150 °C, and at {motor.sit:.0f} °C the robot sits down",
    }


class TestSpell:
    def test_it_counts_from_the_first_time_without_a_break(self) -> None:
        spell = Spell()
        assert [spell.lasts(is_so, now) for is_so, now in ((True, 1.0), (True, 1.5), (True, 3.0))] == [0.0, 0.5, 2.0]
        assert [spell.lasts(is_so, now) for is_so, now in ((False, 3.5), (True, 4.0), (True, 4.5))] == [0.0, 0.0, 0.5]

    def test_time_that_goes_back_begins_anew(self) -> None:
        spell = Spell()
        spell.lasts(True, 100.0)
        assert spell.lasts(True, 5.0) == 0.0
        assert spell.lasts(True, 6.0) == 1.0


class TestTiltLimit:
    @pytest.mark.parametrize(("offset", "is_one"), BEYOND)
    @pytest.mark.parametrize("direction", [0.0, 1.0, 2.5, -1.6])
    def test_at_the_stop(
        self, finder: HazardFinder, quadruped: QuadrupedProfile, direction: float, offset: float, is_one: bool
    ) -> None:
        state = standing(quadruped, orientation=tilted(quadruped.tilt.stop + offset, direction))
        for on_legs in (True, False):
            assert (Limit.TILT in finder.find(state, on_legs)) is is_one

    @pytest.mark.parametrize("on_legs", [True, False])
    def test_just_the_stop_is_one(self, quadruped: QuadrupedProfile, settings: LeggedSettings, on_legs: bool) -> None:
        """On its side: a quarter turn is one whose tilt is the same number however it is reckoned."""
        on_its_side = np.array([math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)])
        tilt = quadruped.tilt.model_copy(update={"stop": math.pi / 2})
        profile = quadruped.model_copy(update={"tilt": tilt})
        assert tilt_of(on_its_side) == tilt.stop
        found = HazardFinder(profile, settings).find(standing(profile, orientation=on_its_side), on_legs)
        assert found == {Limit.TILT: "the body tilts by 1.57 rad, and 1.57 rad is the limit"}

    @pytest.mark.parametrize(("offset", "is_one"), BEYOND)
    def test_where_it_slows(
        self, finder: HazardFinder, quadruped: QuadrupedProfile, offset: float, is_one: bool
    ) -> None:
        orientation = tilted(quadruped.tilt.slow + offset)
        assert (shares(finder, quadruped, orientation=orientation)[Limit.TILT] < 1.0) is is_one

    def test_at_the_stop_the_slowest_share_is_left(
        self, finder: HazardFinder, quadruped: QuadrupedProfile, settings: LeggedSettings
    ) -> None:
        left = shares(finder, quadruped, orientation=tilted(quadruped.tilt.stop))
        assert left[Limit.TILT] == pytest.approx(settings.slowest_share)


class TestHeightLimit:
    @pytest.mark.parametrize(("offset", "is_one"), UP_TO)
    def test_both_ends(self, finder: HazardFinder, quadruped: QuadrupedProfile, offset: float, is_one: bool) -> None:
        for height in (quadruped.height.lowest - offset, quadruped.height.highest + offset):
            assert (Limit.BASE_HEIGHT in finder.find(standing(quadruped, height=height), True)) is is_one

    def test_it_counts_only_on_legs_and_where_it_is_known(
        self, finder: HazardFinder, quadruped: QuadrupedProfile
    ) -> None:
        assert not finder.find(standing(quadruped, height=0.05), on_legs=False)
        assert not finder.find(standing(quadruped, height=None), on_legs=True)


class TestContactLimit:
    def touching(self, profile: QuadrupedProfile, feet: int, stamp: float) -> dict[str, object]:
        return {"contact": np.arange(len(profile.feet)) < feet, "stamp": stamp}

    @pytest.mark.parametrize(("offset", "is_one"), UP_TO)
    def test_too_few_feet_for_too_long(
        self, finder: HazardFinder, quadruped: QuadrupedProfile, offset: float, is_one: bool
    ) -> None:
        rule = quadruped.contact
        first = standing(quadruped, **self.touching(quadruped, rule.feet - 1, 0.0))
        later = standing(quadruped, **self.touching(quadruped, rule.feet - 1, rule.longest + offset))
        assert not finder.find(first, True)
        assert (Limit.FOOT_CONTACT in finder.find(later, True)) is is_one

    def test_enough_feet_may_last_for_ever(self, finder: HazardFinder, quadruped: QuadrupedProfile) -> None:
        for stamp in (0.0, 100.0):
            state = standing(quadruped, **self.touching(quadruped, quadruped.contact.feet, stamp))
            assert not finder.find(state, True)

    def test_one_step_in_between_counts_anew(self, finder: HazardFinder, quadruped: QuadrupedProfile) -> None:
        """A bound: all feet in the air again and again, never for long."""
        longest = quadruped.contact.longest
        for step in range(20):
            feet = 4 if step % 2 else 0
            state = standing(quadruped, **self.touching(quadruped, feet, 0.9 * longest * step))
            assert not finder.find(state, True)

    def test_it_counts_only_on_legs(self, finder: HazardFinder, quadruped: QuadrupedProfile) -> None:
        for stamp in (0.0, 100.0):
            assert not finder.find(standing(quadruped, **self.touching(quadruped, 0, stamp)), on_legs=False)


class TestJointLimits:
    def lasting(self, finder: HazardFinder, profile: QuadrupedProfile, time: float, **changes: object) -> str:
        """What is found when a state has been so for `time` [s]."""
        finder.find(standing(profile, 0.0, **changes), True)
        return finder.find(standing(profile, time, **changes), True).get(Limit.LEG_JOINT, "")

    def off(self, values: np.ndarray, joint: int, value: float) -> np.ndarray:
        changed = values.copy()
        changed[joint] = value
        return changed

    @pytest.mark.parametrize(("offset", "is_one"), UP_TO)
    def test_position_on_both_ends_of_every_joint(
        self, quadruped: QuadrupedProfile, settings: LeggedSettings, offset: float, is_one: bool
    ) -> None:
        beyond = settings.leg_joint_tolerance + offset
        for number, joint in enumerate(quadruped.joints):
            for value in (joint.lower - beyond, joint.upper + beyond):
                finder = HazardFinder(quadruped, settings)
                position = self.off(quadruped.home, number, value)
                reason = self.lasting(finder, quadruped, 1.0, position=position)
                assert bool(reason) is is_one
                assert not reason or reason.startswith(f"{joint.name} is at {value:.2f} rad")

    @pytest.mark.parametrize(("offset", "is_one"), UP_TO)
    @pytest.mark.parametrize("field", ["velocity", "effort"])
    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_speed_and_torque_of_every_joint(
        self,
        quadruped: QuadrupedProfile,
        settings: LeggedSettings,
        field: str,
        sign: float,
        offset: float,
        is_one: bool,
    ) -> None:
        limits = getattr(quadruped, field)
        for number, joint in enumerate(quadruped.joints):
            finder = HazardFinder(quadruped, settings)
            values = self.off(np.zeros(len(limits)), number, sign * (limits[number] + offset))
            reason = self.lasting(finder, quadruped, 1.0, **{field: values})
            assert bool(reason) is is_one
            assert not reason or joint.name in reason

    @pytest.mark.parametrize("field", ["velocity", "effort"])
    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_a_weak_joint_beyond_its_limit_counts_beside_strong_ones_within_theirs(
        self, quadruped: QuadrupedProfile, settings: LeggedSettings, field: str, sign: float
    ) -> None:
        limits = getattr(quadruped, field)
        weakest = int(limits.argmin())
        values = self.off(0.9 * limits, weakest, sign * (limits[weakest] + 1.0))
        reason = self.lasting(HazardFinder(quadruped, settings), quadruped, 1.0, **{field: values})
        assert reason.startswith(f"{quadruped.joint_names[weakest]} ")

    def test_it_is_said_how_far_beyond_and_of_which_limit(
        self, quadruped: QuadrupedProfile, settings: LeggedSettings
    ) -> None:
        """The worst by its own limit, its position before its speed, and that before its torque."""
        joints, n = quadruped.joints, len(quadruped.joints)
        position = self.off(self.off(quadruped.home, 1, joints[1].upper + 0.5), 2, joints[2].lower - 0.75)
        velocity = self.off(np.zeros(n), 4, -joints[4].velocity - 1.0)
        effort = self.off(np.zeros(n), 5, joints[5].effort + 2.0)
        said = (
            (
                {"position": position, "velocity": velocity, "effort": effort},
                f"{joints[2].name} is at {position[2]:.2f} rad, "
                f"outside {joints[2].lower:.2f} … {joints[2].upper:.2f} rad",
            ),
            (
                {"velocity": velocity, "effort": effort},
                f"{joints[4].name} moves at {velocity[4]:.1f} rad/s, and its limit is {joints[4].velocity:.1f} rad/s",
            ),
            (
                {"effort": effort},
                f"{joints[5].name} bears {effort[5]:.1f} N·m, and its limit is {joints[5].effort:.1f} N·m",
            ),
        )
        for changes, reason in said:
            assert self.lasting(HazardFinder(quadruped, settings), quadruped, 1.0, **changes) == reason

    @pytest.mark.parametrize(("offset", "is_one"), UP_TO)
    def test_it_has_to_last(
        self,
        finder: HazardFinder,
        quadruped: QuadrupedProfile,
        settings: LeggedSettings,
        offset: float,
        is_one: bool,
    ) -> None:
        effort = np.full(len(quadruped.joints), 99.0)
        time = settings.leg_joint_patience + offset
        assert bool(self.lasting(finder, quadruped, time, effort=effort)) is is_one


class TestBatteryLimit:
    @pytest.mark.parametrize(("offset", "is_one"), [(1e-6, False), (0.0, True), (-1e-6, True)])
    def test_where_it_sits(
        self, finder: HazardFinder, quadruped: QuadrupedProfile, offset: float, is_one: bool
    ) -> None:
        state = standing(quadruped, battery=quadruped.battery.sit + offset)
        assert (Limit.BATTERY in finder.find(state, True)) is is_one

    @pytest.mark.parametrize(("offset", "slower"), [(1e-6, False), (-1e-6, True)])
    def test_where_it_slows(
        self, finder: HazardFinder, quadruped: QuadrupedProfile, offset: float, slower: bool
    ) -> None:
        left = shares(finder, quadruped, battery=quadruped.battery.slow + offset)
        assert (left[Limit.BATTERY] < 1.0) is slower


class TestMotorTemperatureLimit:
    @pytest.mark.parametrize(("offset", "is_one"), [(-1e-6, False), (0.0, True), (1e-6, True)])
    def test_where_it_sits(
        self, finder: HazardFinder, quadruped: QuadrupedProfile, offset: float, is_one: bool
    ) -> None:
        for number, joint in enumerate(quadruped.joints):
            temperature = np.full(len(quadruped.joints), 30.0)
            temperature[number] = quadruped.motor.sit + offset
            found = finder.find(standing(quadruped, temperature=temperature), True)
            assert (Limit.MOTOR_TEMPERATURE in found) is is_one
            assert not is_one or joint.name in found[Limit.MOTOR_TEMPERATURE]

    @pytest.mark.parametrize(("offset", "slower"), BEYOND)
    def test_where_it_slows(
        self, finder: HazardFinder, quadruped: QuadrupedProfile, offset: float, slower: bool
    ) -> None:
        temperature = np.full(len(quadruped.joints), quadruped.motor.slow + offset)
        left = shares(finder, quadruped, temperature=temperature)
        assert (left[Limit.MOTOR_TEMPERATURE] < 1.0) is slower

    def test_what_is_not_measured_is_not_judged(self, finder: HazardFinder, quadruped: QuadrupedProfile) -> None:
        assert not finder.find(standing(quadruped, temperature=None), True)
        assert Limit.MOTOR_TEMPERATURE not in shares(finder, quadruped, temperature=None)


@given(
    tilt=st.floats(0.0, 3.1),
    battery=st.floats(0.0, 1.0),
    heat=st.floats(-20.0, 150.0),
    worse=st.floats(0.0, 0.5),
)
def test_worse_never_leaves_more(
    tilt: float, battery: float, heat: float, worse: float, quadruped: QuadrupedProfile, settings: LeggedSettings
) -> None:
    finder = HazardFinder(quadruped, settings)
    state = standing(quadruped, orientation=tilted(tilt), battery=battery, temperature=np.full(12, heat))
    bad = replace(
        state,
        orientation=tilted(min(tilt + worse, np.pi)),
        battery=max(battery - worse, 0.0),
        temperature=np.full(12, heat + 50.0 * worse),
    )
    for (limit, share), (_, left) in zip(finder.shares(state), finder.shares(bad), strict=True):
        assert settings.slowest_share - 1e-12 <= left <= share + 1e-9, limit
    assert set(finder.find(state, True)) <= set(finder.find(bad, True))
