"""Words of a model held against a measured scene: what fits is taken, the rest is marked, nothing is added."""

from dataclasses import replace

import numpy as np
import pytest
from vision_replies import reply, seen, thing

from reins.contracts.relations import relations_between
from reins.contracts.scene import Scene, SceneObject, by_id
from reins.perception.vision_language.description import read_description
from reins.perception.vision_language.judging import MOVED, Told, judge, look_at, told
from reins.perception.vision_language.place import Rectangle, place_of
from reins.sim.camera import CameraImage

FROM_ABOVE = np.array([[0.0, -1.0, 0.0, 0.5], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
"""A camera one metre above (0.5, 0, 0): +x is up in its picture, +y is left."""

AWAY = FROM_ABOVE @ np.diag([1.0, -1.0, -1.0, 1.0])
"""The same place, looking at the ceiling."""


def camera(name: str = "overhead", pose: np.ndarray = FROM_ABOVE) -> CameraImage:
    intrinsics = np.array([[60.0, 0.0, 32.0], [0.0, 60.0, 24.0], [0.0, 0.0, 1.0]])
    return CameraImage(name, 4.0, np.zeros((48, 64, 3), np.uint8), np.ones((48, 64), np.float32), intrinsics, pose)


def item(
    name: str, x: float, y: float, z: float = 0.02, size: tuple[float, float, float] = (0.06, 0.06, 0.04)
) -> SceneObject:
    colour, label = name.split("_")[:2]
    return SceneObject(name, label, colour, (x, y, z), (0.0, 0.0, 0.0, 1.0), size, 0.9, 4.0)


def scene_of(*items: SceneObject, held: str | None = None, stamp: float = 4.0) -> Scene:
    return Scene(stamp, "geometric", by_id(items), relations_between(items, held), "What geometry says.")


RED, GREEN = item("red_block", 0.6, 0.2), item("green_block", 0.4, -0.2)
BOWL = item("blue_bowl", 0.5, 0.0, 0.03, (0.14, 0.14, 0.06))
SCENE = scene_of(RED, GREEN, BOWL)
IMAGE = camera()


def judged(*things: dict[str, object], scene: Scene = SCENE, **more: object) -> Told:
    """What comes of a description of that scene."""
    return judge(read_description(reply(*things, **more)), look_at(scene, [IMAGE]))


class TestPlaces:
    def test_where_an_object_is_in_a_picture(self) -> None:
        place = place_of(RED, IMAGE)
        assert place is not None
        # 0.2 m to the left and 0.1 m up, one metre away: 12 of 64 and 6 of 48 pixels from the middle.
        assert abs((place.left + place.right) / 2 - (32 - 12) / 64 * 1000) < 10
        assert abs((place.top + place.bottom) / 2 - (24 - 6) / 48 * 1000) < 10

    @pytest.mark.parametrize("pose", [AWAY, FROM_ABOVE + np.array([[0, 0, 0, 9.0], [0] * 4, [0] * 4, [0] * 4])])
    def test_what_is_behind_the_camera_or_beside_its_picture_has_none(self, pose: np.ndarray) -> None:
        assert place_of(RED, camera(pose=pose)) is None

    def test_overlap(self) -> None:
        one = Rectangle(0, 0, 100, 100)
        assert one.overlap(one) == 1.0 and one.overlap(Rectangle(100, 0, 200, 100)) == 0.0
        assert one.overlap(Rectangle(50, 0, 150, 100)) == pytest.approx(1 / 3)
        assert one.covers(Rectangle(40, 40, 60, 60)) and not one.covers(Rectangle(90, 90, 190, 190))

    def test_the_camera_that_sees_most_is_taken_and_the_first_of_several(self) -> None:
        blind, wrist = camera("door", AWAY), camera("wrist")
        assert look_at(SCENE, [blind, wrist]).image is wrist
        assert look_at(SCENE, [IMAGE, wrist]).image is IMAGE


class TestFalseWords:
    """What was measured to be otherwise is in no object's words."""

    @pytest.mark.parametrize(
        ("said", "doubt", "name"),
        [
            ({"colour": "blue"}, "red_block is blue, and it was measured to be red", "coffee mug"),
            ({"kind": "bowl"}, "red_block is a bowl, and it was measured to be a block", ""),
            ({"colour": "blue", "kind": "bowl"}, "red_block is blue, and it was measured to be red", ""),
        ],
    )
    def test_a_name(self, said: dict[str, object], doubt: str, name: str) -> None:
        found = judged(seen(SCENE, IMAGE, "red_block", name="Blue coffee mug", **said))
        assert found.doubts[0] == f"the model says that {doubt}" and found.words["red_block"].name == name

    def test_what_the_gripper_does_not_hold(self) -> None:
        found = judged(seen(SCENE, IMAGE, "red_block", attributes=["held", "wooden"]))
        assert found.doubts == ("the model says that red_block is held, and it was measured not to be",)
        assert found.words["red_block"].attributes == ("wooden",)
        scene = scene_of(RED, GREEN, BOWL, held="red_block")
        assert judged(seen(scene, IMAGE, "red_block", attributes=["held"]), scene=scene).doubts == ()

    def test_an_empty_bowl_that_something_is_in(self) -> None:
        full = scene_of(item("red_block", 0.5, 0.0, 0.03, (0.04, 0.04, 0.04)), BOWL)
        found = judged(seen(full, IMAGE, "blue_bowl", attributes=["empty"]), scene=full)
        assert found.doubts == ("the model says that blue_bowl is empty, and it was measured not to be",)
        assert found.words["blue_bowl"].attributes == ()
        assert judged(seen(SCENE, IMAGE, "blue_bowl", attributes=["empty"])).doubts == ()


class TestWords:
    def test_what_fits_goes_to_the_object_and_the_numbers_stay(self) -> None:
        said = judged(
            seen(SCENE, IMAGE, "blue_bowl", name="salad bowl", attributes=["upside down"]),
            seen(SCENE, IMAGE, "red_block", name="wooden cube"),
            relations=[(1, "on", 0)],
            caption="A cube and a bowl.",
        )
        assert said.doubts == ()
        shown = told(SCENE, said, 30.0)
        bowl = shown.objects["blue_bowl"]
        assert (bowl.name, bowl.attributes) == ("salad bowl", ("upside down",))
        assert shown.objects["red_block"].name == "wooden cube" and shown.objects["green_block"] == GREEN
        assert replace(bowl, name="", attributes=()) == BOWL, "no number changed"
        assert (shown.caption, shown.doubted, shown.described) == ("A cube and a bowl.", (), 4.0)
        assert shown.relations == SCENE.relations and set(shown.objects) == set(SCENE.objects)

    def test_a_box_that_is_only_roughly_right_will_do(self) -> None:
        place = place_of(RED, IMAGE)
        assert place is not None
        rough = thing(
            (round(place.left) - 30, round(place.top) - 40, round(place.right) + 20, round(place.bottom) + 30)
        )
        said = judged(rough)
        assert set(said.words) == {"red_block"} and not said.doubts

    def test_of_two_things_at_nearly_one_place_the_colour_decides(self) -> None:
        stacked = scene_of(RED, item("green_block", 0.6, 0.2, 0.06), BOWL)
        said = judged(
            seen(stacked, IMAGE, "red_block", name="lower cube"),
            seen(stacked, IMAGE, "green_block", name="upper cube"),
            scene=stacked,
        )
        assert {name: words.name for name, words in said.words.items()} == {
            "red_block": "lower cube",
            "green_block": "upper cube",
        }

    def test_an_empty_description_says_nothing(self) -> None:
        shown = told(SCENE, judged(caption=""), 30.0)
        assert (shown.objects, shown.caption, shown.doubted) == (SCENE.objects, SCENE.caption, ())


class TestHonesty:
    """What was not measured enters no scene, and what was measured otherwise is marked."""

    @pytest.mark.parametrize("box", [(700, 100, 900, 300), (0, 900, 100, 1000)])
    def test_a_thing_that_is_not_there(self, box: tuple[int, int, int, int]) -> None:
        said = judged(thing(box, name="coffee mug", kind="other", colour="green"), caption="A mug.")
        assert said.doubts == ("the model sees “green coffee mug”, and no object was measured there",)
        shown = told(SCENE, said, 30.0)
        assert set(shown.objects) == set(SCENE.objects)
        assert shown.caption == SCENE.caption, "a caption of what is not there is not the scene's"
        assert shown.doubted == said.doubts

    def test_nothing_is_added_to_an_empty_table(self) -> None:
        said = judged(thing(), thing((500, 500, 600, 600)), scene=scene_of())
        assert not told(scene_of(), said, 30.0).objects and len(said.doubts) == 1, "each sentence once"

    def test_another_colour(self) -> None:
        said = judged(seen(SCENE, IMAGE, "red_block", colour="green", name="cube"))
        assert said.doubts == ("the model says that red_block is green, and it was measured to be red",)
        shown = told(SCENE, said, 30.0).objects["red_block"]
        assert (shown.colour, shown.name) == ("red", "cube")

    @pytest.mark.parametrize("colour", ["red", "other"])
    def test_a_colour_that_is_none_of_ours_is_no_other_one(self, colour: str) -> None:
        assert not judged(seen(SCENE, IMAGE, "red_block", colour=colour)).doubts

    @pytest.mark.parametrize(("said", "doubts"), [("white", 0), ("black", 0), ("grey", 0), ("red", 1)])
    def test_grey_is_white_or_black_in_another_light(self, said: str, doubts: int) -> None:
        grey = scene_of(item("grey_block", 0.5, 0.0))
        assert len(judged(seen(grey, IMAGE, "grey_block", colour=said), scene=grey).doubts) == doubts

    def test_another_kind_of_thing_has_no_name_from_the_model(self) -> None:
        said = judged(seen(SCENE, IMAGE, "red_block", kind="bowl", name="soup bowl"))
        assert said.doubts == ("the model says that red_block is a bowl, and it was measured to be a block",)
        shown = told(SCENE, said, 30.0).objects["red_block"]
        assert (shown.label, shown.name) == ("block", "")

    @pytest.mark.parametrize(
        ("relation", "complaint"),
        [
            ((1, "in", 2), "red_block is in blue_bowl"),
            ((1, "on", 2), "red_block is on blue_bowl"),
            ((1, "beside", 2), "red_block is beside blue_bowl"),
            ((1, "in", 0), "red_block is in table"),
            ((1, "on", 0), ""),
            ((2, "on", 0), ""),
            ((1, "on", 1), ""),
            ((1, "in", 9), ""),
        ],
    )
    def test_relations(self, relation: tuple[int, str, int], complaint: str) -> None:
        things = (seen(SCENE, IMAGE, "red_block"), seen(SCENE, IMAGE, "blue_bowl"))
        doubts = judged(*things, relations=[relation]).doubts
        wanted = (f"the model says that {complaint}, and it was measured not to be",) if complaint else ()
        assert doubts == wanted

    def test_a_relation_that_holds(self) -> None:
        full = scene_of(item("red_block", 0.5, 0.0, 0.03), BOWL)
        things = (seen(full, IMAGE, "red_block"), seen(full, IMAGE, "blue_bowl"))
        assert not judged(*things, scene=full, relations=[(1, "in", 2)]).doubts
        assert judged(*things, scene=full, relations=[(1, "on", 0)]).doubts

    def test_what_is_held_is_on_nothing(self) -> None:
        held = scene_of(RED, BOWL, held="red_block")
        assert judged(seen(held, IMAGE, "red_block"), scene=held, relations=[(1, "on", 0)]).doubts


class TestAge:
    """What was said counts while it is about what is there."""

    SAID = judged(seen(SCENE, IMAGE, "red_block", name="cube"), caption="From the model.")

    def test_old_words_are_dropped(self) -> None:
        for later, name in ((33.9, "cube"), (34.1, "")):
            now = told(replace(SCENE, stamp=later), self.SAID, 30.0)
            assert now.objects["red_block"].name == name
            assert now.caption == ("From the model." if name else SCENE.caption)

    def test_words_of_an_object_that_has_moved_are_dropped(self) -> None:
        for moved, name in ((MOVED - 0.001, "cube"), (MOVED + 0.001, "")):
            there = scene_of(item("red_block", 0.6 + moved, 0.2), GREEN, BOWL)
            assert told(there, self.SAID, 30.0).objects["red_block"].name == name

    def test_the_caption_holds_while_the_same_things_stand_the_same(self) -> None:
        assert told(scene_of(RED, GREEN), self.SAID, 30.0).caption == "What geometry says."
        inside = scene_of(RED, item("green_block", 0.5, 0.0, 0.03), BOWL)
        assert told(inside, self.SAID, 30.0).caption == "What geometry says."
        assert told(SCENE, self.SAID, 30.0).caption == "From the model."

    def test_without_words_the_scene_is_the_same(self) -> None:
        assert told(SCENE, None, 30.0) is SCENE
