"""Whoever takes over, whenever: joint velocity changes within the acceleration limits, the reference has no step."""

from itertools import pairwise
from typing import Final

import numpy as np
import pytest
from every_arm import EVERY_ARM
from hypothesis import given, settings
from hypothesis import strategies as st
from safety_loop import PERIOD, Loop

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, SafeCommand
from reins.safety.limits import jerk_limited
from reins.safety.modes import Mode

ROUNDING: Final = 1e-9

WHO: Final = ("skill", "teleop", "both", "nobody", "hand_back")
"""Who is there for a while: both means that the operator takes hold while the skill goes on."""

SHARES: Final = st.lists(st.floats(-1.0, 1.0), min_size=7, max_size=7)

TURNS: Final = st.lists(st.tuples(st.sampled_from(WHO), SHARES, st.integers(1, 25)), min_size=2, max_size=8)


def velocity_of(profile: RobotProfile, shares: list[float]) -> FloatArray:
    return np.array(shares[: len(profile.joints)]) * profile.velocity


def take_turns(loop: Loop, turns: list[tuple[str, list[float], int]]) -> None:
    """One after the other, each as a goal of its own."""
    for who, shares, periods in turns:
        wanted, begun = velocity_of(loop.profile, shares), loop.robot.read().stamp
        if who == "hand_back":
            try:
                loop.monitor.hand_back("anna", loop.t)
            except ReinsError:
                assert not loop.is_in(Mode.HOLD)
        for _ in range(periods):
            loop.state = loop.robot.read()
            skill, teleop = loop.command("skill", wanted, begun), loop.command("teleop", -wanted, begun)
            commands = {"skill": (skill,), "teleop": (teleop,), "both": (skill, teleop)}
            loop.step(*commands.get(who, ()))


def check(profile: RobotProfile, sent: list[SafeCommand]) -> None:
    """Every safe command against the one before it."""
    for before, after in pairwise(sent):
        elapsed = after.stamp - before.stamp
        change = np.abs(after.velocity - before.velocity)
        assert (change <= profile.acceleration * elapsed + ROUNDING).all()
        np.testing.assert_allclose(after.position, before.position + before.velocity * elapsed, atol=ROUNDING)


@pytest.mark.parametrize("profile", EVERY_ARM, indirect=True)
class TestTakeoverStep:
    @settings(max_examples=20)
    @given(turns=TURNS)
    def test_at_any_moment_of_any_motion(
        self, profile: RobotProfile, turns: list[tuple[str, list[float], int]]
    ) -> None:
        loop = Loop(profile).begin()
        take_turns(loop, turns)
        assert loop.mode in (Mode.READY, Mode.ACTIVE_SKILL, Mode.ACTIVE_TELEOP, Mode.HOLD)
        check(profile, loop.sent)

    @settings(max_examples=8)
    @given(moments=st.lists(st.integers(1, 40), min_size=5, max_size=5), shares=SHARES)
    def test_from_the_skill_to_the_operator_to_a_hold_to_the_operator_and_back(
        self, profile: RobotProfile, moments: list[int], shares: list[float]
    ) -> None:
        loop = Loop(profile).begin()
        whose = ("skill", "both", "nobody", "teleop", "nobody")
        take_turns(loop, [(who, shares, count) for who, count in zip(whose, moments, strict=True)])
        take_turns(loop, [("nobody", shares, 30)])
        assert loop.is_in(Mode.HOLD)
        take_turns(loop, [("hand_back", shares, 1), ("skill", shares, 10)])
        assert loop.is_in(Mode.ACTIVE_SKILL)
        check(profile, loop.sent)

    @pytest.mark.parametrize("offset, passes", [(-1e-6, True), (+1e-6, False)])
    @pytest.mark.parametrize("way", [1.0, -1.0])
    def test_exactly_at_the_limit(self, profile: RobotProfile, way: float, offset: float, passes: bool) -> None:
        """The operator asks for as much of a change as a joint may make in a period, and for a little more."""
        loop = Loop(profile).begin()
        swing = np.zeros(len(profile.joints))
        swing[0] = 0.3
        loop.drive("skill", swing, 40)
        most = float(jerk_limited(profile.acceleration, profile.jerk, PERIOD)[0]) * PERIOD
        wanted = loop.sent[-1].velocity.copy()
        assert wanted[0] == 0.3
        wanted[0] += way * most * (1 + offset)
        first = loop.drive("teleop", wanted, 1)[0]
        assert loop.is_in(Mode.ACTIVE_TELEOP)
        assert bool(first.velocity[0] == wanted[0]) is passes
        assert first.velocity[0] - 0.3 == pytest.approx(way * most, rel=2e-6)
