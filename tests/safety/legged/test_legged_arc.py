"""Where a path comes nearest to a region: exact, compared with looking at thousands of points of it."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from legged_walker import box, disc, distance_to, moved, path

from reins.hardware.robot import FloatArray
from reins.safety.legged.arc import Arc
from reins.safety.legged.keep_outs import KeepOut, Regions

PLACES = st.tuples(*[st.floats(-2.0, 2.0)] * 2).map(np.array)
DISCS = st.builds(disc, st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), st.floats(0.0, 1.0))
BOXES = st.builds(
    box, st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), st.floats(-7.0, 7.0), st.tuples(*[st.floats(0.01, 1.0)] * 2)
)
SHAPES = st.one_of(DISCS, BOXES)
TURNS = st.one_of(st.just(0.0), st.floats(-3.0, 3.0), st.floats(-1e-6, 1e-6))
ARCS = st.builds(Arc, PLACES, PLACES, TURNS, st.floats(0.0, 3.0))
GROWN = 0.2


def sampled(arc: Arc, shape: KeepOut, count: int = 2000) -> float:
    """Least distance of many points of the path, by the textbook's integral."""
    times = np.linspace(0.0, arc.time, count)
    course = math.atan2(arc.velocity[1], arc.velocity[0])
    speed = np.array([np.hypot(*arc.velocity), 0.0, arc.turn])
    return float(distance_to(shape, path(arc.place, course, speed, times)).min()) - GROWN


class TestRegions:
    @given(shapes=st.lists(SHAPES, min_size=1, max_size=4), points=st.lists(PLACES, min_size=1, max_size=5))
    def test_distances_are_those_of_each_shape(self, shapes: list[KeepOut], points: list[FloatArray]) -> None:
        found = Regions(shapes, GROWN).distances(np.array(points)[None])
        for row, shape in zip(found, shapes, strict=True):
            np.testing.assert_allclose(row, distance_to(shape, np.array(points)) - GROWN, atol=1e-12)

    @given(shape=SHAPES, place=PLACES)
    def test_a_small_step_towards_one_comes_nearer_by_its_length(self, shape: KeepOut, place: FloatArray) -> None:
        regions, step = Regions([shape], GROWN), 1e-6
        towards = regions.towards(place)[0]
        assert np.linalg.norm(towards) == pytest.approx(1.0)
        before, after = (regions.distances(at[None, None])[0, 0] for at in (place, place + step * towards))
        local = complex(*(place - shape.centre)) * cmath.exp(-1j * shape.heading)
        beyond = np.abs([local.real, local.imag]) - shape.half
        nearest = int(beyond.argmax())
        outside = before + GROWN + shape.radius > 2 * step  # else it may step over the edge, or over a disc's centre
        inside = max(beyond.min() - beyond.max(), -beyond[nearest] - shape.half[nearest]) < -2 * step > beyond.max()
        assert not (outside or inside) or after - before == pytest.approx(-step, rel=1e-3)

    @pytest.mark.parametrize(
        ("x", "y", "distance"),
        [
            (0.0, 0.0, -0.4),
            (0.35, 0.05, -0.25),
            (0.0, -0.15, -0.25),
            (0.4, 0.2, -0.2),
            (0.5, 0.0, -0.1),
            (0.7, 0.6, 0.3),
        ],
    )
    @pytest.mark.parametrize("heading", [0.0, 1.2])
    def test_distances_from_within_a_box_to_beyond_its_corner(
        self, x: float, y: float, distance: float, heading: float
    ) -> None:
        regions = Regions([box(1.0, 2.0, heading, (0.4, 0.2))], GROWN)
        along = np.array([math.cos(heading), math.sin(heading)])
        point = np.array([1.0, 2.0]) + x * along + y * np.array([-along[1], along[0]])
        assert regions.distances(point[None, None])[0, 0] == pytest.approx(distance)

    def test_at_the_very_centre_any_way_is_out(self) -> None:
        for shape in (disc(1.0, 2.0, 0.5), box(1.0, 2.0, 0.3, (0.4, 0.2))):
            towards = Regions([shape], 0.0).towards(np.array([1.0, 2.0]))
            assert np.linalg.norm(towards[0]) == pytest.approx(1.0)

    def test_without_regions_there_is_nothing_to_be_far_from(self) -> None:
        nothing = Regions((), GROWN)
        assert nothing.count == 0
        assert nothing.distances(np.zeros((1, 1, 2))).shape == (0, 1)
        assert nothing.towards(np.zeros(2)).shape == (0, 2)
        assert Arc(np.zeros(2), np.ones(2), 0.5, 1.0).clearance(nothing).shape == (0,)

    def test_corners_are_where_they_are(self) -> None:
        corners = Regions([box(1.0, 0.0, math.pi / 2, (0.5, 0.1))], 0.0).corners[0]
        expected = {(0.9, 0.5), (0.9, -0.5), (1.1, 0.5), (1.1, -0.5)}
        assert {tuple(corner) for corner in corners.round(9)} == expected


class TestPath:
    @given(arc=ARCS, share=st.floats(0.0, 1.0))
    def test_it_is_where_the_body_comes(self, arc: Arc, share: float) -> None:
        course = math.atan2(arc.velocity[1], arc.velocity[0])
        speed = np.array([np.hypot(*arc.velocity), 0.0, arc.turn])
        expected, _ = moved(arc.place, course, speed, share * arc.time)
        np.testing.assert_allclose(arc.at(np.array(share * arc.time)), expected, atol=1e-6)

    @given(arc=ARCS)
    def test_its_length_bounds_the_way(self, arc: Arc) -> None:
        points = arc.at(np.linspace(0.0, arc.time, 50))
        way = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
        assert way <= arc.length + 1e-9
        assert way >= arc.length * (1.0 - (arc.turn * arc.time / 49) ** 2) - 1e-9


