"""The way round obstacles: free of them, shortest, and found wherever there is one; and how obstacles are placed."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paper_walker import PROFILE, PaperWalker, Thing, disc

from reins.contracts.plan import Constraint
from reins.contracts.scene import Scene
from reins.hardware.robot import FloatArray
from reins.skills.legged.frames import bearing, heading_of, turned, wrapped
from reins.skills.legged.obstacles import Margins, Obstacle, ObstacleMap
from reins.skills.legged.route import SLACK, Ground, length_of

FOOTPRINT = 0.4
MARGIN = 0.1
START, GOAL = np.array([0.0, 0.0]), np.array([6.0, 0.0])


def box(name: str, x: float, y: float, half: tuple[float, float] = (0.25, 0.25), heading: float = 0.0) -> Obstacle:
    return Obstacle(name, np.array([x, y]), heading, np.array(half), 0.0, MARGIN, False, 0.0)


def circle(name: str, x: float, y: float, radius: float) -> Obstacle:
    return Obstacle(name, np.array([x, y]), 0.0, np.zeros(2), radius, MARGIN, False, 0.0)


def samples(start: FloatArray, way: list[FloatArray]) -> FloatArray:
    """Points on a way, a centimetre or so apart."""
    points = [start, *way]
    shares = np.linspace(0.0, 1.0, 60)[:, None]
    return np.vstack([a + shares * (b - a) for a, b in pairwise(points)])


def clearance(obstacles: list[Obstacle], points: FloatArray) -> float:
    """Least distance of the footprint from the margins of obstacles [m]."""
    return min(item.distance(point) - FOOTPRINT - item.margin for item in obstacles for point in points)


OBSTACLES = st.tuples(
    st.floats(1.5, 4.5), st.floats(-2.0, 2.0), st.floats(0.02, 0.6), st.floats(0.0, 3.0), st.booleans()
)
"""Place, size, turn, and whether it is round."""


class TestWay:
    def test_over_free_ground_it_is_straight(self) -> None:
        way = Ground([], FOOTPRINT).route(START, GOAL)
        assert way is not None and len(way) == 1 and way[0] is GOAL
        assert Ground([box("box", 3.0, 2.0)], FOOTPRINT).sees(START, GOAL)

    def test_round_a_disc_it_is_hardly_longer_than_a_tight_string(self) -> None:
        obstacles = [circle("disc", 3.0, 0.0, 0.5)]
        way = Ground(obstacles, FOOTPRINT).route(START, GOAL)
        assert way is not None
        radius = 0.5 + FOOTPRINT + MARGIN
        string = 2.0 * math.sqrt(9.0 - radius**2) + radius * 2.0 * math.asin(radius / 3.0)
        assert string <= length_of(START, way) <= 1.05 * string
        assert clearance(obstacles, samples(START, way)) >= 0.5 * SLACK

    def test_it_takes_the_shorter_side(self) -> None:
        way = Ground([box("box", 3.0, 0.4)], FOOTPRINT).route(START, GOAL)
        assert way is not None and way[0][1] < 0.0

    def test_a_gap_that_is_wide_enough_is_taken_and_a_narrow_one_is_not(self) -> None:
        room = 2.0 * (FOOTPRINT + MARGIN + 2.5 * SLACK) + 2.0
        for gap, inside in ((room, True), (room - 10.0 * SLACK, False)):
            obstacles = [box("a", 3.0, gap / 2, (0.3, 1.0)), box("b", 3.0, -gap / 2, (0.3, 1.0))]
            way = Ground(obstacles, FOOTPRINT).route(START, GOAL)
            assert way is not None
            assert bool(np.abs(samples(START, way)[:, 1]).max() < 0.5) is inside

    def test_behind_a_closed_wall_there_is_none(self) -> None:
        ring = [
            box(f"wall {n}", 2 * math.cos(c), 2 * math.sin(c), (0.1, 1.0), c)
            for n, c in enumerate(np.arange(8) * np.pi / 4)
        ]
        assert Ground(ring, FOOTPRINT).route(START, GOAL) is None
        assert Ground(ring[1:], FOOTPRINT).route(START, GOAL) is not None

    def test_what_touches_the_way_does_not_bar_it(self) -> None:
        obstacles = [box("box", 3.0, 0.25 + FOOTPRINT + MARGIN + SLACK)]
        assert Ground(obstacles, FOOTPRINT).sees(START, GOAL)
        assert not Ground([box("box", 3.0, 0.24 + FOOTPRINT + MARGIN + SLACK)], FOOTPRINT).sees(START, GOAL)

    def test_from_within_the_slack_it_comes_no_nearer(self) -> None:
        obstacles = [circle("disc", 1.0, 0.0, 1.0 - FOOTPRINT - MARGIN - 0.4 * SLACK)]
        way = Ground(obstacles, FOOTPRINT).route(START, GOAL)
        assert way is not None
        assert clearance(obstacles, samples(START, way)) >= 0.0

    @settings(max_examples=60, deadline=None)
    @given(st.lists(OBSTACLES, min_size=1, max_size=8))
    def test_it_is_free_and_no_shorter_than_straight(
        self, drawn: list[tuple[float, float, float, float, bool]]
    ) -> None:
        obstacles = [
            circle(f"{n}", x, y, size) if round_ else box(f"{n}", x, y, (size, 0.5 * size), turn)
            for n, (x, y, size, turn, round_) in enumerate(drawn)
        ]
        way = Ground(obstacles, FOOTPRINT).route(START, GOAL)
        assert way is not None
        assert np.array_equal(way[-1], GOAL)
        assert length_of(START, way) >= 6.0 - 1e-9
        outside = [item for item in obstacles if min(item.distance(START), item.distance(GOAL)) > FOOTPRINT + MARGIN]
        if outside:
            assert clearance(outside, samples(START, way)) >= -1e-9


class TestRoom:
    def test_who_leaves_no_room_is_named(self) -> None:
        ground = Ground([box("far", 5.0, 5.0), box("box", 1.0, 0.0)], FOOTPRINT)
        assert ground.blocker(np.array([1.7, 0.0])) == "box"
        assert ground.blocker(np.array([1.76, 0.0])) == ""
        assert Ground([], FOOTPRINT).blocker(START) == ""

    def test_the_way_out_is_the_nearest(self) -> None:
        ground = Ground([box("box", 1.0, 0.0)], FOOTPRINT)
        out = ground.way_out(np.array([1.6, 0.1]))
        assert out == pytest.approx([1.75 + SLACK, 0.1])
        assert ground.way_out(np.array([1.76, 0.0])) is None
        assert Ground([], FOOTPRINT).way_out(START) is None


class TestMap:
    def test_a_scene_is_placed_where_the_robot_was_when_it_was_seen(self) -> None:
        walker = PaperWalker([Thing("box", 2.0, 1.0, yaw=0.3)], yaw=0.5)
        seen_from, scene = walker.state(), walker.look()
        around = ObstacleMap(PROFILE, Margins(), ())
        around.update(seen_from, Scene(-1.0, "before"))
        walker.place, walker.yaw, walker.time = np.array([1.0, -1.0]), 2.0, 0.5
        around.update(walker.state(), scene)
        found = around.known["box"]
        assert found.centre == pytest.approx([2.0, 1.0])
        assert wrapped(found.heading - 0.3) == pytest.approx(0.0)
        assert found.half == pytest.approx([0.25, 0.25])

    def test_people_are_remembered_and_things_are_not(self) -> None:
        walker = PaperWalker([Thing("box", 2.0, 1.0), disc("person", 3.0, 0.0, 0.3)])
        around = ObstacleMap(PROFILE, Margins(), ())
        around.update(walker.state(), walker.scene)
        assert {item.id for item in around.in_the_way} == {"box", "person"}
        around.update(walker.state(), Scene(1.0, "empty"))
        assert {item.id for item in around.in_the_way} == {"person"}
        assert around.known["person"].radius == pytest.approx(0.3)

    def test_what_is_flat_is_walked_on_unless_it_is_to_be_avoided(self) -> None:
        walker = PaperWalker([Thing("marker", 2.0, 1.0, (0.3, 0.3, 0.04)), Thing("sill", 3.0, 0.0, (0.3, 0.3, 0.06))])
        around = ObstacleMap(PROFILE, Margins(), ())
        around.update(walker.state(), walker.scene)
        assert [item.id for item in around.in_the_way] == ["sill"]
        around = ObstacleMap(PROFILE, Margins(), (Constraint(kind="avoid", object="marker"),))
        around.update(walker.state(), walker.scene)
        assert {item.id for item in around.in_the_way} == {"marker", "sill"}

    @pytest.mark.parametrize(("label", "asked", "kept"), [("box", 0.0, 0.6), ("box", 1.0, 1.1), ("person", 0.5, 1.0)])
    def test_the_widest_distance_counts(self, label: str, asked: float, kept: float) -> None:
        walker = PaperWalker([Thing("it", 2.0, 1.0, label=label)])
        rule = Constraint(kind="avoid", object="it", distance=asked)
        around = ObstacleMap(PROFILE, Margins(), (rule, replace_distance(rule, asked / 2)))
        around.update(walker.state(), walker.scene)
        assert around.known["it"].margin == pytest.approx(kept)


def replace_distance(rule: Constraint, distance: float) -> Constraint:
    return rule.model_copy(update={"distance": distance})


@given(st.floats(-3.1, 3.1), st.floats(-1.2, 1.2))
def test_headings_are_those_of_the_x_axis_seen_from_above(yaw: float, pitch: float) -> None:
    about_z = np.array([0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)])
    z, w = about_z[2:]
    sin, cos = math.sin(pitch / 2), math.cos(pitch / 2)
    pitched = np.array([-z * sin, w * sin, z * cos, w * cos])  # yaw, then pitch about the body's y
    assert heading_of(about_z) == pytest.approx(yaw)
    assert heading_of(pitched) == pytest.approx(yaw)
    ahead = turned(np.array([2.0, 0.0]), yaw)
    assert bearing(np.zeros(2), ahead) == pytest.approx(yaw)


def test_an_obstacle_knows_its_distance_inside_and_out() -> None:
    item = box("box", 1.0, 0.0, (0.5, 0.2), math.pi / 2)
    assert item.distance(np.array([1.0, 1.0])) == pytest.approx(0.5)
    assert item.distance(np.array([1.0, 0.0])) == pytest.approx(-0.2)
    assert item.distance(np.array([1.5, 0.9])) == pytest.approx(0.5)
    assert replace(item, half=np.zeros(2), radius=0.3).distance(np.array([2.0, 0.0])) == pytest.approx(0.7)
