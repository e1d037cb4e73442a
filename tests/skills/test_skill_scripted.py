"""The scripted skills, closed loop in MuJoCo with the true scene: they do what they say, within the limits."""

from collections.abc import Callable

import numpy as np
import pytest
from closed_loop import Loop

from reins.contracts.errors import ReinsError
from reins.contracts.facts import displacement
from reins.contracts.plan import Constraint
from reins.contracts.relations import holds
from reins.contracts.scene import Scene
from reins.skills.controller import ControlOutput, Status

SEEDS = range(20)


def related(scene: Scene, subject: str, predicate: str, other: str) -> bool:
    return any((r.subject, r.predicate, r.object) == (subject, predicate, other) for r in scene.relations)


def succeeded(output: ControlOutput) -> bool:
    assert output.reason or output.status is Status.SUCCEEDED, "a failure says why"
    return output.status is Status.SUCCEEDED


def assert_within_limits(loop: Loop) -> None:
    """What was commanded, unfiltered, is inside the profile's limits with room, and so is where the robot went."""
    profile = loop.profile
    velocity = np.array([command.velocity for command in loop.commands])
    period = 1.0 / profile.rates.command
    assert np.all(np.abs(velocity) <= 0.8 * profile.velocity)
    assert np.all(np.abs(np.diff(velocity, axis=0, prepend=0.0)) <= 0.8 * profile.acceleration * period)
    for state, command in zip(loop.states, loop.commands, strict=True):
        tool, jacobian = loop.kinematics.tool_jacobian(state.position)
        assert np.linalg.norm(jacobian[:3] @ command.velocity) <= 0.6 * profile.workspace.tool_speed
        assert np.all(tool.position >= profile.workspace.lower) and np.all(tool.position <= profile.workspace.upper)


def move_to(loop: Loop) -> bool:
    done = succeeded(loop.run("move_to", target="red_block", height=0.08))
    tool = loop.kinematics.tool_pose(loop.robot.read().position).position
    block = loop.scene.find("red_block")
    return done and bool(np.linalg.norm(tool - [*block.position[:2], block.top + 0.08]) < 0.006)


def pick(loop: Loop) -> bool:
    return succeeded(loop.run("pick", object="red_block")) and loop.scene.held() == "red_block"


def place_in(loop: Loop) -> bool:
    return (
        pick(loop)
        and succeeded(loop.run("place_in", container="blue_bowl"))
        and related(loop.scene, "red_block", "in", "blue_bowl")
    )


def place_on_plate(loop: Loop) -> bool:
    return (
        pick(loop)
        and succeeded(loop.run("place_on", support="white_plate"))
        and related(loop.scene, "red_block", "on", "white_plate")
    )


def place_on_block(loop: Loop) -> bool:
    return (
        pick(loop)
        and succeeded(loop.run("place_on", support="green_block"))
        and related(loop.scene, "red_block", "on", "green_block")
    )


def place_on_table(loop: Loop) -> bool:
    return (
        pick(loop)
        and succeeded(loop.run("place_on", support="table"))
        and related(loop.scene, "red_block", "on", "table")
    )


def place_beside(loop: Loop) -> bool:
    return (
        pick(loop)
        and succeeded(loop.run("place_beside", object="green_block"))
        and related(loop.scene, "red_block", "beside", "green_block")
        and related(loop.scene, "red_block", "on", "table")
    )


def push(loop: Loop) -> bool:
    """Push where there is room; at least one of the four ways is free for a block that stands alone."""
    before = loop.scene.find("red_block")
    for direction in ("left", "right", "forward", "back"):
        try:
            output = loop.run("push", object="red_block", direction=direction, distance=0.08)
        except ReinsError:
            continue  # it is in a test of its own that refusals say why
        return succeeded(output) and 0.05 <= displacement(before, loop.scene.find("red_block"), direction) <= 0.11
    pytest.skip("no free way in this world")


def home(loop: Loop) -> bool:
    loop.run("move_to", target="red_block")
    done = succeeded(loop.run("home"))
    return done and bool(np.max(np.abs(loop.robot.read().position - loop.profile.home)) < 0.02)


