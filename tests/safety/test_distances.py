"""Distances: what is measured is what coal says, and what is not stays a lower bound until it is."""

from typing import Any

import coal
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.hardware.collision_model import link_shapes
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.bodies import Body, Box, Kind, Margins, bodies_around, body_of_box, body_of_link, pairs_of
from reins.safety.distances import Distances, Numbers

MARGINS = Margins(links=0.01, table=0.02, keep_out=0.03, held=0.04)
CRATE = Box("crate", np.array([0.5, 0.3, 0.3]), np.eye(3), np.array([0.1, 0.2, 0.3]))


NORMAL = 1e-4
"""How far a plane of coal's normal may be from touching a body [m]."""


class Watched:
    """The distances of an arm, its table and a crate, at its home pose."""

    def __init__(self, profile: RobotProfile) -> None:
        self.kinematics, self.home = Kinematics(profile), profile.home
        self.model = self.kinematics.model
        links = [body_of_link(link, self.model) for link in link_shapes(profile)]
        self.bodies = [*links, *bodies_around(profile), body_of_box(CRATE, Kind.KEEP_OUT)]
        self.crate = len(self.bodies) - 1
        self.pairs = pairs_of(self.bodies, MARGINS)
        self.distances = Distances(self.model, self.bodies, self.pairs)
        self.every: Numbers = np.arange(len(self.pairs))
        self.of_crate = np.array([pair.first == self.crate for pair in self.pairs])
        self.go(self.home)

    def go(self, position: FloatArray) -> None:
        self.kinematics.tool_jacobian(position)
        self.distances.move(position, self.kinematics.data)

    def frame(self, body: Body) -> pin.SE3:
        return self.kinematics.data.oMi[body.joint] * body.placement

    def corners(self, body: Body) -> FloatArray:
        """(m, 3) of a body now, base frame [m]; those of what stands are in the frame of its shape."""
        frame = self.kinematics.data.oMi[body.joint] if body.joint else body.placement
        corners: FloatArray = body.corners @ frame.rotation.T + frame.translation
        return corners

    def told(self, number: int) -> coal.DistanceResult:
        """What coal says of a pair now, asked directly."""
        pair, result = self.pairs[number], coal.DistanceResult()
        shapes: list[Any] = []
        for body in (self.bodies[pair.first], self.bodies[pair.second]):
            frame = self.frame(body)
            shapes += [body.shape, coal.Transform3s(frame.rotation, frame.translation)]
        coal.distance(*shapes, coal.DistanceRequest(), result)
        return result


@pytest.fixture
def watched(profile: RobotProfile) -> Watched:
    return Watched(profile)


def test_before_anything_is_measured_nothing_is_known(watched: Watched) -> None:
    distances = watched.distances
    assert (distances.lower == -np.inf).all()
    assert not distances.exact.any()


def test_every_pair_has_its_margin_and_the_reach_of_its_second_body_between_both(watched: Watched) -> None:
    for pair, margin, reach in zip(watched.pairs, watched.distances.margin, watched.distances.reach, strict=True):
        first, second = watched.bodies[pair.first], watched.bodies[pair.second]
        assert margin == pair.margin
        between = np.zeros(watched.model.nv, dtype=bool)
        between[first.joint : second.joint] = True
        np.testing.assert_array_equal(reach, np.where(between, second.reach, 0.0))


def test_what_is_measured_is_the_distance_and_a_normal_between_both(watched: Watched) -> None:
    """Along the normal the nearest point is the second body's lowest, and the first ends a distance below it."""
    distances = watched.distances
    distances.measure(watched.every)
    assert distances.exact.all()
    found = zip(distances.lower, distances.normals(watched.every), distances.points(watched.every), strict=True)
    for number, (distance, normal, point) in enumerate(found):
        pair = watched.pairs[number]
        assert distance == pytest.approx(watched.told(number).min_distance, abs=2e-6)
        if distance > 0.0:
            assert np.linalg.norm(normal) == pytest.approx(1.0)
            lowest = watched.corners(watched.bodies[pair.second]) @ normal
            highest = watched.corners(watched.bodies[pair.first]) @ normal
            assert lowest.min() == pytest.approx(point @ normal, abs=NORMAL)
            assert highest.max() == pytest.approx(point @ normal - distance, abs=NORMAL)


def test_only_what_is_asked_for_is_measured(watched: Watched) -> None:
    chosen = watched.every[::3]
    watched.distances.measure(chosen)
    asked = np.isin(watched.every, chosen)
    np.testing.assert_array_equal(watched.distances.exact, asked)
    assert np.isfinite(watched.distances.lower[asked]).all()
    assert (watched.distances.lower[~asked] == -np.inf).all()