class TestClearance:
    @given(arc=ARCS, shape=SHAPES)
    def test_no_point_of_the_path_is_nearer(self, arc: Arc, shape: KeepOut) -> None:
        """Exact to some nanometres, for an arc that hardly turns has its middle far away, but from the middle of a box,
        where only both ends are looked at."""
        exact, looked = arc.clearance(Regions([shape], GROWN))[0], sampled(arc, shape)
        coarse = arc.length / 2000
        assert exact >= looked - coarse - 1e-8, "some point is that near"
        if looked > -GROWN - shape.radius:
            assert exact <= looked + 1e-8, "no point is nearer"

    @given(arc=ARCS, shapes=st.lists(SHAPES, min_size=2, max_size=5))
    def test_each_region_is_judged_by_itself(self, arc: Arc, shapes: list[KeepOut]) -> None:
        together = arc.clearance(Regions(shapes, GROWN))
        alone = [arc.clearance(Regions([shape], GROWN))[0] for shape in shapes]
        np.testing.assert_allclose(together, alone, atol=1e-12)

    @pytest.mark.parametrize("turn", [0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-3])
    def test_an_almost_straight_path_is_judged_as_a_straight_one(self, turn: float) -> None:
        regions = Regions([disc(1.0, 0.6, 0.1)], 0.0)
        arc = Arc(np.zeros(2), np.array([1.0, 0.0]), turn, 2.0)
        assert arc.clearance(regions)[0] == pytest.approx(0.5, abs=2.0 * turn + 1e-12)

    @pytest.mark.parametrize("course", [0.3, 2.0, -2.5])
    @pytest.mark.parametrize("speed", [0.4, 1.7])
    def test_on_its_way_it_passes_what_lies_beside_it(self, course: float, speed: float) -> None:
        """A disc 0.6 m to the left of a line, 0.8 m ahead of its beginning and 0.8 m before its end."""
        place, along = np.array([0.7, -0.4]), np.array([math.cos(course), math.sin(course)])
        centre = place + 0.8 * along + 0.6 * np.array([-along[1], along[0]])
        arc = Arc(place, speed * along, 0.0, 1.6 / speed)
        assert arc.clearance(Regions([disc(*centre, 0.1)], 0.0))[0] == pytest.approx(0.5)

    @pytest.mark.parametrize("turn", [1.0, -1.0, 0.5])
    @pytest.mark.parametrize("behind", [0.5, 3.0, 6.0])
    @pytest.mark.parametrize("begun", [0.0, 2.0])
    def test_what_lies_behind_its_beginning_is_passed_at_the_end_of_the_round(
        self, turn: float, behind: float, begun: float
    ) -> None:
        """A circle of 1 m around the origin; a disc 0.4 m outside of it."""
        angle = begun - math.copysign(behind, turn)
        centre = 1.4 * np.array([math.cos(angle), math.sin(angle)])
        velocity = turn * np.array([-math.sin(begun), math.cos(begun)])
        arc = Arc(np.array([math.cos(begun), math.sin(begun)]), velocity, turn, 6.2 / abs(turn))
        assert arc.clearance(Regions([disc(*centre, 0.1)], 0.0))[0] == pytest.approx(0.3)

    @pytest.mark.parametrize(("y", "touches"), [(0.5 + 1e-9, False), (0.5 - 1e-9, True)])
    def test_a_path_along_a_wall_touches_it_or_not(self, y: float, touches: bool) -> None:
        wall = Regions([box(2.0, 0.0, 0.0, (1.0, 0.3))], 0.2)
        passing = Arc(np.array([0.0, y]), np.array([1.0, 0.0]), 0.0, 4.0)
        assert bool(passing.clearance(wall)[0] < 0.0) is touches

    @pytest.mark.parametrize("turn", [1.0, -1.0])
    def test_a_curve_that_swings_into_a_wall_between_its_ends_is_seen(self, turn: float) -> None:
        """Both ends are 0.5 m from it, the middle is in it, and no corner is near."""
        wall = Regions([box(0.0, 1.0, 0.0, (9.0, 0.1))], 0.0)
        swing = Arc(np.array([-turn, 0.4]), np.array([math.cos(1.0), math.sin(1.0)]) * [turn, 1.0], -turn, 2.0)
        assert swing.clearance(wall)[0] == pytest.approx(0.5 - (1.0 - math.cos(1.0)))

    @pytest.mark.parametrize("turn", [1.0, -1.0])
    @pytest.mark.parametrize("leaves", [True, False])
    def test_a_curve_is_nearest_to_a_wall_that_it_leaves_or_comes_to_at_an_end(self, turn: float, leaves: bool) -> None:
        """No corner is near, and it never runs along the wall."""
        wall = Regions([box(0.0, 0.0, 0.0, (9.0, 0.1))], 0.0)
        away = Arc(np.array([0.0, 0.5]), np.array([0.1, 0.3]), turn, 0.5)
        course = complex(*away.velocity) * cmath.exp(1j * turn * away.time)
        back = Arc(away.at(np.array(away.time)), -np.array([course.real, course.imag]), -turn, away.time)
        assert (away if leaves else back).clearance(wall)[0] == pytest.approx(0.4)

    @given(shape=SHAPES, place=PLACES, turn=TURNS)
    def test_turning_on_the_spot_stays_where_it_is(self, shape: KeepOut, place: FloatArray, turn: float) -> None:
        regions = Regions([shape], GROWN)
        arc = Arc(place, np.zeros(2), turn, 2.0)
        assert arc.clearance(regions)[0] == pytest.approx(regions.distances(place[None, None])[0, 0], abs=1e-12)
