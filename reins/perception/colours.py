"""Colour words for pixels, by a table over all 5-bit RGB values."""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

COLOURS: Final = ("red", "orange", "yellow", "green", "cyan", "blue", "purple", "pink", "white", "grey", "black")
"""Colour words that perception tells apart; a pixel's class is the index in this tuple."""

ACHROMATIC: Final = ("white", "grey", "black")
"""Colours without a hue: those of most robots, too."""

HUE_ENDS: Final = (
    ("red", 14.0),
    ("orange", 38.0),
    ("yellow", 70.0),
    ("green", 165.0),
    ("cyan", 195.0),
    ("blue", 256.0),
    ("purple", 300.0),
    ("pink", 338.0),
    ("red", 360.0),
)
"""Upper end of each colour's range of hue [degrees of the HSV circle]."""

LEAST_SATURATION: Final = 0.28
"""Saturation (HSV, 0 … 1) below which a pixel has no hue."""

BLACK_BELOW: Final = 0.24
"""Value (HSV, 0 … 1) below which a pixel without hue is black."""

DARK_BELOW: Final = 0.10
"""Value below which any pixel is black: its hue is noise."""

WHITE_ABOVE: Final = 0.62
"""Value above which a pixel without hue is white."""

WHITE_VALUE: Final = 0.92
"""Value of a white thing in a well exposed image."""

BRIGHTEST: Final = 99.5
"""Percentile of an image's values that is taken for white: on a table with a robot something bright is in view."""

GAIN: Final = (0.95, 2.2)
"""Least and largest factor by which exposure is made up for: what is darker still is not a matter of exposure."""

_BITS: Final = 5

FIRST_ACHROMATIC: Final = COLOURS.index("white")


class ColourTable:
    """Maps RGB to the index of a colour word in `COLOURS`."""

    def __init__(self) -> None:
        steps = 1 << _BITS
        middle = ((np.arange(steps) + 0.5) * (256 / steps)).astype(np.float32) / 255.0
        red, green, blue = np.meshgrid(middle, middle, middle, indexing="ij")
        rgb = np.stack([red, green, blue], axis=-1).reshape(1, -1, 3)
        hue, saturation, value = cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV).reshape(-1, 3).T
        ends = np.array([end for _, end in HUE_ENDS])
        by_hue = np.array([COLOURS.index(name) for name, _ in HUE_ENDS], dtype=np.uint8)
        table = by_hue[np.minimum(np.searchsorted(ends, hue), len(ends) - 1)]
        no_hue = saturation < LEAST_SATURATION
        table[no_hue] = COLOURS.index("grey")
        table[no_hue & (value > WHITE_ABOVE)] = COLOURS.index("white")
        table[(no_hue & (value < BLACK_BELOW)) | (value < DARK_BELOW)] = COLOURS.index("black")
        self._table = table

    def classify(self, rgb: NDArray[np.uint8], gain: float = 1.0) -> NDArray[np.uint8]:
        """(n,) colour classes of (n, 3) pixels of an image whose exposure `gain` makes up for."""
        if gain != 1.0 and len(rgb):
            rgb = np.asarray(cv2.convertScaleAbs(rgb, alpha=gain), np.uint8).reshape(-1, 3)
        shift = 8 - _BITS
        index = (rgb[:, 0] >> shift).astype(np.intp)
        index <<= _BITS
        index |= rgb[:, 1] >> shift
        index <<= _BITS
        index |= rgb[:, 2] >> shift
        return self._table[index]


def exposure_gain(rgb: NDArray[np.uint8]) -> float:
    """The factor that makes the brightest things in an image (h, w, 3) as bright as white ones in good light.

    Whether a thing is white or grey cannot be told from its pixels alone, only beside others.
    """
    value = rgb[::4, ::4].max(axis=2)
    brightest = float(np.percentile(value, BRIGHTEST)) / 255.0
    low, high = GAIN
    return min(max(WHITE_VALUE / max(brightest, 1e-3), low), high)
