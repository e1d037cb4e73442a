"""The arm as the monitor sees it: what goes on to its motion, its filter and its surroundings."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reins.contracts.plan import Constraint
from reins.contracts.scene import Relation, Scene, SceneObject, by_id
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, GripperCommand, JointCommand, RobotState
from reins.safety.arm import ArmMover
from reins.safety.bodies import Box
from reins.safety.constraints import PLANNER, ConstraintSet
from reins.safety.filter import SafetyFilter
from reins.safety.gate import Gate
from reins.safety.separation import Separation
from reins.safety.settings import SafetySettings
from reins.safety.verdict import Limit, Verdict

SETTINGS = SafetySettings(human_stop_distance=0.4, human_slow_distance=1.5)
NOW = 8.0
PERIOD = 0.01
BLOCK = SceneObject("red_block", "block", "red", (0.5, 0.1, 0.02), (0.0, 0.0, 0.0, 1.0), (0.04, 0.04, 0.04), 1.0, 0.0)


class Filter:
    """Lets half of everything through, and keeps what it was told."""

    def __init__(self, profile: RobotProfile, settings: SafetySettings) -> None:
        self.made_for = (profile, settings)
        self.scales: list[float] = []
        self.surroundings: list[tuple[Sequence[Box], Box | None, float]] = []

    def step(
        self, position: FloatArray, velocity: FloatArray, wanted: FloatArray, elapsed: float, scale: float = 1.0
    ) -> Verdict:
        self.scales.append(scale)
        return Verdict(0.5 * wanted, (Limit.WORKSPACE,))

    def brake(self, position: FloatArray, velocity: FloatArray, elapsed: float) -> FloatArray:
        return np.zeros_like(velocity)

    def surround(self, keep_outs: Sequence[Box], held: Box | None, payload: float = 0.0) -> None:
        self.surroundings.append((keep_outs, held, payload))


class Moved:
    """A mover of an arm that holds its home position."""

    def __init__(self, profile: RobotProfile) -> None:
        self.profile, self.constraints = profile, ConstraintSet(1.0)
        self.filters: list[Filter] = []
        self.mover = ArmMover(profile, SETTINGS, self.constraints, self.make)
        self.mover.see(self.state())
        self.mover.start(self.state(), NOW)

    def make(self, profile: RobotProfile, settings: SafetySettings) -> Filter:
        self.filters.append(Filter(profile, settings))
        return self.filters[0]

    def state(self, stamp: float = NOW, **changes: Any) -> RobotState:
        n, home = len(self.profile.joints), self.profile.home
        return replace(RobotState(stamp, home, np.zeros(n), np.zeros(n), home, 0.04, False, 0), **changes)

    def command(self, velocity: float, **changes: Any) -> JointCommand:
        wanted = np.full(len(self.profile.joints), velocity)
        made = JointCommand("skill", 1, NOW, PERIOD, self.profile.joint_names, wanted, NOW - 1.0)
        return replace(made, **changes)

    def drive(self, now: float = NOW) -> tuple[Any, tuple[Limit, ...]]:
        return self.mover.drive(0.75, now, now - 0.25, 77)


@pytest.fixture
def moved(profile: RobotProfile) -> Moved:
    return Moved(profile)


def test_gate_rule_and_speed_are_those_of_profile_and_settings(moved: Moved) -> None:
    mover = moved.mover
    assert isinstance(mover.gate, Gate)
    assert mover.gate.check(moved.command(0.1), moved.state()) is None
    refused = mover.gate.check(moved.command(0.1, period=SETTINGS.max_period + 1.0, sequence=2), moved.state())
    assert refused is not None and refused.code == "period_range"
    assert mover.separation == Separation.of(SETTINGS)
    assert mover.top_speed == moved.profile.workspace.tool_speed
    assert mover.nearest_person == math.inf
    assert mover.faults == {}
    assert set(mover.kept) == {"avoid", "keep_out", "speed", "payload"}
    assert mover.keeps_distances is False
    assert [made.made_for for made in moved.filters] == [(moved.profile, SETTINGS)]


def test_nothing_is_wanted_until_somebody_wants_it_and_nothing_once_it_is_forgotten(moved: Moved) -> None:
    wants = [moved.mover.wants_motion]
    command, _ = moved.drive()
    np.testing.assert_array_equal(command.velocity, np.zeros(len(moved.profile.joints)))
    for velocity in (0.0, 0.2):
        moved.mover.want(moved.command(velocity))
        wants.append(moved.mover.wants_motion)
    moved.mover.forget()
    assert [*wants, moved.mover.wants_motion] == [False, False, True, False]
    command, _ = moved.drive(NOW + PERIOD)
    np.testing.assert_array_equal(command.velocity, np.zeros(len(moved.profile.joints)))


def test_what_is_wanted_goes_through_the_filter_and_everything_is_handed_on(moved: Moved) -> None:
    moved.mover.want(moved.command(0.2, gripper=GripperCommand(0.02, 10.0)))
    command, limits = moved.drive()
    np.testing.assert_array_equal(command.velocity, np.full(len(moved.profile.joints), 0.1))
    np.testing.assert_array_equal(command.position, moved.profile.home)
    assert (command.stamp, command.trace_ns, command.gripper) == (NOW - 0.25, 77, GripperCommand(0.02, 10.0))
    assert limits == (Limit.WORKSPACE,)
    assert moved.filters[0].scales == [0.75]
    assert not moved.mover.standing and not moved.mover.at_rest
    assert moved.mover.periods_since_last(NOW + 0.025) == pytest.approx(2.5)


def test_a_command_that_is_changed_after_it_came_changes_nothing(moved: Moved) -> None:
    whole = replace(moved.command(0.0), velocity=np.ones(len(moved.profile.joints), dtype=np.int64))
    moved.mover.want(whole)
    whole.velocity[:] = 0
    command, _ = moved.drive()
    np.testing.assert_array_equal(command.velocity, np.full(len(moved.profile.joints), 0.5))


def test_a_gripper_target_is_forgotten_with_the_rest(moved: Moved) -> None:
    moved.mover.want(moved.command(0.2, gripper=GripperCommand(0.02, 10.0)))
    moved.mover.forget()
    assert moved.drive()[0].gripper is None


@pytest.mark.parametrize("rest", [False, True])
def test_it_brakes_and_holds_and_rests_by_it(moved: Moved, rest: bool) -> None:
    moved.mover.want(moved.command(0.2))
    moved.drive()
    command = moved.mover.brake(NOW + PERIOD, NOW - 0.5, rest)
    assert command.stamp == NOW - 0.5
    np.testing.assert_allclose(command.position, moved.profile.home + 0.1 * PERIOD)
    assert moved.mover.standing and moved.mover.at_rest


@pytest.mark.parametrize("rest", [False, True])
def test_only_resting_halts_fingers_that_move(moved: Moved, rest: bool) -> None:
    for step in (1, 2):
        moved.mover.see(moved.state(NOW + step * PERIOD, gripper_width=0.04 - 0.01 * step))
    gripper = moved.mover.brake(NOW + 3 * PERIOD, NOW, rest).gripper
    assert gripper == (GripperCommand(0.02, moved.profile.gripper.grasp_force) if rest else None)


def test_a_state_that_makes_no_sense_is_objected_to(moved: Moved) -> None:
    assert moved.mover.objection_to(moved.state()) is None
    refused = moved.mover.objection_to(moved.state(position=np.full(len(moved.profile.joints), np.nan)))
    assert refused is not None and refused.code == "not_finite"
    refused = moved.mover.objection_to(moved.state(position=np.zeros(2)))
    assert refused is not None and refused.code == "wrong_length"


def test_it_starts_and_is_taken_over_from_where_the_arm_is(moved: Moved) -> None:
    sagged = moved.profile.home - 1e-3
    moved.mover.take_over(moved.state(position=sagged))
    np.testing.assert_array_equal(moved.drive()[0].position, sagged)
    elsewhere = moved.profile.home + 0.1
    moved.mover.start(moved.state(position=elsewhere), NOW + 1.0)
    np.testing.assert_array_equal(moved.drive(NOW + 1.0)[0].position, elsewhere)


def test_who_takes_over_in_motion_goes_on_from_where_the_reference_will_be(moved: Moved) -> None:
    moved.mover.want(moved.command(0.02))
    first, _ = moved.drive()
    now = NOW + PERIOD
    moved.mover.take_over(moved.state(now))
    second, _ = moved.drive(now)
    np.testing.assert_allclose(second.position, first.position + first.velocity * PERIOD, atol=1e-12)


def test_whole_numbers_are_numbers(profile: RobotProfile) -> None:
    """What passes the filter unchanged is of the type that messages hold."""
    moved = Moved(profile)
    still: Any = np.zeros(len(profile.joints), dtype=np.int64)
    mover = ArmMover(profile, SETTINGS, ConstraintSet(1.0), SafetyFilter)
    mover.see(moved.state())
    mover.start(moved.state(), NOW)
    mover.want(replace(moved.command(0.0), velocity=still))
    command, limits = mover.drive(1.0, NOW, NOW, 0)
    assert command.velocity.dtype == np.float64 and limits == ()


def test_an_arm_that_is_elsewhere_lags(moved: Moved) -> None:
    assert moved.mover.lagging(moved.state()) == ""
    lagging = moved.mover.lagging(moved.state(position=moved.profile.home + SETTINGS.following_error + 0.01))
    assert "away from its reference" in lagging


def test_a_clock_that_jumps_takes_its_motion_along(moved: Moved) -> None:
    moved.mover.want(moved.command(0.2))
    moved.drive()
    moved.mover.rebase(5.0)
    assert moved.mover.periods_since_last(NOW + 5.0 + PERIOD) == pytest.approx(1.0)


def test_it_follows_the_time_and_place_of_the_states(moved: Moved) -> None:
    """A driver with a fault is followed; a scene is held against the newest pose."""
    moved.mover.see(moved.state(position=moved.profile.home + 0.2, fault="cut"))
    np.testing.assert_array_equal(moved.drive()[0].position, moved.profile.home + 0.2)


class TestSurroundings:
    def scene(self, *objects: SceneObject, held: str = "") -> Scene:
        relations = frozenset({Relation(held, "held", "gripper")} if held else ())
        return Scene(NOW, "state", by_id(objects), relations)

    def test_a_scene_counts_at_once(self, moved: Moved) -> None:
        moved.constraints.add(Constraint(kind="avoid", object="red_block"), PLANNER)
        assert moved.mover.see_scene(self.scene(BLOCK)) == ""
        ((keep_outs, held, payload),) = moved.filters[0].surroundings
        assert [box.id for box in keep_outs] == ["red_block"]
        assert (held, payload) == (None, 0.0)
        moved.mover.see_scene(self.scene(BLOCK, held="red_block"))
        keep_outs, held, _ = moved.filters[0].surroundings[-1]
        assert held is not None and held.id == "red_block"
        assert not keep_outs

    def test_what_makes_no_sense_is_told(self, moved: Moved) -> None:
        assert "red_block" in moved.mover.see_scene(self.scene(replace(BLOCK, size=(0.0, 0.1, 0.1))))

    def test_constraints_that_have_changed_count_with_the_next_command(self, moved: Moved) -> None:
        """And those that are in force already with the first."""
        moved.drive()
        assert moved.filters[0].surroundings == [((), None, 0.0)]
        moved.constraints.add(Constraint(kind="keep_out", centre=(0.5, 0.2, 0.3), size=(0.1, 0.2, 0.3)), PLANNER)
        for step in (1, 2):
            moved.drive(NOW + step * PERIOD)
            told = [[box.id for box in boxes] for boxes, _, _ in moved.filters[0].surroundings]
            assert told == [[], ["planner-1"]]
