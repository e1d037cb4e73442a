"""Scenes from rendered images against the simulator's truth."""

import numpy as np
import pytest
from conftest import Stage

from reins.contracts.scene import Relation, Scene
from reins.hardware.profile import RobotProfile
from reins.perception.geometric import GeometricPerception

SEEDS = range(20, 32)
MANY_SEEDS = range(1000, 1100)


def errors(stage: Stage, scene: Scene) -> dict[str, float]:
    """Distance from the truth of every object [m]; everything must have been found, and nothing else."""
    truth = stage.robot.world_state().objects
    assert set(scene.objects) == set(truth)
    for name, item in truth.items():
        assert (scene.objects[name].label, scene.objects[name].colour) == (item.label, item.colour)
    return {name: stage.error(scene, name) for name in truth}


def fresh_look(stage: Stage, profile: RobotProfile, *cameras: str) -> Scene:
    return stage.look(GeometricPerception(profile), *cameras)


@pytest.mark.parametrize("seed", SEEDS)
def test_finds_every_object_from_one_look(tabletop_stage: Stage, profile: RobotProfile, seed: int) -> None:
    tabletop_stage.reset(seed)
    scene = fresh_look(tabletop_stage, profile)
    assert max(errors(tabletop_stage, scene).values()) < 0.005
    for name, item in tabletop_stage.robot.world_state().objects.items():
        assert np.allclose(scene.objects[name].size, item.size, atol=0.004)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_camera_is_enough(tableware_stage: Stage, profile: RobotProfile, seed: int) -> None:
    tableware_stage.reset(seed)
    assert max(errors(tableware_stage, fresh_look(tableware_stage, profile, "overhead")).values()) < 0.005


@pytest.mark.slow
def test_accuracy_over_many_scenes(tabletop_stage: Stage, profile: RobotProfile) -> None:
    every: list[float] = []
    for seed in MANY_SEEDS:
        tabletop_stage.reset(seed)
        every += errors(tabletop_stage, fresh_look(tabletop_stage, profile)).values()
    assert np.median(every) < 0.001
    assert np.percentile(every, 95) < 0.003
    assert max(every) < 0.010


def test_yaw_of_a_block(stage: Stage, profile: RobotProfile) -> None:
    for yaw in np.radians([-40, -20, -5, 0, 10, 30, 44]):
        stage.put("red_block", 0.5, 0.25, 0.02, yaw)
        x, y, z, w = fresh_look(stage, profile, "overhead").find("red_block").orientation
        assert (x, y) == (0.0, 0.0)
        off = (2 * np.arctan2(z, w) - yaw + np.pi / 4) % (np.pi / 2) - np.pi / 4
        assert abs(np.degrees(off)) < 4.0


@pytest.mark.parametrize("block, dish, predicate", [
    ("red_block", "blue_bowl", "in"),
    ("blue_block", "blue_bowl", "in"),
    ("green_block", "white_plate", "on"),
])  # fmt: skip
def test_block_in_a_dish(stage: Stage, profile: RobotProfile, block: str, dish: str, predicate: str) -> None:
    for seed in range(4):
        stage.reset(seed)
        x, y, _ = stage.truth(dish).position
        for dx, dy in ((0.0, 0.0), (0.015, 0.0), (-0.01, 0.012)):
            stage.put(block, x + dx, y + dy, 0.026, 0.3)
            scene = fresh_look(stage, profile)
            assert max(errors(stage, scene).values()) < 0.006
            assert Relation(block, predicate, dish) in scene.relations
            assert Relation(block, "on", "table") not in scene.relations


@pytest.mark.parametrize("block", ["red_block", "blue_block"])
def test_block_that_leans_on_the_rim(stage: Stage, profile: RobotProfile, block: str) -> None:
    x, y, _ = stage.truth("blue_bowl").position
    for degrees in (5, 15, 30):
        stage.tilt(block, x + 0.02, y, 0.034, np.radians(-degrees))
        scene = fresh_look(stage, profile)
        assert max(errors(stage, scene).values()) < 0.008
        assert scene.related("in", "blue_bowl") == [block]


def test_blocks_of_two_colours_in_one_bowl(stage: Stage, profile: RobotProfile) -> None:
    x, y, _ = stage.truth("blue_bowl").position
    stage.put("red_block", x, y - 0.021, 0.028)
    stage.put("yellow_block", x, y + 0.021, 0.028)
    scene = fresh_look(stage, profile)
    assert max(errors(stage, scene).values()) < 0.006
    assert scene.related("in", "blue_bowl") == ["red_block", "yellow_block"]


def test_stack_of_known_blocks(stage: Stage, perception: GeometricPerception) -> None:
    stage.look(perception)
    x, y, _ = stage.truth("blue_block").position
    stage.put("green_block", x + 0.004, y, 0.06, 0.2)
    scene = stage.look(perception, times=12)
    assert max(errors(stage, scene).values()) < 0.005
    assert scene.related("on", "blue_block") == ["green_block"]
    stage.put("red_block", x, y + 0.003, 0.10)
    scene = stage.look(perception, times=12)
    assert max(errors(stage, scene).values()) < 0.005
    assert scene.related("on", "green_block") == ["red_block"]


def test_size_of_a_block_on_something_hidden(stage: Stage, profile: RobotProfile) -> None:
    x, y, _ = stage.truth("blue_block").position
    stage.put("green_block", x, y, 0.06)
    scene = fresh_look(stage, profile, "overhead")
    assert stage.error(scene, "green_block") < 0.006


def test_absent_things_are_not_invented(stage: Stage, perception: GeometricPerception) -> None:
    stage.away("red_block", "white_plate")
    for x, y in zip(np.linspace(0.36, 0.60, 12), np.linspace(-0.25, 0.25, 12), strict=True):  # the arm passes over all
        stage.arm(x, y, 0.15)
        scene = stage.look(perception)
        assert set(scene.objects) <= {"green_block", "blue_block", "yellow_block", "blue_bowl"}
    assert stage.look(perception).stamp == pytest.approx(1.2)


def test_empty_table(stage: Stage, perception: GeometricPerception) -> None:
    stage.away(*stage.robot.world.by_id)
    scene = stage.look(perception, times=3)
    assert not scene.objects and not scene.relations
    assert scene.caption == "The table is empty."


def test_robot_is_no_object(stage: Stage, profile: RobotProfile) -> None:
    stage.away(*stage.robot.world.by_id)
    for x in np.linspace(0.35, 0.65, 4):
        for z in (0.02, 0.2):
            for yaw in (0.0, 0.7):
                stage.arm(x, 0.1, z, yaw)
                assert not fresh_look(stage, profile).objects


def test_depth_noise_and_holes(stage: Stage, perception: GeometricPerception) -> None:
    generator = np.random.default_rng(1)
    for _ in range(4):
        images = stage.images()
        for image in images:
            image.depth[:] += generator.normal(0.0, 0.002, image.depth.shape)
            image.depth[generator.random(image.depth.shape) < 0.02] = np.nan
        scene = perception.update(images, stage.state())
        stage.stamp += 0.1
    assert max(errors(stage, scene).values()) < 0.008
    assert not perception.diagnostics
