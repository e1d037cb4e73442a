"""What cameras do to pictures: noise, blur, exposure and the like, one at a time, in amounts declared in YAML."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

import cv2
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from reins.contracts.documents import Shelf
from reins.sim.camera import CameraImage
from reins.training.ranges import Part, Range

SHELF: Final = Shelf("camera disturbances", "reins.training", "camera_disturbances")
"""The sets of disturbances that ship with reins."""

TURN_PER_METRE: Final = 1.0
"""A calibration that is a millimetre off at the camera is turned by so many milliradians as well [rad/m]."""


class Disturbances(Part):
    """How strong each disturbance is.

    Attributes:
        name, title: of the file.
        noise: standard deviation of every channel [of 255].
        blur: standard deviation of a Gaussian [pixels].
        exposure: brightness as a factor.
        cast: red against blue, as a share.
        compression: JPEG quality.
        depth_noise: standard deviation [m].
        depth_holes: share of pixels without depth.
        calibration: error of the camera's position [m], and of its orientation with it.
    """

    name: str
    title: str
    noise: Range
    blur: Range
    exposure: Range
    cast: Range
    compression: Range
    depth_noise: Range
    depth_holes: Range
    calibration: Range

    def disturb(self, kind: str, image: CameraImage, random: np.random.Generator) -> CameraImage:
        """The image as a camera with this trouble gives it."""
        amount: Range = getattr(self, kind)
        return KINDS[kind](image, amount.draw(random), random)


def load_disturbances(name_or_path: str) -> Disturbances:
    """Load a set by name, or by the path of a YAML file.

    Raises:
        UnknownName: no such set; lists those that exist.
        ReinsError: the file is not valid; names the field.
    """
    return SHELF.load(name_or_path, Disturbances)


def _noise(image: CameraImage, amount: float, random: np.random.Generator) -> CameraImage:
    return replace(image, rgb=_bytes(image.rgb + random.normal(0.0, amount, image.rgb.shape)))


def _blur(image: CameraImage, amount: float, _random: np.random.Generator) -> CameraImage:
    return replace(image, rgb=_bytes(cv2.GaussianBlur(image.rgb, (0, 0), amount)))


def _exposure(image: CameraImage, amount: float, _random: np.random.Generator) -> CameraImage:
    return replace(image, rgb=_bytes(image.rgb * amount))


def _cast(image: CameraImage, amount: float, random: np.random.Generator) -> CameraImage:
    lean = amount * float(random.choice((-1.0, 1.0)))
    return replace(image, rgb=_bytes(image.rgb * np.array([1.0 + lean, 1.0, 1.0 - lean])))


def _compression(image: CameraImage, amount: float, _random: np.random.Generator) -> CameraImage:
    _, packed = cv2.imencode(".jpg", image.rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, round(amount)])
    unpacked = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
    return replace(image, rgb=np.ascontiguousarray(unpacked[..., ::-1]))


def _depth_noise(image: CameraImage, amount: float, random: np.random.Generator) -> CameraImage:
    noisy = image.depth + random.normal(0.0, amount, image.depth.shape)
    return replace(image, depth=noisy.astype(np.float32))


def _depth_holes(image: CameraImage, amount: float, random: np.random.Generator) -> CameraImage:
    """Half of them where depth jumps, as stereo has them, the others anywhere."""
    depth = image.depth.copy()
    near, far = cv2.erode(depth, np.ones((3, 3))), cv2.dilate(depth, np.ones((3, 3)))
    edge = np.flatnonzero(far - near > 0.01)
    wanted = round(amount * depth.size / 2)
    depth.ravel()[random.permutation(edge)[:wanted]] = np.nan
    depth.ravel()[random.permutation(depth.size)[:wanted]] = 0.0
    return replace(image, depth=depth)


def _calibration(image: CameraImage, amount: float, random: np.random.Generator) -> CameraImage:
    shift, axis = random.standard_normal(3), random.standard_normal(3)
    pose = image.pose.copy()
    pose[:3, 3] += amount * shift / np.linalg.norm(shift)
    pose[:3, :3] = pin.exp3(TURN_PER_METRE * amount * axis / np.linalg.norm(axis)) @ pose[:3, :3]
    return replace(image, pose=pose)


def _bytes(values: NDArray[np.generic]) -> NDArray[np.uint8]:
    return np.asarray(np.clip(values, 0, 255), np.uint8)


KINDS: Final[Mapping[str, Callable[[CameraImage, float, np.random.Generator], CameraImage]]] = {
    "noise": _noise,
    "blur": _blur,
    "exposure": _exposure,
    "cast": _cast,
    "compression": _compression,
    "depth_noise": _depth_noise,
    "depth_holes": _depth_holes,
    "calibration": _calibration,
}
"""Every disturbance by its name."""
