"""The driver host cuts the power of an arm that does not brake, and never that of one that does."""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
import pytest
from brakeless import Brakeless
from hypothesis import given, settings
from hypothesis import strategies as st

from reins.hardware.braking import MARGIN
from reins.hardware.host import DriverHost
from reins.hardware.profile import RobotProfile, known_profiles, load_profile
from reins.hardware.robot import FloatArray, RobotState, SafeCommand, StopCategory
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.world import load_world

WORLD: Final = load_world("blocks")
PROFILE: Final = load_profile("franka")
PERIOD: Final = 1.0 / PROFILE.rates.command
SPEED: Final = 0.8
WATCHED: Final = round(1.5 / PERIOD)
"""Periods after which every arm that brakes has long stood."""


class BrakelessArm(Brakeless, MujocoRobot):  # type: ignore[misc]
    """A simulated arm whose brakes can fail."""


class Driven:
    """A host, and who commands it."""

    def __init__(self, robot: MujocoRobot, profile: RobotProfile) -> None:
        robot.reset(1)
        robot.connect()
        self.robot, self.period = robot, 1.0 / profile.rates.command
        self.host = DriverHost[RobotState, SafeCommand](robot, profile)
        self.position, self.sequence = robot.read().position.copy(), 0
        self.velocity = np.zeros(len(profile.joints))
        self.host.arm(1)

    def send(self, velocity: FloatArray, jump: float = 0.0) -> None:
        """One period under this velocity."""
        self.position = self.position + self.velocity * self.period
        self.velocity, self.sequence = velocity, self.sequence + 1
        self.host.apply(SafeCommand(self.sequence, 0.0, self.period, self.position + jump, velocity))
        self.host.step(self.period)

    def ramp(self, velocity: FloatArray, acceleration: FloatArray, periods: int) -> None:
        """Towards a velocity, within the limits, all joints in proportion."""
        for _ in range(periods):
            change = velocity - self.velocity
            longest = float((np.abs(change) / (acceleration * self.period)).max())
            self.send(self.velocity + change / max(longest, 1.0))

    def silence(self) -> None:
        """One period without a command."""
        self.host.step(self.period)


Way = Callable[[Driven], Callable[[], None]]
"""Begins a stop; what comes of it is called in every period from then on."""


def disarmed(driven: Driven) -> Callable[[], None]:
    driven.host.disarm("disarmed by ann")
    return driven.silence


def silent(driven: Driven) -> Callable[[], None]:
    return driven.silence


def refused(driven: Driven) -> Callable[[], None]:
    driven.send(driven.velocity, jump=1.0)
    return lambda: driven.send(driven.velocity)


def told_to_stand(driven: Driven) -> Callable[[], None]:
    return lambda: driven.send(np.zeros_like(driven.velocity))


WAYS: Final = (disarmed, silent, refused, told_to_stand)


@pytest.fixture(scope="module")
def brakeless() -> Iterator[BrakelessArm]:
    robot = BrakelessArm(PROFILE, WORLD, seed=1)
    yield robot
    robot.close()


@pytest.fixture
def driven(brakeless: BrakelessArm) -> Driven:
    brakeless.failing = False
    made = Driven(brakeless, PROFILE)
    wanted = np.zeros(len(PROFILE.joints))
    wanted[0] = SPEED
    made.ramp(wanted, PROFILE.acceleration, 30)
    return made


@pytest.mark.parametrize("way", WAYS)
def test_an_arm_that_does_not_brake_is_cut_and_stands(driven: Driven, brakeless: BrakelessArm, way: Way) -> None:
    if way is refused:
        go_on = way(driven)  # it is the driver that refuses, and then does not brake
        brakeless._braking, brakeless.failing = False, True
    else:
        brakeless.failing = True
        go_on = way(driven)
    periods = 0
    while not driven.host.cut:
        assert driven.robot.read().velocity[0] > 0.5 * SPEED
        go_on()
        periods += 1
        assert periods * PERIOD < MARGIN + PROFILE.rates.stale_after + 4 * PERIOD
    assert driven.host.cut.startswith("cut (stop of category 0): fr3_joint1 moves at 0.")
    assert driven.host.cut.endswith("the braking failed")
    assert not driven.host.armed
    for _ in range(30):
        go_on()
    state = driven.host.read()
    assert np.abs(state.velocity).max() < 0.01
    assert state.fault


