"""Pictures that commands write."""

from pathlib import Path
from typing import TYPE_CHECKING

from reins.contracts.errors import ReinsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def save(picture: "NDArray[np.uint8]", path: Path) -> None:
    """Write an RGB (height, width, 3) or grey (height, width) picture in the format that the file's ending names.

    Raises:
        ReinsError: no such format, or the file cannot be written.
    """
    import cv2

    try:
        written = cv2.imwrite(str(path), picture[:, :, ::-1] if picture.ndim == 3 else picture)
    except cv2.error:
        raise ReinsError(f"'{path}' has no ending of a picture that can be written; .png and .jpg can") from None
    if not written:
        raise ReinsError(f"the picture cannot be written to '{path}'")
