"""A simulated Go2 that fell: it turns over when it is told to, stands up after that, and does neither by itself."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from reins.bench.recovery import DROP, run_episode
from reins.hardware.legged import LeggedState, Posture, SafeBodyCommand
from reins.hardware.on_belly import SETTLED
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.sim.legged.ground import load_ground
from reins.sim.legged.walker import SimulatedWalker

PERIOD = 0.02
LIMP = 2.0
"""Motors that only damp bear less while their legs swing to rest [N·m]."""

Lay = Callable[[float], "Fallen"]


class Fallen:
    """A walker that was dropped, and is told one posture in every period."""

    def __init__(self, walker: SimulatedWalker, profile: QuadrupedProfile, roll: float) -> None:
        self.walker, self.profile, self.sequence = walker, profile, 0
        turn = Rotation.from_euler("ZYX", [0.4, 0.0, roll]).as_quat()
        walker.drop(np.array([0.0, 0.0, DROP]), turn, np.tile(profile.build.folded, 4))
        walker.connect()
        assert self.has_fallen(walker.read())

    def has_fallen(self, state: LeggedState) -> bool:
        return self.profile.has_fallen(state.orientation)

    def go(self, seconds: float, posture: Posture) -> list[LeggedState]:
        states = []
        for _ in range(round(seconds / PERIOD)):
            self.sequence += 1
            stamp = self.walker.read().stamp
            self.walker.write(SafeBodyCommand(self.sequence, stamp, PERIOD, np.zeros(3), posture))
            self.walker.step(PERIOD)
            states.append(self.walker.read())
        return states


@pytest.fixture
def lay(walker: SimulatedWalker, go2: QuadrupedProfile) -> Lay:
    return lambda roll: Fallen(walker, go2, roll)


@pytest.mark.parametrize("roll", [2.2, -2.2, np.pi])
def test_it_turns_over_rests_on_its_belly_and_stands_up(lay: Lay, go2: QuadrupedProfile, roll: float) -> None:
    fallen = lay(roll)
    state = fallen.go(go2.body.turn_over + SETTLED, Posture.RECOVER)[-1]
    assert not state.fault and not fallen.has_fallen(state)
    assert state.height is not None and state.height < go2.height.lowest
    assert np.abs(state.effort).max() < LIMP, "its motors rest"
    state = fallen.go(go2.body.stand_up + 1.0, Posture.STAND)[-1]
    assert go2.is_up(state.height) and state.contact.all()


@pytest.mark.parametrize("posture", [Posture.SIT, Posture.STAND])
def test_without_being_told_to_it_only_damps(lay: Lay, posture: Posture) -> None:
    fallen = lay(np.pi)
    state = fallen.go(3.0, posture)[-1]
    assert fallen.has_fallen(state) and np.abs(state.effort).max() < LIMP


def test_who_asks_no_more_has_it_limp_at_once_and_may_ask_again(lay: Lay, go2: QuadrupedProfile) -> None:
    fallen = lay(np.pi)
    assert max(np.abs(state.effort).max() for state in fallen.go(1.4, Posture.RECOVER)) > 5.0
    state = fallen.go(2.0, Posture.SIT)[-1]
    assert fallen.has_fallen(state) and np.abs(state.effort).max() < LIMP
    assert not fallen.has_fallen(fallen.go(go2.body.turn_over, Posture.RECOVER)[-1])


def test_a_robot_that_cannot_turn_over_gives_up_in_time_and_stays_limp(lay: Lay, go2: QuadrupedProfile) -> None:
    fallen = lay(np.pi)
    fallen.walker.engine.aim = weak(fallen.walker)  # type: ignore[method-assign, assignment]
    busy = [np.abs(state.effort).max() > 2.0 for state in fallen.go(go2.body.turn_over, Posture.RECOVER)]
    assert any(busy[-round(4.0 / PERIOD) :]), "it goes on trying for nearly as long as it may"
    states = fallen.go(3.0, Posture.RECOVER)
    assert all(fallen.has_fallen(state) for state in states)
    assert max(np.abs(state.effort).max() for state in states[10:]) < LIMP


def weak(walker: SimulatedWalker) -> Callable[[FloatArray, float], None]:
    """Aim of motors that have a twelfth of their stiffness."""
    aim = walker.engine.aim
    return lambda joints, grip: aim(joints, grip / 12.0)


def test_a_robot_on_its_belly_that_is_told_to_recover_lies_on(walker: SimulatedWalker) -> None:
    ends = []
    for posture in (Posture.SIT, Posture.RECOVER):
        walker.reset(3)
        walker.connect()
        for number in range(100):
            walker.write(SafeBodyCommand(number + 1, walker.read().stamp, PERIOD, np.zeros(3), posture))
            walker.step(PERIOD)
        ends.append(walker.read().position)
    assert ends[1] == pytest.approx(ends[0], abs=1e-6), "it lies as limp as one that sits"


@pytest.mark.slow
@pytest.mark.parametrize("ground", ["flat", "rough"])
def test_it_gets_up_from_any_fall(engine_name: str, go2: QuadrupedProfile, ground: str) -> None:
    for seed in range(100, 106):
        episode = run_episode(go2, load_ground(ground), engine_name, seed)
        assert episode.stood and not episode.hazards, episode
