"""Data that crosses the ROS border comes back as it was, over the wire format too."""

import math
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from reins.contracts.event import SafetyEvent, Severity
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Relation, Scene, SceneObject, by_id
from reins.hardware.robot import FloatArray, GripperCommand, JointCommand, RobotState, SafeCommand
from reins.sim.world_state import TruthObject, WorldState

pytestmark = pytest.mark.ros
pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("reins_msgs", reason="needs the built interfaces")

from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from reins_msgs import msg as ros  # noqa: E402

from reins.nodes import convert, convert_scene  # noqa: E402

STAMPS = st.floats(0.0, 1e6)
NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
FINITE = st.floats(-1e3, 1e3)
ARRAYS = hnp.arrays(np.float64, st.integers(0, 12), elements=NUMBERS)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
SEQUENCES = st.integers(0, 2**63)
GRIPPERS = st.none() | st.builds(GripperCommand, NUMBERS, NUMBERS)


def over_the_wire(message: Any) -> Any:
    return deserialize_message(serialize_message(message), type(message))


def same(a: Any, b: Any) -> bool:
    """Equal field by field; NaN equals NaN, times to a nanosecond."""
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b, equal_nan=True)
    if isinstance(a, float):
        return (math.isnan(a) and math.isnan(b)) or a == b or abs(a - b) <= 1e-9
    if hasattr(a, "__dataclass_fields__"):
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    return bool(a == b)


@given(
    st.builds(RobotState, STAMPS, ARRAYS, ARRAYS, ARRAYS, ARRAYS, NUMBERS, st.booleans(), SEQUENCES, TEXT),
    st.booleans(),
)
def test_robot_state(state: RobotState, armed: bool) -> None:
    message = over_the_wire(convert.robot_state_to_msg(state, armed))
    assert message.armed is armed
    assert same(state, convert.robot_state_from_msg(message))


@given(
    st.builds(
        JointCommand,
        source=st.sampled_from(["skill", "teleop"]),
        sequence=SEQUENCES,
        stamp=STAMPS,
        period=NUMBERS,
        joint_names=st.lists(TEXT, max_size=9).map(tuple),
        velocity=ARRAYS,
        activation=STAMPS,
        gripper=GRIPPERS,
        trace_ns=SEQUENCES,
    )
)
def test_joint_command(command: Any) -> None:
    assert same(command, convert.joint_command_from_msg(over_the_wire(convert.joint_command_to_msg(command))))


@given(st.builds(SafeCommand, SEQUENCES, STAMPS, NUMBERS, ARRAYS, ARRAYS, GRIPPERS, SEQUENCES))
def test_safe_command(command: Any) -> None:
    assert same(command, convert.safe_command_from_msg(over_the_wire(convert.safe_command_to_msg(command))))


@given(st.builds(SafetyEvent, STAMPS, st.sampled_from(Severity), TEXT, TEXT, TEXT))
def test_event(event: SafetyEvent) -> None:
    assert same(event, convert.event_from_msg(over_the_wire(convert.event_to_msg(event))))


@given(STAMPS)
def test_a_time_that_crossed_once_does_not_move_any_more(seconds: float) -> None:
    once = convert.time_from_msg(convert.time_to_msg(seconds))
    assert abs(once - seconds) <= 1e-9
    assert convert.time_from_msg(convert.time_to_msg(once)) == once


def test_an_array_is_its_own_and_writable() -> None:
    message = over_the_wire(convert.robot_state_to_msg(_state(np.arange(7.0)), armed=True))
    state = convert.robot_state_from_msg(message)
    state.position[0] = 9.0
    assert message.position[0] == 0.0


def test_a_wrong_length_is_passed_on_for_safety_to_refuse() -> None:
    command = JointCommand("skill", 1, 0.0, 0.01, ("a", "b"), np.zeros(3), activation=0.0)
    assert len(convert.joint_command_from_msg(convert.joint_command_to_msg(command)).velocity) == 3


