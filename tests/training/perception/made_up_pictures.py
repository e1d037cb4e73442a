"""Pictures for tests that need no renderer: squares of plain colours on grey, with their truth."""

import cv2
import numpy as np

from reins.perception.vision_language.prompt import view_of
from reins.training.perception.samples import NO_OWNER, Sample, Thing
from reins.training.perception.settings import PicturesSettings, Shape, VisionTrainingSettings

WIDTH, HEIGHT = 128, 96
"""Of the pictures [pixels]."""

RGB = {"red": (200, 20, 20), "green": (20, 140, 30), "blue": (20, 50, 190)}

SMALL = VisionTrainingSettings(
    steps=16,
    batch=8,
    warm=2,
    rate=0.02,
    side_rate=3e-3,
    half=False,
    evaluated=2,
    pictures=PicturesSettings(samples=12, shard=8),
    shape=Shape(width=64, height=48, stem=(8, 8), features=32, heads=2, layers=1, hidden=48, length=64),
)


def thing(**changes: object) -> Thing:
    """A red block on the table."""
    plain = {"kind": "block", "colour": "red", "visible": 1.0, "stands": "table", "carrier": -1, "loaded": False}
    return Thing.model_validate({**plain, "beside": (), **changes})


def sample(things: list[Thing], boxes: list[tuple[int, int, int, int]]) -> Sample:
    """A sample of things that fill boxes (left, top, right, bottom) [pixels], later ones before earlier ones."""
    rgb = np.full((HEIGHT, WIDTH, 3), 120, np.uint8)
    owners = np.full((HEIGHT, WIDTH), NO_OWNER, np.uint8)
    for index, (item, (left, top, right, bottom)) in enumerate(zip(things, boxes, strict=True)):
        rgb[top:bottom, left:right] = RGB[item.colour]
        owners[top:bottom, left:right] = index
    done, data = cv2.imencode(".png", owners)
    assert done
    return Sample(view_of("overhead", 0.0, rgb).picture.data, data.tobytes(), tuple(things))


class MadeUp:
    """A sampler whose pictures show one or two things beside each other."""

    def sample(self, seed: int) -> Sample:
        """The sample of a seed."""
        random = np.random.default_rng(seed)
        colours = random.permutation(list(RGB))[: int(random.integers(1, 3))]
        things, boxes = [], []
        for number, colour in enumerate(colours):
            left, top = int(random.integers(8, 36)) + 60 * number, int(random.integers(8, 60))
            size = int(random.integers(12, 24))
            things.append(thing(colour=str(colour)))
            boxes.append((left, top, left + size, top + size))
        return sample(things, boxes)
