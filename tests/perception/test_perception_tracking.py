"""Objects over time: stable names, hidden things, held things, things that are really gone."""

from collections.abc import Iterator

import numpy as np
import pytest
from conftest import Stage

from reins.contracts.scene import Relation
from reins.hardware.profile import RobotProfile
from reins.perception.geometric import GeometricPerception, GeometricSettings
from reins.perception.tracker import TrackerSettings
from reins.sim.world import WorldSpec, load_world


@pytest.fixture(scope="module")
def twins_stage(profile: RobotProfile) -> Iterator[Stage]:
    """A world with two red blocks."""
    world = load_world("blocks").model_dump()
    world["objects"][0]["count"] = 2
    stage = Stage(profile, WorldSpec.model_validate(world))
    yield stage
    stage.renderer.close()


def test_hidden_object_stays_as_it_was(stage: Stage, perception: GeometricPerception) -> None:
    before = stage.look(perception, "overhead").find("red_block")
    x, y, _ = before.position
    stage.arm(x, y, 0.14)
    scene = stage.look(perception, "overhead", times=10)
    assert scene.related("occluded", "cameras") == []
    scene = stage.look(perception, "overhead", times=2)
    assert scene.related("occluded", "cameras") == ["red_block"] and "red block is out of sight" in scene.caption
    after = scene.find("red_block")
    assert after.last_seen == before.last_seen < scene.stamp
    assert after.position == before.position
    assert set(scene.objects) == set(stage.robot.world.by_id)


@pytest.mark.parametrize("offset", [-0.06, -0.03, 0.0, 0.03, 0.06])
def test_partly_hidden_object_keeps_its_place(stage: Stage, perception: GeometricPerception, offset: float) -> None:
    stage.look(perception)
    x, y, _ = stage.truth("green_block").position
    for height in (0.3, 0.12, 0.06):
        for side in (-0.04, 0.0, 0.04):
            stage.arm(x + offset, y + side, height)
            scene = stage.look(perception)
            assert set(scene.objects) == set(stage.robot.world.by_id)
            for name in scene.objects:
                assert stage.error(scene, name) < 0.008


def test_gone_only_when_its_place_is_seen_empty(stage: Stage, profile: RobotProfile) -> None:
    perception = GeometricPerception(profile, GeometricSettings(TrackerSettings(drop_after=4)))
    x, y, _ = stage.look(perception, "overhead").find("red_block").position
    stage.arm(x, y, 0.14)
    stage.away("red_block")
    assert "red_block" in stage.look(perception, "overhead", times=10).objects
    stage.home()
    assert "red_block" in stage.look(perception, "overhead", times=3).objects
    assert "red_block" not in stage.look(perception, "overhead").objects


@pytest.mark.parametrize("name", ["blue_bowl", "white_plate"])
def test_dish_taken_away(stage: Stage, perception: GeometricPerception, name: str) -> None:
    assert name in stage.look(perception).objects
    stage.away(name)
    assert name not in stage.look(perception, times=5).objects


def test_needs_more_than_a_glance(stage: Stage, profile: RobotProfile) -> None:
    settings = GeometricSettings(TrackerSettings(appear_at_start=1, appear_after=3))
    perception = GeometricPerception(profile, settings)
    x, y, z = stage.truth("red_block").position
    stage.away("red_block")
    assert "red_block" not in stage.look(perception).objects
    stage.put("red_block", x, y, z)
    assert "red_block" not in stage.look(perception, times=2).objects
    stage.away("red_block")
    stage.look(perception)
    stage.put("red_block", x, y, z)
    assert "red_block" not in stage.look(perception, times=2).objects
    assert "red_block" in stage.look(perception).objects


def test_names_stay_while_things_move(stage: Stage, perception: GeometricPerception) -> None:
    stage.look(perception)
    start = stage.truth("yellow_block").position
    for step in range(12):
        stage.put("yellow_block", start[0] - 0.01 * step, start[1] + 0.025 * step, 0.02, 0.1 * step)
        scene = stage.look(perception)
        assert set(scene.objects) == set(stage.robot.world.by_id)
        assert stage.error(scene, "yellow_block") < 0.006


def test_thing_that_moved_unseen_keeps_its_name(stage: Stage, perception: GeometricPerception) -> None:
    stage.look(perception)
    stage.put("red_block", 0.60, 0.28, 0.02)
    scene = stage.look(perception)
    assert set(scene.objects) == set(stage.robot.world.by_id)
    assert stage.error(scene, "red_block") < 0.005


