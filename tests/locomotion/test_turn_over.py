"""The script that turns a robot over: what it asks of the joints, and when it ends."""

import numpy as np
import pytest

from reins.hardware.legs import Sense
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.locomotion.turn_over import TurnOver

GO2 = load_profile("go2", QuadrupedProfile)
PERIOD = 1.0 / GO2.rates.command
LEFT, RIGHT = [0, 2], [1, 3]


def sense(up: tuple[float, float, float], joints: FloatArray | None = None) -> Sense:
    at = np.tile(GO2.build.folded, (1, 4, 1)) if joints is None else joints[None]
    return Sense(np.array([up]), np.zeros((1, 3)), at, np.zeros((1, 4, 3)), np.zeros((1, 4), dtype=bool))


def script(up: tuple[float, float, float], joints: FloatArray | None = None) -> tuple[FloatArray, TurnOver]:
    """(t, 4, 3) what is asked of a robot that lies as it lies whatever it does."""
    turn_over, now = TurnOver(GO2, PERIOD), sense(up, joints)
    turn_over.begin(now)
    targets: list[FloatArray] = []
    while (target := turn_over.step(now)) is not None:
        targets.append(target)
        assert len(targets) * PERIOD <= GO2.body.turn_over
    return np.array(targets), turn_over


@pytest.mark.parametrize("seed", range(5))
def test_it_begins_where_the_joints_are_never_jumps_and_keeps_within_limits(seed: int) -> None:
    begin = np.random.default_rng(seed).uniform(GO2.lower, GO2.upper).reshape(4, 3)
    targets, _ = script((0.0, 0.1, -1.0), begin)
    path = np.concatenate([begin[None], targets]).reshape(len(targets) + 1, 12)
    assert (path >= GO2.lower).all() and (path <= GO2.upper).all()
    assert (np.abs(np.diff(path, axis=0)) / PERIOD <= GO2.velocity).all()


def test_it_tries_three_times_and_gives_up() -> None:
    targets, turn_over = script((0.0, 0.0, -1.0))
    assert turn_over.attempts == 3
    assert targets[-1] == pytest.approx(np.tile(GO2.build.folded, (4, 1)), abs=0.03)
    assert turn_over.step(sense((0.0, 0.0, -1.0))) is None


def test_the_legs_of_the_higher_side_reach_over_the_back_first() -> None:
    for up, higher, lower in (((0.0, 0.5, -0.8), LEFT, RIGHT), ((0.0, -0.5, -0.8), RIGHT, LEFT)):
        targets, _ = script(up)
        reaches = [int(np.argmax((targets[:, legs, 1] > 2.0).all(axis=1))) for legs in (higher, lower)]
        assert 0 < reaches[0] < reaches[1]


def test_one_side_is_the_mirror_image_of_the_other() -> None:
    left, _ = script((0.0, 0.3, -0.9))
    right, _ = script((0.0, -0.3, -0.9))
    assert right[:, [1, 0, 3, 2]] * [-1.0, 1.0, 1.0] == pytest.approx(left)


def test_a_robot_that_rolls_over_while_it_folds_is_left_alone() -> None:
    turn_over = TurnOver(GO2, PERIOD)
    turn_over.begin(sense((0.0, 0.6, 0.8)))
    steps = 0
    while turn_over.step(sense((0.0, 0.0, 1.0))) is not None:
        steps += 1
    assert turn_over.attempts == 0 and steps * PERIOD < 1.0
