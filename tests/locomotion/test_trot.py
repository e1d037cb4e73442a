"""The trot as a plain function: what it does with what it is told and measures, without physics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reins.hardware.legs import Sense
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.locomotion.trot import CHANGING, Trot, TrotSettings

GO2 = load_profile("go2", QuadrupedProfile)
PERIOD = 0.02
MIRROR = np.array([-1.0, 1.0, 1.0])
SWAPPED = [1, 0, 3, 2]
SPEEDS = st.tuples(st.floats(-0.8, 1.2), st.floats(-0.4, 0.4), st.floats(-1.2, 1.2)).map(np.array)


def standing(trot: Trot, count: int = 1) -> Sense:
    joints = np.tile(trot.stance, (count, 1, 1))
    up = np.tile([0.0, 0.0, 1.0], (count, 1))
    return Sense(up, np.zeros((count, 3)), joints, np.zeros_like(joints), np.ones((count, 4), dtype=bool))


def following(targets: np.ndarray, trot: Trot) -> Sense:
    """Of a robot whose joints are where they were told to be, its feet on the ground unless they are lifted."""
    contact = trot.kinematics.feet(targets)[..., 2] < trot.kinematics.feet(trot.stance)[..., 2].mean() + 0.03
    count = len(targets)
    return Sense(
        np.tile([0.0, 0.0, 1.0], (count, 1)), np.zeros((count, 3)), targets, np.zeros_like(targets), np.array(contact)
    )


def test_told_to_stand_it_stands() -> None:
    trot = Trot(GO2, 1, PERIOD)
    for _ in range(100):
        targets = trot.step(standing(trot), np.zeros((1, 3)))
        assert not trot.memory.stepping.any()
        assert np.abs(targets[0] - trot.stance).max() < 0.12  # what the weight asks of the joints


def test_told_to_walk_diagonal_legs_take_turns() -> None:
    trot, sense = Trot(GO2, 1, PERIOD), None
    seen = set()
    for _ in range(100):
        sense = standing(trot) if sense is None else sense
        sense = following(trot.step(sense, np.array([[0.5, 0.0, 0.0]])), trot)
        seen.add(tuple(trot.memory.swinging[0]))
    assert (True, False, False, True) in seen and (False, True, True, False) in seen
    assert not any(flags[0] and flags[1] for flags in seen)


@settings(max_examples=10, deadline=None)
@given(SPEEDS)
def test_left_and_right_are_mirror_images(command: np.ndarray) -> None:
    """Mirrored, and half a stride later, everything is the same."""
    one, other = Trot(GO2, 1, PERIOD), Trot(GO2, 1, PERIOD)
    other.memory.phase[:] = 0.5
    mine, theirs = standing(one), standing(other)
    for _ in range(40):
        a = one.step(mine, command[None])
        b = other.step(theirs, (command * [1.0, -1.0, -1.0])[None])
        assert b[:, SWAPPED] * MIRROR == pytest.approx(a, abs=1e-6)
        mine, theirs = following(a, one), following(b, other)


@settings(max_examples=10, deadline=None)
@given(SPEEDS, SPEEDS)
def test_robots_side_by_side_do_not_know_of_each_other(first: np.ndarray, second: np.ndarray) -> None:
    together, alone = Trot(GO2, 2, PERIOD), Trot(GO2, 1, PERIOD)
    both, mine = standing(together, 2), standing(alone)
    for _ in range(30):
        a = together.step(both, np.stack([first, second]))
        b = alone.step(mine, second[None])
        assert a[1:] == pytest.approx(b, abs=1e-9)
        both, mine = following(a, together), following(b, alone)


@settings(max_examples=10, deadline=None)
@given(SPEEDS)
def test_no_target_is_beyond_a_limit(command: np.ndarray) -> None:
    trot = Trot(GO2, 1, PERIOD)
    sense = standing(trot)
    for _ in range(40):
        targets = trot.step(sense, 3.0 * command[None])
        assert (targets.ravel() >= GO2.lower).all() and (targets.ravel() <= GO2.upper).all()
        sense = following(targets, trot)


def test_a_foot_lands_farther_out_where_the_body_is_faster_than_told() -> None:
    how = TrotSettings()
    trot = Trot(GO2, 2, PERIOD, how)
    trot.memory.measured[1] = [0.3, 0.2, 0.0]
    usual, pushed = trot._footholds()
    assert pushed - usual == pytest.approx(np.tile(how.catch * np.array([0.3, 0.2, 0.0]), (4, 1)))


def test_the_body_is_laid_parallel_to_a_slope() -> None:
    """Feet on a plane that rises in front: the nose goes up, and the feet back, until the weight is over them."""
    trot = Trot(GO2, 1, PERIOD)
    feet = trot.kinematics.feet(trot.stance)
    feet[:, 2] += 0.15 * feet[:, 0]
    joints = trot.kinematics.joints(feet)[None]
    sense = Sense(standing(trot).up, np.zeros((1, 3)), joints, np.zeros_like(joints), np.ones((1, 4), dtype=bool))
    for _ in range(400):
        trot.step(sense, np.zeros((1, 3)))
    pitch = float(trot.memory.slope[0, 1])
    assert pitch < -0.05
    assert (trot._centred()[0, :, 0] < trot.kinematics.feet(trot.stance)[:, 0]).all()


def lifted(gait: np.ndarray) -> tuple[float, float]:
    """How high the base is in the end, and how high the highest foot was above the ground while it walked [m]."""
    trot, command = Trot(GO2, 1, PERIOD), np.array([[0.3, 0.0, 0.0]])
    sense, highest = standing(trot), 0.0
    for step in range(200):
        targets = trot.step(sense, command, gait=gait[None])
        sense = following(targets, trot)
        if step > 100:
            highest = max(highest, float((trot.kinematics.feet(targets)[..., 2] - trot._floor[:, None]).max()))
    return float(trot.heights[0]), highest


def test_a_gait_carries_the_body_higher_and_lifts_the_feet_more() -> None:
    how = TrotSettings()
    usual, high, lofty = (lifted(np.array(gait)) for gait in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)))
    assert usual[0] == pytest.approx(how.height) and high[0] == pytest.approx(how.height + how.higher)
    assert high[1] == pytest.approx(usual[1], abs=0.01)
    assert lofty[0] == usual[0] and lofty[1] > usual[1] + 0.8 * how.loftier * how.lift


def test_a_gait_beyond_its_bounds_is_as_good_as_the_bound_and_comes_slowly() -> None:
    trot = Trot(GO2, 1, PERIOD)
    sense = standing(trot)
    for step in range(1, 80):
        trot.step(sense, np.zeros((1, 3)), gait=np.array([[5.0, -5.0]]))
        assert np.abs(trot.memory.gait).max() <= min(step * CHANGING * PERIOD, 1.0) + 1e-9
    assert trot.memory.gait.tolist() == [[1.0, -1.0]]
    trot.reset()
    assert not trot.memory.gait.any()


@settings(max_examples=10, deadline=None)
@given(SPEEDS, st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)).map(np.array))
def test_robots_side_by_side_have_gaits_of_their_own(command: np.ndarray, gait: np.ndarray) -> None:
    together, alone = Trot(GO2, 2, PERIOD), Trot(GO2, 1, PERIOD)
    both, mine = standing(together, 2), standing(alone)
    for _ in range(30):
        a = together.step(both, np.tile(command, (2, 1)), gait=np.stack([np.zeros(2), gait]))
        b = alone.step(mine, command[None], gait=gait[None])
        assert a[1:] == pytest.approx(b, abs=1e-9)
        both, mine = following(a, together), following(b, alone)
