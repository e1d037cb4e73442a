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
    ("orange", 42.0),
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

    def classify(self, rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """(n,) colour classes of (n, 3) pixels."""
        shift = 8 - _BITS
        index = (rgb[:, 0] >> shift).astype(np.intp)
        index <<= _BITS
        index |= rgb[:, 1] >> shift
        index <<= _BITS
        index |= rgb[:, 2] >> shift
        return self._table[index]
