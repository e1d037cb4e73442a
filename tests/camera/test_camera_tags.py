"""Corners of tags against where they were drawn, and what is left alone where there are no edges."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from reins.hardware.camera.tags import FAMILIES, TagDetector, family, refined

CORNERS = np.array([[60.3, 50.1], [98.7, 46.2], [103.4, 86.9], [62.2, 91.5]])
SHARP = 8


def drawn(number: int, corners: NDArray[np.float64], noise: float) -> NDArray[np.uint8]:
    """(140, 160) picture of a tag with its corners there [pixels]."""
    cell = 20
    tag = np.full((10 * cell, 10 * cell), 255, np.uint8)
    tag[cell:-cell, cell:-cell] = cv2.aruco.generateImageMarker(family("DICT_APRILTAG_36H11"), number, 8 * cell)
    inner = np.array([[1, 1], [9, 1], [9, 9], [1, 9]], np.float32) * cell - 0.5
    turn = cv2.getPerspectiveTransform(inner, ((corners + 0.5) * SHARP - 0.5).astype(np.float32))
    large = cv2.warpPerspective(tag, turn, (160 * SHARP, 140 * SHARP), flags=cv2.INTER_LINEAR, borderValue=110)
    small = cv2.resize(large, (160, 140), interpolation=cv2.INTER_AREA)
    return np.clip(small + np.random.default_rng(1).normal(0.0, noise, small.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize(("noise", "pixels"), [(0.0, 0.04), (6.0, 0.15)])
@pytest.mark.parametrize("size", [0.7, 1.0, 1.4])
def test_corners_are_where_they_were_drawn(noise: float, pixels: float, size: float) -> None:
    corners = (CORNERS - CORNERS.mean(axis=0)) * size + CORNERS.mean(axis=0)
    ((number, found),) = TagDetector("DICT_APRILTAG_36H11").find(drawn(7, corners, noise))
    assert number == 7
    assert np.abs(found - corners).max() < pixels


def test_where_there_is_no_edge_the_corners_stay() -> None:
    plain = np.full((140, 160), 90, np.uint8)
    assert refined(plain, CORNERS) is CORNERS
    assert TagDetector("DICT_APRILTAG_36H11").find(plain) == []


def test_at_the_border_of_the_picture_nothing_breaks() -> None:
    picture = drawn(7, CORNERS, 0.0)[52:, 62:]
    assert np.isfinite(refined(picture, CORNERS - [62.0, 52.0])).all()


def test_every_family_can_be_made() -> None:
    assert "DICT_APRILTAG_36H11" in FAMILIES
    for name in FAMILIES:
        assert family(name) is not None
