"""What scripted skills say when they cannot: before they start, and on the way. Nothing is assumed to have worked."""

from dataclasses import replace

import numpy as np
import pytest
from closed_loop import Loop

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint
from reins.contracts.relations import relations_between
from reins.contracts.scene import Scene, SceneObject, Vector3, by_id
from reins.hardware.profile import load_profile
from reins.hardware.robot import RobotState
from reins.skills.controller import SkillController, Status
from reins.skills.scripted.factory import ScriptedFactory

PROFILE = load_profile("franka")
FACTORY = ScriptedFactory(PROFILE)
ZERO = np.zeros(len(PROFILE.joints))
EMPTY_HAND = RobotState(0.0, PROFILE.home, ZERO, ZERO, PROFILE.home, 0.08, False, 0)
FULL_HAND = replace(EMPTY_HAND, gripper_width=0.04, gripper_holding=True)
BLOCK, BOWL, PLATE = (0.04, 0.04, 0.04), (0.14, 0.14, 0.045), (0.15, 0.15, 0.012)


def thing(name: str, x: float, y: float, size: Vector3 = BLOCK, z: float | None = None) -> SceneObject:
    colour, label = name.split("_")[:2]
    height = size[2] / 2 if z is None else z
    return SceneObject(name, label, colour, (x, y, height), (0.0, 0.0, 0.0, 1.0), size, 1.0, 0.0)


def scene_of(*things: SceneObject, held: str | None = None) -> Scene:
    return Scene(0.0, "test", by_id(things), relations_between(things, held))


Arguments = dict[str, str | float]


def controller(
    scene: Scene, skill: str, arguments: Arguments, state: RobotState = EMPTY_HAND, avoid: tuple[str, ...] = ()
) -> SkillController:
    constraints = [Constraint(kind="avoid", object=name) for name in avoid]
    return FACTORY(skill, arguments, state, scene, constraints)


IN_HAND = thing("red_block", 0.31, 0.0, z=0.48)


