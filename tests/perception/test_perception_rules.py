"""Rules that hold for any input: relations, fits, colours, words; and the small backends."""

from itertools import permutations

import numpy as np
import pytest
from conftest import Stage
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import UnknownName
from reins.contracts.facts import facts_of
from reins.contracts.scene import Relation, Scene, SceneObject
from reins.hardware.profile import RobotProfile
from reins.perception.annotate import annotate
from reins.perception.body import BODIES, BodyShape
from reins.perception.caption import caption_of
from reins.perception.colours import COLOURS, ColourTable
from reins.perception.factory import BACKENDS, make_perception
from reins.perception.geometric import GeometricPerception
from reins.perception.relations import UNSEEN, relations_of
from reins.perception.shapes import canonical, fit_circle, fit_rectangle
from reins.perception.state import StatePerception, setting_of
from reins.sim.world import COLOURS as PAINTS

SIZES = {"block": (0.04, 0.04, 0.04), "bowl": (0.14, 0.14, 0.045), "plate": (0.15, 0.15, 0.012)}
OPPOSITE = {"left_of": "right_of", "right_of": "left_of", "behind": "in_front_of", "in_front_of": "behind"}


def thing(name: str, label: str, x: float, y: float, z: float | None = None) -> SceneObject:
    height = SIZES[label][2] / 2 if z is None else z
    return SceneObject(name, label, "red", (x, y, height), (0.0, 0.0, 0.0, 1.0), SIZES[label], 1.0, 0.0)


@st.composite
def scenes(draw: st.DrawFn) -> list[SceneObject]:
    labels = draw(st.lists(st.sampled_from(sorted(SIZES)), min_size=1, max_size=5))
    metres = st.floats(-0.4, 0.4)
    return [
        thing(f"thing_{index}", label, draw(metres), draw(metres), draw(st.floats(0.006, 0.2)))
        for index, label in enumerate(labels)
    ]


class TestRelations:
    @given(scenes())
    def test_nothing_is_related_to_itself(self, objects: list[SceneObject]) -> None:
        assert all(r.subject != r.object for r in relations_of(objects, None))

    @given(scenes())
    def test_directions_have_opposites_and_never_hold_both_ways(self, objects: list[SceneObject]) -> None:
        found = relations_of(objects, None)
        for r in found:
            if r.predicate in OPPOSITE:
                assert Relation(r.object, OPPOSITE[r.predicate], r.subject) in found
                assert Relation(r.object, r.predicate, r.subject) not in found

    @given(scenes())
    def test_beside_is_mutual(self, objects: list[SceneObject]) -> None:
        found = relations_of(objects, None)
        assert all(Relation(r.object, "beside", r.subject) in found for r in found if r.predicate == "beside")

    @given(scenes())
    def test_in_or_on_excludes_on_the_table(self, objects: list[SceneObject]) -> None:
        found = relations_of(objects, None)
        carried = {r.subject for r in found if r.predicate in ("in", "on") and r.object != "table"}
        assert not carried & {r.subject for r in found if r.object == "table"}

    @given(scenes())
    def test_held_is_in_no_other_relation(self, objects: list[SceneObject]) -> None:
        held = objects[0].id
        about = [r for r in relations_of(objects, held) if held in (r.subject, r.object)]
        assert about == [Relation(held, "held", "gripper")]

    @given(scenes())
    def test_order_does_not_matter(self, objects: list[SceneObject]) -> None:
        expected = relations_of(objects, None)
        assert all(relations_of(order, None) == expected for order in list(permutations(objects))[:6])


