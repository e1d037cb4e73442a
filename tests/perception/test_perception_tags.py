"""Tagged objects are found where they are, keep their place while they are hidden, and join what the depth shows."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from conftest import Stage
from tag_pictures import FROM_ABOVE, FROM_THE_SIDE, Shown, at, looking, show

from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.scene import Relation, Scene, SceneObject
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, RobotState
from reins.perception.factory import make_perception
from reins.perception.fused import FusedPerception, fuse
from reins.perception.tagged import TaggedObjects, load_tagged
from reins.perception.tags import TagPerception

TAGGED = load_tagged("blocks")
PLACES = {"red_block": at(0.5, 0.12, 0.025, 0.4), "blue_block": at(0.42, -0.06, 0.025, -0.3)}


@pytest.fixture
def tags(profile: RobotProfile) -> TagPerception:
    return TagPerception(profile, TAGGED)


def state(profile: RobotProfile, stamp: float, holding: bool = False) -> RobotState:
    still = np.zeros(len(profile.joints))
    return RobotState(stamp, profile.home, still, still, profile.home, 0.05, holding, 0)


def error(item: SceneObject, pose: FloatArray) -> tuple[float, float]:
    """Distance [m] and angle [rad] to where it is."""
    turn = pin.Quaternion(np.array(item.orientation)).matrix().T @ pose[:3, :3]
    return float(np.linalg.norm(np.array(item.position) - pose[:3, 3])), float(np.linalg.norm(pin.log3(turn)))


@pytest.mark.parametrize("camera", [FROM_ABOVE, FROM_THE_SIDE])
def test_they_are_where_they_are_without_any_depth(
    tags: TagPerception, profile: RobotProfile, camera: FloatArray
) -> None:
    scene = tags.update([show(TAGGED, PLACES, camera=camera)], state(profile, 1.0))
    assert set(scene.objects) == set(PLACES) and not tags.diagnostics
    for name, pose in PLACES.items():
        item = scene.find(name)
        distance, angle = error(item, pose)
        assert distance < 0.003 and angle < 0.03
        assert (item.label, item.size, item.last_seen) == ("block", (0.05, 0.05, 0.05), 1.0)
        assert 0.9 < item.confidence <= 1.0
    assert Relation("red_block", "left_of", "blue_block") in scene.relations
    assert "red block" in scene.caption and scene.source == "apriltag"


def test_one_that_leans_is_found_leaning(tags: TagPerception, profile: RobotProfile) -> None:
    pose = at(0.48, 0.05, 0.05, 0.2, 0.6)
    item = tags.update([show(TAGGED, {"red_block": pose})], state(profile, 1.0)).find("red_block")
    assert error(item, pose)[0] < 0.003 and error(item, pose)[1] < 0.03


def test_a_tag_on_the_side_tells_of_the_same_object(tags: TagPerception, profile: RobotProfile) -> None:
    turned = {"blue_block": at(0.42, 0.0, 0.025, np.pi)}
    one_tag = TaggedObjects(
        family=TAGGED.family,
        objects=tuple(item.model_copy(update={"tags": item.tags[-1:]}) for item in TAGGED.objects[1:]),
    )
    scene = tags.update([show(one_tag, turned, camera=FROM_THE_SIDE)], state(profile, 1.0))
    assert error(scene.find("blue_block"), turned["blue_block"])[0] < 0.003


def test_two_cameras_see_one_object(tags: TagPerception, profile: RobotProfile) -> None:
    images = [show(TAGGED, PLACES), show(TAGGED, PLACES, camera=FROM_THE_SIDE, name="side")]
    scene = tags.update(images, state(profile, 1.0))
    assert set(scene.objects) == set(PLACES)
    assert all(error(scene.find(name), pose)[0] < 0.003 for name, pose in PLACES.items())


def test_what_is_taken_away_is_given_up_after_a_few_looks(tags: TagPerception, profile: RobotProfile) -> None:
    tags.update([show(TAGGED, PLACES)], state(profile, 1.0))
    left = {"red_block": PLACES["red_block"]}
    names = [set(tags.update([show(TAGGED, left, 1.0 + n)], state(profile, 1.0 + n)).objects) for n in range(1, 7)]
    assert names[3] == set(PLACES) and names[4] == {"red_block"}


def test_what_is_out_of_sight_stays(tags: TagPerception, profile: RobotProfile) -> None:
    tags.update([show(TAGGED, PLACES)], state(profile, 1.0))
    away = np.asarray(at(0.0, 3.0, 0.0) @ FROM_ABOVE)
    for n in range(1, 9):
        scene = tags.update([show(TAGGED, PLACES, 1.0 + n, away)], state(profile, 1.0 + n))
        assert not tags.diagnostics
    assert set(scene.objects) == set(PLACES) and scene.find("red_block").last_seen == 1.0


def test_what_the_robot_hides_stays(tags: TagPerception, profile: RobotProfile) -> None:
    tool = Kinematics(profile).tool_pose(profile.home).position
    under = {"red_block": at(float(tool[0]), float(tool[1]), 0.025)}
    camera = looking((float(tool[0]) + 0.02, float(tool[1]) + 0.02, 0.95), (float(tool[0]), float(tool[1]), 0.0))
    tags.update([show(TAGGED, under, camera=camera)], state(profile, 1.0))
    for n in range(1, 9):
        scene = tags.update([show(TAGGED, {}, 1.0 + n, camera)], state(profile, 1.0 + n))
        assert not tags.diagnostics
    assert set(scene.objects) == {"red_block"}


@pytest.mark.parametrize(
    ("eye", "stays"),
    [
        ((0.46, 0.03, 0.6), False),  # from above: 35 pixels
        ((0.85, 0.35, 0.5), False),  # slanting
        ((1.1, 0.3, 0.12), True),  # the tag on top is seen at 80 degrees
        ((0.5, 0.1, 2.4), True),  # from 2.4 m it is 9 pixels large
    ],
)
def test_only_who_could_read_its_tag_sees_that_it_is_gone(
    tags: TagPerception, profile: RobotProfile, eye: tuple[float, float, float], stays: bool
) -> None:
    tags.update([show(TAGGED, PLACES)], state(profile, 1.0))
    camera = looking(eye, PLACES["red_block"][:3, 3])
    for n in range(1, 9):
        image = replace(show(TAGGED, {}, 1.0 + n, camera), name="other")
        scene = tags.update([image], state(profile, 1.0 + n))
        assert not tags.diagnostics
    assert ("red_block" in scene.objects) is stays


def test_what_is_held_moves_with_the_hand(tags: TagPerception, profile: RobotProfile) -> None:
    tool = Kinematics(profile).tool_pose(profile.home)
    held = {"red_block": at(*(float(value) for value in tool.position))}
    tags.update([show(TAGGED, held, camera=_over(tool.position))], state(profile, 1.0))
    tags.on_state(state(profile, 1.1, holding=True))
    moved = replace(state(profile, 1.2, holding=True), position=profile.home + 0.2 * np.eye(7)[0])
    scene = tags.update([], moved)
    there = Kinematics(profile).tool_pose(moved.position).position
    assert scene.held() == "red_block"
    assert np.linalg.norm(np.array(scene.find("red_block").position) - there) < 0.01


def _over(point: FloatArray) -> FloatArray:
    x, y, z = (float(value) for value in point)
    return looking((x - 0.05, y + 0.02, z + 0.4), (x, y, z))


def test_a_tag_that_is_there_twice_is_told_and_left_out(tags: TagPerception, profile: RobotProfile) -> None:
    first, second = show(TAGGED, PLACES), show(TAGGED, {"red_block": at(0.52, -0.1, 0.025)})
    rgb = np.minimum(first.rgb, second.rgb)
    bright = np.maximum(first.rgb, second.rgb)
    both = replace(first, rgb=np.where(bright > 150, bright, rgb))
    scene = tags.update([both], state(profile, 1.0))
    assert set(scene.objects) == {"blue_block"}
    assert [(note.kind, "tag 1" in note.text) for note in tags.diagnostics] == [("tag_twice", True)]


@pytest.mark.parametrize("spoil", [lambda i: i.rgb * 0, lambda i: i.rgb * 0 + 255])
def test_a_picture_that_shows_nothing_changes_nothing(
    tags: TagPerception, profile: RobotProfile, spoil: Callable[[Shown], np.ndarray]
) -> None:
    before = tags.update([show(TAGGED, PLACES)], state(profile, 1.0))
    bad = show(TAGGED, PLACES, 2.0)
    after = tags.update([replace(bad, rgb=spoil(bad).astype(np.uint8))], state(profile, 2.0))
    assert after.objects == before.objects and after.stamp == before.stamp and len(tags.diagnostics) == 1


def test_robot_time_that_starts_again_forgets(tags: TagPerception, profile: RobotProfile) -> None:
    tags.update([show(TAGGED, PLACES, 50.0)], state(profile, 50.0))
    assert not tags.update([show(TAGGED, {}, 1.0)], state(profile, 1.0)).objects


BLOCK = SceneObject("red_block", "block", "red", (0.5, 0.12, 0.02), (0, 0, 0, 1), (0.04, 0.04, 0.04), 0.9, 2.0)


class TestFusing:
    def test_what_has_a_tag_is_what_its_tag_says(self) -> None:
        tagged = replace(BLOCK, id="medicine", position=(0.51, 0.125, 0.025), size=(0.05, 0.05, 0.05))
        other = replace(BLOCK, id="green_block", colour="green", position=(0.4, -0.2, 0.02))
        seen = Scene(2.0, "geometric", {"red_block": BLOCK, "green_block": other}, frozenset(), "")
        both = fuse(seen, Scene(2.1, "apriltag", {"medicine": tagged}))
        assert set(both.objects) == {"medicine", "green_block"}
        assert both.find("medicine") == tagged and both.stamp == 2.1
        assert Relation("green_block", "right_of", "medicine") in both.relations

    def test_a_name_that_is_taken_gets_a_number(self) -> None:
        elsewhere = replace(BLOCK, position=(0.3, -0.3, 0.02))
        seen = Scene(2.0, "geometric", {"red_block": elsewhere}, frozenset({Relation("red_block", "held", "gripper")}))
        both = fuse(seen, Scene(2.0, "apriltag", {"red_block": BLOCK}))
        assert both.find("red_block") == BLOCK and both.find("red_block_2").position == elsewhere.position
        assert both.held() == "red_block_2"

    def test_both_look_at_the_same_pictures(self, stage: Stage, profile: RobotProfile) -> None:
        fused = make_perception("geometric", profile, tagged=TAGGED)
        assert isinstance(fused, FusedPerception)
        scene = fused.update(stage.images(), stage.state())
        assert set(scene.objects) == set(stage.robot.world.by_id) and not fused.diagnostics
        assert scene.source == "geometric, apriltag" and scene == fused.scene
        black = replace(stage.images("overhead")[0], stamp=0.1, rgb=np.zeros((240, 320, 3), np.uint8))
        fused.update([black], None)
        assert [note.kind for note in fused.diagnostics] == ["black"], "told once, though two look"
        fused.reset()
        assert not fused.scene.objects


class TestFiles:
    GOOD = (
        "family: DICT_APRILTAG_36H11\n"
        "objects:\n"
        "- {name: a, label: block, colour: red, size: [1, 1, 1], tags: [{id: 1, size: 0.1}]}\n"
    )

    @pytest.mark.parametrize(
        ("wrong", "right", "words"),
        [
            ("36H11", "99H99", "no family of tags"),
            ("size: 0.1", "size: 0", "size"),
            ("name: a", "name: A b", "name"),
            (
                "tags: [{id: 1, size: 0.1}]",
                "tags: [{id: 1, size: 0.1}, {id: 1, size: 0.2}]",
                "tag 1 stands there twice",
            ),
            ("tags: [{id: 1, size: 0.1}]", "tags: []", "tags"),
        ],
    )
    def test_what_is_wrong_is_named(self, tmp_path: Path, wrong: str, right: str, words: str) -> None:
        path = tmp_path / "tags.yaml"
        path.write_text(self.GOOD)
        assert load_tagged(str(path)).by_tag()[1][0].name == "a"
        path.write_text(self.GOOD.replace(wrong, right))
        with pytest.raises(ReinsError, match=words):
            load_tagged(str(path))

    def test_a_file_that_does_not_ship_is_named(self) -> None:
        with pytest.raises(UnknownName, match="blocks"):
            load_tagged("cups")
