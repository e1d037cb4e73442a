"""Pictures with distortion become those of a pinhole, depth too; rectified ones have the matrix that is theirs."""

import cv2
import numpy as np
import pytest

from reins.contracts.errors import ReinsError

pytestmark = pytest.mark.ros
pytest.importorskip("rclpy", reason="needs ROS 2")

from sensor_msgs.msg import CameraInfo  # noqa: E402

from reins.nodes.camera_lens import Lens, intrinsics_from_msg  # noqa: E402
from reins.nodes.convert_sensors import CameraFrame, info_to_msg  # noqa: E402

WIDTH, HEIGHT = 320, 240
K = np.array([[200.0, 0.0, 161.0], [0.0, 201.0, 119.0], [0.0, 0.0, 1.0]])
P = np.array([[180.0, 0.0, 158.0, 0.0], [0.0, 183.0, 121.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
BENT = [-0.3, 0.1, 0.001, -0.002, 0.0]
RATIONAL = [0.4, -0.2, 0.001, -0.001, 0.05, 0.7, -0.1, 0.02]
THING = np.array([0.45, 0.3, 1.0])
"""Where something small is, in the optical frame [m]."""


def info(d: list[float], model: str = "plumb_bob") -> CameraInfo:
    message = info_to_msg(K, WIDTH, HEIGHT, 1.0, "f")
    message.d, message.distortion_model, message.p = d, model, P.ravel()
    return message


def seen_through(d: list[float]) -> CameraFrame:
    """What a lens shows of a bright thing, nearer than the dark ground behind it."""
    (((column, row),),), _ = cv2.projectPoints(THING[None], np.zeros(3), np.zeros(3), K, np.array(d))
    rgb, depth = np.full((HEIGHT, WIDTH, 3), 30, np.uint8), np.full((HEIGHT, WIDTH), 2.0, np.float32)
    around = slice(round(row) - 2, round(row) + 3), slice(round(column) - 2, round(column) + 3)
    rgb[around], depth[around] = 250, 1.0
    return CameraFrame("wrist", 1.0, rgb, depth, K, np.eye(4))


def middles(frame: CameraFrame) -> tuple[np.ndarray, np.ndarray]:
    """(column, row) of what is bright, and of what is near."""
    near = (frame.depth > 0.0) & (frame.depth < 1.5)
    return tuple(np.argwhere(mask).mean(axis=0)[::-1] for mask in (frame.rgb[..., 0] > 140, near))


@pytest.mark.parametrize(("d", "model"), [(BENT, "plumb_bob"), (RATIONAL, "rational_polynomial")])
def test_the_lens_of_camera_info_is_taken_out_of_colour_and_depth(d: list[float], model: str) -> None:
    expected = (K @ THING)[:2] / THING[2]
    bent = seen_through(d)
    assert all(np.abs(middle - expected).max() > 4.0 for middle in middles(bent)), "the lens bends it"
    straight = Lens(rectified=False).pinhole(bent, info(d, model))
    for middle in middles(straight):
        assert middle == pytest.approx(expected, abs=1.5)
    assert np.array_equal(straight.intrinsics, K)
    assert set(np.unique(straight.depth)) <= {0.0, 1.0, 2.0}, "no depth is made up between two things"


def test_another_camera_info_counts_from_then_on() -> None:
    lens = Lens(rectified=False)
    lens.pinhole(seen_through(BENT), info(BENT))
    straight = lens.pinhole(seen_through(RATIONAL), info(RATIONAL, "rational_polynomial"))
    assert middles(straight)[0] == pytest.approx((K @ THING)[:2], abs=1.0)


def test_a_pinhole_camera_s_pictures_stay_as_they_are() -> None:
    frame = seen_through([0.0] * 5)
    for d, model in (([], ""), ([0.0] * 5, "plumb_bob"), ([0.0] * 4, "equidistant")):
        assert Lens(rectified=False).pinhole(frame, info(d, model)) is frame


def test_rectified_pictures_have_the_matrix_p_and_stay_as_they_are() -> None:
    frame, said = seen_through(BENT), info(BENT)
    same = Lens(rectified=True).pinhole(frame, said)
    assert np.array_equal(same.intrinsics, P[:, :3])
    assert same.rgb is frame.rgb and same.depth is frame.depth
    said.p = np.zeros(12)
    assert np.array_equal(Lens(rectified=True).pinhole(frame, said).intrinsics, K), "a driver that leaves P out"


def test_a_lens_that_is_not_understood_is_named() -> None:
    with pytest.raises(
        ReinsError, match="camera 'wrist': camera_info: distortion_model 'equidistant' is not understood"
    ):
        Lens(rectified=False).pinhole(seen_through(BENT), info([0.1, 0.0, 0.0, 0.0], "equidistant"))


def test_every_coefficient_is_kept() -> None:
    read = intrinsics_from_msg(info(RATIONAL, "rational_polynomial"), "wrist", WIDTH, HEIGHT, rectified=False)
    assert read.distortion.tolist() == RATIONAL and np.array_equal(read.matrix, K)


def test_rectified_pictures_have_no_distortion_to_write_down() -> None:
    read = intrinsics_from_msg(info(BENT), "wrist", WIDTH, HEIGHT, rectified=True)
    assert not read.distortion.any() and np.array_equal(read.matrix, P[:, :3])


def test_a_lens_without_a_matrix_is_named() -> None:
    message = info(BENT)
    message.k = np.zeros(9)
    with pytest.raises(ReinsError, match="camera 'wrist': camera_info: camera_matrix must be"):
        Lens(rectified=False).pinhole(seen_through(BENT), message)
