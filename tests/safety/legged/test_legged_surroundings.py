"""What is seen becomes what is kept out of, in the right place; people get more room and set the speed."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from legged_walker import disc, standing

from reins.contracts.plan import Constraint
from reins.contracts.scene import Scene, SceneObject
from reins.hardware.quadruped import QuadrupedProfile
from reins.safety.constraints import ConstraintSet
from reins.safety.legged.keep_outs import KeepOut, Regions
from reins.safety.legged.people import nearest_person, separation_of, top_speed
from reins.safety.legged.settings import LeggedSettings
from reins.safety.legged.surroundings import REMEMBERED, LeggedSurroundings
from reins.safety.separation import allowed_speed, protective_distance
from reins.safety.settings import SafetySettings

BOX = SceneObject("blue_box", "box", "blue", (2.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0), (0.4, 0.6, 0.5), 1.0, 100.0)
PERSON = replace(BOX, id="person", label="person", position=(4.0, 0.0, 0.5), size=(0.6, 0.8, 1.8))


@pytest.fixture
def constraints() -> ConstraintSet:
    return ConstraintSet(1.0)


@pytest.fixture
def around(quadruped: QuadrupedProfile, settings: LeggedSettings, constraints: ConstraintSet) -> LeggedSurroundings:
    return LeggedSurroundings(quadruped, settings, constraints)


def scene(*items: SceneObject, stamp: float = 100.0) -> Scene:
    return Scene(stamp, "test", {item.id: item for item in items})


def ids(shapes: Any) -> list[str]:
    return [shape.id for shape in shapes]


class TestPlaces:
    @given(x=st.floats(-3.0, 3.0), y=st.floats(-3.0, 3.0), yaw=st.floats(-3.0, 3.0), own=st.floats(-3.0, 3.0))
    def test_the_corners_are_where_the_object_is_seen_from_the_base(
        self, x: float, y: float, yaw: float, own: float, quadruped: QuadrupedProfile, settings: LeggedSettings
    ) -> None:
        around = LeggedSurroundings(quadruped, settings, ConstraintSet(1.0))
        around.follow(standing(quadruped, place=(x, y), yaw=yaw))
        around.see(scene(replace(BOX, orientation=(0.0, 0.0, math.sin(own / 2), math.cos(own / 2)))))
        corners = Regions(around.keep_outs, 0.0).corners[0]
        seen = {(sx * 0.2, sy * 0.3) for sx in (1, -1) for sy in (1, -1)}
        for cx, cy in seen:
            bx = 2.0 + math.cos(own) * cx - math.sin(own) * cy
            by = 1.0 + math.sin(own) * cx + math.cos(own) * cy
            there = np.array([x + math.cos(yaw) * bx - math.sin(yaw) * by, y + math.sin(yaw) * bx + math.cos(yaw) * by])
            assert np.linalg.norm(corners - there, axis=1).min() < 1e-9

    def test_what_lies_on_its_side_covers_the_ground_that_it_covers(
        self, around: LeggedSurroundings, quadruped: QuadrupedProfile
    ) -> None:
        """Rolled by a quarter about x, its height lies along y."""
        around.follow(standing(quadruped))
        around.see(scene(replace(BOX, orientation=(math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)))))
        np.testing.assert_allclose(around.keep_outs[0].half, [0.2, 0.25])

    @given(bearing=st.floats(-3.2, 3.2), away=st.floats(0.0, 5.0))
    def test_a_person_is_as_far_from_every_side(
        self, bearing: float, away: float, quadruped: QuadrupedProfile, settings: LeggedSettings
    ) -> None:
        """Four metres ahead of a base that looks left, and half a metre wide from the middle to the corners."""
        around = LeggedSurroundings(quadruped, settings, ConstraintSet(1.0))
        around.follow(standing(quadruped, place=(1.0, 2.0), yaw=math.pi / 2))
        around.see(scene(PERSON))
        from_there = np.array([1.0, 6.0]) + away * np.array([math.cos(bearing), math.sin(bearing)])
        distance = Regions(around.people, 0.0).distances(from_there[None, None])
        assert distance.item() == pytest.approx(away - 0.5)

    def test_a_scene_is_held_against_the_pose_of_its_time(
        self, around: LeggedSurroundings, quadruped: QuadrupedProfile
    ) -> None:
        around.follow(standing(quadruped, 100.0, place=(0.0, 0.0)))
        around.follow(standing(quadruped, 101.0, place=(1.0, 0.0)))
        around.see(scene(BOX, stamp=100.1))
        np.testing.assert_allclose(around.keep_outs[0].centre, [2.0, 1.0])
        around.see(scene(BOX, stamp=100.9))
        np.testing.assert_allclose(around.keep_outs[0].centre, [3.0, 1.0])

    @pytest.mark.parametrize(("states", "oldest"), [(REMEMBERED, 0), (REMEMBERED + 1, 1)])
    def test_only_so_many_states_are_remembered(
        self, around: LeggedSurroundings, quadruped: QuadrupedProfile, states: int, oldest: int
    ) -> None:
        for step in range(states):
            around.follow(standing(quadruped, 100.0 + step, place=(0.01 * step, 0.0)))
        around.see(scene(BOX, stamp=100.0))
        np.testing.assert_allclose(around.keep_outs[0].centre, [2.0 + 0.01 * oldest, 1.0])

    def test_before_any_state_nothing_can_be_placed(self, around: LeggedSurroundings) -> None:
        assert around.see(scene(BOX)) == "a scene came before any robot state, so nobody knows where it is"
        assert around.keep_outs == around.people == ()


class TestWhatCounts:
    @pytest.mark.parametrize(("offset", "counts"), [(-1e-6, False), (1e-6, True)])
    @pytest.mark.parametrize("known", [True, False])
    def test_what_is_low_may_be_stepped_on(
        self,
        around: LeggedSurroundings,
        quadruped: QuadrupedProfile,
        settings: LeggedSettings,
        known: bool,
        offset: float,
        counts: bool,
    ) -> None:
        base = 0.3 if known else quadruped.height.highest
        top = settings.step_height - base + offset
        around.follow(standing(quadruped, height=0.3 if known else None))
        around.see(scene(replace(BOX, position=(2.0, 0.0, top - 0.25))))
        assert bool(around.keep_outs) is counts

    @pytest.mark.parametrize(("above", "counts"), [(-1e-6, False), (0.0, False), (1e-6, True)])
    def test_what_is_just_as_high_may_be_stepped_on(
        self, quadruped: QuadrupedProfile, constraints: ConstraintSet, above: float, counts: bool
    ) -> None:
        """Heights that are sums of powers of two, so that they add up to the edge itself."""
        around = LeggedSurroundings(quadruped, LeggedSettings(step_height=0.0625), constraints)
        around.follow(standing(quadruped, height=0.25))
        around.see(scene(replace(BOX, position=(2.0, 0.0, 0.0625 - 0.25 - 0.25 + above))))
        assert bool(around.keep_outs) is counts

    def test_people_get_more_room_and_are_discs(
        self, around: LeggedSurroundings, quadruped: QuadrupedProfile, settings: LeggedSettings
    ) -> None:
        around.follow(standing(quadruped))
        around.see(scene(BOX, PERSON))
        thing, person = around.keep_outs
        assert thing.radius == 0.0
        assert person.radius == pytest.approx(0.5 + settings.person_margin - settings.walking_margin)
        assert not person.half.any()
        assert ids(around.people) == ["person"]
        assert around.people[0].radius == pytest.approx(0.5)

    def test_what_is_avoided_gets_as_much(
        self,
        around: LeggedSurroundings,
        constraints: ConstraintSet,
        quadruped: QuadrupedProfile,
        settings: LeggedSettings,
    ) -> None:
        around.follow(standing(quadruped))
        around.see(scene(BOX))
        assert not around.changed()
        constraints.add(Constraint(kind="avoid", object="blue_box", set_by="operator"), "operator")
        assert around.changed()
        assert not around.changed()
        assert around.keep_outs[0].radius == pytest.approx(settings.person_margin - settings.walking_margin)

    @pytest.mark.parametrize(("asked", "kept"), [(0.2, None), (1.5, 1.5)])
    def test_a_distance_that_is_asked_for_counts_where_it_is_more(
        self,
        around: LeggedSurroundings,
        constraints: ConstraintSet,
        quadruped: QuadrupedProfile,
        settings: LeggedSettings,
        asked: float,
        kept: float | None,
    ) -> None:
        constraints.add(Constraint(kind="avoid", object="blue_box", distance=asked), "planner")
        constraints.add(Constraint(kind="avoid", object="person", distance=asked), "planner")
        around.follow(standing(quadruped))
        around.see(scene(BOX, PERSON))
        margin = settings.person_margin if kept is None else kept
        thing, person = around.keep_outs
        assert thing.radius == pytest.approx(margin - settings.walking_margin)
        assert person.radius == pytest.approx(0.5 + margin - settings.walking_margin)

    @pytest.mark.parametrize("item", [BOX, replace(PERSON, size=(1.7, 0.4, 0.01))], ids=["avoided", "a person"])
    def test_nobody_steps_on_a_person_who_lies_nor_on_what_is_avoided(
        self, around: LeggedSurroundings, constraints: ConstraintSet, quadruped: QuadrupedProfile, item: SceneObject
    ) -> None:
        around.follow(standing(quadruped, height=0.3))
        around.see(scene(replace(item, position=(2.0, 0.0, -0.3), size=(*item.size[:2], 0.01))))
        assert bool(around.keep_outs) is (item is not BOX)
        constraints.add(Constraint(kind="avoid", object=item.id, set_by="operator"), "anna")
        assert around.changed()
        assert ids(around.keep_outs) == [item.id] == list(around.seen)

    def test_a_person_margin_below_the_walking_margin_takes_nothing_away(
        self, quadruped: QuadrupedProfile, constraints: ConstraintSet
    ) -> None:
        around = LeggedSurroundings(quadruped, LeggedSettings(person_margin=0.0), constraints)
        around.follow(standing(quadruped))
        around.see(scene(PERSON))
        assert around.keep_outs[0].radius == pytest.approx(0.5)

    def test_boxes_of_the_operator(self, around: LeggedSurroundings, constraints: ConstraintSet) -> None:
        box = Constraint(kind="keep_out", centre=(3.0, 1.0, 0.0), size=(1.0, 2.0, 3.0), set_by="operator")
        constraints.add(box, "operator")
        assert around.changed()
        region = around.keep_outs[0]
        assert region.id == "operator-1"
        np.testing.assert_allclose(np.concatenate([region.centre, region.half]), [3.0, 1.0, 0.5, 1.0])
        assert (region.heading, region.radius) == (0.0, 0.0)

    @given(x=st.floats(-9.0, 9.0), y=st.floats(-9.0, 9.0), yaw=st.floats(-3.0, 3.0))
    def test_they_stand_still_in_the_odometry_frame_wherever_the_robot_is(
        self, x: float, y: float, yaw: float, quadruped: QuadrupedProfile, settings: LeggedSettings
    ) -> None:
        """As the message says: in the frame of the base they would walk with it."""
        constraints = ConstraintSet(1.0)
        around = LeggedSurroundings(quadruped, settings, constraints)
        around.follow(standing(quadruped, place=(5.0, 0.0)))
        constraints.add(Constraint(kind="keep_out", centre=(1.0, 2.0, 0.0), size=(1.0, 1.0, 1.0)), "planner")
        assert around.changed()
        around.follow(standing(quadruped, place=(x, y), yaw=yaw))
        around.see(scene())
        np.testing.assert_array_equal(around.keep_outs[0].centre, [1.0, 2.0])
        assert around.keep_outs[0].heading == 0.0

    def test_boxes_that_were_in_force_before_count_too(
        self, quadruped: QuadrupedProfile, settings: LeggedSettings, constraints: ConstraintSet
    ) -> None:
        constraints.add(Constraint(kind="keep_out", size=(1.0, 1.0, 1.0), set_by="operator"), "operator")
        around = LeggedSurroundings(quadruped, settings, constraints)
        assert around.changed()
        assert ids(around.keep_outs) == ["operator-1"]


class TestMemory:
    def test_people_and_what_is_avoided_stay_where_they_were_seen_and_other_things_go(
        self, around: LeggedSurroundings, constraints: ConstraintSet, quadruped: QuadrupedProfile
    ) -> None:
        constraints.add(Constraint(kind="avoid", object="blue_box", set_by="operator"), "operator")
        around.follow(standing(quadruped))
        around.see(scene(BOX, PERSON, replace(BOX, id="crate")))
        around.see(scene())
        assert sorted(ids(around.keep_outs)) == ["blue_box", "person"]

    @pytest.mark.parametrize(("offset", "stays"), [(0.0, True), (0.5, False)])
    def test_a_person_who_left_unseen_is_forgotten_in_the_end(
        self, quadruped: QuadrupedProfile, constraints: ConstraintSet, offset: float, stays: bool
    ) -> None:
        """Counted from when they were seen last; with a constraint, never."""
        around = LeggedSurroundings(quadruped, LeggedSettings(person_memory=8.0), constraints)
        around.follow(standing(quadruped))
        for stamp in (100.0, 104.0):
            around.see(scene(PERSON, stamp=stamp))
        around.see(scene(stamp=112.0 + offset))
        assert bool(around.people) is bool(around.keep_outs) is stays
        around.see(scene(PERSON, stamp=113.0))
        constraints.add(Constraint(kind="avoid", object="person", set_by="operator"), "operator")
        around.see(scene(stamp=200.0))
        assert ids(around.people) == ["person"]

    @pytest.mark.parametrize(
        "wrong", [{"position": (math.nan, 0.0, 0.0)}, {"size": (0.0, 1.0, 1.0)}, {"orientation": (0.0, 0.0, 0.0, 0.0)}]
    )
    def test_what_makes_no_sense_is_told_and_what_was_known_stays(
        self, around: LeggedSurroundings, quadruped: QuadrupedProfile, wrong: dict[str, Any]
    ) -> None:
        around.follow(standing(quadruped))
        assert around.see(scene(BOX)) == ""
        told = around.see(scene(replace(BOX, **wrong)))
        assert told == "the scene's blue_box has no finite pose or no size; what was known of it stays"
        assert ids(around.keep_outs) == ["blue_box"]


class TestPeople:
    def test_the_rule_reckons_with_the_body(self, quadruped: QuadrupedProfile) -> None:
        settings = SafetySettings()
        rule, body = separation_of(quadruped, settings), quadruped.body
        assert rule.reaction == settings.human_reaction + body.response
        assert rule.deceleration == min(body.acceleration.along, body.acceleration.sideways)
        assert (rule.stop_distance, rule.human_speed) == (settings.human_stop_distance, settings.human_speed)
        assert rule.slow_distance == settings.human_slow_distance

    @given(distance=st.floats(0.0, 20.0))
    def test_it_stands_before_a_person_who_walks_towards_it(self, distance: float, quadruped: QuadrupedProfile) -> None:
        rule = separation_of(quadruped, SafetySettings())
        speed = allowed_speed(distance, top_speed(quadruped), rule)
        assert 0.0 <= speed <= top_speed(quadruped)
        assert speed == 0.0 or protective_distance(speed, rule) <= distance + 1e-6

    @pytest.mark.parametrize("fastest", ["forward", "backward", "sideways"])
    def test_the_top_speed_is_that_of_the_fastest_direction(self, quadruped: QuadrupedProfile, fastest: str) -> None:
        velocity = quadruped.body.velocity.model_copy(update={fastest: 9.0, "turn": 99.0})
        body = quadruped.body.model_copy(update={"velocity": velocity})
        assert top_speed(quadruped.model_copy(update={"body": body})) == 9.0

    def test_the_nearest_counts_from_the_footprint_on(self) -> None:
        people: list[KeepOut] = [disc(3.0, 0.0, 0.3), disc(0.0, -5.0, 0.3)]
        assert nearest_person(np.zeros(2), people, 0.4) == pytest.approx(2.3)
        assert nearest_person(np.array([3.0, 0.0]), people, 0.4) == pytest.approx(-0.7)

    def test_without_people_nobody_is_near(self) -> None:
        assert nearest_person(np.zeros(2), (), 0.4) == math.inf


def test_both_settings_fit_into_one_node() -> None:
    assert not set(LeggedSettings.model_fields) & set(SafetySettings.model_fields)

    class Both(SafetySettings, LeggedSettings):
        """As a node declares them."""

    assert Both().walking_margin == LeggedSettings().walking_margin
    for field in LeggedSettings.model_fields.values():
        assert field.description and field.description.endswith((".", "[m].", "[s].", "[rad]."))
        assert field.metadata, "it has bounds"
