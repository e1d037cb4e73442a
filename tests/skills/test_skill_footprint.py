"""Footprints: distances between discs and rectangles, and the room that the hand takes."""

from itertools import pairwise
from math import hypot, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.footprints import yaw_of
from reins.contracts.scene import SceneObject
from reins.skills.scripted.footprint import Disc, Footprint, Rectangle, gap, wrapped
from reins.skills.scripted.hand import FRANKA_HAND, clearance, pointing_down, tool_yaw

places = st.floats(-0.3, 0.3)
sizes = st.floats(0.005, 0.1)
angles = st.floats(-pi, pi)
discs = st.builds(Disc, places, places, sizes)
rectangles = st.builds(Rectangle, places, places, sizes, sizes, angles)
footprints = st.one_of(discs, rectangles)


def boundary(shape: Footprint) -> np.ndarray:
    """(m, 2) points along the edge of a footprint."""
    if isinstance(shape, Disc):
        turn = np.linspace(0, 2 * pi, 200)
        return np.stack([shape.x + shape.radius * np.cos(turn), shape.y + shape.radius * np.sin(turn)], axis=1)
    corners = np.array([*shape.corners(), shape.corners()[0]])
    share = np.linspace(0, 1, 50)[:, None]
    return np.vstack([a + share * (b - a) for a, b in pairwise(corners)])


@given(footprints, footprints)
def test_gap_is_symmetric(a: Footprint, b: Footprint) -> None:
    assert gap(a, b) == pytest.approx(gap(b, a))


@given(footprints, footprints)
def test_gap_is_never_more_than_the_true_distance(a: Footprint, b: Footprint) -> None:
    one, other = boundary(a), boundary(b)
    nearest = np.min(np.hypot(*(one[:, None] - other[None]).transpose(2, 0, 1)))
    assert gap(a, b) <= nearest + 1e-9


@given(discs, discs)
def test_gap_between_discs_is_exact(a: Disc, b: Disc) -> None:
    assert gap(a, b) == pytest.approx(hypot(a.x - b.x, a.y - b.y) - a.radius - b.radius)


@given(rectangles, st.floats(0.001, 0.04), st.integers(0, 3))
def test_gap_between_facing_rectangles_is_exact(a: Rectangle, distance: float, side: int) -> None:
    angle = a.yaw + side * pi / 2
    away = a.reach(angle) + distance + 0.01
    b = Rectangle(a.x + away * np.cos(angle), a.y + away * np.sin(angle), 0.01, 0.01, a.yaw)
    assert gap(a, b) == pytest.approx(distance, abs=1e-9)


@given(footprints)
def test_a_point_inside_overlaps(shape: Footprint) -> None:
    assert gap(shape, Disc(shape.x, shape.y, 1e-4)) < 0.0


@given(angles, st.floats(0.1, 7.0))
def test_wrapped_stays_within_half_a_period(angle: float, period: float) -> None:
    result = wrapped(angle, period)
    assert -period / 2 <= result <= period / 2
    turns = (result - angle) / period
    assert turns == pytest.approx(round(turns), abs=1e-6)


@given(angles, places, places, st.floats(0.02, 0.5))
def test_tool_yaw_undoes_pointing_down(yaw: float, x: float, y: float, z: float) -> None:
    pose = pointing_down(x, y, z, yaw)
    assert wrapped(tool_yaw(pose) - yaw, 2 * pi) == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(pose.rotation @ pose.rotation.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(pose.rotation) == pytest.approx(1.0)
    np.testing.assert_allclose(pose.rotation[:, 2], [0.0, 0.0, -1.0], atol=1e-12)


@given(angles)
def test_yaw_of_a_turn_about_z(yaw: float) -> None:
    assert wrapped(yaw_of((0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2))) - yaw, 2 * pi) == pytest.approx(0.0, abs=1e-9)


def block(x: float, y: float, height: float = 0.04) -> SceneObject:
    return SceneObject(
        "block", "block", "red", (x, y, height / 2), (0.0, 0.0, 0.0, 1.0), (0.04, 0.04, height), 1.0, 0.0
    )


def test_fingers_need_room_along_the_opening_only() -> None:
    pose = pointing_down(0.5, 0.0, 0.02, 0.0)  # the fingers open along y
    beside, across = block(0.5, 0.075), block(0.555, 0.0)
    assert clearance(FRANKA_HAND, pose, 0.06, [beside]) < 0.0
    assert clearance(FRANKA_HAND, pose, 0.06, [across]) > 0.02


def test_the_palm_counts_only_beside_tall_things() -> None:
    pose = pointing_down(0.5, 0.0, 0.02, 0.0)
    assert clearance(FRANKA_HAND, pose, 0.05, [block(0.5, 0.10, 0.04)]) > 0.0
    assert clearance(FRANKA_HAND, pose, 0.05, [block(0.5, 0.10, 0.08)]) < 0.0


def test_nothing_is_in_the_way_of_a_hand_above_everything() -> None:
    assert clearance(FRANKA_HAND, pointing_down(0.5, 0.0, 0.2, 0.0), 0.06, [block(0.5, 0.0)]) == float("inf")