def test_lists_and_slices_and_other_types_become_doubles() -> None:
    for values in ([1, 2, 3], np.arange(6)[::2] // 2 + 1, np.array([1, 2, 3], dtype=np.float32)):
        assert list(convert.to_sequence(values)) == [1.0, 2.0, 3.0]


def _state(position: Any) -> RobotState:
    return RobotState(0.0, position, position, position, position, 0.08, False, 0)


VECTORS = st.tuples(FINITE, FINITE, FINITE)
OBJECTS = st.builds(
    SceneObject,
    TEXT,
    TEXT,
    TEXT,
    VECTORS,
    st.tuples(FINITE, FINITE, FINITE, FINITE),
    VECTORS,
    st.floats(0, 1),
    STAMPS,
    TEXT,
    st.lists(TEXT, max_size=3).map(tuple),
)
SCENES = st.builds(
    Scene,
    stamp=STAMPS,
    source=TEXT,
    objects=st.lists(OBJECTS, max_size=4, unique_by=lambda item: item.id).map(by_id),
    relations=st.frozensets(st.builds(Relation, TEXT, TEXT, TEXT), max_size=4),
    caption=TEXT,
    stale=TEXT,
    doubted=st.lists(TEXT, max_size=3).map(tuple),
    described=STAMPS,
)


@given(SCENES)
def test_scene(scene: Scene) -> None:
    message = over_the_wire(convert_scene.scene_to_msg(scene, "base"))
    back = convert_scene.scene_from_msg(message)
    assert message.header.frame_id == "base"
    assert list(back.objects) == list(scene.objects)
    assert all(same(back.objects[name], item) for name, item in scene.objects.items())
    assert (back.relations, back.caption, back.source) == (scene.relations, scene.caption, scene.source)
    assert (back.stale, back.doubted) == (scene.stale, scene.doubted)
    assert same(back.stamp, scene.stamp) and same(back.described, scene.described)


TRUTHS = st.builds(
    TruthObject, TEXT, TEXT, TEXT, VECTORS, st.tuples(FINITE, FINITE, FINITE, FINITE), VECTORS, st.booleans()
)


@given(st.lists(TRUTHS, max_size=3, unique_by=lambda item: item.id), st.none() | TEXT.filter(bool), ARRAYS, STAMPS)
def test_world(objects: list[TruthObject], held: str | None, qpos: FloatArray, stamp: float) -> None:
    world = WorldState(stamp, "tabletop", 7, {item.id: item for item in objects}, held, qpos)
    back = convert_scene.world_from_msg(over_the_wire(convert_scene.world_to_msg(world)))
    assert back.objects == world.objects
    assert (back.world, back.seed, back.held) == ("tabletop", 7, held)
    assert same(back.qpos, qpos) and same(back.stamp, stamp)


CALLS = st.builds(SkillCall, skill=TEXT, arguments=st.dictionaries(TEXT, TEXT | FINITE, max_size=3))
WHO = st.sampled_from(["operator", "planner"])
BOXES = st.tuples(*(st.floats(0.01, 2.0) for _ in range(3)))
PLACES = st.tuples(FINITE, FINITE, FINITE)
CONSTRAINTS = (
    st.builds(
        Constraint,
        kind=st.just("avoid"),
        object=TEXT.filter(bool),
        distance=st.floats(0.0, 10.0),
        set_by=WHO,
        id=TEXT,
    )
    | st.builds(Constraint, kind=st.just("speed"), scale=st.floats(0.01, 1.0), set_by=WHO)
    | st.builds(Constraint, kind=st.just("keep_out"), centre=PLACES, size=BOXES, set_by=WHO)
    | st.builds(Constraint, kind=st.just("payload"), mass=st.floats(0.0, 5.0), set_by=WHO)
)
SAID = (
    st.builds(lambda steps: {"steps": tuple(steps)}, st.lists(CALLS, max_size=4))
    | st.builds(lambda text: {"question": text}, TEXT.filter(bool))
    | st.builds(lambda text: {"refusal": text}, TEXT.filter(bool))
)


@given(SAID, TEXT, st.lists(CONSTRAINTS, max_size=3), st.lists(TEXT, max_size=2))
def test_plan(said: dict[str, Any], thought: str, constraints: list[Constraint], doubts: list[str]) -> None:
    plan = Plan(thought=thought, constraints=tuple(constraints), doubts=tuple(doubts), **said)
    assert convert_scene.plan_from_msg(over_the_wire(convert_scene.plan_to_msg(plan, 1.5))) == plan


def test_an_empty_message_with_an_object_is_a_constraint() -> None:
    assert convert_scene.constraint_from_msg(
        ros.Constraint(kind="avoid", object="cup", set_by="operator")
    ) == Constraint(kind="avoid", object="cup", set_by="operator")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (ros.Constraint(kind="speed", scale=0.0, set_by="planner"), "scale"),
        (ros.Constraint(kind="speed", scale=float("nan"), set_by="planner"), "scale"),
        (ros.Constraint(kind="keep_out", set_by="planner"), "three extents"),
        (ros.Constraint(kind="payload", mass=-1.0, set_by="planner"), "mass"),
        (ros.Constraint(kind="avoid", set_by="planner"), "names an object"),
        (ros.Constraint(kind="avoid", object="cup"), "set_by"),
    ],
    ids=["no speed", "NaN", "no box", "negative mass", "no object", "nobody"],
)
def test_a_constraint_that_lacks_something_is_refused(wrong: ros.Constraint, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        convert_scene.constraint_from_msg(wrong)


def test_a_constraint_that_makes_no_sense_is_refused() -> None:
    message = convert_scene.constraint_to_msg(Constraint(kind="avoid", object="red_block"))
    message.kind = "ignore_everything"
    with pytest.raises(ValueError, match="kind"):
        convert_scene.constraint_from_msg(message)