class TestFits:
    @given(
        yaw=st.floats(-np.pi / 4, np.pi / 4),
        width=st.floats(0.03, 0.06),
        aspect=st.sampled_from([1.0, 1.5, 2.0]),
        x=st.floats(-0.3, 0.3),
        y=st.floats(-0.3, 0.3),
    )
    def test_rectangle_from_pixels(self, yaw: float, width: float, aspect: float, x: float, y: float) -> None:
        pitch = 0.0032
        grid = np.arange(-0.4, 0.4, pitch)
        points = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
        turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
        inside = (np.abs((points - [x, y]) @ turn) <= np.array([width * aspect, width]) / 2).all(axis=1)
        points = points[inside]
        centre, found, extent = fit_rectangle(points, np.full(len(points), pitch**2))
        assert np.hypot(*(centre - [x, y])) < 0.75 * pitch
        assert np.allclose(np.sort(extent), np.sort([width * aspect, width]), atol=1.5 * pitch)
        off = (found - yaw + np.pi / 4) % (np.pi / 2) - np.pi / 4
        assert abs(off) < 1.5 * np.arctan(pitch / width)

    @given(st.floats(-10, 10), st.floats(0.01, 0.1), st.floats(0.01, 0.1))
    def test_canonical_is_the_same_rectangle(self, yaw: float, a: float, b: float) -> None:
        turned, extent = canonical(yaw, np.array([a, b]))
        assert -np.pi / 4 - 1e-9 < turned <= np.pi / 4 + 1e-9
        quarters = (yaw - turned) / (np.pi / 2)
        assert quarters == pytest.approx(round(quarters), abs=1e-6)
        assert list(extent) == ([b, a] if round(quarters) % 2 else [a, b])

    @given(
        st.floats(-0.3, 0.3), st.floats(-0.3, 0.3), st.floats(0.04, 0.1), st.floats(0, 2 * np.pi), st.floats(3.5, 6.28)
    )
    def test_circle_from_an_arc(self, x: float, y: float, radius: float, start: float, length: float) -> None:
        angle = start + np.linspace(0.0, length, 60)
        points = np.array([x, y]) + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        centre, found = fit_circle(points, np.array([0.0, 0.0]))
        assert np.hypot(*(centre - [x, y])) < 1e-6
        assert found == pytest.approx(radius, abs=1e-6)


class TestColours:
    @pytest.mark.parametrize("word", sorted(PAINTS))
    @given(light=st.floats(0.35, 1.05))
    def test_a_paint_keeps_its_name_in_shade(self, word: str, light: float) -> None:
        pixel = np.clip(np.array([PAINTS[word]]) * light * 255, 0, 255).astype(np.uint8)
        found = COLOURS[ColourTable().classify(pixel)[0]]
        assert found == word or (word == "white" and found == "grey" and light < 0.75)

    @given(st.integers(0, 255))
    def test_grey_has_no_hue(self, value: int) -> None:
        pixel = np.full((1, 3), value, np.uint8)
        assert COLOURS[ColourTable().classify(pixel)[0]] in ("white", "grey", "black")


class TestWords:
    def test_caption(self) -> None:
        objects = {
            "red_block": thing("red_block", "block", 0.5, 0.2, 0.026),
            "red_bowl": thing("red_bowl", "bowl", 0.5, 0.2),
            "red_block_2": thing("red_block_2", "block", 0.4, -0.2),
            "red_block_3": thing("red_block_3", "block", 0.6, -0.2),
            "red_plate": thing("red_plate", "plate", 0.5, 0.0, 0.3),
        }
        assert caption_of(objects, relations_of(objects.values(), "red_plate")) == (
            "There are two red blocks and a red bowl on the table, and the red block is in the red bowl. "
            "The gripper holds the red plate."
        )

    def test_one_thing(self) -> None:
        objects = {"red_block": thing("red_block", "block", 0.5, 0.2)}
        assert caption_of(objects, relations_of(objects.values(), None)) == "There is a red block on the table."

    def test_only_a_held_thing(self) -> None:
        objects = {"red_block": thing("red_block", "block", 0.5, 0.2, 0.4)}
        assert caption_of(objects, relations_of(objects.values(), "red_block")) == (
            "The table is empty. The gripper holds the red block."
        )


