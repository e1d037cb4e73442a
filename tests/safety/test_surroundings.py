"""What is kept away from and what is held, from constraints and scenes; and that the monitor keeps to it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from safety_loop import Loop

from reins.contracts.plan import Constraint
from reins.contracts.scene import Relation, Scene, SceneObject, by_id
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, RobotState
from reins.safety.constraints import PLANNER, ConstraintSet
from reins.safety.surroundings import REMEMBERED, Surroundings, complaint

HALF = 0.5**0.5
YELLOW = Constraint(kind="avoid", object="yellow_block")


def block(name: str, x: float, y: float, z: float = 0.02, **changes: object) -> SceneObject:
    values: dict[str, object] = {
        "label": "block",
        "colour": name.split("_")[0],
        "position": (x, y, z),
        "orientation": (0.0, 0.0, 0.0, 1.0),
        "size": (0.04, 0.05, 0.06),
        "confidence": 1.0,
        "last_seen": 0.0,
    }
    return SceneObject(id=name, **(values | changes))  # type: ignore[arg-type]


def scene(*objects: SceneObject, held: str = "", stamp: float = 0.0) -> Scene:
    relations = frozenset({Relation(held, "held", "gripper")} if held else ())
    return Scene(stamp, "state", by_id(objects), relations)


def state_at(position: FloatArray, stamp: float) -> RobotState:
    zero = np.zeros_like(position)
    return RobotState(stamp, position, zero, zero, position, 0.04, False, 0)


@pytest.fixture
def constraints() -> ConstraintSet:
    return ConstraintSet(1.0)


@pytest.fixture
def around(profile: RobotProfile, constraints: ConstraintSet) -> Surroundings:
    made = Surroundings(profile, constraints)
    made.follow(state_at(profile.home, 0.0))
    return made


def ids(around: Surroundings) -> list[str]:
    return [box.id for box in around.keep_outs]


class TestKeepOuts:
    def test_only_what_is_avoided_is_one(self, around: Surroundings, constraints: ConstraintSet) -> None:
        around.see(scene(block("red_block", 0.4, 0.0), block("yellow_block", 0.5, 0.1)))
        assert ids(around) == []
        assert not around.changed()
        constraints.add(YELLOW, PLANNER)
        assert around.changed()
        assert ids(around) == ["yellow_block"]
        assert not around.changed()
        constraints.clear("planner", PLANNER)
        assert around.changed()
        assert ids(around) == []

    def test_before_anything_is_asked_for_or_seen_there_is_none(self, around: Surroundings) -> None:
        assert around.keep_outs == ()
        assert around.held is None

    def test_those_that_were_in_force_before_it_count_too(
        self, profile: RobotProfile, constraints: ConstraintSet
    ) -> None:
        constraints.add(Constraint(kind="keep_out", centre=(0.5, 0.2, 0.3), size=(0.1, 0.2, 0.3)), PLANNER)
        around = Surroundings(profile, constraints)
        assert around.changed()
        assert ids(around) == ["planner-1"]
        assert not around.changed()

    def test_it_is_where_and_as_large_as_it_is_seen(self, around: Surroundings, constraints: ConstraintSet) -> None:
        constraints.add(YELLOW, PLANNER)
        around.see(scene(block("yellow_block", 0.5, 0.1, orientation=(0.0, 0.0, HALF, HALF))))
        (box,) = around.keep_outs
        np.testing.assert_allclose(box.centre, [0.5, 0.1, 0.02])
        np.testing.assert_allclose(box.rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-12)
        np.testing.assert_allclose(np.ptp(box.corners, axis=0), [0.05, 0.04, 0.06])

    @given(parts=st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4), length=st.floats(0.1, 10.0))
    def test_its_axes_are_those_of_its_quaternion_whatever_its_length(
        self, profile: RobotProfile, parts: list[float], length: float
    ) -> None:
        size = float(np.linalg.norm(parts))
        assume(size > 0.01)
        unit = np.array(parts) / size
        constraints = ConstraintSet(1.0)
        constraints.add(YELLOW, PLANNER)
        around = Surroundings(profile, constraints)
        around.see(scene(block("yellow_block", 0.5, 0.1, orientation=tuple(map(float, length * unit)))))
        expected = pin.Quaternion(unit[3], unit[0], unit[1], unit[2]).toRotationMatrix()
        np.testing.assert_allclose(around.keep_outs[0].rotation, expected, atol=1e-9)

    def test_those_to_avoid_come_by_name_and_then_the_boxes(
        self, around: Surroundings, constraints: ConstraintSet
    ) -> None:
        constraints.add(Constraint(kind="keep_out", centre=(0.5, 0.2, 0.3), size=(0.1, 0.2, 0.3)), PLANNER)
        for name in ("yellow_block", "blue_block"):
            constraints.add(Constraint(kind="avoid", object=name), PLANNER)
        around.see(scene(block("yellow_block", 0.5, 0.1), block("blue_block", 0.4, 0.0)))
        assert ids(around) == ["blue_block", "yellow_block", "planner-1"]

    def test_it_moves_with_what_is_seen(self, around: Surroundings, constraints: ConstraintSet) -> None:
        constraints.add(YELLOW, PLANNER)
        for x in (0.5, 0.4):
            around.see(scene(block("yellow_block", x, 0.1)))
            assert around.keep_outs[0].centre[0] == x

    def test_out_of_sight_it_stays_where_it_was(self, around: Surroundings, constraints: ConstraintSet) -> None:
        constraints.add(YELLOW, PLANNER)
        around.see(scene(block("yellow_block", 0.5, 0.1)))
        around.see(scene())
        around.see(scene(block("red_block", 0.4, 0.0)))
        assert around.keep_outs[0].centre[1] == 0.1

    def test_what_is_not_avoided_and_not_seen_is_forgotten(
        self, around: Surroundings, constraints: ConstraintSet
    ) -> None:
        around.see(scene(block("yellow_block", 0.5, 0.1)))
        assert list(around.seen) == ["yellow_block"]
        around.see(scene())
        assert not around.seen
        constraints.add(YELLOW, PLANNER)
        assert around.changed()
        assert ids(around) == []

    def test_a_box_of_a_constraint_is_one(self, around: Surroundings, constraints: ConstraintSet) -> None:
        named = constraints.add(
            Constraint(kind="keep_out", centre=(0.5, 0.2, 0.3), size=(0.1, 0.2, 0.3), set_by="operator"), "anna"
        )
        assert around.changed()
        (box,) = around.keep_outs
        assert box.id == named.id
        np.testing.assert_allclose(box.corners.min(axis=0), [0.45, 0.1, 0.15])

    @pytest.mark.parametrize(
        "wrong",
        [
            {"position": (float("nan"), 0.0, 0.0)},
            {"orientation": (0.0, float("inf"), 0.0, 1.0)},
            {"orientation": (0.0, 0.0, 0.0, 0.0)},
            {"size": (0.04, 0.0, 0.04)},
            {"size": (0.04, -0.1, 0.04)},
        ],
    )
    def test_nonsense_is_told_and_changes_nothing(
        self, around: Surroundings, constraints: ConstraintSet, wrong: dict[str, Any]
    ) -> None:
        constraints.add(YELLOW, PLANNER)
        assert around.see(scene(block("yellow_block", 0.5, 0.1))) == ""
        told = around.see(scene(block("yellow_block", 0.3, 0.1, **wrong)))
        assert told == "the scene's yellow_block has no finite pose or no size; what was known of it stays"
        assert around.keep_outs[0].centre[0] == 0.5

    def test_all_of_the_nonsense_is_told_in_the_order_of_the_scene(self, around: Surroundings) -> None:
        lost = (float("nan"), 0.0, 0.0)
        wrong = [block(name, 0.3, 0.1, position=lost) for name in ("red_block", "blue_block")]
        told = around.see(scene(*wrong, block("yellow_block", 0.5, 0.1)))
        assert told.startswith("the scene's red_block, blue_block has no finite pose")

    @pytest.mark.parametrize(
        ("count", "named"),
        [(3, "a0, a1, a2"), (4, "a0, a1, a2 (and 1 others)"), (5000, "a0, a1, a2 (and 4997 others)")],
    )
    def test_thousands_that_make_no_sense_are_counted(self, count: int, named: str) -> None:
        assert complaint([f"a{number}" for number in range(count)]).startswith(
            f"the scene's {named} has no finite pose"
        )

    def test_a_name_without_end_is_cut(self) -> None:
        assert len(complaint(["x" * 10_000])) < 200


class TestHeld:
    def test_it_is_in_the_tools_frame_of_its_own_time(self, around: Surroundings, profile: RobotProfile) -> None:
        """The scene is old news when it comes: the arm has moved on."""
        tool = Kinematics(profile).tool_pose(profile.home)
        for step in range(1, 30):
            around.follow(state_at(profile.home + 0.01 * step, step / 100))
        x, y, z = tool.position - [0.0, 0.0, 0.01]
        around.see(scene(block("red_block", x, y, z), held="red_block"))
        assert around.held is not None
        np.testing.assert_allclose(around.held.centre, tool.rotation.T @ [0.0, 0.0, -0.01], atol=1e-12)
        np.testing.assert_allclose(around.held.rotation, tool.rotation.T, atol=1e-12)

    def test_of_all_times_the_nearest_counts(self, around: Surroundings, profile: RobotProfile) -> None:
        """Of states every 10 ms the sixteenth is nearest to a scene of 152 ms."""
        for step in range(1, 30):
            around.follow(state_at(profile.home + 0.01 * step, step / 100))
        tool = Kinematics(profile).tool_pose(profile.home + 0.15)
        x, y, z = map(float, tool.position)
        around.see(scene(block("red_block", x, y, z), held="red_block", stamp=0.152))
        assert around.held is not None
        np.testing.assert_allclose(around.held.centre, np.zeros(3), atol=1e-12)

    def test_doubt_about_where_it_is_makes_no_new_one(self, around: Surroundings) -> None:
        around.see(scene(block("red_block", 0.3, 0.0), held="red_block"))
        before = around.held
        around.see(scene(block("red_block", 0.301, 0.0), held="red_block"))
        assert around.held is before
        around.see(scene(block("red_block", 0.303, 0.0), held="red_block"))
        assert around.held is not before
        around.see(scene(block("blue_block", 0.303, 0.0), held="blue_block"))
        assert around.held is not None and around.held.id == "blue_block"

    def test_a_turn_in_the_hand_makes_a_new_one_too(self, around: Surroundings) -> None:
        around.see(scene(block("red_block", 0.3, 0.0), held="red_block"))
        before = around.held
        for angle, same in ((0.019, True), (0.05, False)):
            turned = (0.0, 0.0, float(np.sin(angle / 2)), float(np.cos(angle / 2)))
            around.see(scene(block("red_block", 0.3, 0.0, orientation=turned), held="red_block"))
            assert (around.held is before) is same

    def test_a_new_one_has_the_size_and_the_place_of_the_newest_scene(
        self, around: Surroundings, profile: RobotProfile
    ) -> None:
        tool = Kinematics(profile).tool_pose(profile.home)
        around.see(scene(block("red_block", 0.3, 0.0), held="red_block"))
        around.see(scene(block("red_block", 0.4, 0.1, size=(0.1, 0.2, 0.3)), held="red_block"))
        assert around.held is not None
        np.testing.assert_array_equal(around.held.size, [0.1, 0.2, 0.3])
        np.testing.assert_allclose(tool.rotation @ around.held.centre + tool.position, [0.4, 0.1, 0.02])

    @pytest.mark.parametrize("states, oldest", [(REMEMBERED, 0), (REMEMBERED + 1, 1)])
    def test_only_so_many_states_are_remembered(
        self, around: Surroundings, profile: RobotProfile, states: int, oldest: int
    ) -> None:
        """Of what was seen before the oldest of them the oldest has to do."""
        for step in range(1, states):
            around.follow(state_at(profile.home + 0.001 * step, step / 100))
        tool = Kinematics(profile).tool_pose(profile.home + 0.001 * oldest)
        x, y, z = map(float, tool.position)
        around.see(scene(block("red_block", x, y, z), held="red_block", stamp=0.0))
        assert around.held is not None
        np.testing.assert_allclose(around.held.centre, np.zeros(3), atol=1e-12)

    def test_one_that_makes_no_sense_is_not_held(self, around: Surroundings) -> None:
        around.see(scene(block("red_block", float("nan"), 0.0), held="red_block"))
        assert around.held is None

    def test_it_is_not_avoided(self, around: Surroundings, constraints: ConstraintSet) -> None:
        constraints.add(YELLOW, PLANNER)
        around.see(scene(block("yellow_block", 0.5, 0.1), held="yellow_block"))
        assert ids(around) == []
        around.see(scene(block("yellow_block", 0.5, 0.1)))
        assert around.held is None
        assert ids(around) == ["yellow_block"]

    def test_before_the_first_state_nothing_is(self, profile: RobotProfile, constraints: ConstraintSet) -> None:
        fresh = Surroundings(profile, constraints)
        fresh.see(scene(block("red_block", 0.3, 0.0), held="red_block"))
        assert fresh.held is None


class TestTheMonitor:
    """Drives the hand at the yellow block."""

    def drive_at_it(self, loop: Loop, before: Callable[[int], None] = lambda _: None) -> float:
        """How close the tool point comes to the block's middle, from the side [m]."""
        kinematics = Kinematics(loop.profile)
        target = np.array([0.5, 0.15, 0.05])
        closest = float("inf")
        begun = loop.robot.read().stamp
        for period in range(300):
            before(period)
            pose, jacobian = kinematics.tool_jacobian(loop.robot.read().position)
            way = target - pose.position
            twist = np.append(way / max(float(np.linalg.norm(way)), 0.05) * 0.2, np.zeros(3))
            loop.drive("skill", np.linalg.pinv(jacobian) @ twist, 1, begun)
            closest = min(closest, float(np.linalg.norm(way)))
        return closest

    @pytest.fixture
    def seen(self, loop: Loop) -> Loop:
        loop.monitor.on_scene(scene(block("yellow_block", 0.5, 0.15, 0.05, size=(0.1, 0.1, 0.1))))
        return loop

    def test_what_nobody_forbids_may_be_touched(self, seen: Loop) -> None:
        assert self.drive_at_it(seen) < 0.02

    def test_dont_touch_is_enforced_whatever_a_skill_does(self, seen: Loop) -> None:
        seen.monitor.rules.add(YELLOW, PLANNER)
        assert self.drive_at_it(seen) > 0.05
        assert any("keep-out" in event.reason for event in seen.events)

    def test_also_once_it_is_out_of_sight(self, seen: Loop) -> None:
        seen.monitor.rules.add(YELLOW, PLANNER)
        assert self.drive_at_it(seen, lambda _: seen.monitor.on_scene(scene())) > 0.05

    def test_until_the_constraint_is_removed(self, seen: Loop) -> None:
        named = seen.monitor.rules.add(YELLOW, PLANNER)
        self.drive_at_it(seen)
        seen.monitor.rules.remove(named.id, PLANNER)
        assert self.drive_at_it(seen) < 0.02

    def test_a_scene_that_makes_no_sense_is_told(self, seen: Loop) -> None:
        seen.monitor.on_scene(scene(block("yellow_block", float("nan"), 0.0)))
        seen.steps(1)
        assert "scene_rejected" in seen.kinds()
