"""The backends with a vision-language model on rendered tables: geometry goes on whatever the model does."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from conftest import PERIOD, Stage
from faulty_server import hangs, says, serving, streams
from vision_replies import Seer, reply, seen, thing, until

from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.event import Severity
from reins.contracts.scene import Relation, Scene
from reins.hardware.profile import RobotProfile
from reins.language_models.model import Cancelled, LanguageModel, ModelError, pictures_of
from reins.perception.factory import make_perception
from reins.perception.geometric import GeometricPerception
from reins.perception.state import StatePerception
from reins.perception.vision_language.asking import VisionModel
from reins.perception.vision_language.description import SaidObject
from reins.perception.vision_language.hybrid import HybridPerception
from reins.perception.vision_language.place import place_of
from reins.perception.vision_language.placing import label_of
from reins.perception.vision_language.prompt import view_of
from reins.perception.vision_language.settings import VisionSettings
from reins.perception.vision_language.vlm import VlmPerception

FAST = VisionSettings(vlm="openai", describe_period=0.02, answer_limit=5.0, attempts=1)

Make = Callable[..., HybridPerception]


@pytest.fixture(autouse=True)
def _later(stage: Stage) -> None:
    """A description of a picture of time zero could not be told from none."""
    stage.stamp = 1.0


@pytest.fixture
def hybrid(profile: RobotProfile) -> Iterator[Make]:
    """Hybrid perception with a model that says these lines; ends with the test."""
    made: list[HybridPerception] = []

    def make(*lines: str | Exception | None, settings: VisionSettings = FAST) -> HybridPerception:
        model = VisionModel(Seer(*lines).load, settings)
        made.append(HybridPerception(GeometricPerception(profile), model, settings))
        return made[-1]

    yield make
    for one in made:
        one.speaker.close()


def geometric(stage: Stage, profile: RobotProfile) -> Scene:
    """What geometry alone sees."""
    scene = GeometricPerception(profile).update(stage.images(), stage.state())
    return scene


def plain(scene: Scene) -> Scene:
    """A scene without words, and without its time."""
    objects = {name: replace(item, name="", attributes=(), last_seen=0.0) for name, item in scene.objects.items()}
    return Scene(0.0, "", objects, scene.relations)


def look_until(stage: Stage, perception: HybridPerception | VlmPerception, done: Callable[[Scene], bool]) -> Scene:
    """Let it look until a scene is as wanted."""
    end = time.monotonic() + 30.0
    while not done(scene := stage.look(perception)):
        assert time.monotonic() < end, scene
        time.sleep(0.01)
    return scene


def described(scene: Scene) -> bool:
    return scene.described > 0.0


def test_tagged_objects_have_the_words_of_a_model_too(profile: RobotProfile) -> None:
    perception = make_perception("apriltag", profile, vision=FAST)
    assert isinstance(perception, HybridPerception) and perception.source == "apriltag, vlm"
    perception.speaker.close()
    assert make_perception("apriltag", profile).source == "apriltag"


class TestHybrid:
    def test_words_come_from_the_model_and_numbers_from_geometry(
        self, stage: Stage, profile: RobotProfile, hybrid: Make
    ) -> None:
        truth = geometric(stage, profile)
        image = stage.images("overhead")[0]
        said = reply(
            *(seen(truth, image, name, name="toy cube", attributes=["wooden"]) for name in truth.objects),
            caption="Some toys.",
        )
        scene = look_until(stage, hybrid(said), described)
        assert plain(scene) == plain(truth)
        assert {item.name for item in scene.objects.values()} == {"toy cube"}
        assert scene.caption == "Some toys." and scene.source == "geometric, vlm" and not scene.doubted

    def test_what_geometry_does_not_see_is_marked_and_is_no_object(
        self, stage: Stage, profile: RobotProfile, hybrid: Make
    ) -> None:
        truth = geometric(stage, profile)
        image = stage.images("overhead")[0]
        name = min(truth.objects)
        other = "blue" if truth.objects[name].colour != "blue" else "red"
        said = reply(seen(truth, image, name, colour=other), thing((0, 0, 20, 20), name="unicorn", kind="other"))
        scene = look_until(stage, hybrid(said), described)
        assert plain(scene) == plain(truth) and scene.caption == truth.caption
        assert any("unicorn" in doubt for doubt in scene.doubted)
        assert any(f"{name} is {other}" in doubt for doubt in scene.doubted)

    @pytest.mark.parametrize("line", [None, ModelError("the server is gone"), "I see toys.", "", RuntimeError("bug")])
    def test_a_model_that_is_slow_dead_or_says_prose_holds_up_nothing(
        self, stage: Stage, profile: RobotProfile, hybrid: Make, line: str | Exception | None
    ) -> None:
        truth = geometric(stage, profile)
        perception = hybrid(line, settings=FAST.model_copy(update={"answer_limit": 0.05}))
        longest = 0.0
        for _ in range(4):
            images, state = stage.images(), stage.state()
            begun = time.monotonic()
            scene = perception.update(images, state)
            longest = max(longest, time.monotonic() - begun)
            stage.stamp += PERIOD
            assert plain(scene) == plain(truth) and not scene.stale
        assert longest < 5.0
        until(lambda: bool(perception.speaker.trouble))
        (note,) = [note for note in perception.diagnostics if note.kind == "vlm"]
        assert note.severity is Severity.WARN and note.camera == "" and note.text == perception.speaker.trouble

    def test_the_last_words_stay_until_they_are_too_old(
        self, stage: Stage, profile: RobotProfile, hybrid: Make
    ) -> None:
        truth = geometric(stage, profile)
        said = reply(*(seen(truth, stage.images("overhead")[0], name) for name in truth.objects))
        settings = FAST.model_copy(update={"words_age": 2.0})
        perception = hybrid(said, ModelError("gone"), settings=settings)
        first = look_until(stage, perception, described)
        until(lambda: perception.speaker.wants)
        stage.look(perception)
        until(lambda: perception.speaker.trouble == "gone")
        scene = stage.look(perception)
        assert scene.described == first.described and all(item.name for item in scene.objects.values())
        stage.stamp = first.described + 2.1
        scene = stage.look(perception)
        assert not described(scene) and not any(item.name for item in scene.objects.values())

    def test_a_reset_forgets_the_words(self, stage: Stage, hybrid: Make) -> None:
        perception = hybrid(reply(thing()), None)
        look_until(stage, perception, described)
        perception.reset()
        assert not described(perception.scene) and perception.scene.source == "geometric, vlm"

    def test_a_question_is_answered_before_a_description(self, stage: Stage, hybrid: Make) -> None:
        perception = hybrid(None, '{"verdict":"no","answer":"It stands upright."}')
        with pytest.raises(ReinsError, match="no camera has given a picture"):
            perception.speaker.ask("is the mug upside down?")
        stage.look(perception)
        until(lambda: not perception.speaker.wants)
        time.sleep(0.05)
        begun = time.monotonic()
        reply_ = perception.speaker.ask("is the mug upside down?")
        assert (reply_.answer.verdict, reply_.answer.answer) == ("no", "It stands upright.")
        assert reply_.stamp == perception.scene.stamp
        assert time.monotonic() - begun < FAST.answer_limit, "the description was left"
        assert not perception.speaker.trouble

    def test_whatever_a_model_raises_an_answer_is_one_error(self, stage: Stage, hybrid: Make) -> None:
        perception = hybrid(RuntimeError("a bug"))
        stage.look(perception)
        with pytest.raises(ModelError, match="failed: RuntimeError: a bug"):
            perception.speaker.ask("is the mug upside down?")

    def test_no_description_begins_while_a_question_waits_and_closing_ends_it(
        self, stage: Stage, profile: RobotProfile
    ) -> None:
        seer = Seer(None)
        perception = HybridPerception(GeometricPerception(profile), VisionModel(seer.load, FAST), FAST)
        stage.look(perception)
        until(lambda: len(seer.prompts) == 1)
        told: list[Exception] = []

        def ask() -> None:
            try:
                perception.speaker.ask("is the mug upside down?")
            except ReinsError as error:
                told.append(error)

        asking = threading.Thread(target=ask)
        asking.start()
        until(lambda: len(seer.prompts) == 2)
        time.sleep(2 * FAST.describe_period)
        assert not perception.speaker.wants
        perception.speaker.close()
        asking.join(10.0)
        assert isinstance(told[0], Cancelled) and seer.closed


class TestFactory:
    def test_hybrid_without_a_model_is_geometric(self, profile: RobotProfile) -> None:
        assert isinstance(make_perception("hybrid", profile), GeometricPerception)

    def test_with_one_it_is_not_and_nothing_is_loaded_yet(self, profile: RobotProfile) -> None:
        vision = VisionSettings(vlm="llama_cpp", model="/nowhere", projector="/nowhere")
        perception = make_perception("hybrid", profile, vision=vision)
        assert isinstance(perception, HybridPerception)
        perception.speaker.close()

    def test_vlm_needs_a_model(self, profile: RobotProfile) -> None:
        with pytest.raises(ReinsError, match="parameter 'vlm' to llama_cpp, openai, transformers"):
            make_perception("vlm", profile)

    def test_an_unknown_backend_is_told_with_those_that_exist(self, profile: RobotProfile) -> None:
        with pytest.raises(UnknownName, match="did you mean 'hybrid'"):
            make_perception("hibrid", profile)


class TestVlm:
    """Things that a model names, placed by depth."""

    @pytest.fixture
    def vlm(self, profile: RobotProfile) -> Iterator[Callable[[LanguageModel], VlmPerception]]:
        made: list[VlmPerception] = []

        def make(model: LanguageModel) -> VlmPerception:
            made.append(VlmPerception(profile, VisionModel(lambda: model, FAST), FAST))
            return made[-1]

        yield make
        for one in made:
            one.speaker.close()

    def test_what_is_named_is_placed_by_what_is_measured_there(
        self, stage: Stage, profile: RobotProfile, vlm: Callable[..., VlmPerception]
    ) -> None:
        truth = geometric(stage, profile)
        image = stage.images("overhead")[0]
        things = [seen(truth, image, name, name="toy") for name in truth.objects]
        scene = look_until(stage, vlm(Seer(reply(*things, thing((0, 0, 20, 20), name="unicorn")))), described)
        assert scene.doubted == ("the model sees “red unicorn”, and no object was measured there",)
        assert set(scene.objects) == set(truth.objects) and not scene.stale
        for item in truth.objects.values():
            found = scene.objects[item.id]
            assert max(abs(a - b) for a, b in zip(found.position, item.position, strict=True)) < 0.02
            assert (found.name, found.label, found.colour) == (
                "toy",
                item.label,
                item.colour,
            ) and 0.1 <= found.confidence <= 1.0

    @pytest.mark.parametrize("is_said", [True, False])
    def test_what_is_said_to_be_on_something_is_lifted_onto_it(
        self, stage: Stage, vlm: Callable[..., VlmPerception], is_said: bool
    ) -> None:
        x, y, _ = stage.truth("green_block").position
        stage.put("red_block", x, y, 0.061)
        truth = StatePerception().update_from_truth(stage.robot.world_state())
        image = stage.images("overhead")[0]
        things = [seen(truth, image, name) for name in ("red_block", "green_block")]
        said = reply(*things, relations=[(1, "on", 2)] if is_said else [])
        scene = look_until(stage, vlm(Seer(said)), described)
        height = scene.objects["red_block"].position[2]
        assert abs(height - 0.061) < 0.01 if is_said else height < 0.05
        assert (Relation("red_block", "on", "green_block") in scene.relations) == is_said

    def test_things_that_are_said_to_stand_on_each_other_in_a_ring_are_things_all_the_same(
        self, stage: Stage, profile: RobotProfile, vlm: Callable[..., VlmPerception]
    ) -> None:
        truth = geometric(stage, profile)
        image = stage.images("overhead")[0]
        things = [seen(truth, image, name) for name in ("red_block", "green_block")]
        scene = look_until(stage, vlm(Seer(reply(*things, relations=[(1, "on", 2), (2, "on", 1)]))), described)
        assert set(scene.objects) == {"red_block", "green_block"}
        assert all(item.position[2] < 0.03 for item in scene.objects.values())

    @pytest.mark.parametrize(("words", "height"), [(["held"], 0.25), ([], 0.135)])
    def test_what_is_said_to_be_held_hangs_in_the_air_and_the_scene_holds_nothing(
        self, stage: Stage, vlm: Callable[..., VlmPerception], words: list[str], height: float
    ) -> None:
        stage.put("red_block", 0.5, 0.0, 0.25)
        truth = StatePerception().update_from_truth(stage.robot.world_state())
        said = reply(seen(truth, stage.images("overhead")[0], "red_block", attributes=words))
        scene = look_until(stage, vlm(Seer(said)), described)
        assert abs(scene.objects["red_block"].position[2] - height) < 0.02
        assert scene.held() is None

    def test_what_is_held_is_known_where_the_gripper_measures_it_and_the_model_says_which(
        self, stage: Stage, profile: RobotProfile, vlm: Callable[..., VlmPerception]
    ) -> None:
        truth = geometric(stage, profile)
        image = stage.images("overhead")[0]
        stage.holding = True
        things = [seen(truth, image, "red_block", attributes=["held"]), seen(truth, image, "green_block")]
        assert look_until(stage, vlm(Seer(reply(*things))), described).held() == "red_block"
        both = [{**one, "attributes": ["held"]} for one in things]
        assert look_until(stage, vlm(Seer(reply(*both))), described).held() is None

    def test_what_is_held_is_known_from_the_states_that_came_before_the_pictures(
        self, stage: Stage, profile: RobotProfile, vlm: Callable[..., VlmPerception]
    ) -> None:
        truth = geometric(stage, profile)
        image = stage.images("overhead")[0]
        stage.holding = True
        perception = vlm(Seer(reply(seen(truth, image, "red_block", attributes=["held"]))))
        end = time.monotonic() + 10.0
        while perception.scene.held() != "red_block":  # as the node does
            assert time.monotonic() < end
            perception.on_state(stage.state())
            perception.update(stage.images(), None)
            stage.stamp += 0.1

    @pytest.mark.parametrize("order", [("overhead", "wrist"), ("wrist", "overhead")])
    def test_the_picture_that_shows_most_is_described(
        self, stage: Stage, profile: RobotProfile, order: tuple[str, str]
    ) -> None:
        x, y, _ = stage.truth("red_block").position
        stage.arm(x, y, 0.12)  # from here the hand sees little
        seer = Seer(reply())
        perception = VlmPerception(profile, VisionModel(seer.load, FAST), FAST)
        images = stage.images(*order)
        perception.update(images, stage.state())
        assert perception.speaker.settle(10.0)
        perception.speaker.close()
        overhead = next(image for image in images if image.name == "overhead")
        (picture,) = pictures_of(seer.prompts[0])
        assert picture == view_of("overhead", overhead.stamp, overhead.rgb).picture

    def test_our_own_model_describes_every_camera_and_a_thing_in_two_pictures_is_one(
        self, stage: Stage, profile: RobotProfile
    ) -> None:
        truth = StatePerception().update_from_truth(stage.robot.world_state())
        images = stage.images()
        said = [
            reply(*(seen(truth, image, name) for name, item in truth.objects.items() if place_of(item, image)))
            for image in images
        ]
        settings = FAST.model_copy(update={"vlm": "tiny", "describe_period": 30.0})
        perception = VlmPerception(profile, VisionModel(Seer(*said).load, settings), settings)
        scene = look_until(stage, perception, described)
        perception.speaker.close()
        assert set(scene.objects) == set(truth.objects)

    @pytest.mark.parametrize(("door", "counts"), [("tiny", True), ("openai", False)])
    def test_only_our_own_model_says_how_sure_it_is(
        self, stage: Stage, profile: RobotProfile, door: str, counts: bool
    ) -> None:
        settings = FAST.model_copy(update={"vlm": door})
        truth = geometric(stage, profile)
        said = reply(seen(truth, stage.images("overhead")[0], "red_block", certain=0.31))
        model = VisionModel(Seer(said).load, settings)
        perception = VlmPerception(profile, model, settings)
        scene = look_until(stage, perception, described)
        perception.speaker.close()
        assert (scene.objects["red_block"].confidence == 0.31) == counts

    def test_what_was_measured_once_is_one_object_however_often_it_is_named(
        self, stage: Stage, profile: RobotProfile, vlm: Callable[..., VlmPerception]
    ) -> None:
        truth = geometric(stage, profile)
        image = stage.images("overhead")[0]
        things = [seen(truth, image, name) for name in truth.objects]
        twice = {**things[0], "name": "twin"}
        everything = thing((0, 0, 1000, 1000), name="mess", kind="other", colour="other")
        scene = look_until(stage, vlm(Seer(reply(everything, *things, twice))), described)
        assert set(scene.objects) == set(truth.objects)
        assert any("twin" in doubt for doubt in scene.doubted) and any("mess" in doubt for doubt in scene.doubted)

    @pytest.mark.parametrize(
        ("kind", "name", "label"),
        [("bowl", "salad bowl", "bowl"), ("other", "mug", "mug"), ("other", "old tin coffee mug", "tin_coffee_mug")],
    )
    def test_labels_are_kinds_or_names(self, kind: str, name: str, label: str) -> None:
        assert label_of(SaidObject.model_validate(thing(kind=kind, name=name))) == label

    def test_what_has_no_usable_name_is_a_thing(self) -> None:
        assert label_of(SaidObject.model_validate(thing(kind="other", name="杯子"))) == "thing"

    def test_prose_marks_the_last_scene_stale(
        self, stage: Stage, profile: RobotProfile, vlm: Callable[..., VlmPerception]
    ) -> None:
        truth = geometric(stage, profile)
        name = min(truth.objects)
        good = reply(seen(truth, stage.images("overhead")[0], name))
        perception = vlm(Seer(good, "I see toys."))
        first = look_until(stage, perception, described)
        scene = look_until(stage, perception, lambda scene: bool(scene.stale))
        assert "prose where JSON was asked for" in scene.stale
        assert scene.objects == first.objects and scene.stamp == first.stamp
        assert [note.kind for note in perception.diagnostics] == ["vlm"]

    def test_before_anything_was_said_the_scene_is_empty_and_stale(
        self, stage: Stage, vlm: Callable[..., VlmPerception]
    ) -> None:
        scene = stage.look(vlm(Seer(None)))
        assert not scene.objects and "described nothing yet" in scene.stale

    def test_ids_stay_from_description_to_description(
        self, stage: Stage, profile: RobotProfile, vlm: Callable[..., VlmPerception]
    ) -> None:
        truth = geometric(stage, profile)
        image = stage.images("overhead")[0]
        things = [seen(truth, image, name) for name in truth.objects]
        seer = Seer(reply(*things), reply(*things[::-1]))
        perception = vlm(seer)
        first = look_until(stage, perception, described)
        second = look_until(stage, perception, lambda scene: scene.stamp > first.stamp)
        assert {name: item.position for name, item in first.objects.items()} == {
            name: item.position for name, item in second.objects.items()
        }


@pytest.mark.parametrize("behaviour", [hangs, says(500, "oops"), streams("Toys!"), says(200, "<html>", "text/html")])
def test_a_server_in_trouble_is_a_diagnostic_and_scenes_go_on(
    stage: Stage, profile: RobotProfile, behaviour: Callable[..., None]
) -> None:
    with serving(behaviour) as server:
        vision = VisionSettings(vlm="openai", base_url=server.url, model="m", answer_limit=0.3, describe_period=0.05)
        perception = make_perception("hybrid", profile, vision=vision)
        assert isinstance(perception, HybridPerception)
        scene = stage.look(perception)
        until(lambda: bool(perception.speaker.trouble))
        assert plain(stage.look(perception)) == plain(scene) and scene.objects
        assert perception.diagnostics[-1].kind == "vlm"
        perception.speaker.close()
