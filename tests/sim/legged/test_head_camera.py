"""The head's camera sees what stands in the yard, where it stands."""

from collections.abc import Iterator

import numpy as np
import pytest

from reins.contracts.errors import ReinsError
from reins.hardware.quadruped import QuadrupedProfile
from reins.locomotion.trot import Trot
from reins.sim.legged.ground import load_ground
from reins.sim.legged.head import HeadCamera

HEIGHT = 0.29


@pytest.fixture(scope="module")
def head(go2: QuadrupedProfile) -> Iterator[HeadCamera]:
    made = HeadCamera(go2, load_ground("yard"))
    yield made
    made.close()


def standing(go2: QuadrupedProfile, yaw: float) -> np.ndarray:
    turn = [np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)]
    return np.array([0.0, 0.0, HEIGHT, *turn, *Trot(go2, 1, 0.02).stance.ravel()])


def test_a_box_ahead_is_blue_and_as_far_away_as_it_is(head: HeadCamera, go2: QuadrupedProfile) -> None:
    image = head.render(standing(go2, 0.0), 1.5)
    box = next(thing for thing in load_ground("yard").things if thing.colour == "blue")
    face = np.array([box.at[0] - box.size[0] / 2, 0.0, 0.25, 1.0])
    x, y, z = (np.linalg.inv(image.pose) @ face)[:3]
    column, row = (round(float(value)) for value in (image.intrinsics @ [x / z, y / z, 1.0])[:2])
    red, green, blue = image.rgb[row, column].astype(int)
    assert blue > red + 40 and blue > green + 40
    assert image.depth[row, column] == pytest.approx(z, abs=0.02)
    assert image.stamp == 1.5


def test_the_ground_in_front_is_at_height_zero(head: HeadCamera, go2: QuadrupedProfile) -> None:
    image = head.render(standing(go2, 0.9), 0.0)
    row, column = go2.build.camera.height - 5, go2.build.camera.width // 2
    ray = np.linalg.inv(image.intrinsics) @ [column, row, 1.0]
    point = image.pose @ np.append(ray * image.depth[row, column], 1.0)
    assert point[2] == pytest.approx(0.0, abs=0.01)


def test_what_is_no_position_of_this_robot_is_refused(head: HeadCamera) -> None:
    with pytest.raises(ReinsError, match="19"):
        head.render(np.zeros(7), 0.0)
