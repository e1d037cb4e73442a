"""The door to the tiny model: a `LanguageModel` that describes pictures and says nothing else."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from reins.contracts.errors import ReinsError
from reins.language_models.model import (
    Bounds,
    Cancel,
    Completion,
    ModelError,
    Picture,
    Prompt,
    PromptFormat,
    Schema,
    pictures_of,
    unheard,
)
from reins.models.registry import SUFFIX, VISION, models_folder
from reins.models.vision import NAME
from reins.perception.vision_language.description import Answer, answer_schema
from reins.perception.vision_language.tiny.reading import Pixels, TinyReader

NO_ANSWER: Final = Answer(
    verdict="unclear", answer="This small model describes pictures and cannot answer questions about them."
)


class TinyModel:
    """A model in this process.

    Args:
        path: of the ONNX file.

    Raises:
        ModelError: there is no such file, or it is no model that runs here; says what to do.
    """

    takes: PromptFormat = "chat"

    def __init__(self, path: Path) -> None:
        self.name = f"tiny {path.stem}"
        try:
            self._reader = TinyReader(path.read_bytes())
        except OSError as error:
            raise ModelError(
                f"there is no model {path} ({error.strerror}): train one with `reins train perception`, or name its "
                "ONNX file in the parameter 'model'"
            ) from error
        except ReinsError as error:
            raise ModelError(f"the model {path.name} is refused: {error}") from error

    def complete(
        self,
        prompt: Prompt,
        schema: Schema,
        bounds: Bounds,
        cancel: Cancel,
        on_text: Callable[[str], None] = unheard,
    ) -> Completion:
        """The description of the prompt's newest picture as JSON; a question is not answered. See LanguageModel.

        The likeliest reply is the only one, whatever the temperature.
        """
        begin = time.monotonic()
        cancel.check()
        if schema == answer_schema():
            return _told(NO_ANSWER.model_dump_json(), 0, begin, begin, False, on_text)
        pictures = pictures_of(prompt)
        if not pictures:
            raise ModelError("the tiny model was given no picture to describe")

        def check() -> None:
            cancel.check()
            if time.monotonic() - begin > bounds.seconds:
                raise ModelError(f"the tiny model gave no whole reply within {bounds.seconds:.3g} s")

        try:
            reading = self._reader.read(_pixels(pictures[-1]), bounds.tokens, check)
        except ModelError:
            raise
        except ReinsError as error:
            raise ModelError(str(error)) from error
        said = self._reader.describe(reading).model_dump_json()
        return _told(said, len(reading.tokens) - 1, begin, time.monotonic(), reading.cut, on_text)

    def close(self) -> None:
        """Nothing is held that does not go by itself."""


def model_path(name: str) -> Path:
    """Where the model lies that is meant by the parameter 'model': the one that ships, if it is empty."""
    return Path(name).expanduser() if name else models_folder() / VISION / f"{NAME}{SUFFIX}"


def _pixels(picture: Picture) -> Pixels:
    """(h, w, 3) RGB."""
    decoded = cv2.imdecode(np.frombuffer(picture.data, np.uint8), cv2.IMREAD_COLOR) if picture.data else None
    if decoded is None:
        raise ModelError(f"the picture that is to be described is no {picture.kind.upper()} file, or a damaged one")
    return np.asarray(cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB), np.uint8)


def _told(text: str, tokens: int, begin: float, first: float, cut: bool, on_text: Callable[[str], None]) -> Completion:
    on_text(text)
    return Completion(text, 0, tokens, first - begin, time.monotonic() - begin, cut)