class TestForTheRobotAndTheCameras:
    """What is reachable and what is occluded."""

    @pytest.mark.parametrize(("age", "occluded"), [(UNSEEN, False), (UNSEEN + 0.01, True)])
    def test_what_nobody_has_seen_for_a_while_is_occluded_and_told_to_be_out_of_sight(
        self, age: float, occluded: bool
    ) -> None:
        objects = {"red_block": thing("red_block", "block", 0.5, 0.2)}
        found = relations_of(objects.values(), None, objects["red_block"].last_seen + age)
        assert (Relation("red_block", "occluded", "cameras") in found) is occluded
        assert ("The red block is out of sight." in caption_of(objects, found)) is occluded

    def test_what_is_held_is_neither(self, profile: RobotProfile) -> None:
        held = thing("red_block", "block", 0.5, 0.2)
        found = relations_of([held], "red_block", 1e3, profile.workspace)
        assert found == {Relation("red_block", "held", "gripper")}

    @pytest.mark.parametrize(("past", "reachable"), [(-0.001, True), (0.001, False)])
    @pytest.mark.parametrize("side", ["near", "far", "left", "right"])
    def test_reachable_ends_with_the_workspace(
        self, profile: RobotProfile, side: str, past: float, reachable: bool
    ) -> None:
        lower, upper = profile.workspace.lower, profile.workspace.upper
        x, y = (lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2
        x = {"near": lower[0] - past, "far": upper[0] + past}.get(side, x)
        y = {"right": lower[1] - past, "left": upper[1] + past}.get(side, y)
        found = relations_of([thing("red_block", "block", x, y)], None, 0.0, profile.workspace)
        assert (Relation("red_block", "reachable", "robot") in found) is reachable

    def test_no_plan_is_made_about_them(self, profile: RobotProfile) -> None:
        objects = {name: thing(name, "block", 0.5, y) for name, y in (("red_block", 0.0), ("blue_block", 0.041))}
        found = relations_of(objects.values(), None, 1e3, profile.workspace)
        assert {one.predicate for one in found} >= {"touching", "reachable", "occluded"}
        facts = facts_of(Scene(1e3, "test", objects, found))
        assert not {fact[0] for fact in facts} & {"touching", "reachable", "occluded"}


class TestBackends:
    def test_factory(self, profile: RobotProfile) -> None:
        assert isinstance(make_perception("geometric", profile), GeometricPerception)
        assert isinstance(make_perception("state", profile), StatePerception)
        assert {name: make_perception(name, profile).source for name in BACKENDS if name != "vlm"} == {
            "geometric": "geometric",
            "apriltag": "apriltag",
            "hybrid": "geometric",
            "tiny_vlm": "vlm",
            "state": "state",
        }

    def test_unknown_backend(self, profile: RobotProfile) -> None:
        with pytest.raises(UnknownName, match="did you mean 'geometric'"):
            make_perception("geometrc", profile)

    def test_unknown_body(self) -> None:
        with pytest.raises(UnknownName, match="franka"):
            BODIES.load("frank", BodyShape)

    def test_state_is_the_truth(self, stage: Stage) -> None:
        x, y, _ = stage.truth("blue_bowl").position
        stage.put("red_block", x, y, 0.026)
        scene = StatePerception().update_from_truth(stage.robot.world_state())
        assert set(scene.objects) == set(stage.robot.world.by_id)
        assert scene.related("in", "blue_bowl") == ["red_block"]
        assert scene.source == "state" and scene.held() is None

    def test_both_backends_agree(self, stage: Stage, perception: GeometricPerception, profile: RobotProfile) -> None:
        seen = stage.look(perception)
        true = StatePerception(setting_of(profile)).update_from_truth(stage.robot.world_state())
        assert seen.relations == true.relations
        assert seen.caption == true.caption


class TestAnnotate:
    def test_draws_around_objects_only(self, stage: Stage, perception: GeometricPerception) -> None:
        scene = stage.look(perception)
        image = stage.images("overhead")[0]
        before = image.rgb.copy()
        drawn = annotate(image, scene)
        assert np.array_equal(image.rgb, before)
        assert drawn.shape == before.shape and drawn.dtype == np.uint8
        changed = (drawn != before).any(axis=2)
        assert 0.01 < changed.mean() < 0.3
        assert not changed[-20:].any()  # the robot's side of the table is free

    def test_nothing_to_draw(self, stage: Stage, perception: GeometricPerception) -> None:
        image = stage.images("overhead")[0]
        assert np.array_equal(annotate(image, perception.scene), image.rgb)
