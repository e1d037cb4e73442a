"""Thousands of random, adversarial and policy-like commands in a closed loop: no limit is ever broken."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
from legged_walker import Walker, box, disc, distance_to, moved, path

from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.safety.legged.keep_outs import KeepOut
from reins.safety.legged.limits import speed_use
from reins.safety.limits import braked, braking_time
from reins.safety.verdict import Limit

ROUNDING = 1e-9
CREEP = 1e-6
"""A thousand commands may add up a thousand roundings [m]."""


def obstacles(random: np.random.Generator) -> list[KeepOut]:
    """Sixteen around the origin, none at it."""
    shapes: list[KeepOut] = []
    for number in range(16):
        course, distance = random.uniform(-math.pi, math.pi), random.uniform(1.1, 3.0)
        x, y = distance * math.cos(course), distance * math.sin(course)
        if number % 2:
            shapes.append(disc(x, y, random.uniform(0.0, 0.5), f"disc {number}"))
        else:
            half = (random.uniform(0.05, 0.4), random.uniform(0.05, 0.4))
            shapes.append(box(x, y, random.uniform(-3.0, 3.0), half, f"box {number}"))
    return shapes


def commands(walker: Walker, random: np.random.Generator) -> Iterator[FloatArray]:
    """For ever: pieces of wild, straight, curved and hostile motion."""
    speed = walker.profile.body.velocity
    most = np.array([speed.forward, speed.sideways, speed.turn])
    while True:
        kind, wild = random.integers(5), random.uniform(-1.5, 1.5, 3) * most
        for _ in range(random.integers(1, 60)):
            if kind == 0:
                yield random.uniform(-2.0, 2.0, 3) * most
            elif kind == 1:
                yield wild
            elif kind < 4:  # as fast as it can towards the nearest keep-out, turning meanwhile
                nearest = min(walker.keep_outs, key=lambda shape: float(distance_to(shape, walker.place[None])[0]))
                x, y = nearest.centre - walker.place
                course = math.atan2(y, x) - walker.yaw
                yield np.array([1.5 * math.cos(course), 1.5 * math.sin(course), wild[2]])
            else:  # as a policy: smooth, and well within the limits
                yield 0.3 * most * np.sin(walker.time + np.array([0.0, 1.0, 2.0]))


def is_safe_as_it_is(walker: Walker, before: FloatArray, elapsed: float, wanted: FloatArray, scale: float) -> bool:
    """Whether a judge that samples the path to standstill finds nothing wrong with it, with a millimetre to spare."""
    profile = walker.profile
    change = np.abs(wanted - before) / profile.acceleration
    if change.max() > min(elapsed, walker.period) or speed_use(wanted, profile.body.velocity) > scale:
        return False
    time = profile.rates.stale_after + braking_time(wanted, profile.acceleration) / 2.0
    points = path(walker.place, walker.yaw, wanted, np.linspace(0.0, time, 200))
    between = np.hypot(*wanted[:2]) * time / 199
    room = profile.body.footprint + walker.margin + between + 1e-3
    return all(distance_to(shape, points).min() > room for shape in walker.keep_outs)


def walk(profile: QuadrupedProfile, seed: int, count: int) -> int:
    """One episode; returns how many of its commands were changed by a keep-out."""
    random = np.random.default_rng(seed)
    walker = Walker(profile, obstacles(random)).stand_up()
    scale, kept_out = 1.0, 0
    for number, wanted in zip(range(count), commands(walker, random), strict=False):
        if number % 100 == 0:
            scale = random.choice([1.0, 1.0, 0.5, 0.1])
        before, acted = walker.velocity, walker.acted
        place, yaw = walker.place, walker.yaw
        elapsed = walker.period if random.random() < 0.8 else random.uniform(0.0, profile.rates.stale_after)
        judged = is_safe_as_it_is(walker, before, acted, wanted, scale)
        verdict = walker.drive(wanted, elapsed, scale)
        after = verdict.velocity
        assert (np.abs(after - before) <= profile.acceleration * acted + ROUNDING).all()
        allowed = max(scale, speed_use(braked(before, profile.acceleration, acted), profile.body.velocity))
        assert speed_use(after, profile.body.velocity) <= allowed + 1e-8
        assert walker.clearance() > -CREEP
        middle, _ = moved(place, yaw, after, elapsed / 2.0)
        walker.place, there = middle, walker.place
        assert walker.clearance() > -CREEP
        walker.place = there
        if judged:
            assert np.abs(after - wanted).max() <= 1e-9 and not verdict.changed
        kept_out += Limit.KEEP_OUT in verdict.limits
    return kept_out


@pytest.mark.parametrize("seed", range(8))
def test_no_limit_is_broken_and_no_safe_command_is_changed(quadruped: QuadrupedProfile, seed: int) -> None:
    kept_out = walk(quadruped, seed, 500)
    assert kept_out > 20, "it met some"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_nor_in_fifty_thousand(quadruped: QuadrupedProfile, seed: int) -> None:
    walk(quadruped, seed, 2_500)


@pytest.mark.parametrize("seed", range(3))
def test_a_body_that_follows_late_keeps_its_footprint_out(quadruped: QuadrupedProfile, seed: int) -> None:
    """With the lag that the profile says, it uses some of the margin and never touches."""
    random = np.random.default_rng(1000 + seed)
    walker = Walker(quadruped, obstacles(random), lag=quadruped.body.response).stand_up()
    nearest = math.inf
    for _, wanted in zip(range(700), commands(walker, random), strict=False):
        walker.drive(wanted)
        nearest = min(nearest, walker.clearance())
    assert nearest > -walker.margin, "it touched"
    assert nearest < 0.3, "it met some"


@pytest.mark.parametrize("seed", range(3))
def test_braking_at_any_moment_stays_out(quadruped: QuadrupedProfile, seed: int) -> None:
    """The driver keeps a command for `stale_after` at most, and then the robot brakes along its path."""
    random = np.random.default_rng(2000 + seed)
    walker = Walker(quadruped, obstacles(random)).stand_up()
    source = commands(walker, random)
    for _ in range(12):
        for _ in range(40):
            walker.drive(next(source))
        walker.drive(next(source), quadruped.rates.stale_after)
        while walker.velocity.any():
            walker.brake(random.uniform(0.0, quadruped.rates.stale_after))
            assert walker.clearance() > -CREEP
