"""Pictures that show nothing although nothing is wrong with their numbers: black, over-exposed, blurred, blocked."""

from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError

SAMPLE_STEP: Final = 4
"""Rows and columns between the pixels that the whole-image checks look at."""

SATURATED: Final = 250
"""A pixel whose darkest channel is at least this (of 255) has lost its colour."""

COMMON_WIDTH: Final = 320
"""Wider pictures are made this wide before their edges are measured [pixels]: blur counts against what is seen."""

PRE_BLUR: Final = 2.0
"""Standard deviation of the blur against noise before edges are measured [pixels of a picture of COMMON_WIDTH]."""

RE_BLUR: Final = 4.0
"""Standard deviation of the second blur, which sharp edges suffer from more than blurred ones [the same pixels]."""

EDGE: Final = 3.0
"""Least slope of an edge that is measured [of 255 per pixel]: twice what noise of 8 of 255 has after PRE_BLUR."""

LEAST_EDGES: Final = 40
"""With fewer pixels on edges there is nothing to tell sharp from blurred by: a plain table."""

SHARPEST: Final = 0.9
"""Blur is judged by the edges at this quantile of sharpness: soft shadows are blurred in any picture."""

RELIEF: Final = 0.02
"""Neighbouring samples whose depths differ by more than this are two things, one before the other [m]."""

LEAST_RELIEF: Final = 0.01
"""Share of samples with such a neighbour from which on there must be something to see in the picture, too."""

Picture = NDArray[np.uint8]
Depth = NDArray[np.float32]


class BadPicture(ReinsError):
    """A picture that shows nothing.

    Args:
        kind: "black", "overexposed", "blurred" or "blocked".
        reason: one sentence.
    """

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """Beyond what a picture is left out and reported.

    On the randomised pictures of `reins/training/renders`, disturbed ones too, at most a tenth of a picture is white,
    the sharpest edges are blurred by 0.0025 of the width, and nothing is nearer than 6 cm.

    Attributes:
        black_level: its brightest channel is below this [of 255]; 0 for never.
        overexposed_share: more than this share of its pixels are white; 1 for never.
        blur_share: its sharpest edges are blurred by more than this, as the standard deviation of a Gaussian and as a
            share of the picture's width; 1 for never.
        blocked_distance: what is nearer to the camera than this is right before the lens [m]; 0 for never, also of
            colour pictures without any edge.
        blocked_share: more than this share of the measured pixels are.
    """

    black_level: int = 12
    overexposed_share: float = 0.5
    blur_share: float = 0.0075
    blocked_distance: float = 0.06
    blocked_share: float = 0.5


def check_picture(who: str, rgb: Picture, depth: Depth, limits: PictureLimits) -> None:
    """Tell a picture that shows nothing.

    Args:
        who: the camera in words, for the message.
        rgb: (h, w, 3).
        depth: (h, w) [m]; 0, NaN or inf where nothing was measured.
        limits: see there.

    Raises:
        BadPicture: it is black, over-exposed, blocked or blurred; says which, and what to look at.
    """
    sample, distance = rgb[::SAMPLE_STEP, ::SAMPLE_STEP], depth[::SAMPLE_STEP, ::SAMPLE_STEP]
    if int(sample.max()) < limits.black_level:
        raise BadPicture("black", f"{who}: the colour image is black; check the lens cap, the light and the exposure")
    if (white := white_share(sample)) > limits.overexposed_share:
        raise BadPicture(
            "overexposed",
            f"{who}: {white:.0%} of the colour image is white; it is over-exposed: check the light and the exposure",
        )
    if (near := near_share(distance, limits.blocked_distance)) > limits.blocked_share:
        raise BadPicture(
            "blocked",
            f"{who}: {near:.0%} of what it measures is nearer than {limits.blocked_distance * 100:.0f} cm; "
            "something is right before the lens",
        )
    blur = blur_of(rgb)
    if blur is None and limits.blocked_distance:
        _check_covered(who, distance)
    if blur is not None and blur > limits.blur_share:
        raise BadPicture(
            "blurred",
            f"{who}: the sharpest edges are blurred by {blur:.1%} of the image's width; check the focus and the lens",
        )


def _check_covered(who: str, distance: Depth) -> None:
    """Tell a colour picture without any edge, unless the depth image (h, w) [m] shows that there are none to see."""
    if has_relief(distance):
        raise BadPicture(
            "blocked",
            f"{who}: the colour image is one plain surface, and the depth image shows things; "
            "check what covers the colour lens",
        )
    if not is_measured(distance).any():
        raise BadPicture(
            "blocked",
            f"{who}: the colour image is one plain surface, without any edge; something covers the lens, or nothing is "
            "before it",
        )


def white_share(sample: Picture) -> float:
    """Share of pixels (h, w, 3) that are white."""
    return float((sample.min(axis=2) >= SATURATED).mean())


def near_share(distance: Depth, nearest: float) -> float:
    """Share of the measured pixels (h, w) nearer than `nearest` [m]; 0 if none is measured."""
    measured = distance[is_measured(distance)]
    return float((measured < nearest).mean()) if measured.size else 0.0


def is_measured(distance: Depth) -> NDArray[np.bool_]:
    """(h, w) which pixels of a depth image [m] are measured."""
    return np.isfinite(distance) & (distance > 0.0)


def has_relief(distance: Depth) -> bool:
    """Whether a depth image (h, w) [m] shows things before one another."""
    known = is_measured(distance)
    depth = np.where(known, distance, np.float32(0.0))
    jumps = np.abs(np.diff(depth, axis=1)) > RELIEF
    return bool(np.count_nonzero(jumps & known[:, 1:] & known[:, :-1]) > LEAST_RELIEF * jumps.size)


def blur_of(rgb: Picture) -> float | None:
    """How much the sharpest edges of a picture (h, w, 3) are blurred: the standard deviation of a Gaussian as a share
    of the picture's width; None where there are no edges to tell by.

    An edge of blur s has slope proportional to 1/s, and once more blurred by r to 1/√(s² + r²): the ratio of both
    slopes gives s without knowing how high the edge is.

    Source: S. Zhuo and T. Sim, Defocus map estimation from a single image, Pattern Recognition 44(9), 2011.
    """
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    if (width := grey.shape[1]) > COMMON_WIDTH:
        height = max(1, round(grey.shape[0] * COMMON_WIDTH / width))
        grey = cv2.resize(grey, (COMMON_WIDTH, height), interpolation=cv2.INTER_AREA)
    once = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), PRE_BLUR)
    slope = _slope(once)
    edges = slope > EDGE
    if np.count_nonzero(edges) < LEAST_EDGES:
        return None
    again = _slope(cv2.GaussianBlur(once, (0, 0), RE_BLUR))
    ratio = float(np.quantile(slope[edges] / np.maximum(again[edges], 1e-6), SHARPEST))
    total = RE_BLUR / sqrt(max(ratio**2 - 1.0, 1e-9))
    return sqrt(max(total**2 - PRE_BLUR**2, 0.0)) / int(grey.shape[1])


def _slope(grey: NDArray[Any]) -> NDArray[np.float32]:
    """(h, w) steepness of grey values [per pixel]."""
    return np.asarray(cv2.magnitude(cv2.Scharr(grey, cv2.CV_32F, 1, 0), cv2.Scharr(grey, cv2.CV_32F, 0, 1)) / 32.0)
