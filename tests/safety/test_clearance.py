"""Proofs along a path, of a point that swings: its height above a table, and its way around a corner, are known."""

import math

import coal
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reins.hardware.robot import FloatArray
from reins.safety.bodies import Body, Box, Kind, Pair, body_of_box
from reins.safety.clearance import ROUNDING, STEPS, Clearance
from reins.safety.distances import Distances

LENGTH = 0.5
"""Of the arm that swings about the x axis, from y towards z [m]."""

CHORD = 1.0 / (8.0 * STEPS * STEPS)
"""How far from its chord a part of a path can be, of its second derivative."""


class Swing:
    """A point at the end of an arm of one joint, and what stands."""

    def __init__(self, standing: Body, margin: float) -> None:
        self.model = pin.Model()
        self.model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "hinge")
        corners = np.array([[0.0, LENGTH, 0.0]])
        place = pin.SE3(np.eye(3), corners[0])
        point = Body("point", Kind.LINK, 1, coal.Sphere(0.0), place, corners, np.array([LENGTH]))
        self.distances = Distances(self.model, [standing, point], [Pair(0, 1, margin)])
        self.clearance = Clearance(self.distances)

    def go(self, start: float) -> None:
        data = self.model.createData()
        pin.forwardKinematics(self.model, data, np.array([start]))
        self.distances.move(np.array([start]), data)
        self.distances.measure(np.array([0]))

    def overlap(self, start: float, way: float, curved: float | None = None) -> float:
        """Of the path from that angle on by that [rad]."""
        self.go(start)
        self.clearance.along(np.array([start]), np.array([way]))
        return self.clearance.overlap(0, LENGTH * way * way if curved is None else curved)


def table(height: float) -> Body:
    surface = np.array([[0.0, 0.0, height]])
    shape = coal.Halfspace(np.array([0.0, 0.0, 1.0]), height)
    return Body("table", Kind.TABLE, 0, shape, pin.SE3.Identity(), surface, np.zeros(0))


def heights(start: float, way: float, count: int = STEPS) -> FloatArray:
    """(count + 1,) of the point above the hinge along a path [m]."""
    shares = np.arange(count + 1) / count
    return np.asarray(LENGTH * np.sin(start + way * shares), dtype=np.float64)


class TestAboveATable:
    @given(start=st.floats(-1.0, 1.0), way=st.floats(-1.0, 1.0), margin=st.floats(0.0, 0.2), down=st.floats(-0.5, 0.5))
    def test_it_is_clear_where_it_is_by_more_than_a_bend_and_not_where_a_point_is_too_low(
        self, start: float, way: float, margin: float, down: float
    ) -> None:
        above = heights(start, way) - down
        assume(above[0] > margin)
        overlap = Swing(table(down), margin).overlap(start, way)
        if above.min() - LENGTH * way * way * CHORD > margin:
            assert overlap == 0.0
        if (heights(start, way, 200) - down).min() < margin - ROUNDING:
            assert overlap > 0.0

    @pytest.mark.parametrize("start, way", [(0.4, -0.3), (-0.4, -0.3)])
    def test_where_its_end_is_too_low_it_says_by_how_much_and_the_bend(self, start: float, way: float) -> None:
        swing, curved = Swing(table(-LENGTH), 0.0), LENGTH * way * way
        lowest = float(heights(start, way)[-1]) + LENGTH
        for missing in (-1e-2, 1e-6, 1e-2):
            swing.distances.margin[0] = lowest + missing
            expected = missing + curved / 8.0 if missing > 0.0 else 0.0
            assert swing.overlap(start, way) == pytest.approx(expected, abs=1e-9)

    @pytest.mark.parametrize("missing, parts", [(0.5 * ROUNDING, 1), (2.0 * ROUNDING, STEPS // 2), (1e-3, STEPS // 2)])
    def test_where_it_is_too_low_in_between_it_says_so_by_the_part_that_ends_there(
        self, missing: float, parts: int
    ) -> None:
        """It swings through its lowest point, 10 cm above the table; at the margin the finest part decides."""
        start, way = -math.pi / 2 - 0.4, 0.8
        swing = Swing(table(-LENGTH - 0.1), 0.1 + missing)
        bend = LENGTH * way * way * CHORD * parts * parts
        assert swing.overlap(start, way) == pytest.approx(missing + bend, abs=1e-9)

    @pytest.mark.parametrize("missing, clear", [(0.9 * ROUNDING, True), (1.1 * ROUNDING, False)])
    def test_a_rounding_too_low_is_not_too_low(self, missing: float, clear: bool) -> None:
        start, way = 0.4, -0.3
        swing = Swing(table(0.0), float(heights(start, way)[-1]) + missing)
        overlap = swing.overlap(start, way, 0.0)
        assert (overlap == 0.0) is clear
        assert clear or overlap == pytest.approx(missing, abs=1e-12)


class TestInsideItsMargin:
    """5 cm above the table where 10 cm are asked for."""

    @pytest.mark.parametrize("way, missing", [(0.2, 0.0), (0.0, 0.0), (-0.01, None)])
    def test_it_may_go_up_and_never_down(self, way: float, missing: float | None) -> None:
        start = math.asin(0.05 / LENGTH)
        overlap = Swing(table(0.0), 0.1).overlap(start, way)
        lower = float(heights(start, 0.0)[0] - heights(start, way)[-1])
        assert overlap == pytest.approx(lower if missing is None else missing, abs=1e-9)

    @pytest.mark.parametrize("inside", [False, True])
    def test_at_the_margin_the_bend_counts_and_below_it_does_not(self, inside: bool) -> None:
        start, way = 0.4, 0.3
        swing = Swing(table(0.0), 0.0)
        swing.go(start)
        margin = float(swing.distances.lower[0])
        swing.distances.margin[0] = np.nextafter(margin, 1.0) if inside else margin
        expected = 0.0 if inside else LENGTH * way * way * CHORD
        assert swing.overlap(start, way) == pytest.approx(expected, abs=1e-9)


class TestAroundACorner:
    """The point swings over the far edge of a box: no single plane stands between them all the way."""

    def swing(self, size: float, margin: float = 0.0) -> Swing:
        """Over a box whose far edge is at `size`, both in y and z."""
        half = np.array([0.2, size, size])
        return Swing(body_of_box(Box("box", np.zeros(3), np.eye(3), 2.0 * half), Kind.FIXTURE), margin)

    @pytest.mark.parametrize("start, way", [(0.1, 1.4), (1.5, -1.4), (0.05, 0.9), (0.7, 0.8)])
    def test_a_wide_berth_is_proven(self, start: float, way: float) -> None:
        assert self.swing(0.3).overlap(start, way) == 0.0

    @pytest.mark.parametrize("start, way", [(0.1, 1.4), (1.5, -1.4)])
    def test_the_edge_in_the_way_is_found(self, start: float, way: float) -> None:
        edge = LENGTH / math.sqrt(2.0)
        assert self.swing(edge + 0.005).overlap(start, way) > 0.0
        assert self.swing(edge - 0.005, 0.01).overlap(start, way) > 0.0


def test_one_path_leaves_nothing_behind_for_the_next() -> None:
    swing = Swing(table(0.0), 0.1)
    for _ in range(2):
        assert swing.overlap(0.5, 0.3) == 0.0
        assert swing.overlap(0.5, -0.4) > 0.0


def test_before_it_is_told_of_a_path_it_stands_still() -> None:
    swing = Swing(table(-0.2), 0.1)
    swing.go(0.0)
    assert swing.clearance.overlap(0, 0.0) == 0.0
