"""The driver of a simulated Go2: it rises, walks, sits, and stops by itself, in either engine."""

from dataclasses import replace

import numpy as np
import pytest

from reins.contracts.errors import ReinsError
from reins.contracts.footprints import yaw_of
from reins.hardware.legged import LeggedState, Posture, SafeBodyCommand
from reins.hardware.legs import up_of
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import StopCategory
from reins.locomotion.walks import make_legs
from reins.safety.legged.hazards import HazardFinder
from reins.safety.legged.settings import LeggedSettings
from reins.safety.legged.validate import check_legged_state
from reins.sim.legged.ground import load_ground
from reins.sim.legged.simulators import make_walker
from reins.sim.legged.walker import SimulatedWalker

PERIOD = 0.02
STILL = (0.0, 0.0, 0.0)


class Driven:
    """A walker that is commanded every period."""

    def __init__(self, walker: SimulatedWalker) -> None:
        self.walker, self.sequence = walker, 0

    def go(
        self, seconds: float, velocity: tuple[float, float, float] = STILL, posture: Posture = Posture.STAND
    ) -> list[LeggedState]:
        states = []
        for _ in range(round(seconds / PERIOD)):
            self.sequence += 1
            stamp = self.walker.read().stamp
            self.walker.write(SafeBodyCommand(self.sequence, stamp, PERIOD, np.array(velocity), posture))
            self.walker.step(PERIOD)
            states.append(self.walker.read())
        return states


@pytest.fixture
def driven(walker: SimulatedWalker) -> Driven:
    return Driven(walker)


def test_it_begins_lying_and_stays(walker: SimulatedWalker) -> None:
    before = walker.read()
    for _ in range(50):
        walker.step(PERIOD)
    after = walker.read()
    assert not after.fault and after.stamp == pytest.approx(1.0)
    assert after.height is not None and after.height < 0.12
    assert after.odometry.position[:2] == pytest.approx(before.odometry.position[:2], abs=0.02)


def test_it_stands_up_in_time_and_holds(driven: Driven, go2: QuadrupedProfile) -> None:
    driven.go(go2.body.stand_up)
    for state in driven.go(1.0):
        assert state.height is not None and go2.height.lowest < state.height < go2.height.highest
        assert state.contact.all() and up_of(state.orientation)[2] > 0.99
        assert np.abs(state.odometry.linear).max() < 0.05


def test_safety_finds_nothing_wrong_from_rising_to_walking(driven: Driven, go2: QuadrupedProfile) -> None:
    finder, began = HazardFinder(go2, LeggedSettings()), driven.walker.read().stamp
    for state in driven.go(2.2) + driven.go(3.0, (0.5, 0.1, 0.4)):
        assert check_legged_state(state, go2) is None
        assert not finder.find(state, state.stamp - began >= go2.body.stand_up)


@pytest.mark.parametrize("wanted", [(0.6, 0.0, 0.0), (-0.4, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 0.8)])
def test_it_walks_where_it_is_told(driven: Driven, wanted: tuple[float, float, float]) -> None:
    driven.go(2.2)
    driven.go(1.5, wanted)
    states = driven.go(2.0, wanted)
    odometry = [state.odometry for state in states]
    mean = np.mean([[*entry.linear[:2], entry.angular[2]] for entry in odometry], axis=0)
    assert mean == pytest.approx(wanted, abs=0.2)
    assert all(up_of(state.orientation)[2] > 0.9 for state in states)


def test_it_sits_down_where_it_is_told(driven: Driven) -> None:
    driven.go(2.2)
    driven.go(1.0, (0.4, 0.0, 0.0))
    state = driven.go(5.0, posture=Posture.SIT)[-1]
    assert state.height is not None and state.height < 0.12
    assert np.abs(state.effort).max() < 3.0  # its motors rest
    assert driven.go(2.2)[-1].height == pytest.approx(0.28, abs=0.04)  # and it stands up again


def test_silence_stops_it(driven: Driven, go2: QuadrupedProfile) -> None:
    driven.go(2.2)
    driven.go(1.0, (0.5, 0.0, 0.0))
    late = go2.rates.stale_after
    driven.walker.step(late - PERIOD)  # the last command has acted for a period
    assert not driven.walker.read().fault
    driven.walker.step(2 * PERIOD)
    assert "no command" in driven.walker.read().fault
    for _ in range(250):
        driven.walker.step(PERIOD)
    state = driven.walker.read()
    assert state.height is not None and state.height < 0.12
    assert up_of(state.orientation)[2] > 0.95


@pytest.mark.parametrize("category", list(StopCategory))
def test_a_stop_ends_on_the_ground_and_nothing_resumes(driven: Driven, category: StopCategory) -> None:
    driven.go(2.2)
    driven.go(1.0, (0.5, 0.0, 0.3))
    driven.walker.stop(category, "a test")
    driven.walker.stop(StopCategory.CONTROLLED, "another reason")
    state = driven.go(5.0, (0.5, 0.0, 0.3))[-1]
    assert state.fault == "a test"
    assert state.height is not None and state.height < 0.12
    driven.walker.recover()
    for _ in range(50):
        driven.walker.step(PERIOD)
    state = driven.walker.read()
    assert not state.fault and state.height is not None and state.height < 0.12
    assert driven.go(2.2)[-1].height == pytest.approx(0.28, abs=0.04)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_stops_it(driven: Driven, bad: float) -> None:
    driven.go(2.2)
    driven.go(PERIOD, (bad, 0.0, 0.0))
    assert "not finite" in driven.walker.read().fault


def test_another_number_of_velocities_is_refused(walker: SimulatedWalker) -> None:
    command = SafeBodyCommand(1, 0.0, PERIOD, np.zeros(3), Posture.STAND)
    with pytest.raises(ReinsError, match="three velocities"):
        walker.write(replace(command, velocity=np.zeros(2)))


def test_the_same_seed_is_the_same_life(driven: Driven) -> None:
    def life() -> list[LeggedState]:
        driven.walker.reset(3)
        return driven.go(2.2) + driven.go(0.5, (0.5, 0.0, 0.0))

    one, other = life()[-1], life()[-1]
    assert (one.position == other.position).all()
    assert (one.odometry.position == other.odometry.position).all()
    driven.walker.reset(4)
    assert driven.walker.read().orientation != pytest.approx(one.orientation, abs=0.01)


def test_parts_of_a_period_are_not_lost(walker: SimulatedWalker) -> None:
    for _ in range(30):
        walker.step(0.005)
    assert walker.read().stamp == pytest.approx(0.15)
    assert walker.world_state().stamp == pytest.approx(0.15)
    assert len(walker.world_state().qpos) == 19


def test_the_truth_of_its_world_is_seen_from_where_it_lies(engine_name: str, go2: QuadrupedProfile) -> None:
    yard = load_ground("yard")
    robot = make_walker(engine_name, go2, yard, 3, make_legs("scripted", go2))
    state, truth = robot.read(), robot.world_state()
    robot.close()
    assert (truth.world, truth.seed, truth.held) == ("yard", 3, None)
    door = truth.find("red_door")
    heading = yaw_of(state.odometry.orientation)
    x, y, z = door.position
    assert np.hypot(x, y) == pytest.approx(np.hypot(4.5, 1.0), abs=0.05)
    assert np.cos(np.arctan2(y, x) + heading - np.arctan2(1.0, 4.5)) == pytest.approx(1.0, abs=1e-3)
    assert yaw_of(door.orientation) == pytest.approx(-heading)
    assert z + state.odometry.position[2] == pytest.approx(1.0)
    assert {item.label for item in truth.objects.values()} == {"box", "door", "marker", "person"}
