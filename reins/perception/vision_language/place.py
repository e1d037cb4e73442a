"""Where things are in a picture, in thousandths of its width and height, as models say it."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pinocchio as pin

from reins.contracts.scene import SceneObject
from reins.hardware.robot import FloatArray
from reins.perception.image import CameraImage, to_pixels
from reins.perception.vision_language.description import GRID, Box

NEAREST: Final = 0.02
"""Things nearer to the camera than this have no place in its picture [m]."""

_CORNERS: Final = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle of a picture, in thousandths of its width and height, from its upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        """Its area, in squared thousandths; 0 if it is none."""
        return max(self.right - self.left, 0.0) * max(self.bottom - self.top, 0.0)

    def covers(self, other: "Rectangle") -> bool:
        """Whether the middle of another one is in it."""
        x, y = (other.left + other.right) / 2, (other.top + other.bottom) / 2
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def overlap(self, other: "Rectangle") -> float:
        """How much of what both cover together is covered by both, 0 to 1."""
        both = Rectangle(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        ).area
        return both / (self.area + other.area - both) if both else 0.0


def rectangle_of(box: Box) -> Rectangle:
    """The place that a model said."""
    return Rectangle(box.left, box.top, box.right, box.bottom)


def place_of(item: SceneObject, image: CameraImage) -> Rectangle | None:
    """Where an object is in an image, as its bounding box is measured; None where it is not in sight of the camera."""
    rotation = pin.Quaternion(np.array(item.orientation)).matrix()
    corners: FloatArray = (_CORNERS * np.array(item.size)) @ rotation.T + np.array(item.position)
    columns, rows, depth = to_pixels(image.intrinsics, image.pose, corners)
    if depth.min() < NEAREST:
        return None
    height, width = image.rgb.shape[:2]
    x, y = (np.clip(values, 0.0, GRID) for values in (GRID * columns / width, GRID * rows / height))
    found = Rectangle(float(x.min()), float(y.min()), float(x.max()), float(y.max()))
    return found if found.area > 0.0 else None
