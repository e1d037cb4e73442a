"""A sample seen otherwise: mirrored, moved, turned and scaled a little, in other light, with noise; its truth with it.

Things are on, in and beside each other as before, whichever way the picture is turned, and nothing here is about left
and right. What is moved out of the picture is no longer visible, as far as it is out.
"""

from math import cos, radians, sin
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from reins.perception.vision_language.tiny.reading import Pixels, fitted
from reins.training.perception.samples import NO_OWNER, Thing, Truth
from reins.training.perception.settings import Shape

SHIFT: Final = 0.06
"""How far a picture is moved, either way, as a share of its width and height."""

TURN: Final = 8.0
"""How far it is turned, either way [degrees]."""

SCALE: Final = 0.10
"""By how much it is made larger or smaller, as a share."""

BRIGHTNESS, CONTRAST, TINT = 0.18, 0.15, 0.04
"""By how much light and colours differ, either way, as shares; colours stay what their words mean."""

NOISE: Final = 4.0
"""Largest standard deviation of noise, of the pixels that the network sees [of 255]."""

BLURRED: Final = 0.2
"""Share of pictures that are a little out of focus."""


def augmented(truth: Truth, shape: Shape, random: np.random.Generator) -> Truth:
    """The sample as it might have been, its picture as large as the network takes it."""
    height, width = truth.owners.shape
    turn = _transform(width, height, random)
    size = (width, height)
    rgb = cv2.warpAffine(truth.rgb, turn, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    owners = cv2.warpAffine(
        truth.owners, turn, size, flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT, borderValue=NO_OWNER
    )
    grown = abs(float(turn[0, 0] * turn[1, 1] - turn[0, 1] * turn[1, 0]))
    return Truth(
        _lit(fitted(np.asarray(rgb, np.uint8), shape.width, shape.height), random),
        np.asarray(owners, np.uint8),
        _visible(truth, np.asarray(owners, np.uint8), grown),
    )


def _transform(width: int, height: int, random: np.random.Generator) -> NDArray[np.float64]:
    """(2, 3) from the pixels of the sample to those of the new picture."""
    scale = 1.0 + SCALE * float(random.uniform(-1, 1))
    angle = radians(TURN * float(random.uniform(-1, 1)))
    mirror = -1.0 if random.random() < 0.5 else 1.0
    matrix = scale * np.array([[mirror * cos(angle), -sin(angle)], [mirror * sin(angle), cos(angle)]])
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    moved = SHIFT * random.uniform(-1, 1, 2) * np.array([width, height])
    return np.column_stack([matrix, middle + moved - matrix @ middle])


def _visible(truth: Truth, owners: NDArray[np.uint8], grown: float) -> tuple[Thing, ...]:
    """The things, less visible by the share of their pixels that is out of the picture now."""
    before = np.bincount(truth.owners.ravel(), minlength=NO_OWNER + 1)
    after = np.bincount(owners.ravel(), minlength=NO_OWNER + 1)
    things = []
    for index, thing in enumerate(truth.things):
        left = min(float(after[index]) / (grown * float(before[index])), 1.0) if before[index] else 0.0
        things.append(thing.model_copy(update={"visible": thing.visible * left}))
    return tuple(things)


def _lit(rgb: Pixels, random: np.random.Generator) -> Pixels:
    """The picture in other light."""
    if random.random() < BLURRED:
        rgb = np.asarray(cv2.GaussianBlur(rgb, (3, 3), float(random.uniform(0.2, 0.6))), np.uint8)
    gain = (1.0 + BRIGHTNESS * random.uniform(-1, 1)) * (1.0 + TINT * random.uniform(-1, 1, 3))
    bend = 1.0 + CONTRAST * float(random.uniform(-1, 1))
    levels = (np.arange(256) / 255.0) ** bend
    table = np.clip(255.0 * levels[:, None] * gain, 0, 255)  # (256, 3)
    found = np.stack([table[:, channel].astype(np.float32)[rgb[..., channel]] for channel in range(3)], axis=-1)
    deviation = np.float32(random.uniform(0.0, NOISE))
    found += deviation * random.standard_normal(found.shape, dtype=np.float32)
    return np.clip(found, 0, 255).astype(np.uint8)
