"""What can touch what: shapes and places of the bodies, how far they reach, and which pairs are watched."""

import coal
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.hardware.collision_model import link_shapes
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import Fixture, RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.bodies import (
    Body,
    Box,
    Kind,
    Margins,
    bodies_around,
    body_of_box,
    body_of_held,
    body_of_link,
    pairs_of,
    reach_of,
)

MARGINS = Margins(links=0.1, table=0.2, keep_out=0.3, held=0.4)
TURNED = pin.rpy.rpyToMatrix(0.1, 0.2, 0.3)
CRATE = Box("crate", np.array([0.5, 0.1, 0.2]), TURNED, np.array([0.2, 0.4, 0.6]))


@pytest.fixture(scope="module")
def model(profile: RobotProfile) -> pin.Model:
    return Kinematics(profile).model


def body(kind: Kind, joint: int) -> Body:
    """Only its kind and its joint count here."""
    nothing = np.zeros((1, 3))
    return Body(f"{kind.value} {joint}", kind, joint, coal.Sphere(0.0), pin.SE3.Identity(), nothing, np.zeros(7))


class TestBox:
    def test_its_corners_are_where_its_axes_lead(self) -> None:
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        expected = CRATE.centre + (signs * [0.1, 0.2, 0.3]) @ TURNED.T
        np.testing.assert_allclose(CRATE.corners, expected)

    def test_one_that_stands_has_its_corners_in_its_own_frame(self) -> None:
        made = body_of_box(CRATE, Kind.FIXTURE)
        assert (made.name, made.kind, made.joint) == ("crate", Kind.FIXTURE, 0)
        np.testing.assert_allclose(made.placement.translation, CRATE.centre)
        np.testing.assert_allclose(made.placement.rotation, TURNED)
        np.testing.assert_allclose(made.shape.halfSide, [0.1, 0.2, 0.3])
        np.testing.assert_allclose(np.ptp(made.corners, axis=0), CRATE.size)
        np.testing.assert_allclose(made.middle, np.zeros(3), atol=1e-15)
        assert made.radius == pytest.approx(np.linalg.norm([0.1, 0.2, 0.3]))
        assert made.reach.size == 0

    def test_one_in_the_hand_is_where_the_tool_takes_it(self, model: pin.Model) -> None:
        tool = pin.SE3(pin.rpy.rpyToMatrix(0.3, -0.2, 0.1), np.array([0.0, 0.05, 0.1]))
        made = body_of_held(CRATE, tool, model)
        assert (made.name, made.kind, made.joint) == ("crate", Kind.HELD, model.nv)
        np.testing.assert_allclose(made.corners, [tool.act(corner) for corner in CRATE.corners])
        np.testing.assert_allclose(made.placement.translation, tool.act(CRATE.centre))
        np.testing.assert_allclose(made.placement.rotation, tool.rotation @ TURNED)
        np.testing.assert_allclose(made.shape.halfSide, [0.1, 0.2, 0.3])
        np.testing.assert_array_equal(made.reach, reach_of(made.corners, model.nv, model))


class TestAround:
    def test_the_table_is_all_that_is_below_its_top(self, profile: RobotProfile) -> None:
        (table,) = bodies_around(profile.model_copy(update={"table": 0.25, "fixtures": ()}))
        assert (table.name, table.kind, table.joint) == ("table", Kind.TABLE, 0)
        np.testing.assert_allclose(table.shape.n, [0.0, 0.0, 1.0])
        assert table.shape.d == 0.25
        np.testing.assert_array_equal(table.corners, [[0.0, 0.0, 0.25]])
        assert table.placement.isIdentity()

    def test_fixtures_stand_where_the_profile_says(self, profile: RobotProfile) -> None:
        wall = Fixture(name="wall", centre=(0.5, 0.35, 0.3), size=(1.0, 0.1, 0.6), rpy=(0.1, 0.2, 0.3))
        (made,) = bodies_around(profile.model_copy(update={"table": None, "fixtures": (wall,)}))
        assert (made.name, made.kind) == ("wall", Kind.FIXTURE)
        np.testing.assert_allclose(made.placement.translation, wall.centre)
        np.testing.assert_allclose(made.placement.rotation, TURNED)
        np.testing.assert_allclose(np.ptp(made.corners, axis=0), wall.size)


