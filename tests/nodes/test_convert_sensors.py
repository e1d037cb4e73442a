"""Images and camera poses cross the ROS border unchanged, and what is not understood is named."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from reins.contracts.errors import ReinsError

pytestmark = pytest.mark.ros
pytest.importorskip("rclpy", reason="needs ROS 2")

from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from sensor_msgs.msg import Image  # noqa: E402

from reins.nodes import convert_sensors as convert  # noqa: E402

K = np.diag([5.0, 5.0, 1.0])
SIZES = st.tuples(st.integers(1, 8), st.integers(1, 8))


def over_the_wire(message: Any) -> Any:
    return deserialize_message(serialize_message(message), type(message))


@given(SIZES.flatmap(lambda size: hnp.arrays(np.uint8, (*size, 3))))
def test_colour(rgb: Any) -> None:
    message = over_the_wire(convert.colour_to_msg(rgb, 1.25, "wrist_optical"))
    assert np.array_equal(convert.colour_from_msg(message), rgb)
    message.encoding = "bgr8"
    assert np.array_equal(convert.colour_from_msg(message), rgb[:, :, ::-1])


@pytest.mark.parametrize(("encoding", "order"), [("rgba8", slice(0, 3)), ("bgra8", slice(2, None, -1))])
def test_colour_with_alpha(encoding: str, order: slice) -> None:
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    message = Image(encoding=encoding, height=2, width=3, step=12, data=pixels.tobytes())
    assert np.array_equal(convert.colour_from_msg(over_the_wire(message)), pixels[:, :, order])


@given(SIZES.flatmap(lambda size: hnp.arrays(np.float32, size)))
def test_depth(depth: Any) -> None:
    message = over_the_wire(convert.depth_to_msg(depth, 1.25, "wrist_optical"))
    assert np.array_equal(convert.depth_from_msg(message), depth, equal_nan=True)


@pytest.mark.parametrize("encoding", ["16UC1", "mono16"])
def test_depth_in_millimetres_with_padded_rows(encoding: str) -> None:
    data = np.array([[1000, 2500, 0], [1, 2, 0]], dtype="<u2")
    message = Image(encoding=encoding, height=2, width=2, step=6, data=data.tobytes())
    assert convert.depth_from_msg(message) == pytest.approx(np.array([[1.0, 2.5], [0.001, 0.002]]))


@pytest.mark.parametrize("read", [convert.colour_from_msg, convert.depth_from_msg])
def test_an_unknown_encoding_is_named(read: Callable[[Image], Any]) -> None:
    with pytest.raises(ReinsError, match="yuv422"):
        read(Image(encoding="yuv422", height=1, width=1, step=3, data=b"abc"))


def test_too_little_data_is_refused() -> None:
    with pytest.raises(ReinsError, match="3 bytes"):
        convert.colour_from_msg(Image(encoding="rgb8", height=2, width=2, step=6, data=b"abc"))


@given(hnp.arrays(np.float64, 4, elements=st.floats(-1, 1)), hnp.arrays(np.float64, 3, elements=st.floats(-5, 5)))
def test_pose(quaternion: Any, position: Any) -> None:
    norm = np.linalg.norm(quaternion)
    x, y, z, w = quaternion / norm if norm > 1e-3 else (0.0, 0.0, 0.0, 1.0)
    pose = np.eye(4)
    pose[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    pose[:3, 3] = position
    back = convert.pose_from_msg(over_the_wire(convert.pose_to_msg(pose, 0.0, "base")))
    assert back == pytest.approx(pose, abs=1e-9)


def test_a_frame_is_put_together_and_sizes_must_agree() -> None:
    rgb, depth, k = np.zeros((4, 6, 3), np.uint8), np.ones((4, 6), np.float32), np.diag([5.0, 5.0, 1.0])
    info, pose = convert.info_to_msg(k, 6, 4, 2.5, "f"), convert.pose_to_msg(np.eye(4), 2.5, "base")
    colour = convert.colour_to_msg(rgb, 2.5, "f")
    frame = convert.frame_from_msgs("wrist", colour, convert.depth_to_msg(depth, 2.5, "f"), info, pose)
    assert (frame.name, frame.stamp) == ("wrist", 2.5)
    assert np.array_equal(frame.intrinsics, k)
    with pytest.raises(ReinsError, match="'wrist': colour is 6x4 and depth 6x2; register depth"):
        convert.frame_from_msgs("wrist", colour, convert.depth_to_msg(depth[:2], 2.5, "f"), info, pose)


def test_camera_info_of_another_size_or_another_camera_is_refused() -> None:
    k, pose = np.diag([5.0, 5.0, 1.0]), convert.pose_to_msg(np.eye(4), 2.5, "base")
    colour = convert.colour_to_msg(np.zeros((4, 6, 3), np.uint8), 2.5, "f")
    depth = convert.depth_to_msg(np.ones((4, 6), np.float32), 2.5, "f")
    with pytest.raises(ReinsError, match="camera_info is for 12x8"):
        convert.frame_from_msgs("wrist", colour, depth, convert.info_to_msg(k, 12, 8, 2.5, "f"), pose)
    with pytest.raises(ReinsError, match="of the frames f, g"):
        convert.frame_from_msgs("wrist", colour, depth, convert.info_to_msg(k, 6, 4, 2.5, "g"), pose)
    convert.frame_from_msgs("wrist", colour, depth, convert.info_to_msg(k, 0, 0, 2.5, ""), pose)


def test_what_cannot_be_read_names_the_camera() -> None:
    colour = convert.colour_to_msg(np.zeros((4, 6, 3), np.uint8), 2.5, "f")
    colour.encoding = "bayer_rggb8"
    depth = convert.depth_to_msg(np.ones((4, 6), np.float32), 2.5, "f")
    info, pose = convert.info_to_msg(np.eye(3), 6, 4, 2.5, "f"), convert.pose_to_msg(np.eye(4), 2.5, "base")
    with pytest.raises(ReinsError, match=r"'wrist': colour image encoded as 'bayer_rggb8'; understood are rgb8, bgr8"):
        convert.frame_from_msgs("wrist", colour, depth, info, pose)


@pytest.mark.parametrize(
    ("frame", "quaternion", "words"),
    [
        ("world", (0.0, 0.0, 0.0, 1.0), "in the frame 'world'; expected .* 'base'"),
        ("base", (0.0, 0.0, 0.0, 0.0), "length 0.000; expected 1"),
        ("base", (0.0, 0.0, 0.0, 1.002), "length 1.002"),
        ("base", (0.0, 0.0, float("nan"), 1.0), "length nan"),
    ],
)
def test_a_pose_that_is_none_in_the_base_frame_is_refused(
    frame: str, quaternion: tuple[float, float, float, float], words: str
) -> None:
    colour, info = (
        convert.colour_to_msg(np.zeros((4, 6, 3), np.uint8), 2.5, "f"),
        convert.info_to_msg(K, 6, 4, 2.5, "f"),
    )
    pose = convert.pose_to_msg(np.eye(4), 2.5, frame)
    q = pose.pose.orientation
    q.x, q.y, q.z, q.w = quaternion
    with pytest.raises(ReinsError, match=f"camera 'wrist': .*{words}"):
        convert.frame_from_msgs("wrist", colour, None, info, pose)


@pytest.mark.parametrize("frame", ["", "base"])
def test_a_pose_without_a_frame_is_in_the_base_frame(frame: str) -> None:
    assert convert.pose_from_msg(convert.pose_to_msg(np.eye(4), 2.5, frame)) == pytest.approx(np.eye(4))
