"""Images show what is there, where intrinsics and pose say it is."""

from collections.abc import Iterator

import numpy as np
import pytest
from sim_mover import Mover

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.profile import RobotProfile
from reins.sim import camera
from reins.sim.camera import CameraImage, Renderer, intrinsics
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.world import WorldSpec

BLOCKS = ("red_block", "green_block", "blue_block", "yellow_block")


@pytest.fixture(scope="module")
def renderer(profile: RobotProfile, tabletop: WorldSpec) -> Iterator[Renderer]:
    made = Renderer(profile, tabletop)
    yield made
    made.close()


def project(image: CameraImage, point: np.ndarray) -> tuple[int, int, float]:
    """Column, row and depth of a point of the base frame."""
    in_camera = np.linalg.inv(image.pose) @ np.append(point, 1.0)
    column, row, _ = image.intrinsics @ (in_camera[:3] / in_camera[2])
    return round(float(column)), round(float(row)), float(in_camera[2])


def point_at(image: CameraImage, column: int, row: int) -> np.ndarray:
    """Point of the base frame that a pixel shows."""
    ray = np.linalg.inv(image.intrinsics) @ [column, row, 1.0]
    return (image.pose @ np.append(ray * image.depth[row, column], 1.0))[:3]


def is_colour(pixel: np.ndarray, colour: str) -> bool:
    red, green, blue = pixel.astype(int)
    return {
        "red": red > 2 * max(green, blue),
        "green": green > 2 * max(red, blue),
        "blue": blue > 2 * max(red, green),
        "yellow": min(red, green) > 2 * blue,
    }[colour]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_blocks_are_where_projection_says(renderer: Renderer, robot: MujocoRobot, seed: int) -> None:
    robot.reset(seed)
    state = robot.world_state()
    image = renderer.render("overhead", state.qpos, state.stamp)
    for name in BLOCKS:
        item = state.find(name)
        top = np.add(item.position, [0.0, 0.0, item.size[2] / 2])
        column, row, depth = project(image, top)
        assert is_colour(image.rgb[row, column], item.colour), name
        assert image.depth[row, column] == pytest.approx(depth, abs=0.003)
        # A pixel covers about 3 mm; back-projection of the pixel's own centre lies within one of them.
        np.testing.assert_allclose(point_at(image, column, row), top, atol=0.003)


def test_the_centre_of_the_image_is_where_it_looks(renderer: Renderer, robot: MujocoRobot, tabletop: WorldSpec) -> None:
    image = renderer.render("overhead", robot.world_state().qpos, 0.0)
    spec = tabletop.camera("overhead")
    forward = np.subtract(spec.look_at, spec.position)
    np.testing.assert_allclose(image.pose[:3, 3], spec.position, atol=1e-6)
    np.testing.assert_allclose(image.pose[:3, 2], forward / np.linalg.norm(forward), atol=1e-6)
    np.testing.assert_allclose(image.pose[:3, :3] @ image.pose[:3, :3].T, np.eye(3), atol=1e-9)
    assert np.linalg.det(image.pose[:3, :3]) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(5))
def test_the_overhead_camera_sees_every_object_at_home(renderer: Renderer, robot: MujocoRobot, seed: int) -> None:
    robot.reset(seed)
    state = robot.world_state()
    image = renderer.render("overhead", state.qpos, 0.0)
    height, width = image.depth.shape
    for item in state.objects.values():
        for sx, sy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)):
            corner = np.add(item.position, [sx * item.size[0] / 2, sy * item.size[1] / 2, 0.0])
            column, row, depth = project(image, corner)
            assert 0 <= column < width and 0 <= row < height
            assert image.depth[row, column] > depth - 0.06  # nothing of the arm is in the way


def test_the_wrist_camera_moves_with_the_hand(renderer: Renderer, mover: Mover, robot: MujocoRobot) -> None:
    before = renderer.render("wrist", robot.world_state().qpos, 0.0)
    x, y, _ = robot.world_state().find("red_block").position
    mover.go([x, y, 0.2], 0.0, 1.0)
    state = robot.world_state()
    after = renderer.render("wrist", state.qpos, state.stamp)
    tool = mover.kinematics.tool_pose(robot.read().position).position
    assert np.linalg.norm(after.pose[:3, 3] - tool) < 0.12
    assert np.linalg.norm(after.pose[:3, 3] - before.pose[:3, 3]) > 0.1
    top = np.add(state.find("red_block").position, [0.0, 0.0, 0.02])
    column, row, _ = project(after, top)
    assert is_colour(after.rgb[row, column], "red")
    np.testing.assert_allclose(point_at(after, column, row), top, atol=0.003)
    assert after.stamp == state.stamp


def test_shapes_and_types(renderer: Renderer, robot: MujocoRobot, tabletop: WorldSpec) -> None:
    for spec in tabletop.cameras:
        image = renderer.render(spec.name, robot.world_state().qpos, 1.5)
        assert image.name == spec.name and image.stamp == 1.5
        assert image.rgb.shape == (spec.height, spec.width, 3) and image.rgb.dtype == np.uint8
        assert image.depth.shape == (spec.height, spec.width) and image.depth.dtype == np.float32
        assert np.isfinite(image.depth).all() and image.depth.min() > 0.0
        np.testing.assert_array_equal(image.intrinsics, intrinsics(spec))


def test_rendering_shows_the_given_state_and_nothing_else(renderer: Renderer, robot: MujocoRobot) -> None:
    robot.reset(0)
    first = robot.world_state().qpos
    robot.reset(1)
    second = robot.world_state().qpos
    once = renderer.render("overhead", first, 0.0)
    other = renderer.render("overhead", second, 0.0)
    again = renderer.render("overhead", first, 0.0)
    np.testing.assert_array_equal(once.rgb, again.rgb)
    assert (once.rgb != other.rgb).any()


def test_wrong_names_and_sizes_are_told(renderer: Renderer, robot: MujocoRobot) -> None:
    qpos = robot.world_state().qpos
    with pytest.raises(UnknownName, match="overhead, viewer, wrist"):
        renderer.render("overhaed", qpos, 0.0)
    with pytest.raises(ReinsError, match="qpos has 3 numbers"):
        renderer.render("overhead", qpos[:3], 0.0)


def test_without_libraries_it_says_what_to_install(
    profile: RobotProfile, tabletop: WorldSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(camera, "find_library", lambda name: None)
    with pytest.raises(ReinsError, match="libegl1 libegl-mesa0 libgl1-mesa-dri libopengl0, or libosmesa6"):
        Renderer(profile, tabletop)


def test_closing_twice(profile: RobotProfile, tabletop: WorldSpec, robot: MujocoRobot) -> None:
    made = Renderer(profile, tabletop)
    made.render("overhead", robot.world_state().qpos, 0.0)
    made.close()
    made.close()
