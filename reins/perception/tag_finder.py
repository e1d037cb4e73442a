"""Image to tagged objects: AprilTags found by OpenCV, and the pose of what carries them."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from reins.contracts.event import Severity
from reins.hardware.camera.tags import TagDetector
from reins.hardware.robot import FloatArray
from reins.perception.image import CameraImage, Diagnostic
from reins.perception.tagged import Tag, TaggedObject, TaggedObjects

AMBIGUOUS: Final = 2.0
"""A tag seen from far or straight on has two poses that fit; where the better one fits less than this much better, the
object that stands more upright is meant."""

FINE: Final = 24.0
"""A tag whose side is this many pixels is seen well [pixels]: then its pose is good to a hundredth of its distance."""

SURE: Final = 0.98
"""Confidence in an object whose tag is seen well: as for a block whose outline is all visible."""

LEAST_SURE: Final = 0.5
"""Confidence in one whose tag is only just read."""


@dataclass(frozen=True, slots=True, eq=False)
class TagSight:
    """A tagged object as one camera sees it.

    Attributes:
        item: which.
        pose: (4, 4) of the object in the base frame.
        pixels: side of the tag in the picture [pixels].
        confidence: 0 … 1.
    """

    item: TaggedObject
    pose: FloatArray
    pixels: float
    confidence: float


class TagFinder:
    """Finds tagged objects.

    Args:
        tagged: which tag is on which object.
    """

    def __init__(self, tagged: TaggedObjects) -> None:
        self._detector = TagDetector(tagged.family)
        self._known = tagged.by_tag()

    def find(self, image: CameraImage, notes: list[Diagnostic]) -> list[TagSight]:
        """The tagged objects in an image, each by the tag of it that is seen best.

        A tag that is there twice is left out, and told in `notes`: nobody knows which is which.
        """
        found = self._detector.find(cv2.cvtColor(image.rgb, cv2.COLOR_RGB2GRAY))
        counts = Counter(number for number, _ in found if number in self._known)
        twice = {number for number, count in counts.items() if count > 1}
        for number in sorted(twice):
            text = f"camera '{image.name}' sees tag {number} more than once; every tag must be on one object"
            notes.append(Diagnostic(image.name, Severity.WARN, "tag_twice", text))
        best: dict[str, TagSight] = {}
        for number, corners in found:
            if number in self._known and number not in twice:
                sight = _sight(image, *self._known[number], corners)
                if sight is not None and (sight.item.name not in best or sight.pixels > best[sight.item.name].pixels):
                    best[sight.item.name] = sight
        return list(best.values())


def _sight(image: CameraImage, item: TaggedObject, tag: Tag, corners: NDArray[np.float64]) -> TagSight | None:
    """The object by the corners (4, 2) of its tag [pixels]: upper left, upper right, lower right, lower left."""
    half = tag.size / 2
    square = np.array([[-half, half, 0.0], [half, half, 0.0], [half, -half, 0.0], [-half, -half, 0.0]])
    solved: tuple[Any, ...] = cv2.solvePnPGeneric(
        square, corners, image.intrinsics, None, flags=cv2.SOLVEPNP_IPPE_SQUARE
    )
    _, turns, shifts, errors = solved
    to_object = np.linalg.inv(item.pose_of(tag))
    poses = [image.pose @ _pose(turn, shift) @ to_object for turn, shift in zip(turns, shifts, strict=True)]
    poses = [pose for pose in poses if np.isfinite(pose).all()]
    if not poses:
        return None
    fits = np.asarray(errors, np.float64).ravel()
    chosen = poses[0]
    if len(poses) > 1 and fits[1] < AMBIGUOUS * fits[0]:
        chosen = max(poses, key=lambda pose: float(pose[2, 2]))
    side = float(np.sqrt(abs(cv2.contourArea(corners.astype(np.float32)))))
    share = min(side / FINE, 1.0)
    return TagSight(item, np.asarray(chosen), side, round(LEAST_SURE + (SURE - LEAST_SURE) * share, 3))


def _pose(turn: NDArray[np.float64], shift: NDArray[np.float64]) -> FloatArray:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = cv2.Rodrigues(turn)[0], np.asarray(shift).ravel()
    return pose
