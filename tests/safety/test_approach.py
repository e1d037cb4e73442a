"""How fast bodies move against each other, by velocities that are worked out anew, body by body."""

import numpy as np
import pinocchio as pin
import pytest

from reins.hardware.collision_model import link_shapes
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.approach import Approach, cross
from reins.safety.bodies import (
    Body,
    Box,
    Kind,
    Margins,
    Pair,
    bodies_around,
    body_of_box,
    body_of_held,
    body_of_link,
    pairs_of,
)
from reins.safety.distances import Distances, Numbers

BOX = Box("crate", np.array([0.5, 0.2, 0.3]), np.eye(3), np.array([0.1, 0.2, 0.3]))
POLE = Box("pole", np.array([0.01, 0.02, 0.1]), np.eye(3), np.array([0.03, 0.03, 0.2]))


class Scene:
    """An arm in the middle of a motion, with a crate beside it and a pole in its hand."""

    def __init__(self, profile: RobotProfile) -> None:
        generator = np.random.default_rng(3)
        kinematics = Kinematics(profile)
        self.model, n = kinematics.model, len(profile.joints)
        self.position = profile.home + generator.uniform(-0.2, 0.2, size=(n,))
        self.velocity: FloatArray = generator.uniform(-1.0, 1.0, size=(n,))
        links = [body_of_link(link, self.model) for link in link_shapes(profile)]
        held = body_of_held(POLE, kinematics.tool_in_last_joint, self.model)
        bodies = [*links, *bodies_around(profile), body_of_box(BOX, Kind.KEEP_OUT), held]
        self.distances = Distances(self.model, bodies, pairs_of(bodies, Margins(0.01, 0.01, 0.01, 0.01)))
        self.approach = Approach(self.distances)
        kinematics.tool_jacobian(self.position)
        self.distances.move(self.position, kinematics.data)
        self.approach.move(self.velocity, kinematics.joint_jacobians)
        self.numbers: Numbers = np.arange(len(self.distances.pairs))
        self.data = self.model.createData()
        pin.forwardKinematics(self.model, self.data, self.position, self.velocity)

    def sides(self, pair: Pair) -> tuple[Body, Body]:
        return self.distances.bodies[pair.first], self.distances.bodies[pair.second]

    def motion(self, pair: Pair) -> tuple[FloatArray, FloatArray]:
        """(3,) velocity [m/s] of the second body's middle as the first sees it, and (3,) its turn rate [rad/s]."""
        first, second = self.sides(pair)
        frame = self.data.oMi[second.joint]
        arm = frame.rotation @ second.middle
        its = pin.getVelocity(self.model, self.data, second.joint, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        linear, turn = its.linear + np.cross(its.angular, arm), its.angular
        if first.joint:
            base = pin.getVelocity(self.model, self.data, first.joint, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            lever = frame.translation + arm - self.data.oMi[first.joint].translation
            linear, turn = linear - base.linear - np.cross(base.angular, lever), turn - base.angular
        return linear, turn


@pytest.fixture
def scene(profile: RobotProfile) -> Scene:
    return Scene(profile)


def test_a_pair_approaches_no_faster_than_a_ball_around_its_second_body_moves(scene: Scene) -> None:
    expected = []
    for pair in scene.distances.pairs:
        linear, turn = scene.motion(pair)
        expected.append(np.linalg.norm(linear) + scene.sides(pair)[1].radius * np.linalg.norm(turn))
    np.testing.assert_allclose(scene.approach.speeds(), expected, rtol=1e-9, atol=1e-12)


def test_along_a_normal_it_is_what_the_balls_middle_comes_closer_by_and_what_the_turn_adds(scene: Scene) -> None:
    normals = np.random.default_rng(4).normal(size=(len(scene.numbers), 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    chosen = scene.numbers[1::2]
    expected = []
    for number in chosen:
        pair, normal = scene.distances.pairs[number], normals[number]
        linear, turn = scene.motion(pair)
        around = float(np.linalg.norm(np.cross(turn, normal)))
        expected.append(scene.sides(pair)[1].radius * around - linear @ normal)
    np.testing.assert_allclose(scene.approach.closing(chosen, normals[chosen]), expected, rtol=1e-9, atol=1e-12)


def test_ways_and_bends_count_the_joints_between_two_bodies_by_their_reach(scene: Scene) -> None:
    way, reach = 0.3 * scene.velocity, scene.distances.reach
    chosen = scene.numbers[::2]
    ways, bends = scene.approach.bends(way, chosen)
    for number, length, bend in zip(chosen, ways, bends, strict=True):
        first, second = scene.sides(scene.distances.pairs[number])
        between = range(first.joint, second.joint)
        assert length == pytest.approx(sum(reach[number, j] * abs(way[j]) for j in between))
        expected = sum(abs(way[j]) * abs(way[k]) * reach[number, max(j, k)] for j in between for k in between)
        assert bend == pytest.approx(expected)


def test_the_largest_bend_counts_every_joint_by_its_farthest_reach(scene: Scene) -> None:
    way, reach = 0.3 * scene.velocity, scene.distances.reach
    longest = [max(reach[number, joint] for number in scene.numbers) for joint in range(len(way))]
    expected = sum(longest[j] * abs(way[j]) for j in range(len(way))) * sum(map(abs, way))
    assert scene.approach.largest_bend(way) == pytest.approx(expected)


def test_a_motion_that_is_told_anew_replaces_the_last(scene: Scene, profile: RobotProfile) -> None:
    kinematics = Kinematics(profile)
    kinematics.tool_jacobian(scene.position)
    before = scene.approach.speeds().copy()
    scene.approach.move(np.zeros_like(scene.velocity), kinematics.joint_jacobians)
    assert not scene.approach.speeds().any()
    scene.approach.move(scene.velocity, kinematics.joint_jacobians)
    np.testing.assert_allclose(scene.approach.speeds(), before)


def test_before_it_is_told_of_a_motion_nothing_approaches(scene: Scene) -> None:
    fresh = Approach(scene.distances)
    still = np.zeros(len(scene.numbers))
    np.testing.assert_array_equal(fresh.speeds(), still)
    np.testing.assert_array_equal(fresh.closing(scene.numbers, np.eye(len(still), 3)), still)


def test_cross_products_are_taken_column_by_column() -> None:
    a, b = np.random.default_rng(5).normal(size=(2, 3, 4))
    np.testing.assert_allclose(cross(a, b), np.cross(a, b, axis=0))
