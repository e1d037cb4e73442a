"""A vision-language model that is asked for descriptions and answers: loaded when it is needed, one question at a time,
within bounds."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

from reins.language_models.model import Bounds, Cancel, LanguageModel, Message, ModelError, Schema
from reins.perception.vision_language.description import (
    Answer,
    BadReply,
    Description,
    answer_schema,
    description_schema,
    read_answer,
    read_certain_description,
    read_description,
)
from reins.perception.vision_language.prompt import View, again, description_prompt, question_prompt
from reins.perception.vision_language.settings import TINY, VisionSettings

CLOSING: Final = 2.0
"""How long a model that was cancelled may take to come to its end [s]."""

ReadT = TypeVar("ReadT")


class VisionModel:
    """A model behind a door. Any thread may ask; questions wait for each other.

    Args:
        load: makes the model; called at the first question, and again after it failed.
        settings: bounds and attempts.
    """

    def __init__(self, load: Callable[[], LanguageModel], settings: VisionSettings) -> None:
        self._load, self._settings = load, settings
        self._model: LanguageModel | None = None
        self._lock = threading.Lock()  # one question at a time; guards the model

    def describe(self, view: View, cancel: Cancel) -> Description:
        """What the model sees in a picture.

        Raises:
            Cancelled: it was cancelled.
            ModelError: the model does not load, or does not reply within the bounds.
            BadReply: no attempt gave a description; of the last one.
        """
        read = read_certain_description if self._settings.vlm == TINY else read_description
        return self._ask(description_prompt(view), description_schema(), read, cancel)

    def answer(self, question: str, views: Sequence[View], cancel: Cancel) -> Answer:
        """What the model answers to a question about pictures.

        Raises:
            Cancelled, ModelError, BadReply: as `describe`.
            ReinsError: the question is empty or too long, or there is no picture.
        """
        return self._ask(question_prompt(question, views), answer_schema(), read_answer, cancel)

    def load(self) -> None:
        """Load the model now, instead of at the first question.

        Raises:
            ModelError: it does not load.
        """
        with self._alone():
            self._loaded(Cancel())

    def close(self) -> None:
        """Give the model back, unless it does not come to an end. Who asks has to be cancelled before."""
        if self._lock.acquire(timeout=CLOSING):
            if self._model is not None:
                self._model.close()
            self._model = None
            self._lock.release()

    def _ask(self, prompt: Sequence[Message], schema: Schema, read: Callable[[str], ReadT], cancel: Cancel) -> ReadT:
        """The first reply that can be read, of all attempts within one budget; loading the model is not counted."""
        with self._alone():
            model = self._loaded(cancel)
            end = time.monotonic() + self._settings.answer_limit
            turns, left = tuple(prompt), self._settings.attempts
            while True:
                left -= 1
                reply = model.complete(turns, schema, self._bounds(end), cancel).text
                try:
                    return read(reply)
                except BadReply as bad:
                    if left <= 0 or time.monotonic() >= end:
                        raise
                    turns = (*prompt, *again(reply, str(bad)))

    def _bounds(self, end: float) -> Bounds:
        settings = self._settings
        seconds = max(end - time.monotonic(), 0.0)
        return Bounds(settings.max_tokens, seconds, settings.temperature, settings.seed)

    def _loaded(self, cancel: Cancel) -> LanguageModel:
        if self._model is None:
            self._model = self._load()
        cancel.check()
        return self._model

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One question at a time.

        Raises:
            ModelError: an earlier one does not come to its end.
        """
        if not self._lock.acquire(timeout=self._settings.answer_limit):
            raise ModelError("the vision-language model is still loading, or busy with an earlier question")
        try:
            yield
        finally:
            self._lock.release()
