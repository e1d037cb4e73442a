"""Camera images to ROS messages and back. Ours are rgb8, and by REP 118 32FC1 in metres; others' are understood."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import pinocchio as pin
from geometry_msgs.msg import PoseStamped
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, Image

from reins.contracts.errors import ReinsError
from reins.hardware.robot import FloatArray
from reins.nodes.convert import fill_time, time_from_msg
from reins.nodes.convert_scene import BASE_FRAME

MILLIMETRES = 1000.0
"""In a metre."""

COLOUR_ENCODINGS: Final[Mapping[str, tuple[int, ...]]] = {
    "rgb8": (0, 1, 2),
    "bgr8": (2, 1, 0),
    "rgba8": (0, 1, 2, 3),
    "bgra8": (2, 1, 0, 3),
}
"""Colour pictures that are understood: where red, green, blue and alpha are in a pixel."""

DEPTH_ENCODINGS: Final = ("32FC1", "16UC1", "mono16")
"""Depth images that are understood: metres, and millimetres by two names."""

UNIT = 1e-3
"""A quaternion whose length is farther from 1 than this is none: rounding does less."""


@dataclass(frozen=True, slots=True, eq=False)
class CameraFrame:
    """One camera's picture, depth and pose at one time; fits `reins.perception.image.CameraImage`.

    Attributes:
        name: of the camera.
        stamp: robot time [s].
        rgb: (height, width, 3) uint8.
        depth: (height, width) float32, distance along the optical axis [m]; 0 or NaN where unknown.
        intrinsics: (3, 3) pinhole matrix [pixel].
        pose: (4, 4) pose of the optical frame (x right, y down, z forward) in the robot's base frame.
    """

    name: str
    stamp: float
    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    intrinsics: FloatArray
    pose: FloatArray


def colour_to_msg(rgb: NDArray[np.uint8], stamp: float, frame: str) -> Image:
    """(height, width, 3) uint8 picture as rgb8."""
    return _image("rgb8", np.ascontiguousarray(rgb, dtype=np.uint8), stamp, frame)


def depth_to_msg(depth: NDArray[np.float32], stamp: float, frame: str) -> Image:
    """(height, width) depth [m] as 32FC1."""
    return _image("32FC1", np.ascontiguousarray(depth, dtype=np.float32), stamp, frame)


def _image(encoding: str, pixels: NDArray[np.uint8] | NDArray[np.float32], stamp: float, frame: str) -> Image:
    message = Image(encoding=encoding, height=pixels.shape[0], width=pixels.shape[1])
    message.step = pixels.strides[0]
    message.data = array("B", pixels.tobytes())
    message.header.frame_id = frame
    fill_time(message.header.stamp, stamp)
    return message


def info_to_msg(intrinsics: FloatArray, width: int, height: int, stamp: float, frame: str) -> CameraInfo:
    """Pinhole intrinsics (3, 3) of an undistorted image."""
    message = CameraInfo(width=width, height=height, distortion_model="plumb_bob", d=[0.0] * 5)
    message.k = intrinsics.ravel().astype(np.float64)
    message.r = np.eye(3).ravel()
    message.p = np.hstack([intrinsics, np.zeros((3, 1))]).ravel()
    message.header.frame_id = frame
    fill_time(message.header.stamp, stamp)
    return message


def pose_to_msg(pose: FloatArray, stamp: float, frame: str) -> PoseStamped:
    """Pose (4, 4) of the optical frame in the base frame, whose name is `frame`."""
    message = PoseStamped()
    x, y, z, qx, qy, qz, qw = map(float, pin.SE3ToXYZQUAT(pin.SE3(pose)))
    position, orientation = message.pose.position, message.pose.orientation
    position.x, position.y, position.z = x, y, z
    orientation.x, orientation.y, orientation.z, orientation.w = qx, qy, qz, qw
    message.header.frame_id = frame
    fill_time(message.header.stamp, stamp)
    return message


def pose_from_msg(message: PoseStamped) -> FloatArray:
    """(4, 4) pose of the optical frame in the base frame.

    Raises:
        ReinsError: it is in another frame, or its quaternion is none.
    """
    if message.header.frame_id not in ("", BASE_FRAME):
        raise ReinsError(
            f"its pose is in the frame '{message.header.frame_id}'; expected that of the optical frame in "
            f"'{BASE_FRAME}', the robot's base"
        )
    p, q = message.pose.position, message.pose.orientation
    length = float(np.linalg.norm([q.x, q.y, q.z, q.w]))
    if not abs(length - 1.0) <= UNIT:  # nor where it is NaN
        raise ReinsError(f"the quaternion of its pose has length {length:.3f}; expected 1")
    return np.asarray(pin.XYZQUATToSE3(np.array([p.x, p.y, p.z, q.x, q.y, q.z, q.w])).homogeneous)


def _pixels(message: Image, dtype: type, channels: int) -> NDArray[np.generic]:
    row = message.width * channels * np.dtype(dtype).itemsize
    if message.step < row or len(message.data) < message.step * message.height:
        raise ReinsError(f"a {message.width}x{message.height} {message.encoding} image has {len(message.data)} bytes")
    order: Literal[">", "<"] = ">" if message.is_bigendian else "<"
    rows = np.frombuffer(message.data, np.uint8, message.step * message.height).reshape(message.height, message.step)
    pixels = rows[:, :row].copy().view(np.dtype(dtype).newbyteorder(order))
    shape = (message.height, message.width, channels) if channels > 1 else (message.height, message.width)
    return pixels.reshape(shape)


def colour_from_msg(message: Image) -> NDArray[np.uint8]:
    """(height, width, 3) RGB picture of an image in one of COLOUR_ENCODINGS.

    Raises:
        ReinsError: another encoding, or too little data.
    """
    places = COLOUR_ENCODINGS.get(message.encoding)
    if places is None:
        known = ", ".join(COLOUR_ENCODINGS)
        raise ReinsError(f"colour image encoded as '{message.encoding}'; understood are {known}")
    pixels = _pixels(message, np.uint8, len(places))
    return np.asarray(pixels if message.encoding == "rgb8" else pixels[:, :, places[:3]], dtype=np.uint8)


def depth_from_msg(message: Image) -> NDArray[np.float32]:
    """(height, width) depth [m] of an image in one of DEPTH_ENCODINGS.

    Raises:
        ReinsError: another encoding, or too little data.
    """
    if message.encoding == "32FC1":
        return np.asarray(_pixels(message, np.float32, 1), dtype=np.float32)
    if message.encoding in DEPTH_ENCODINGS:
        return (_pixels(message, np.uint16, 1).astype(np.float32) / np.float32(MILLIMETRES)).astype(np.float32)
    raise ReinsError(f"depth image encoded as '{message.encoding}'; understood are 32FC1 [m], 16UC1 and mono16 [mm]")


def _check_partners(name: str, colour: Image, depth: Image | None, info: CameraInfo) -> None:
    """Whether the three are of one size and one camera. A size of 0 in camera_info and an empty frame say nothing."""
    size = (colour.width, colour.height)
    if depth is not None and (depth.width, depth.height) != size:
        raise ReinsError(
            f"camera '{name}': colour is {_size(colour)} and depth {_size(depth)}; register depth to colour"
        )
    if info.width and info.height and (info.width, info.height) != size:
        raise ReinsError(
            f"camera '{name}': colour is {_size(colour)} and camera_info is for {_size(info)}; "
            "publish the camera_info of this resolution"
        )
    frames = sorted({item.header.frame_id for item in (colour, depth, info) if item is not None} - {""})
    if len(frames) > 1:
        raise ReinsError(
            f"camera '{name}': color, depth and camera_info are of the frames {', '.join(frames)}; "
            "expected one frame: a topic of another camera, or depth that is not registered to colour"
        )


def _size(message: Image | CameraInfo) -> str:
    return f"{message.width}x{message.height}"


def frame_from_msgs(name: str, colour: Image, depth: Image | None, info: CameraInfo, pose: PoseStamped) -> CameraFrame:
    """One camera's four messages of one stamp; without a depth image, none of the depth is known.

    Raises:
        ReinsError: unknown encoding, too little data, sizes that do not agree, messages of different cameras, or a pose
            that is none in the base frame; names the camera.
    """
    _check_partners(name, colour, depth, info)
    try:
        rgb = colour_from_msg(colour)
        metres = np.zeros(rgb.shape[:2], np.float32) if depth is None else depth_from_msg(depth)
        place = pose_from_msg(pose)
    except ReinsError as error:
        raise ReinsError(f"camera '{name}': {error}") from error
    return CameraFrame(
        name=name,
        stamp=time_from_msg(colour.header.stamp),
        rgb=rgb,
        depth=metres,
        intrinsics=np.array(info.k, dtype=np.float64).reshape(3, 3),
        pose=place,
    )
