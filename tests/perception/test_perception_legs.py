"""What a robot that walks sees through its head's camera: what stands about, where, and what it remembers of it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from walking_looks import GO2, PERIOD, Walker, ground_with, somebody, thing

from reins.contracts.footprints import yaw_of
from reins.contracts.scene import CAMERAS, OCCLUDED, PERSON, ROBOT, Relation, Scene
from reins.hardware.legged import LeggedState
from reins.perception.factory import make_perception
from reins.perception.legs.geometric import GeometricOnLegs
from reins.perception.legs.things import PEOPLE_REMEMBERED
from reins.sim.camera import CameraImage
from reins.sim.legged.ground import load_ground
from reins.sim.legged.outlook import scene_of
from reins.sim.world import COLOURS

RED_DOOR = thing("door", "red", (0.06, 0.9, 2.0), (4.0, 0.5), 0.3)
BLUE_BOX = thing("box", "blue", (0.5, 0.4, 0.45), (2.5, -0.4), 0.5)


def agrees(seen: Scene, truth: Scene, *names: str, within: float = 0.05) -> None:
    """Kind, colour, place, direction and size are as they are."""
    for name in names:
        got, real = seen.find(name), truth.find(name)
        assert (got.label, got.colour) == (real.label, real.colour)
        assert math.dist(got.position[:2], real.position[:2]) < within, name
        assert got.size[:2] == pytest.approx(real.size[:2], abs=2.0 * within) or got.size[:2] == pytest.approx(
            real.size[1::-1], abs=2.0 * within
        ), name
        if real.label in ("box", "door"):
            quarters = (yaw_of(got.orientation) - yaw_of(real.orientation)) / (math.pi / 2.0)
            assert abs(quarters - round(quarters)) < 0.05, name


def test_the_yard_is_known_after_one_look_around() -> None:
    with Walker(load_ground("yard")) as robot:
        scene, truth = robot.look_around(), robot.truth()
    assert scene.objects.keys() == truth.objects.keys()
    agrees(scene, truth, *truth.objects)
    assert {item.id: item.top for item in scene.objects.values() if item.label == "box"} == {
        name: pytest.approx(item.top, abs=0.03) for name, item in truth.objects.items() if item.label == "box"
    }


@pytest.mark.parametrize("pitch", [-0.1, 0.1])
def test_a_body_that_sways_moves_nothing(pitch: float) -> None:
    with Walker(ground_with(RED_DOOR, BLUE_BOX)) as robot:
        scene = robot.look(yaw=0.1, pitch=pitch)
        assert scene.objects.keys() == {"red_door", "blue_box"}
        agrees(scene, robot.truth(yaw=0.1), "blue_box", "red_door", within=0.08)


def test_empty_ground_shows_nothing() -> None:
    with Walker(load_ground("flat")) as robot:
        scene = robot.look_around(looks=8)
    assert not scene.objects and scene.caption == "Nothing stands about."
    assert robot.core.diagnostics == ()


class TestKinds:
    @pytest.mark.parametrize("colour", sorted(COLOURS))
    def test_a_colour_is_told_by_its_word(self, colour: str) -> None:
        box = thing("box", colour, (0.4, 0.4, 0.4), (2.0, 0.3), 0.4)
        marker = thing("marker", colour, (0.3, 0.3, 0.01), (1.8, -0.6))
        with Walker(ground_with(box, marker)) as robot:
            assert robot.look().objects.keys() == {f"{colour}_box", f"{colour}_marker"}

    @pytest.mark.parametrize("colour", ["orange", "blue", "white"])
    @pytest.mark.parametrize("far", [1.3, 2.0, 3.0, 5.0])
    def test_a_person_is_a_person_whatever_they_wear(self, colour: str, far: float) -> None:
        with Walker(ground_with(somebody(far, 0.2, colour))) as robot:
            scene = robot.look()
            assert list(scene.objects) == [PERSON]
            agrees(scene, robot.truth(), PERSON)

    @pytest.mark.parametrize("far", [1.5, 2.5, 4.0])
    @pytest.mark.parametrize("yaw", [0.0, 0.6, 1.2])
    def test_a_door_is_no_person(self, far: float, yaw: float) -> None:
        with Walker(ground_with(thing("door", "orange", (0.06, 0.9, 2.0), (far, 0.0), yaw))) as robot:
            assert list(robot.look().objects) == ["orange_door"]

    def test_a_box_right_before_it_is_no_door(self) -> None:
        with Walker(ground_with(thing("box", "green", (0.6, 0.6, 0.6), (1.0, 0.0)))) as robot:
            assert list(robot.look().objects) == ["green_box"]

    def test_of_a_box_that_shows_one_side_the_other_is_behind_it(self) -> None:
        with Walker(ground_with(thing("box", "green", (0.5, 0.5, 0.5), (2.0, 0.0)))) as robot:
            agrees(robot.look(), robot.truth(), "green_box")

    @pytest.mark.parametrize("roll", [-0.1, 0.1])
    def test_a_door_that_leaves_the_picture_at_its_side_stays_a_door(self, roll: float) -> None:
        with Walker(ground_with(thing("door", "white", (0.06, 0.9, 2.0), (1.5, 0.0)))) as robot:
            first = robot.look().find("white_door")
            for yaw in np.linspace(-0.9, 0.9, 37):
                scene = robot.look(yaw=float(yaw), roll=roll)
                assert list(scene.objects) == ["white_door"]
                assert scene.find("white_door").top == pytest.approx(first.top, abs=0.2)


class TestMemory:
    def test_what_is_out_of_view_stays_and_grows_old(self) -> None:
        with Walker(ground_with(BLUE_BOX)) as robot:
            first = robot.look()
            for _ in range(10):
                scene = robot.look(yaw=math.pi)
            agrees(scene, robot.truth(yaw=math.pi), "blue_box")
        item = scene.find("blue_box")
        assert item.last_seen == pytest.approx(first.stamp) and item.confidence < first.find("blue_box").confidence
        assert Relation("blue_box", OCCLUDED, CAMERAS) in scene.relations
        assert "The blue box is out of sight." in scene.caption

    def test_it_stays_in_its_place_while_the_robot_walks(self) -> None:
        with Walker(ground_with(BLUE_BOX, somebody(3.5, 1.5))) as robot:
            robot.look()
            scene = robot.look(0.7, 1.0, yaw=2.5)
            agrees(scene, robot.truth(0.7, 1.0, yaw=2.5), "blue_box", PERSON)

    def test_what_is_not_seen_for_too_long_is_forgotten(self) -> None:
        with Walker(ground_with(BLUE_BOX, somebody(3.5, 1.0))) as robot:
            assert robot.look().objects.keys() == {"blue_box", PERSON}
            robot.stamp += PEOPLE_REMEMBERED - 2.0 * PERIOD
            assert robot.look(yaw=math.pi).objects.keys() == {"blue_box", PERSON}
            robot.stamp += 2.0 * PERIOD
            assert robot.look(yaw=math.pi).objects.keys() == {"blue_box"}

    def test_what_was_taken_away_is_gone_once_its_place_is_seen(self) -> None:
        marker = thing("marker", "yellow", (0.3, 0.3, 0.01), (1.5, 0.3))
        with Walker(ground_with(BLUE_BOX, marker)) as robot:
            assert robot.look().objects.keys() == {"blue_box", "yellow_marker"}
            robot.change(load_ground("flat"))
            assert len(robot.look(yaw=math.pi).objects) == 2
            for _ in range(4):
                assert len(robot.look().objects) == 2
            assert not robot.look().objects

    def test_what_is_hidden_behind_something_is_not_gone(self) -> None:
        far = thing("box", "red", (0.3, 0.3, 0.3), (3.0, 0.0))
        wall = thing("door", "white", (0.06, 1.5, 2.0), (1.8, 0.0))
        with Walker(ground_with(far)) as robot:
            robot.look()
            robot.change(ground_with(far, wall))
            for _ in range(10):
                scene = robot.look()
        assert scene.objects.keys() == {"red_box", "white_door"}

    def test_a_person_who_walks_is_the_same_person(self) -> None:
        with Walker(ground_with(somebody(2.5, 1.0))) as robot:
            for step in range(8):
                place = 1.0 - 0.25 * step
                robot.change(ground_with(somebody(2.5, place)))
                scene = robot.look()
                assert list(scene.objects) == [PERSON]
                assert scene.find(PERSON).position[1] == pytest.approx(place, abs=0.05)

    def test_somebody_who_steps_beside_somebody_is_covered_too(self) -> None:
        with Walker(ground_with(somebody(3.0, 0.0))) as robot:
            robot.look()
            robot.change(ground_with(somebody(3.0, 0.0), somebody(3.0, 0.46)))
            robot.look()
            scene = robot.look()
            covered = [item for item in scene.objects.values() if item.label == PERSON]
            for truth in robot.truth().objects.values():
                gaps = [math.dist(it.position[:2], truth.position[:2]) - it.size[0] / 2.0 for it in covered]
                assert min(gaps) < 0.0
            robot.change(ground_with(somebody(3.0, 0.0)))
            assert robot.look().find(PERSON).size[0] == pytest.approx(0.45, abs=0.03)

    def test_one_glance_at_something_new_is_not_believed(self) -> None:
        with Walker(ground_with(BLUE_BOX)) as robot:
            robot.look()
            robot.change(ground_with(BLUE_BOX, RED_DOOR))
            assert list(robot.look().objects) == ["blue_box"]
            assert robot.look().objects.keys() == {"blue_box", "red_door"}

    def test_two_halves_of_a_door_behind_somebody_are_one_door(self) -> None:
        with Walker(ground_with(thing("door", "red", (0.06, 0.9, 2.0), (4.0, 0.0)), somebody(3.0, 0.0))) as robot:
            assert robot.look().objects.keys() == {"red_door", PERSON}

    def test_two_of_a_kind_are_two(self) -> None:
        other = thing("box", "blue", (0.4, 0.4, 0.4), (2.5, 1.2))
        with Walker(ground_with(BLUE_BOX, other)) as robot:
            assert robot.look().objects.keys() == {"blue_box", "blue_box_2"}


class TestNoise:
    """Depth that is wrong by a hundredth of itself, and missing in one pixel of twenty, as that of depth cameras."""

    def noisy(self, robot: Walker, state: LeggedState, random: np.random.Generator) -> CameraImage:
        image = robot.image(state)
        depth = image.depth * (1.0 + 0.01 * random.standard_normal(image.depth.shape)).astype(np.float32)
        depth[(random.random(depth.shape) < 0.05) | (image.depth > 12.0)] = 0.0
        return replace(image, depth=depth)

    def test_it_invents_nothing_and_moves_little(self) -> None:
        random = np.random.default_rng(1)
        person = somebody(3.0, 1.2)
        with Walker(ground_with(RED_DOOR, BLUE_BOX, person)) as robot:
            for _ in range(20):
                robot.stamp += PERIOD
                state = robot.state(yaw=float(random.uniform(-0.1, 0.3)))
                scene = robot.core.update([self.noisy(robot, state, random)], state)
            truth = scene_of(robot.ground, state, GO2)
        assert scene.objects.keys() == {"red_door", "blue_box", PERSON}
        for name, item in scene.objects.items():
            assert math.dist(item.position[:2], truth.find(name).position[:2]) < 0.2, name


class TestFaults:
    def test_a_camera_that_shows_the_same_while_the_robot_walks_is_frozen(self) -> None:
        with Walker(ground_with(BLUE_BOX)) as robot:
            robot.look()
            old = robot.image(robot.state())
            robot.stamp += PERIOD
            state = robot.state(x=0.3)
            scene = robot.core.update([replace(old, stamp=robot.stamp)], state)
            assert robot.core.frozen == {"head"} and robot.core.diagnostics[0].kind == "frozen"
            assert scene.stamp < robot.stamp
            robot.look(x=0.3)
            assert not robot.core.frozen and not robot.core.diagnostics

    def test_walking_over_empty_ground_is_not_taken_for_that(self) -> None:
        with Walker(load_ground("flat")) as robot:
            for step in range(10):
                robot.look(x=0.05 * step, pitch=0.01 * (-1) ** step)
                assert not robot.core.frozen

    def test_a_robot_on_its_back_sees_nothing_new(self) -> None:
        with Walker(ground_with(BLUE_BOX)) as robot:
            before = robot.look()
            robot.change(ground_with(BLUE_BOX, RED_DOOR))
            for _ in range(3):
                robot.stamp += PERIOD
                state = replace(robot.state(), height=None)
                scene = robot.core.update([robot.image(state)], state)
            assert scene.objects.keys() == before.objects.keys()

    def test_a_world_that_starts_again_is_forgotten(self) -> None:
        with Walker(ground_with(BLUE_BOX)) as robot:
            robot.stamp = 50.0
            robot.look()
            robot.stamp = 0.0
            assert not robot.look(yaw=math.pi).objects

    def test_without_a_state_nothing_is_placed(self) -> None:
        with Walker(ground_with(BLUE_BOX)) as robot:
            image = robot.image(robot.state())
            assert not robot.core.update([image], None).objects
            assert [note.kind for note in robot.core.diagnostics] == ["no_state"]


def test_the_factory_makes_it_for_robots_that_walk() -> None:
    assert isinstance(make_perception("geometric", GO2), GeometricOnLegs)


def test_its_posture_is_in_the_scene() -> None:
    with Walker(ground_with(BLUE_BOX)) as robot:
        scene, truth = robot.look(x=1.2), robot.truth(x=1.2)
    about = {relation for relation in scene.relations if relation.subject == ROBOT}
    assert about == set(truth.relations) and Relation(ROBOT, "at", "blue_box") in about
    assert np.isfinite(scene.find("blue_box").position).all()
