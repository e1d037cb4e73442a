"""The lens from views of a board with known truth, and what it refuses."""

from collections.abc import Iterator

import numpy as np
import pytest
from board_views import BENT, CHARUCO, HEIGHT, LENS, MATRIX, WIDTH, Turns, board_poses, corners

from reins.calibration.board import View
from reins.calibration.lens import calibrate_lens
from reins.contracts.errors import ReinsError


def views(count: int, turns: Turns, noise: float, seed: int = 1) -> Iterator[View]:
    """Those corners of views that are inside the picture."""
    for index, pose in enumerate(board_poses(CHARUCO, count, turns, seed)):
        view = corners(CHARUCO, pose, LENS, f"view_{index}", noise, seed + index)
        inside = ((view.pixels >= 0) & (view.pixels < [WIDTH, HEIGHT])).all(axis=1)
        if inside.sum() >= 12:
            yield View(view.name, view.points[inside], view.pixels[inside])


WIDE = Turns(0.6, 0.6, 0.5, 0.14)


def test_the_truth_is_found_within_what_it_says() -> None:
    report = calibrate_lens(list(views(24, WIDE, 0.15)), WIDTH, HEIGHT, "wrist")
    found = report.intrinsics
    assert report.rms == pytest.approx(0.15 * np.sqrt(2), rel=0.15)
    assert np.abs(found.matrix[[0, 1], [0, 1]] - MATRIX[[0, 1], [0, 1]]).max() < max(4 * report.focal_std, 1.0)
    assert found.matrix[:2, 2] == pytest.approx(MATRIX[:2, 2], abs=4.0)
    assert found.distortion[:2] == pytest.approx(BENT[:2], abs=0.04)
    assert (found.image_width, found.camera_name) == (WIDTH, "wrist")
    assert report.worst[1] >= report.rms


def test_too_few_views_are_refused() -> None:
    with pytest.raises(ReinsError, match="7 pictures show the board, and a lens needs 8"):
        calibrate_lens(list(views(7, Turns(), 0.1)), WIDTH, HEIGHT, "x")


def test_a_board_that_stays_in_the_middle_is_refused() -> None:
    with pytest.raises(ReinsError, match="distortion is at the edges"):
        calibrate_lens(list(views(12, Turns(shift=0.0), 0.1)), WIDTH, HEIGHT, "x")


def test_boards_that_are_all_parallel_are_refused() -> None:
    with pytest.raises(ReinsError, match="focal length and distance cannot be told apart"):
        calibrate_lens(list(views(20, Turns(0.02, 0.02, 0.5, 0.14), 0.05)), WIDTH, HEIGHT, "x")