def test_what_it_was_cut_for_is_told_until_it_recovers(driven: Driven, brakeless: BrakelessArm) -> None:
    brakeless.failing = True
    driven.host.disarm("disarmed by ann")
    for _ in range(WATCHED):
        driven.silence()
    assert driven.host.read().fault == "disarmed by ann", "the first reason stays"
    assert "the braking failed" in driven.host.cut
    driven.host.stop(StopCategory.CUT, "an emergency stop")
    assert "the braking failed" in driven.host.cut
    brakeless.failing = False
    driven.host.recover()
    assert driven.host.cut == ""
    driven.host.arm(1)


def test_a_cut_that_is_asked_for_is_told_too(driven: Driven) -> None:
    driven.host.stop(StopCategory.CUT, "emergency stop by ann")
    assert driven.host.cut == driven.host.read().fault == "emergency stop by ann"


def test_a_cut_that_does_not_stop_it_is_not_made_again(
    driven: Driven, brakeless: BrakelessArm, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[StopCategory]()
    monkeypatch.setattr(brakeless, "stop", lambda category, _reason: asked.append(category))
    brakeless.failing = True
    driven.host.disarm("disarmed by ann")
    for _ in range(WATCHED):
        driven.silence()
    assert asked[0] is StopCategory.CONTROLLED
    assert asked.count(StopCategory.CUT) == 1


def test_commands_that_a_stopped_driver_ignores_do_not_end_the_watch(driven: Driven, brakeless: BrakelessArm) -> None:
    """The safety monitor brakes in a ramp of its own while it learns of the driver's fault."""
    driven.send(driven.velocity, jump=1.0)
    brakeless._braking, brakeless.failing = False, True
    for _ in range(round(2 * MARGIN / PERIOD)):
        driven.send(0.9 * driven.velocity)
    assert driven.host.cut


def test_an_arm_at_rest_that_runs_away_is_cut_when_somebody_stops_it(driven: Driven, brakeless: BrakelessArm) -> None:
    for _ in range(WATCHED):
        driven.send(np.zeros_like(driven.velocity))
    brakeless.failing = True
    brakeless._speeds[:, 0] = SPEED
    for _ in range(5):
        driven.send(np.zeros_like(driven.velocity))
    assert driven.host.armed and not driven.host.cut
    driven.host.disarm("the operator saw it")
    for _ in range(round(2 * MARGIN / PERIOD)):
        driven.silence()
    assert driven.host.cut


@pytest.fixture(scope="module", params=known_profiles("arm"))
def sound(request: pytest.FixtureRequest) -> Iterator[tuple[MujocoRobot, RobotProfile]]:
    profile = load_profile(request.param)
    robot = MujocoRobot(profile, WORLD, seed=1)
    yield robot, profile
    robot.close()


@settings(max_examples=40)
@given(data=st.data())
def test_no_stop_of_an_arm_that_brakes_is_ever_a_cut(
    sound: tuple[MujocoRobot, RobotProfile], data: st.DataObject
) -> None:
    """From any motion within the limits, at any moment of it, whoever stops it."""
    robot, profile = sound
    shares = st.lists(st.floats(-1.0, 1.0), min_size=len(profile.joints), max_size=len(profile.joints))
    driven = Driven(robot, profile)
    for velocities, periods in data.draw(st.lists(st.tuples(shares, st.integers(1, 15)), min_size=1, max_size=3)):
        driven.ramp(0.7 * np.array(velocities) * profile.velocity, profile.acceleration, periods)
    go_on = data.draw(st.sampled_from(WAYS))(driven)
    for _ in range(WATCHED):
        go_on()
    assert driven.host.cut == ""
    assert np.abs(driven.host.read().velocity).max() < 0.02