class TestReach:
    def test_what_no_joint_moves_has_none(self, model: pin.Model) -> None:
        np.testing.assert_array_equal(reach_of(CRATE.corners, 0, model), np.zeros(model.nv))

    def test_of_its_own_joint_it_is_the_distance_from_the_axis(self, model: pin.Model) -> None:
        """The joints turn about their own z."""
        corners = np.array([[0.3, 0.4, 5.0], [0.0, 0.1, 0.0]])
        for joint in range(1, model.nv + 1):
            assert reach_of(corners, joint, model)[joint - 1] == pytest.approx(0.5)

    @given(data=st.data())
    def test_no_corner_is_ever_farther_from_an_axis(self, model: pin.Model, data: st.DataObject) -> None:
        joint = data.draw(st.integers(1, model.nv))
        corner = np.array(data.draw(st.lists(st.floats(-0.5, 0.5), min_size=3, max_size=3)))
        position = np.array(data.draw(st.lists(st.floats(-3.0, 3.0), min_size=model.nv, max_size=model.nv)))
        made = model.createData()
        pin.forwardKinematics(model, made, position)
        there, reach = made.oMi[joint].act(corner), reach_of(corner[None], joint, model)
        for before in range(1, joint + 1):
            local = made.oMi[before].actInv(there)
            assert np.hypot(local[0], local[1]) <= reach[before - 1] + 1e-9
        assert not reach[joint:].any()

    def test_it_is_the_length_of_the_chain(self, model: pin.Model) -> None:
        corners = np.array([[0.0, 0.0, 0.5], [0.1, 0.0, 0.0]])
        lengths = [float(np.linalg.norm(place.translation)) for place in model.jointPlacements]
        expected = np.zeros(model.nv)
        expected[3] = 0.1  # joint 4, about its own axis
        for joint in (1, 2, 3):
            expected[joint - 1] = 0.5 + sum(lengths[joint + 1 : 5])
        np.testing.assert_allclose(reach_of(corners, 4, model), expected)


def test_a_link_is_its_hull(profile: RobotProfile, model: pin.Model) -> None:
    link = link_shapes(profile)[3]
    made = body_of_link(link, model)
    assert (made.name, made.kind, made.joint) == (link.name, Kind.LINK, link.joint)
    assert made.corners is link.corners and made.placement.isIdentity()
    assert made.shape.num_points == len(link.corners)
    np.testing.assert_array_equal(made.reach, reach_of(link.corners, link.joint, model))


def test_the_ball_around_a_body_holds_all_its_corners(profile: RobotProfile, model: pin.Model) -> None:
    for link in link_shapes(profile):
        made = body_of_link(link, model)
        far: FloatArray = np.linalg.norm(link.corners - made.middle, axis=1)
        assert made.radius == pytest.approx(far.max())
        np.testing.assert_allclose(made.middle - link.corners.min(axis=0), link.corners.max(axis=0) - made.middle)


class TestPairs:
    @pytest.mark.parametrize(
        "first, second, margin",
        [
            (body(Kind.LINK, 0), body(Kind.LINK, 2), 0.1),
            (body(Kind.LINK, 0), body(Kind.LINK, 1), None),  # one joint connects them
            (body(Kind.LINK, 3), body(Kind.LINK, 5), 0.1),
            (body(Kind.LINK, 4), body(Kind.LINK, 5), None),
            (body(Kind.LINK, 5), body(Kind.LINK, 5), None),  # of the same joint
            (body(Kind.TABLE, 0), body(Kind.LINK, 1), 0.2),
            (body(Kind.FIXTURE, 0), body(Kind.LINK, 1), 0.2),
            (body(Kind.KEEP_OUT, 0), body(Kind.LINK, 1), 0.3),
            (body(Kind.TABLE, 0), body(Kind.LINK, 0), None),  # neither can move
            (body(Kind.TABLE, 0), body(Kind.KEEP_OUT, 0), None),
            (body(Kind.TABLE, 0), body(Kind.HELD, 7), 0.4),
            (body(Kind.FIXTURE, 0), body(Kind.HELD, 7), 0.4),
            (body(Kind.KEEP_OUT, 0), body(Kind.HELD, 7), 0.3),
            (body(Kind.LINK, 5), body(Kind.HELD, 7), 0.1),
            (body(Kind.LINK, 6), body(Kind.HELD, 7), None),  # beside the hand
            (body(Kind.LINK, 7), body(Kind.HELD, 7), None),  # the hand itself
        ],
        ids=lambda value: value.name if isinstance(value, Body) else str(value),
    )
    def test_which_are_watched_and_how_closely(self, first: Body, second: Body, margin: float | None) -> None:
        """The last joint of the arm is always there."""
        for bodies in ([first, second, body(Kind.LINK, 7)], [second, first, body(Kind.LINK, 7)]):
            numbers = {bodies.index(first), bodies.index(second)}
            found = [pair for pair in pairs_of(bodies, MARGINS) if {pair.first, pair.second} == numbers]
            assert [pair.margin for pair in found] == ([] if margin is None else [margin])
            assert all(bodies[pair.first] is first for pair in found), "the second is moved by the later joint"
