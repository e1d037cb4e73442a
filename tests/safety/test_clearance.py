"""Proofs along a path, of a point that swings: its height above a table, and its way around a corner, are known."""

import math
from dataclasses import replace

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

    def swing(self, size: float, margin: float = 0.0, shift: float = 0.0) -> Swing:
        """Over a box whose edges are `size` from its middle, which is `shift` beside the hinge [m]."""
        half, middle = np.array([0.2, size, size]), np.array([0.0, shift, 0.0])
        return Swing(body_of_box(Box("box", middle, np.eye(3), 2.0 * half), Kind.FIXTURE), margin)

    def apart(self, size: float, shift: float, start: float, way: float) -> FloatArray:
        """(401,) distances of the point from the box along a path, less than 0 inside [m]."""
        angles = start + way * np.linspace(0.0, 1.0, 401)
        beyond = np.abs([LENGTH * np.cos(angles) - shift, LENGTH * np.sin(angles)]) - size
        outside: FloatArray = np.hypot(*np.maximum(beyond, 0.0)) + np.minimum(beyond.max(axis=0), 0.0)
        return outside

    @pytest.mark.parametrize("start, way", [(0.1, 1.4), (1.5, -1.4), (0.05, 0.9), (0.7, 0.8)])
    def test_a_wide_berth_is_proven(self, start: float, way: float) -> None:
        assert self.swing(0.3).overlap(start, way) == 0.0

    @pytest.mark.parametrize("start, way", [(0.1, 1.4), (1.5, -1.4)])
    def test_the_edge_in_the_way_is_found(self, start: float, way: float) -> None:
        edge = LENGTH / math.sqrt(2.0)
        assert self.swing(edge + 0.005).overlap(start, way) > 0.0
        assert self.swing(edge - 0.005, 0.01).overlap(start, way) > 0.0

    @pytest.mark.parametrize("shift, size, start, way", [(-0.31, 0.25, 1.15, 2.59), (-0.38, 0.17, 1.63, 1.93)])
    def test_behind_an_edge_that_is_clear_another_is_found(
        self, shift: float, size: float, start: float, way: float
    ) -> None:
        assert self.apart(size, shift, start, way).min() < -0.05
        assert self.swing(size, 0.02, shift).overlap(start, way) > 0.0

    def test_a_plane_that_has_served_is_looked_for_anew_where_the_path_has_come_to(self) -> None:
        """Neither the old one nor that of the path's end suffices."""
        start, way = 1.17, 1.54
        assert self.apart(0.327, 0.0, start, way).min() > 0.03
        assert self.swing(0.327, 0.02).overlap(start, way) == 0.0

    @given(
        size=st.floats(0.1, 0.34),
        shift=st.floats(-0.4, 0.0),
        margin=st.floats(0.0, 0.03),
        start=st.floats(-0.3, 1.7),
        way=st.floats(-2.5, 2.5),
    )
    def test_what_is_proven_is_never_too_close(
        self, size: float, shift: float, margin: float, start: float, way: float
    ) -> None:
        apart = self.apart(size, shift, start, way)
        assume(apart[0] > margin + 1e-3)
        if apart.min() < margin - 2 * ROUNDING:
            assert self.swing(size, margin, shift).overlap(start, way) > 0.0


class TestAboveATableThatTilts:
    """The table is moved by a joint of its own, which carries the hinge; both turn on the path."""

    def overlap(self, start: float, way: float, margin: float, curved: float, tilt: float = 0.9) -> float:
        """Of the path from that angle of the hinge on by that [rad]."""
        model = pin.Model()
        place = pin.SE3(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), np.array([0.3, 0.2, 0.1]))
        first = model.addJoint(0, pin.JointModelRY(), place, "tilt")
        model.addJoint(first, pin.JointModelRX(), pin.SE3.Identity(), "hinge")
        standing, corners = table(-0.2), np.array([[0.0, LENGTH, 0.0]])
        moved = replace(standing, kind=Kind.LINK, joint=first)
        point = Body(
            "point", Kind.LINK, 2, coal.Sphere(0.0), pin.SE3(np.eye(3), corners[0]), corners, np.array([0.0, LENGTH])
        )
        distances = Distances(model, [moved, point], [Pair(0, 1, margin)])
        position, data = np.array([0.4, start]), model.createData()
        pin.forwardKinematics(model, data, position)
        distances.move(position, data)
        distances.measure(np.array([0]))
        clearance = Clearance(distances)
        clearance.along(position, np.array([tilt, way]))
        return clearance.overlap(0, curved)

    def test_only_what_moves_against_it_counts(self) -> None:
        start = 0.3
        height = float(heights(start, 0.0)[0]) + 0.2
        assert self.overlap(start, 0.0, height - 1e-6, 0.0) == 0.0

    def test_inside_its_margin_it_may_not_come_closer_however_both_turn(self) -> None:
        start, way = 0.3, -2e-4
        height = float(heights(start, 0.0)[0]) + 0.2
        lower = float(heights(start, 0.0)[0] - heights(start, way)[-1])
        assert self.overlap(start, way, height + 0.1, 0.0) == pytest.approx(lower, abs=1e-9)
        assert self.overlap(start, -way, height + 0.1, 0.0) == 0.0

    @pytest.mark.parametrize("missing", [-1e-2, 1e-6, 1e-2])
    def test_it_says_by_how_much_its_end_is_too_low(self, missing: float) -> None:
        start, way = 0.3, -0.4
        lowest, curved = float(heights(start, way)[-1]) + 0.2, LENGTH * way * way
        expected = missing + curved / 8.0 if missing > 0.0 else 0.0
        assert self.overlap(start, way, lowest + missing, curved) == pytest.approx(expected, abs=1e-9)


def test_each_point_of_a_path_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pairs are asked about: it is done in a control period."""
    start, way = -math.pi / 2 - 0.4, 0.8
    swing = Swing(table(-LENGTH - 0.1), 0.1)
    swing.overlap(0.0, 0.0)
    computed: list[float] = []
    forward = pin.forwardKinematics

    def record(model: pin.Model, data: pin.Data, position: FloatArray) -> None:
        computed.append(float(position[0]))
        forward(model, data, position)

    swing.go(start)
    swing.clearance.along(np.array([start]), np.array([way]))
    monkeypatch.setattr(pin, "forwardKinematics", record)
    for _ in range(2):
        assert swing.clearance.overlap(0, LENGTH * way * way) > 0.0
    assert len(computed) == len(set(computed)) > 3
    steps = (np.array(computed) - start) / way * STEPS
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)


def test_one_path_leaves_nothing_behind_for_the_next() -> None:
    swing = Swing(table(0.0), 0.1)
    for _ in range(2):
        assert swing.overlap(0.5, 0.3) == 0.0
        assert swing.overlap(0.5, -0.4) > 0.0


def test_before_it_is_told_of_a_path_it_stands_still() -> None:
    swing = Swing(table(-0.2), 0.1)
    swing.go(0.0)
    assert swing.clearance.overlap(0, 0.0) == 0.0
