"""Hand-eye calibration against known truth, and what it refuses."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from board_views import FIXED, IN_HAND, LENS, ON_HAND, ON_TABLE, Turns, posed_corners

from reins.calibration.hand_eye import calibrate_hand_eye
from reins.contracts.errors import ReinsError
from reins.hardware.robot import FloatArray

TRUTH = {True: (IN_HAND, ON_TABLE), False: (FIXED, ON_HAND)}


def apart(one: FloatArray, other: FloatArray) -> tuple[float, float]:
    """Distance [mm] and angle [degrees] between two poses (4, 4)."""
    turn = pin.log3(one[:3, :3].T @ other[:3, :3])
    return float(np.linalg.norm(one[:3, 3] - other[:3, 3])) * 1e3, float(np.degrees(np.linalg.norm(turn)))


@pytest.mark.parametrize("in_hand", [True, False])
def test_without_noise_the_truth_is_found(in_hand: bool) -> None:
    found = calibrate_hand_eye(posed_corners(8, in_hand, Turns(), 0.0, 1), LENS, in_hand)
    camera, board = TRUTH[in_hand]
    assert apart(found.camera, camera) == pytest.approx((0.0, 0.0), abs=1e-3)
    assert apart(found.board, board) == pytest.approx((0.0, 0.0), abs=1e-3)
    assert found.rms < 1e-3 and found.position_spread < 1e-6 and found.views == 8


@pytest.mark.parametrize("in_hand", [True, False])
@pytest.mark.parametrize("seed", [2, 3])
def test_with_noise_it_is_as_good_as_it_says(in_hand: bool, seed: int) -> None:
    found = calibrate_hand_eye(posed_corners(15, in_hand, Turns(), 0.2, seed), LENS, in_hand)
    millimetres, degrees = apart(found.camera, TRUTH[in_hand][0])
    assert found.rms == pytest.approx(0.2 * np.sqrt(2), rel=0.15)
    assert millimetres < 1.0 and degrees < 0.15
    assert millimetres < 10 * found.position_spread * 1e3 and found.position_spread < 2e-3
    assert degrees < 10 * np.degrees(found.turn_spread) and found.turn_spread < np.radians(0.2)


def test_one_corner_that_was_found_wrong_does_not_spoil_it() -> None:
    views = posed_corners(12, True, Turns(), 0.1, 4)
    pixels = views[5].view.pixels.copy()
    pixels[3] += 25.0
    views[5] = replace(views[5], view=replace(views[5].view, pixels=pixels))
    found = calibrate_hand_eye(views, LENS, True)
    assert apart(found.camera, IN_HAND)[0] < 1.0
    assert found.worst[0] == "view_5"


def test_a_pose_that_belongs_to_another_picture_shows() -> None:
    views = posed_corners(12, True, Turns(), 0.1, 5)
    views[7] = replace(views[7], tool=views[8].tool)
    found = calibrate_hand_eye(views, LENS, True)
    assert found.worst[0] == "view_7" and found.worst[1] > 5.0 and found.rms > 2.0
    assert apart(found.camera, IN_HAND)[0] < 2.0, "the others outvote it"


def test_too_few_views_are_refused() -> None:
    with pytest.raises(ReinsError, match="4 pictures show the board, and a mount needs 5"):
        calibrate_hand_eye(posed_corners(4, True, Turns(), 0.0, 6), LENS, True)


def test_an_arm_that_only_moved_is_refused() -> None:
    views = posed_corners(10, True, Turns(0.0, 0.0, 0.0), 0.1, 7)
    with pytest.raises(ReinsError, match=r"only moved.*turn the hand by 15° and more, about two axes"):
        calibrate_hand_eye(views, LENS, True)


@pytest.mark.parametrize("in_hand", [True, False])
def test_turns_about_one_axis_are_refused(in_hand: bool) -> None:
    views = posed_corners(10, in_hand, Turns(0.0, 0.0, 0.8), 0.1, 8)
    with pytest.raises(ReinsError, match="about one axis only"):
        calibrate_hand_eye(views, LENS, in_hand)