def grippers(loop: Loop) -> bool:
    closed = succeeded(loop.run("close_gripper")) and loop.robot.read().gripper_width < 0.005
    opened = succeeded(loop.run("open_gripper")) and loop.robot.read().gripper_width > 0.075
    return closed and opened


SKILLS: dict[str, Callable[[Loop], bool]] = {
    task.__name__: task
    for task in (
        move_to, pick, place_in, place_on_plate, place_on_block, place_on_table, place_beside, push, home, grippers,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", SKILLS)
def test_each_skill_does_what_it_says(name: str) -> None:
    loop = Loop(seed=1)
    assert SKILLS[name](loop)
    assert_within_limits(loop)
    assert not loop.robot.world_state().objects["yellow_block"].touched


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", SKILLS)
def test_each_skill_succeeds_in_97_of_100_worlds(name: str) -> None:
    outcomes = []
    for seed in SEEDS:
        loop = Loop(seed=seed)
        try:
            outcomes.append(SKILLS[name](loop))
        except pytest.skip.Exception:
            continue
        assert_within_limits(loop)
        assert not loop.robot.world_state().objects["yellow_block"].touched, f"seed {seed}"
    assert sum(outcomes) >= 0.97 * len(outcomes), outcomes


@pytest.mark.slow
@pytest.mark.parametrize("side", ["left_of", "right_of", "in_front_of", "behind"])
def test_beside_on_the_side_that_was_asked_for(side: str) -> None:
    loop = Loop(seed=2)  # there all four sides of the green block are free and within reach
    assert pick(loop)
    assert succeeded(loop.run("place_beside", object="green_block", side=side))
    red, green = (loop.scene.find(name) for name in ("red_block", "green_block"))
    assert holds("beside", red, green) and holds(side, red, green)


@pytest.mark.slow
def test_two_blocks_fit_into_a_bowl_and_come_out_again() -> None:
    loop = Loop(seed=2)
    for block in ("red_block", "green_block"):
        assert succeeded(loop.run("pick", object=block))
        assert succeeded(loop.run("place_in", container="blue_bowl"))
    assert loop.scene.related("in", "blue_bowl") == ["green_block", "red_block"]
    assert succeeded(loop.run("pick", object="green_block"))
    assert succeeded(loop.run("place_on", support="table"))


@pytest.mark.slow
def test_four_blocks_fit_onto_a_plate() -> None:
    loop = Loop(seed=2)
    for block in ("red_block", "green_block", "blue_block", "yellow_block"):
        assert succeeded(loop.run("pick", object=block))
        assert succeeded(loop.run("place_on", support="white_plate"))
    assert len(loop.scene.related("on", "white_plate")) == 4


def test_care_makes_it_slower_everywhere() -> None:
    def fastest(constraints: tuple[Constraint, ...]) -> tuple[float, float]:
        loop = Loop(seed=1)
        assert succeeded(loop.run("move_to", constraints, target="red_block"))
        speeds = [
            np.linalg.norm(loop.kinematics.tool_jacobian(state.position)[1][:3] @ command.velocity)
            for state, command in zip(loop.states, loop.commands, strict=True)
        ]
        return float(max(speeds)), loop.robot.read().stamp

    speed, duration = fastest(())
    careful, longer = fastest((Constraint(kind="speed", scale=0.5),))
    assert careful <= 0.55 * speed
    assert longer > 1.5 * duration


def test_an_object_that_moves_before_it_is_reached_is_followed() -> None:
    loop = Loop(seed=1)
    loop.start("pick", object="red_block")
    joint = loop.robot.data.joint("red_block")
    moved = False
    output = loop.tick()
    while output.status is Status.RUNNING:
        if output.phase == "approach" and output.progress > 0.25 and not moved:
            joint.qpos[0] += 0.03
            moved = True
        output = loop.tick()
    loop.rest()
    assert moved and succeeded(output) and loop.scene.held() == "red_block"
