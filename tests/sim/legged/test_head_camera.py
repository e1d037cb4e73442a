"""The head's camera sees what stands in the yard, where it stands."""

from collections.abc import Iterator

import mujoco
import numpy as np
import pytest

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.camera.poses import mounts_of
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.quadruped_build import HEAD
from reins.locomotion.trot import Trot
from reins.sim.camera import OPENGL_TO_OPTICAL
from reins.sim.legged.ground import load_ground
from reins.sim.legged.head import HeadCamera
from reins.sim.legged.mjcf import build_walker

HEIGHT = 0.29


@pytest.fixture(scope="module")
def head(go2: QuadrupedProfile) -> Iterator[HeadCamera]:
    made = HeadCamera(go2, load_ground("yard"))
    yield made
    made.close()


def in_world(qpos: np.ndarray, point: np.ndarray) -> np.ndarray:
    """(3,) a point (4,) of the base frame, of a robot that stands level."""
    yaw = 2.0 * np.arctan2(qpos[6], qpos[3])
    cos, sin = np.cos(yaw), np.sin(yaw)
    return qpos[:3] + np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]]) @ point[:3]


def standing(go2: QuadrupedProfile, yaw: float) -> np.ndarray:
    turn = [np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)]
    return np.array([0.0, 0.0, HEIGHT, *turn, *Trot(go2, 1, 0.02).stance.ravel()])


def test_a_box_ahead_is_blue_and_as_far_away_as_it_is(head: HeadCamera, go2: QuadrupedProfile) -> None:
    image = head.render(HEAD, standing(go2, 0.0), 1.5)
    box = next(thing for thing in load_ground("yard").things if thing.colour == "blue")
    face = np.array([box.at[0] - box.size[0] / 2, 0.0, 0.25 - HEIGHT, 1.0])
    x, y, z = (np.linalg.inv(image.pose) @ face)[:3]
    column, row = (round(float(value)) for value in (image.intrinsics @ [x / z, y / z, 1.0])[:2])
    red, green, blue = image.rgb[row, column].astype(int)
    assert blue > red + 40 and blue > green + 40
    assert image.depth[row, column] == pytest.approx(z, abs=0.02)
    assert image.stamp == 1.5


def test_the_ground_in_front_is_at_height_zero(head: HeadCamera, go2: QuadrupedProfile) -> None:
    qpos = standing(go2, 0.9)
    image = head.render(HEAD, qpos, 0.0)
    row, column = go2.build.camera.height - 5, go2.build.camera.width // 2
    ray = np.linalg.inv(image.intrinsics) @ [column, row, 1.0]
    point = in_world(qpos, image.pose @ np.append(ray * image.depth[row, column], 1.0))
    assert point[2] == pytest.approx(0.0, abs=0.01)


def test_what_is_no_position_of_this_robot_is_refused(head: HeadCamera) -> None:
    with pytest.raises(ReinsError, match="19"):
        head.render(HEAD, np.zeros(7), 0.0)


def test_there_is_one_camera(head: HeadCamera, go2: QuadrupedProfile) -> None:
    assert list(head.names) == [HEAD]
    with pytest.raises(UnknownName, match=r"no camera 'tail'.*head"):
        head.render("tail", standing(go2, 0.0), 0.0)


def test_where_the_profile_says_that_it_is_the_model_has_it(go2: QuadrupedProfile) -> None:
    model = build_walker(go2, load_ground("flat"))
    data = mujoco.MjData(model)
    data.qpos[:] = standing(go2, 0.0)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_camlight(model, data)
    mounts = mounts_of(go2)
    assert mounts is not None
    pose, seen = mounts.at(HEAD, 0.0), data.camera(HEAD)
    assert pose is not None
    assert pose[:3, 3] + [0.0, 0.0, HEIGHT] == pytest.approx(seen.xpos)
    assert pose[:3, :3] == pytest.approx(seen.xmat.reshape(3, 3) @ OPENGL_TO_OPTICAL)