@pytest.mark.parametrize(
    "scene, skill, arguments, reason",
    [
        (scene_of(thing("red_block", 0.9, 0.0)), "pick", {"object": "red_block"}, "red_block is out of reach"),
        (scene_of(thing("red_block", 0.9, 0.0)), "move_to", {"target": "red_block", "height": 0.1}, "out of reach"),
        (scene_of(thing("red_block", 0.5, 0.0, (0.1, 0.1, 0.04))), "pick", {"object": "red_block"}, "opens to 80 mm"),
        (
            scene_of(
                thing("red_block", 0.5, 0.0), thing("blue_bowl", 0.5, 0.1, BOWL), thing("green_bowl", 0.6, 0.0, BOWL)
            ),
            "pick",
            {"object": "red_block"},
            "no room for the fingers around red_block",
        ),
        (
            scene_of(thing("red_block", 0.5, 0.0), thing("green_block", 0.5, 0.1)),
            "push",
            {"object": "red_block", "direction": "left", "distance": 0.1},
            "green_block is in the way",
        ),
        (
            scene_of(thing("red_block", 0.5, 0.0), thing("green_block", 0.5, -0.05)),
            "push",
            {"object": "red_block", "direction": "left", "distance": 0.1},
            "green_block leaves no room",
        ),
        (
            scene_of(thing("red_block", 0.5, 0.45)),
            "push",
            {"object": "red_block", "direction": "left", "distance": 0.2},
            "outside the workspace",
        ),
        (scene_of(thing("blue_bowl", 0.5, 0.0, BOWL)), "place_in", {"container": "blue_bowl"}, "holds nothing"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_with_the_reason(
    scene: Scene, skill: str, arguments: Arguments, reason: str
) -> None:
    with pytest.raises(ReinsError, match=reason):
        controller(scene, skill, arguments)


def test_what_was_never_seen_cannot_be_placed() -> None:
    with pytest.raises(ReinsError, match="never seen"):
        controller(scene_of(thing("blue_bowl", 0.5, 0.0, BOWL)), "place_in", {"container": "blue_bowl"}, FULL_HAND)


def test_there_is_no_room_on_a_full_table() -> None:
    blocks = [thing(f"red_block_{i}_{j}", 0.2 + 0.06 * i, -0.5 + 0.06 * j) for i in range(9) for j in range(18)]
    scene = scene_of(IN_HAND, *blocks, held="red_block")
    with pytest.raises(ReinsError, match="no free place on the table"):
        controller(scene, "place_on", {"support": "table"}, FULL_HAND)


@pytest.mark.parametrize("skill, name, size", [("place_in", "blue_bowl", BOWL), ("place_on", "green_block", BLOCK)])
def test_there_is_no_room_where_it_is_full(skill: str, name: str, size: Vector3) -> None:
    inside = [thing("yellow_block", 0.5, 0.02, z=0.03), thing("green_block", 0.5, -0.02, z=0.03)]
    above = [thing("yellow_block", 0.5, 0.0, z=0.06)]
    scene = scene_of(
        IN_HAND, thing(name, 0.5, 0.0, size), *(inside if skill == "place_in" else above), held="red_block"
    )
    parameter = "container" if skill == "place_in" else "support"
    with pytest.raises(ReinsError, match=f"no room left (in|on) {name}: .*yellow_block"):
        controller(scene, skill, {parameter: name}, FULL_HAND)


def test_a_side_that_is_taken_is_refused_and_any_side_is_not() -> None:
    scene = scene_of(IN_HAND, thing("green_block", 0.5, 0.0), thing("yellow_block", 0.5, 0.07), held="red_block")
    with pytest.raises(ReinsError, match="no free place left of green_block"):
        controller(scene, "place_beside", {"object": "green_block", "side": "left_of"}, FULL_HAND)
    controller(scene, "place_beside", {"object": "green_block", "side": "beside"}, FULL_HAND)


def test_an_object_to_avoid_keeps_the_hand_farther_away() -> None:
    near = scene_of(thing("red_block", 0.5, 0.0), thing("yellow_block", 0.5, -0.072), thing("green_block", 0.57, 0.0))
    controller(near, "pick", {"object": "red_block"})
    with pytest.raises(ReinsError, match="no room"):
        controller(near, "pick", {"object": "red_block"}, avoid=("yellow_block", "green_block"))


def test_an_unknown_skill_lists_those_that_exist() -> None:
    with pytest.raises(ReinsError, match=r"no scripted skill 'pik'; did you mean 'pick'\?"):
        controller(scene_of(), "pik", {})


def test_it_notices_that_the_gripper_closed_on_nothing() -> None:
    loop = Loop(seed=1)
    loop.start("pick", object="red_block")
    loop.robot.data.joint("red_block").qpos[2] = -1.0  # gone, and nobody looks again
    seen, output = loop.scene, loop.tick()
    while output.status is Status.RUNNING:
        loop.scene = replace(seen, stamp=loop.robot.read().stamp)
        output = loop.tick()
    assert output.reason == "the gripper closed on nothing"
    assert loop.kinematics.tool_pose(loop.robot.read().position).position[2] > 0.12, "it retreats before it gives up"


def test_it_notices_that_the_object_is_gone() -> None:
    loop = Loop(seed=1)
    loop.start("pick", object="red_block")
    output = loop.tick()
    rest = {name: item for name, item in loop.scene.objects.items() if name != "red_block"}
    while output.status is Status.RUNNING:
        loop.scene = Scene(loop.robot.read().stamp, "test", rest)
        output = loop.tick()
    assert output.reason == "red_block is no longer where it was seen"


def test_it_notices_that_the_object_slipped_out() -> None:
    loop = Loop(seed=1)
    loop.run("pick", object="red_block")
    loop.start("place_in", container="blue_bowl")
    output = loop.tick()
    while output.status is Status.RUNNING:
        if output.phase == "carry" and output.progress > 0.2:
            loop.robot.data.joint("red_block").qpos[2] = 0.02
        output = loop.tick()
    assert output.reason == "red_block slipped out of the gripper"


def test_it_notices_that_the_arm_is_held_up() -> None:
    loop = Loop(seed=1)
    loop.start("move_to", target="red_block")
    stuck = loop.robot.read().position
    output, stamp = loop.tick(), 0.0
    while output.status is Status.RUNNING and stamp < 10.0:
        stamp += 0.01
        still = replace(loop.robot.read(), stamp=stamp, position=stuck, velocity=np.zeros(len(stuck)))
        _, output = loop.runner.step(still, loop.scene)
    assert output.status is Status.FAILED
    assert "held up" in output.reason