def test_a_pair_that_was_measured_once_is_not_measured_along_with_others(watched: Watched) -> None:
    watched.distances.measure(watched.every)
    marked = np.full(len(watched.every), 9.0)
    watched.distances.lower[:] = marked
    watched.distances.measure(watched.every[:1])
    np.testing.assert_array_equal(watched.distances.lower[1:], marked[1:])


def test_after_a_move_a_distance_is_less_the_way_of_its_joints(watched: Watched) -> None:
    watched.distances.measure(watched.every)
    before = watched.distances.lower.copy()
    way = np.linspace(-0.02, 0.03, watched.model.nv)
    watched.go(watched.home + way)
    assert not watched.distances.exact.any()
    np.testing.assert_allclose(watched.distances.lower, before - watched.distances.reach @ np.abs(way), atol=1e-12)
    watched.go(watched.home - way)
    expected = before - 3 * watched.distances.reach @ np.abs(way)
    np.testing.assert_allclose(watched.distances.lower, expected, atol=1e-12)


def test_where_it_stands_still_a_distance_stays_exact(watched: Watched) -> None:
    watched.distances.measure(watched.every)
    before = watched.distances.lower.copy()
    watched.go(watched.home)
    assert watched.distances.exact.all()
    np.testing.assert_array_equal(watched.distances.lower, before)


@pytest.mark.parametrize("turn, turned", [(0.0, 0.0), (0.5, 2.0 * np.sqrt(2.0) * np.sin(0.25))])
def test_what_is_put_elsewhere_is_nearer_by_its_way_at_most_until_it_is_measured(
    watched: Watched, turn: float, turned: float
) -> None:
    """A corner of what turns by φ makes a way of 2 r sin(φ/2) at most; Frobenius' norm has √2 times that."""
    watched.distances.measure(watched.every)
    before, there = watched.distances.lower.copy(), np.array([-0.4, 0.3, 0.5])
    there = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, turn), there)
    way = np.linalg.norm(there.translation - CRATE.centre) + turned * np.linalg.norm(CRATE.size) / 2.0
    watched.distances.put(watched.crate, there)
    np.testing.assert_array_equal(watched.distances.exact, ~watched.of_crate)
    expected = np.where(watched.of_crate, before - way, before)
    np.testing.assert_allclose(watched.distances.lower, expected, atol=1e-12)
    watched.go(watched.home)
    watched.distances.measure(watched.every)
    moved = body_of_box(Box("crate", there.translation, there.rotation, CRATE.size), Kind.KEEP_OUT)
    watched.bodies[watched.crate] = moved
    for number in watched.every[watched.of_crate].tolist():
        assert watched.distances.lower[number] == pytest.approx(watched.told(number).min_distance, abs=2e-6)


def test_what_is_put_where_it_is_stays_exact(watched: Watched) -> None:
    watched.distances.measure(watched.every)
    before = watched.distances.lower.copy()
    watched.distances.put(watched.crate, pin.SE3(CRATE.rotation, CRATE.centre))
    assert watched.distances.exact.all()
    np.testing.assert_array_equal(watched.distances.lower, before)


@given(
    shift=st.tuples(*[st.floats(-0.5, 0.5)] * 3).map(np.array),
    angles=st.tuples(*[st.floats(-3.0, 3.0)] * 3),
)
def test_nothing_that_was_put_is_nearer_than_it_is_taken_for(
    profile: RobotProfile, shift: FloatArray, angles: tuple[float, float, float]
) -> None:
    watched = Watched(profile)
    watched.distances.measure(watched.every)
    watched.distances.put(watched.crate, pin.SE3(pin.rpy.rpyToMatrix(*angles), CRATE.centre + shift))
    bounds = watched.distances.lower.copy()
    watched.go(watched.home)
    watched.distances.measure(watched.every)
    assert (watched.distances.lower >= bounds - 2e-6).all()


def test_sharpening_measures_what_is_close_and_not_exact(watched: Watched) -> None:
    watched.distances.measure(watched.every[:2])
    watched.distances.lower[:2] = 7.0
    close = watched.every < 5
    assert watched.distances.sharpen(close)
    np.testing.assert_array_equal(watched.distances.exact, close)
    np.testing.assert_array_equal(watched.distances.lower[:2], 7.0)
    assert not watched.distances.sharpen(close)
    assert not watched.distances.sharpen(np.zeros_like(close))


def test_the_middles_of_moving_bodies_go_with_them(watched: Watched) -> None:
    moving = watched.distances.moving
    assert moving == tuple(sorted({pair.second for pair in watched.pairs}))
    for shift in (0.0, 0.4):
        watched.go(watched.home + shift)
        expected = []
        for number in moving:
            body = watched.bodies[number]
            expected.append(watched.kinematics.data.oMi[body.joint].act(body.middle))
        np.testing.assert_allclose(watched.distances.middles.reshape(-1, 3), expected, atol=1e-12)