def test_thing_that_moved_unseen_to_where_it_is_partly_hidden(stage: Stage, perception: GeometricPerception) -> None:
    stage.look(perception)
    stage.put("red_block", 0.40, 0.0, 0.02)
    stage.put("green_block", 0.40, 0.022, 0.06)
    scene = stage.look(perception, "overhead", times=12)
    assert set(scene.objects) == set(stage.robot.world.by_id)
    assert stage.error(scene, "red_block") < 0.025


@pytest.mark.parametrize("degrees", [35, 45, 55])
def test_thing_that_fell_on_an_edge_keeps_its_name(
    stage: Stage, perception: GeometricPerception, degrees: float
) -> None:
    """It leans on the rim from outside: no level top."""
    stage.look(perception)
    x, y, _ = stage.truth("blue_bowl").position
    stage.tilt("red_block", x - 0.085, y, 0.035, np.radians(-degrees))
    scene = stage.look(perception, times=12)
    assert set(scene.objects) == set(stage.robot.world.by_id)
    assert stage.error(scene, "red_block") < 0.02


def test_twins_keep_their_names(twins_stage: Stage, perception: GeometricPerception) -> None:
    stage = twins_stage
    stage.reset(3)
    stage.away("green_block", "blue_block", "yellow_block")
    stage.put("red_block", 0.45, 0.10, 0.02)
    stage.put("red_block_2", 0.45, -0.10, 0.02)
    scene = stage.look(perception)
    assert set(scene.objects) == {"red_block", "red_block_2"}
    for step in range(13):  # the two pass each other
        stage.put("red_block", 0.45, 0.10 - 0.02 * step, 0.02)
        stage.put("red_block_2", 0.53, -0.10 + 0.02 * step, 0.02)
        scene = stage.look(perception)
        assert max(stage.error(scene, name) for name in ("red_block", "red_block_2")) < 0.005
    assert set(scene.objects) == {"red_block", "red_block_2"}


def test_twins_that_touch_stay_two(twins_stage: Stage, perception: GeometricPerception) -> None:
    stage = twins_stage
    stage.reset(3)
    stage.put("red_block", 0.45, 0.10, 0.02)
    stage.put("red_block_2", 0.45, 0.01, 0.02)
    stage.look(perception)
    for gap in (0.05, 0.042, 0.040):
        stage.put("red_block_2", 0.45, 0.10 - gap, 0.02)
        scene = stage.look(perception)
    scene = stage.look(perception, times=6)
    for name in ("red_block", "red_block_2"):
        assert stage.error(scene, name) < 0.006
        assert np.allclose(scene.find(name).size, 0.04, atol=0.004)
    stage.put("red_block_2", 0.45, -0.05, 0.02)
    scene = stage.look(perception)
    assert {name for name in scene.objects if "red" in name} == {"red_block", "red_block_2"}


def test_twin_carried_across_the_other(twins_stage: Stage, perception: GeometricPerception) -> None:
    """In the image one hides part of the other, and both are one patch of red."""
    stage = twins_stage
    stage.reset(3)
    stage.away("green_block", "blue_block", "yellow_block")
    stage.put("red_block", 0.55, 0.0, 0.02)
    stage.put("red_block_2", 0.55, -0.20, 0.02)
    stage.look(perception)
    for y in np.arange(-0.08, 0.08, 0.01):
        stage.arm(0.40, 0.2, 0.4)
        stage.put("red_block_2", 0.545, y, 0.20)  # as if on a string: the hand would hide both
        scene = stage.look(perception, "overhead")
        assert set(scene.objects) == {"red_block", "red_block_2"}
        resting = min(scene.objects.values(), key=lambda item: item.position[2])
        assert np.linalg.norm(np.subtract(resting.position, stage.truth("red_block").position)) < 0.006


def test_stacked_twins_are_both_remembered(twins_stage: Stage, perception: GeometricPerception) -> None:
    stage = twins_stage
    stage.reset(3)
    stage.put("red_block", 0.45, 0.10, 0.02)
    stage.put("red_block_2", 0.45, -0.10, 0.02)
    stage.look(perception)
    for height in (0.1, 0.2):
        stage.carry("red_block_2", 0.45, -0.10, height)
        stage.look(perception)
    stage.carry("red_block_2", 0.45, 0.10, 0.2)
    stage.look(perception)
    stage.carry("red_block_2", 0.45, 0.10, 0.06)
    stage.look(perception)
    stage.holding = False
    stage.home()
    scene = stage.look(perception, times=12)
    assert scene.related("on", "red_block") == ["red_block_2"]
    assert max(stage.error(scene, name) for name in ("red_block", "red_block_2")) < 0.006


