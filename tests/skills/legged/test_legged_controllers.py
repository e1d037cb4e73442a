"""Skills of legged robots on paper: they end where they should, within the limits, and keep their distance."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from paper_walker import PERIOD, PROFILE, PaperWalker, Thing, disc

from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.plan import Constraint, SkillCall
from reins.hardware.legged import Posture
from reins.safety.legged.limits import speed_use
from reins.safety.legged.settings import LeggedSettings
from reins.skills.controller import Status
from reins.skills.legged.journeys import ARRIVED
from reins.skills.legged.library import LEGGED_SKILLS
from reins.skills.legged.obstacles import Margins
from reins.skills.legged.pace import CRUISE
from reins.skills.legged.stances import ALIGNED

BOX = Thing("blue_box", 2.0, 0.0)
DOOR = Thing("red_door", 4.0, 1.0, (0.06, 0.9, 2.0), label="door")
MARKER = Thing("yellow_marker", 2.0, 2.0, (0.3, 0.3, 0.01), label="marker")
PERSON = disc("person", 2.5, 0.3, 0.3)
THERE = ARRIVED + 0.05
"""A body that has stopped within ARRIVED is not farther off than this [m]."""


def check_commands(walker: PaperWalker, scale: float = 1.0) -> None:
    """Within the share of the limits that skills use, and never a jump."""
    most = PROFILE.acceleration * PERIOD
    for command in walker.commands:
        assert np.isfinite(command.velocity).all()
        assert speed_use(command.velocity, PROFILE.body.velocity) <= CRUISE * scale + 1e-9
    for before, after in pairwise(walker.commands):
        assert (np.abs(after.velocity - before.velocity) <= most + 1e-9).all()
    assert [command.sequence for command in walker.commands] == list(range(1, len(walker.commands) + 1))


def test_it_keeps_more_distance_than_safety_insists_on() -> None:
    ours, safety = Margins(), LeggedSettings()
    assert ours.thing > safety.walking_margin
    assert min(ours.person, ours.avoided) > safety.person_margin
    assert ours.step <= safety.step_height


def test_every_declared_skill_is_carried_out() -> None:
    assert set(PaperWalker().factory.skills) == set(LEGGED_SKILLS)


class TestFallen:
    """On its back, or on a side."""

    def fallen(self, roll: float = np.pi) -> PaperWalker:
        walker = PaperWalker(up=False)
        walker.roll = roll
        return walker

    def test_it_turns_over_lies_for_a_moment_and_stands_up(self) -> None:
        walker = self.fallen()
        assert walker.run("recover").status is Status.SUCCEEDED
        assert walker.roll == 0.0 and walker.height >= PROFILE.height.lowest
        postures = [command.posture for command in walker.commands]
        begun = postures.index(Posture.STAND)
        assert set(postures[:begun]) == {Posture.RECOVER} and set(postures[begun:]) == {Posture.STAND}
        assert begun * PERIOD > np.pi / 1.5
        assert not any(command.velocity.any() for command in walker.commands)

    @pytest.mark.parametrize(
        ("roll", "side"), [(1.6, "right side"), (-1.6, "left side"), (3.0, "back"), (-2.6, "back")]
    )
    def test_in_vain_it_says_on_what_it_lies(self, roll: float, side: str) -> None:
        walker = self.fallen(roll)
        walker.can_turn_over = False
        output = walker.run("recover")
        assert output.status is Status.FAILED and f"still lies on its {side} after 10 s" in output.reason
        assert walker.commands[-1].posture is Posture.SIT
        assert walker.time == pytest.approx(PROFILE.body.turn_over, abs=1.0)

    @pytest.mark.parametrize("skill", ["stand", "turn", "walk_to", "look_around"])
    def test_what_needs_legs_is_not_begun(self, skill: str) -> None:
        arguments: dict[str, float] = {"turn": {"angle": 1.0}, "walk_to": {"x": 1.0}}.get(skill, {})
        with pytest.raises(ReinsError, match="lies on its back; run 'recover' first"):
            self.fallen().run(skill, **arguments)

    def test_waiting_leaves_it_limp(self) -> None:
        walker = self.fallen()
        assert walker.run("wait", duration=1.0).status is Status.SUCCEEDED
        assert {command.posture for command in walker.commands} == {Posture.SIT} and walker.roll == np.pi

    def test_just_the_tilt_that_stops_a_walk_is_a_fall(self) -> None:
        stop = PROFILE.tilt.stop
        assert PROFILE.has_fallen(self.fallen(stop + 1e-6).state().orientation)
        assert not PROFILE.has_fallen(self.fallen(stop - 1e-6).state().orientation)


class TestPostures:
    def test_it_stands_up(self) -> None:
        walker = PaperWalker(up=False)
        assert walker.run("stand").status is Status.SUCCEEDED
        assert walker.height >= PROFILE.height.lowest

    def test_it_sits_down_where_it_is(self) -> None:
        walker = PaperWalker()
        assert walker.run("sit").status is Status.SUCCEEDED
        assert walker.height < PROFILE.height.lowest
        assert not any(command.velocity.any() for command in walker.commands)

    @pytest.mark.parametrize("up", [True, False])
    @pytest.mark.parametrize(("skill", "least"), [("stop", 0.0), ("wait", 3.0)])
    def test_what_pauses_keeps_the_posture(self, skill: str, least: float, up: bool) -> None:
        walker = PaperWalker(up=up)
        output = walker.run(skill, **({"duration": 3.0} if skill == "wait" else {}))
        assert output.status is Status.SUCCEEDED
        assert least <= walker.time <= least + 0.1
        assert {command.posture for command in walker.commands} == {Posture.STAND if up else Posture.SIT}

    @pytest.mark.parametrize("angle", [math.pi / 2, -math.pi / 2, math.pi, -2.0 * math.pi, 0.02])
    def test_it_turns_as_far_as_it_is_told_on_the_spot(self, angle: float) -> None:
        walker = PaperWalker(yaw=3.0)
        assert walker.run("turn", angle=angle).status is Status.SUCCEEDED
        assert walker.yaw - 3.0 == pytest.approx(angle, abs=ALIGNED + 0.02)
        assert float(np.hypot(*walker.place)) < 0.01
        check_commands(walker)

    def test_it_looks_all_round(self) -> None:
        walker = PaperWalker()
        assert walker.run("look_around").status is Status.SUCCEEDED
        assert walker.yaw == pytest.approx(2.0 * math.pi, abs=ALIGNED + 0.02)


class TestWalkTo:
    @pytest.mark.parametrize("yaw", [0.0, 2.0])
    @pytest.mark.parametrize(("x", "y"), [(3.0, 0.0), (-2.0, 1.0), (0.0, -0.3), (0.0, 0.0)])
    def test_the_place_is_seen_from_the_robot_as_it_stands(self, x: float, y: float, yaw: float) -> None:
        walker = PaperWalker(yaw=yaw)
        assert walker.run("walk_to", x=x, y=y).status is Status.SUCCEEDED
        cos, sin = math.cos(yaw), math.sin(yaw)
        assert walker.place == pytest.approx([cos * x - sin * y, sin * x + cos * y], abs=THERE)
        check_commands(walker)

    def test_it_goes_round_a_box_in_between(self) -> None:
        walker = PaperWalker([BOX])
        assert walker.run("walk_to", x=4.0).status is Status.SUCCEEDED
        assert walker.place == pytest.approx([4.0, 0.0], abs=THERE)
        assert walker.nearest(BOX) >= Margins().thing
        check_commands(walker)

    def test_it_stands_up_first_where_nobody_did(self) -> None:
        walker = PaperWalker(up=False)
        assert walker.run("walk_to", x=1.0).status is Status.SUCCEEDED
        assert walker.place == pytest.approx([1.0, 0.0], abs=THERE)

    def test_a_task_that_asks_for_care_is_slow(self) -> None:
        walker = PaperWalker()
        walker.run("walk_to", [Constraint(kind="speed", scale=0.3)], x=1.5)
        check_commands(walker, 0.3)

    def test_a_place_that_is_taken_is_refused_at_once(self) -> None:
        with pytest.raises(ReinsError, match="no room to stand at that place: blue_box"):
            PaperWalker([BOX]).run("walk_to", x=2.2)

    def test_a_place_behind_a_wall_without_a_way_round_is_told(self) -> None:
        courses = np.arange(8) * np.pi / 4
        ring = [
            Thing(f"wall_{n}", 1.5 * math.cos(c), 1.5 * math.sin(c), (0.1, 1.6, 1.0), c) for n, c in enumerate(courses)
        ]
        walker = PaperWalker(ring)
        output = walker.run("walk_to", x=4.0)
        assert (output.status, output.reason) == (
            Status.FAILED,
            "the place cannot be reached: there is no way round what stands about",
        )
        assert float(np.hypot(*walker.place)) < 0.05

    def test_who_steps_into_the_way_is_walked_round(self) -> None:
        walker = PaperWalker()
        someone = disc("person", 4.0, 0.3, 0.3)
        walker.on_step = lambda time: walker.things.append(someone) if time == 2.0 else None
        assert walker.run("walk_to", x=8.0).status is Status.SUCCEEDED
        assert walker.place == pytest.approx([8.0, 0.0], abs=THERE)
        assert walker.nearest(someone) >= Margins().person
        check_commands(walker)

    def test_a_robot_that_somebody_comes_too_near_to_backs_off(self) -> None:
        near = disc("person", 0.9, 0.0, 0.3)
        walker = PaperWalker([near])
        before = near.edge(walker.place)
        assert walker.run("walk_to", x=-3.0).status is Status.SUCCEEDED
        assert walker.nearest(near) >= before - PROFILE.body.footprint - 1e-3

    def test_a_keep_out_box_is_walked_round(self) -> None:
        rule = Constraint(kind="keep_out", centre=(2.0, 0.0, 0.0), size=(1.0, 1.0, 1.0))
        walker = PaperWalker()
        assert walker.run("walk_to", [rule], x=4.0).status is Status.SUCCEEDED
        assert walker.nearest(Thing("", 2.0, 0.0, (1.0, 1.0, 1.0))) >= Margins().thing


class TestGoTo:
    @pytest.mark.parametrize("distance", [0.3, 1.0])
    def test_it_stands_before_it_and_faces_it(self, distance: float) -> None:
        walker = PaperWalker([BOX, DOOR])
        assert walker.run("go_to", object="red_door", distance=distance).status is Status.SUCCEEDED
        assert DOOR.edge(walker.place) - PROFILE.body.footprint == pytest.approx(distance, abs=THERE)
        course = math.atan2(DOOR.y - walker.place[1], DOOR.x - walker.place[0])
        assert math.remainder(walker.yaw - course, 2.0 * math.pi) == pytest.approx(0.0, abs=0.2)
        assert walker.nearest(BOX) >= Margins().thing
        check_commands(walker)

    def test_onto_a_marker(self) -> None:
        walker = PaperWalker([MARKER])
        assert walker.run("go_to", object="yellow_marker").status is Status.SUCCEEDED
        assert walker.place == pytest.approx([2.0, 2.0], abs=THERE)

    def test_a_person_is_left_more_room_than_is_asked_for(self) -> None:
        walker = PaperWalker([PERSON])
        assert walker.run("go_to", object="person", distance=0.2).status is Status.SUCCEEDED
        assert walker.nearest(PERSON) >= Margins().person

    def test_another_side_serves_where_the_nearest_is_taken(self) -> None:
        shelf = Thing("shelf", 3.2, 1.0, (0.4, 2.0, 1.0))
        walker = PaperWalker([shelf, DOOR])
        assert walker.run("go_to", object="red_door").status is Status.SUCCEEDED
        assert DOOR.edge(walker.place) - PROFILE.body.footprint == pytest.approx(0.3, abs=THERE)
        assert walker.nearest(shelf) >= Margins().thing

    def test_what_disappears_is_told(self) -> None:
        walker = PaperWalker([DOOR])
        walker.on_step = lambda time: walker.things.clear() if time == 1.0 else None
        output = walker.run("go_to", object="red_door")
        assert (output.status, output.reason) == (Status.FAILED, "red_door is not seen any more")

    def test_a_distance_that_the_task_asks_for_is_kept(self) -> None:
        far = Constraint(kind="avoid", object="blue_box", distance=1.0)
        walker = PaperWalker([BOX, DOOR])
        assert walker.run("go_to", [far], object="red_door").status is Status.SUCCEEDED
        assert walker.nearest(BOX) >= 1.0


class TestFollow:
    def test_a_person_who_walks_is_kept_up_with_at_a_distance(self) -> None:
        walker = PaperWalker([disc("person", 2.0, 0.0, 0.3)])

        def stroll(time: float) -> None:
            walker.things[0] = disc("person", 2.0 + 0.4 * min(time, 8.0), 0.05 * time, 0.3)

        walker.on_step = stroll
        assert walker.run("follow", person="person", distance=1.2, duration=12.0).status is Status.SUCCEEDED
        gap = walker.things[0].edge(walker.place) - PROFILE.body.footprint
        assert 1.1 <= gap <= 1.6
        check_commands(walker)

    def test_who_is_lost_from_sight_is_not_followed_blindly(self) -> None:
        walker = PaperWalker([PERSON])
        walker.on_step = lambda time: walker.things.clear() if time == 1.0 else None
        output = walker.run("follow", person="person")
        assert (output.status, output.reason) == (Status.FAILED, "person was lost from sight")
        assert walker.time < 6.0

    def test_who_is_only_remembered_is_lost_from_sight(self) -> None:
        walker = PaperWalker([PERSON])

        def turn_away(time: float) -> None:
            if time == 1.0:
                walker.things[0] = replace(PERSON, seen=1.0)

        walker.on_step = turn_away
        output = walker.run("follow", person="person")
        assert (output.status, output.reason) == (Status.FAILED, "person was lost from sight")
        assert 4.0 < walker.time < 6.0


class TestRunner:
    def test_a_cancelled_walk_brakes_and_says_why(self) -> None:
        walker = PaperWalker()
        walker.on_step = lambda time: walker.runner.cancel("enough") if time == 2.0 else None
        output = walker.run("walk_to", x=8.0)
        assert (output.status, output.reason) == (Status.FAILED, "enough")
        assert not walker.commands[-1].velocity.any()
        check_commands(walker)

    def test_a_hold_stands_still_and_the_walk_goes_on_after_it(self) -> None:
        walker = PaperWalker([BOX])
        walker.on_step = lambda time: walker.runner.hold(3.0 <= time < 20.0)
        assert walker.run("walk_to", x=4.0).status is Status.SUCCEEDED
        held = [c for c in walker.commands if 5.0 < c.stamp < 20.0]
        assert held and not any(command.velocity.any() for command in held)
        assert walker.place == pytest.approx([4.0, 0.0], abs=THERE)
        check_commands(walker)

    def test_a_cancelled_sit_stays_down(self) -> None:
        walker = PaperWalker(up=False)
        walker.runner.start(SkillCall(skill="wait", arguments={"duration": 60.0}), (), walker.state(), walker.scene)
        walker.runner.cancel()
        assert walker.tick().posture is Posture.SIT

    def test_an_arms_skill_is_unknown(self) -> None:
        with pytest.raises(UnknownName, match="no skill 'pick'"):
            PaperWalker().run("pick", object="blue_box")


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Thing], tuple[float, float]]:
    """Boxes and people between a start and a goal, both of which they leave room at; there is a way round them all."""
    things = []
    for number in range(draw(st.integers(1, 6))):
        yaw, size = draw(st.floats(-3.0, 3.0)), (draw(st.floats(0.1, 0.9)), draw(st.floats(0.1, 0.9)), 0.5)
        things.append(Thing(f"box_{number}", draw(st.floats(1.6, 4.6)), draw(st.floats(-2.0, 2.0)), size, yaw))
    for number in range(draw(st.integers(0, 2))):
        things.append(disc(f"person_{number}", draw(st.floats(2.1, 4.2)), draw(st.floats(-2.0, 2.0)), 0.3))
    return things, (6.5, draw(st.floats(-1.5, 1.5)))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds())
def test_any_field_of_boxes_and_people_is_crossed_at_a_distance(
    world: tuple[list[Thing], tuple[float, float]],
) -> None:
    things, (x, y) = world
    walker = PaperWalker(things)
    output = walker.run("walk_to", x=x, y=y)
    assert output.status is Status.SUCCEEDED, output.reason
    assert walker.place == pytest.approx([x, y], abs=THERE)
    for thing in things:
        margin = Margins().person if thing.label == "person" else Margins().thing
        assert walker.nearest(thing) >= margin - 1e-3
    check_commands(walker)
