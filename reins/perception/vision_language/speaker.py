"""A vision-language model beside a backend: it describes what is seen, now and then, and answers questions about it."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from reins.contracts.event import Severity
from reins.language_models.foreign import foreign
from reins.language_models.model import Cancel
from reins.perception.image import CameraImage, Diagnostic
from reins.perception.vision_language.asking import VisionModel
from reins.perception.vision_language.beside import Beside
from reins.perception.vision_language.description import Answer, Description
from reins.perception.vision_language.prompt import view_of
from reins.perception.vision_language.settings import VisionSettings

KIND: Final = "vlm"
"""Kind of the diagnostics that are about the model."""

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, and robot time of the newest picture that it is about [s]."""

    answer: Answer
    stamp: float


class Speaker(Generic[TaskT, ResultT]):
    """The model's thread, its newest result, and its answers.

    Args:
        model: the model.
        settings: how often it describes.
        pictures: the pictures of a task, one or more.
        judge: from a description of each of these, and the task, to a result.
    """

    def __init__(
        self,
        model: VisionModel,
        settings: VisionSettings,
        pictures: Callable[[TaskT], Sequence[CameraImage]],
        judge: Callable[[Sequence[Description], TaskT], ResultT],
    ) -> None:
        self._model, self._pictures, self._judge = model, pictures, judge
        self._beside: Beside[TaskT, ResultT] = Beside(self._describe, settings.period)
        self._lock = threading.Lock()  # guards what follows
        self._newest: dict[str, CameraImage] = {}
        self._asking = Cancel()
        self._questions = 0

    @property
    def wants(self) -> bool:
        """Whether a task that is offered now would be done; not while a question waits."""
        with self._lock:
            waiting = self._questions > 0
        return not waiting and self._beside.wants

    @property
    def newest(self) -> ResultT | None:
        """What came of the newest task that came to an end; None before there is one."""
        return self._beside.newest

    @property
    def trouble(self) -> str:
        """Why the newest task came to nothing; empty if it did not."""
        return self._beside.trouble

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the model; empty if nothing is."""
        trouble = self.trouble
        return (Diagnostic("", Severity.WARN, KIND, trouble),) if trouble else ()

    def note(self, images: Sequence[CameraImage]) -> None:
        """These are what the cameras see now; a question is about the newest of each."""
        with self._lock:
            self._newest |= {image.name: image for image in images}

    def offer(self, task: TaskT) -> None:
        """Describe this, unless something else is being described. Never waits."""
        self._beside.offer(task)

    def load(self) -> None:
        """Load the model now, instead of when it first has something to do.

        Raises:
            ModelError: it does not load.
        """
        self._model.load()

    def settle(self, seconds: float) -> bool:
        """Wait until nothing is being described, at most so long [s]; whether that is so. For who has time to wait."""
        return self._beside.settle(seconds)

    def ask(self, question: str) -> Answered:
        """What the model answers to a question about what the cameras see now; from any thread, and within bounds.

        Raises:
            ReinsError: there is no answer; says why.
        """
        with self._lock:
            images = list(self._newest.values())
            self._asking = cancel = Cancel()
            self._questions += 1
        try:
            with foreign("the vision-language model"):
                views = [view_of(image.name, image.stamp, image.rgb) for image in images]
                self._beside.interrupt()  # a person waits, a description can
                answer = self._model.answer(question, views, cancel)
        finally:
            with self._lock:
                self._questions -= 1
        return Answered(answer, max(view.stamp for view in views))

    def forget(self) -> None:
        """Drop everything that was said and seen."""
        self._beside.forget()
        with self._lock:
            self._newest.clear()

    def close(self) -> None:
        """End what the model does, and give it back."""
        with self._lock:
            self._asking.give()
        self._beside.close()
        self._model.close()

    def _describe(self, task: TaskT, cancel: Cancel) -> ResultT:
        """In the thread."""
        views = [view_of(image.name, image.stamp, image.rgb) for image in self._pictures(task)]
        return self._judge([self._model.describe(view, cancel) for view in views], task)
