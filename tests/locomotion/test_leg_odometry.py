"""Where a body is by its legs, against where it is."""

import numpy as np
import pytest

from reins.hardware.legged import Posture, SafeBodyCommand
from reins.hardware.legs import Sense, up_of
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.locomotion.odometry import FLYING, StandingFeet
from reins.locomotion.walks import make_legs
from reins.sim.legged.ground import load_ground
from reins.sim.legged.simulators import make_walker

GO2 = load_profile("go2", QuadrupedProfile)
PERIOD = 0.02


def walked(velocity: tuple[float, float, float], seconds: float = 4.0) -> tuple[np.ndarray, np.ndarray, float, float]:
    """A simulated robot stands up and walks: way by its legs, its true way, last height by legs, the true one."""
    walker = make_walker("mujoco", GO2, load_ground("flat"), 0, make_legs("scripted", GO2))
    odometry, sequence = StandingFeet(GO2), 0
    ways: list[np.ndarray] = []
    for wanted, lasts in (((0.0, 0.0, 0.0), 2.2), (velocity, seconds)):
        begin = walker.read().odometry.position
        odometry.reset()
        for _ in range(round(lasts / PERIOD)):
            sequence += 1
            walker.write(SafeBodyCommand(sequence, walker.read().stamp, PERIOD, np.array(wanted), Posture.STAND))
            walker.step(PERIOD)
            state = walker.read()
            sense = Sense(
                up_of(state.orientation)[None],
                state.odometry.angular[None],
                state.position.reshape(1, 4, 3),
                state.velocity.reshape(1, 4, 3),
                state.contact[None],
            )
            told, height = odometry.step(sense, state.orientation, PERIOD)
        ways = [told.position[:2], (state.odometry.position - begin)[:2]]
    assert height is not None and state.height is not None
    return ways[0], ways[1], height, state.height


@pytest.mark.parametrize("velocity", [(0.6, 0.0, 0.0), (-0.4, 0.0, 0.0), (0.0, 0.3, 0.0), (0.4, 0.0, 0.6)])
def test_the_way_is_that_of_the_body_up_to_some_drift(velocity: tuple[float, float, float]) -> None:
    told, true, height, truly_high = walked(velocity)
    assert np.linalg.norm(told - true) < 0.15 * np.linalg.norm(true) + 0.02
    assert np.linalg.norm(true) > 0.5
    assert height == pytest.approx(truly_high, abs=0.02)


def test_a_robot_in_the_air_has_no_height_and_begins_anew_at_the_origin() -> None:
    odometry = StandingFeet(GO2)
    joints = np.array(GO2.home).reshape(1, 4, 3)
    still = Sense(
        np.array([[0.0, 0.0, 1.0]]), np.zeros((1, 3)), joints, np.zeros((1, 4, 3)), np.zeros((1, 4), dtype=bool)
    )
    upright = np.array([0.0, 0.0, 0.0, 1.0])
    assert odometry.step(still, upright, PERIOD)[1] is None
    standing = Sense(still.up, still.rates, joints, np.full((1, 4, 3), 0.3), np.ones((1, 4), dtype=bool))
    there = odometry.step(standing, upright, PERIOD)[0]
    assert there.position[:2].any() and there.position[2] == pytest.approx(0.287, abs=0.02)
    odometry.reset()
    assert not odometry.step(still, upright, PERIOD)[0].position.any()


def test_a_robot_that_is_lifted_does_not_walk_on() -> None:
    odometry, upright = StandingFeet(GO2), np.array([0.0, 0.0, 0.0, 1.0])
    joints = np.array(GO2.home).reshape(1, 4, 3)
    up, none = np.array([[0.0, 0.0, 1.0]]), np.zeros((1, 4), dtype=bool)
    walking = Sense(up, np.zeros((1, 3)), joints, np.full((1, 4, 3), 0.3), ~none)
    for _ in range(20):
        there, _ = odometry.step(walking, upright, PERIOD)
    speed = float(np.linalg.norm(there.linear))
    lifted = Sense(up, np.zeros((1, 3)), joints, np.zeros((1, 4, 3)), none)
    for _ in range(round(5.0 / PERIOD)):
        ended, _ = odometry.step(lifted, upright, PERIOD)
    assert speed > 0.05 and np.linalg.norm(ended.linear) < 1e-6
    drifted = float(np.linalg.norm((ended.position - there.position)[:2]))
    assert drifted == pytest.approx(speed * FLYING, rel=0.1)
