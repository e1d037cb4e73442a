"""A picture from a file, described or asked about by a vision-language model: no robot, no depth, nothing measured."""

from contextlib import closing
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError
from reins.language_models.model import Cancel
from reins.perception.vision_language.asking import VisionModel
from reins.perception.vision_language.description import GRID, Answer, Description
from reins.perception.vision_language.prompt import View, view_of

MOST_FILE: Final = 100_000_000
"""A file that is larger is not read [bytes]."""

LINE: Final = 2
"""Width of the lines around things [pixels]."""

Pixels = NDArray[np.uint8]


class Still:
    """A picture that a model is asked about.

    Args:
        path: of the file.

    Raises:
        ReinsError: it cannot be read, or is no picture.
    """

    def __init__(self, path: Path) -> None:
        try:
            if path.stat().st_size > MOST_FILE:
                raise ReinsError(f"'{path}' is larger than {MOST_FILE // 1_000_000} MB; give a smaller picture")
            data = np.frombuffer(path.read_bytes(), np.uint8)
        except OSError as error:
            raise ReinsError(f"the picture '{path}' cannot be read: {error.strerror}") from None
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
        if picture is None:
            raise ReinsError(f"'{path}' is no picture that OpenCV can read; PNG and JPEG are")
        self.rgb: Final[Pixels] = np.ascontiguousarray(picture[:, :, ::-1])
        self._view: Final[View] = view_of(path.stem, 0.0, self.rgb)

    def describe(self, model: VisionModel) -> Description:
        """What the model sees in it; the model is given back.

        Raises:
            ReinsError: the model has no description; says why.
        """
        with closing(model):
            return model.describe(self._view, Cancel())

    def answer(self, model: VisionModel, question: str) -> Answer:
        """What the model answers to a question about it; the model is given back.

        Raises:
            ReinsError: the model has no answer; says why.
        """
        with closing(model):
            return model.answer(question, [self._view], Cancel())

    def drawn(self, said: Description) -> Pixels:
        """(h, w, 3) a copy with a numbered box around every thing that was said."""
        canvas = self.rgb.copy()
        height, width = canvas.shape[:2]
        scale = np.array([width, height, width, height]) / GRID
        for number, thing in enumerate(said.objects, start=1):
            box = np.array([thing.box.left, thing.box.top, thing.box.right, thing.box.bottom]) * scale
            left, top, right, bottom = (round(float(value)) for value in box)
            for colour, line in (((0, 0, 0), 2 * LINE), ((255, 255, 255), LINE)):
                cv2.rectangle(canvas, (left, top), (right, bottom), colour, line)
                cv2.putText(canvas, str(number), (left + 4, top + 16), cv2.FONT_HERSHEY_SIMPLEX, 0.5, colour, line)
        return canvas