class TestHeld:
    """The gripper closes on the red block and carries it."""

    @pytest.fixture(autouse=True)
    def _grasped(self, stage: Stage, perception: GeometricPerception) -> None:
        stage.look(perception)
        x, y, _ = stage.truth("red_block").position
        stage.carry("red_block", x, y, 0.02)
        stage.look(perception)

    def test_is_told(self, stage: Stage, perception: GeometricPerception) -> None:
        scene = perception.scene
        assert scene.held() == "red_block"
        assert Relation("red_block", "on", "table") not in scene.relations
        assert "The gripper holds the red block." in scene.caption

    def test_moves_with_the_tool(self, stage: Stage, perception: GeometricPerception) -> None:
        for step in range(10):
            stage.carry("red_block", 0.5 - 0.01 * step, 0.02 * step, 0.05 + 0.03 * step)
            scene = stage.look(perception)
            assert scene.held() == "red_block"
            assert stage.error(scene, "red_block") < 0.008

    def test_moves_with_the_tool_unseen(self, stage: Stage, perception: GeometricPerception) -> None:
        seen = perception.scene.find("red_block").last_seen
        stage.carry("red_block", 0.42, -0.2, 0.3)
        scene = perception.update([], stage.state())
        assert stage.error(scene, "red_block") < 0.008
        assert scene.find("red_block").last_seen == seen

    def test_is_let_go(self, stage: Stage, perception: GeometricPerception) -> None:
        stage.carry("red_block", 0.5, 0.28, 0.1)
        stage.look(perception)
        stage.holding = False
        stage.put("red_block", 0.5, 0.28, 0.02)
        stage.arm(0.5, 0.28, 0.15, width=0.08)
        scene = stage.look(perception, times=2)
        assert scene.held() is None
        stage.home()
        scene = stage.look(perception, times=2)
        assert set(scene.objects) == set(stage.robot.world.by_id)
        assert stage.error(scene, "red_block") < 0.005

    def test_slips_and_falls_elsewhere(self, stage: Stage, perception: GeometricPerception) -> None:
        stage.carry("red_block", 0.5, 0.25, 0.3)
        stage.look(perception)
        stage.holding = False
        stage.put("red_block", 0.38, 0.28, 0.02, 0.4)
        scene = stage.look(perception, times=3)
        assert scene.held() is None
        assert set(scene.objects) == set(stage.robot.world.by_id)
        assert stage.error(scene, "red_block") < 0.006

    def test_something_else_was_closed_on(self, stage: Stage, perception: GeometricPerception) -> None:
        """The gripper says that it holds, but the cameras see the block elsewhere."""
        stage.arm(0.45, 0.25, 0.25, width=0.04)
        stage.put("red_block", 0.55, -0.25, 0.02)
        scene = stage.look(perception, times=3)
        assert scene.held() is None
        assert stage.error(scene, "red_block") < 0.006


class TestHeldTwin:
    """Of two red blocks one is held; the other comes into view."""

    @pytest.fixture
    def carried(self, twins_stage: Stage, perception: GeometricPerception) -> Stage:
        stage = twins_stage
        stage.reset(3)
        stage.away("green_block", "blue_block", "yellow_block", "red_block_2")
        stage.put("red_block", 0.5, 0.2, 0.02)
        stage.look(perception)
        stage.carry("red_block", 0.5, 0.2, 0.02)
        stage.look(perception)
        stage.carry("red_block", 0.4, 0.2, 0.35)
        assert stage.look(perception, "overhead").held() == "red_block"
        return stage

    def test_is_another_one(self, carried: Stage, perception: GeometricPerception) -> None:
        carried.put("red_block_2", 0.55, -0.25, 0.02)
        scene = carried.look(perception, "overhead", times=4)
        assert scene.held() == "red_block"
        assert carried.error(scene, "red_block") < 0.01 and carried.error(scene, "red_block_2") < 0.006

    def test_where_the_fingers_closed_it_is_the_one_that_they_left_there(
        self, carried: Stage, perception: GeometricPerception
    ) -> None:
        carried.away("red_block")
        carried.put("red_block_2", 0.51, 0.21, 0.02)
        scene = carried.look(perception, "overhead", times=4)
        assert scene.held() is None
        assert np.linalg.norm(np.subtract(scene.find("red_block").position, (0.51, 0.21, 0.02))) < 0.006


class TestMomentOfGrasp:
    """Images come at 2 Hz and less, states at 100 Hz: the hand has moved on when the next image is taken."""

    def lift(self, stage: Stage, perception: GeometricPerception, told: bool) -> None:
        stage.look(perception)
        x, y, _ = stage.truth("red_block").position
        stage.arm(x, y, 0.02, width=0.04)
        perception.on_state(stage.state())
        stage.stamp += 0.01
        for height in np.arange(0.02, 0.05, 0.002):
            stage.carry("red_block", x, y, height)
            if told:
                perception.on_state(stage.state())
            stage.stamp += 0.01

    @pytest.mark.parametrize("told, limit", [(True, 0.002), (False, 0.006)])
    def test_lifted_before_the_next_image(
        self, stage: Stage, perception: GeometricPerception, told: bool, limit: float
    ) -> None:
        self.lift(stage, perception, told)
        scene = stage.look(perception)
        assert scene.held() == "red_block"
        assert stage.error(stage.look(perception), "red_block") < limit

    def test_set_down_before_the_next_image(self, stage: Stage, perception: GeometricPerception) -> None:
        self.lift(stage, perception, told=True)
        stage.look(perception)
        for height in np.arange(0.05, 0.02, -0.002):
            stage.carry("red_block", 0.5, 0.28, height)
            perception.on_state(stage.state())
            stage.stamp += 0.01
        stage.holding = False
        perception.on_state(stage.state())
        stage.stamp += 0.01
        scene = perception.update([], stage.state())
        assert scene.held() is None
        assert stage.error(scene, "red_block") < 0.005


@pytest.mark.parametrize("height", [0.3, 0.2, 0.12, 0.09, 0.07, 0.055])
def test_block_over_a_bowl_of_its_colour(stage: Stage, perception: GeometricPerception, height: float) -> None:
    """Both are one patch of blue in the image."""
    stage.look(perception)
    x, y, _ = stage.truth("blue_block").position
    stage.carry("blue_block", x, y, 0.02)
    stage.look(perception)
    x, y, _ = stage.truth("blue_bowl").position
    for dx, dy in ((0.0, 0.0), (-0.07, 0.0), (0.05, 0.05), (0.03, -0.06)):
        stage.carry("blue_block", x + dx, y + dy, height)
        scene = stage.look(perception)
        assert set(scene.objects) == set(stage.robot.world.by_id)
        assert scene.held() == "blue_block"
        assert max(stage.error(scene, name) for name in scene.objects) < 0.008


def test_foot_of_a_stack_seen_from_the_side(stage: Stage, perception: GeometricPerception) -> None:
    stage.look(perception)
    x, y = 0.52, 0.25
    stage.put("yellow_block", x, y, 0.02)
    stage.look(perception, times=3)
    for turn in (0.0, 0.4):
        stage.put("green_block", x, y, 0.06, turn)
        for dx in (-0.16, -0.12, -0.08):
            stage.arm(x + dx, y + 0.02, 0.16)
            scene = stage.look(perception, times=3)
            assert set(scene.objects) == set(stage.robot.world.by_id)
            assert stage.error(scene, "yellow_block") < 0.006


def test_nothing_is_held_where_nothing_is(stage: Stage, perception: GeometricPerception) -> None:
    stage.look(perception)
    stage.arm(0.45, 0.0, 0.4, width=0.04)
    stage.holding = True
    assert stage.look(perception).held() is None


def test_reads_an_image_with_the_arm_where_it_was_then(stage: Stage, perception: GeometricPerception) -> None:
    """Images come late: the body is where the state of their time has it, not the newest."""
    stage.arm(0.45, 0.1, 0.1)
    early, images = stage.state(), stage.images()
    stage.stamp += 0.2
    stage.arm(0.55, -0.2, 0.3)
    perception.on_state(early)
    scene = perception.update(images, stage.state())
    assert set(scene.objects) <= set(stage.robot.world.by_id)
    assert max(stage.error(scene, name) for name in scene.objects) < 0.006
    assert np.isclose(scene.stamp, early.stamp)
