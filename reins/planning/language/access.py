"""The way to a model: one plan at a time, within a deadline, and left alone a while after it cost time for nothing."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from reins.language_models.backoff import Backoff
from reins.language_models.foreign import foreign
from reins.language_models.model import Cancel, Cancelled, LanguageModel, ModelError
from reins.planning.language.loading import Loading
from reins.planning.language.turn import Turn

FIRST_REST: Final = 5.0
"""How long a model is left alone the first time [s]: about a step of a task, so one slow reply costs little more."""

CHEAP: Final = 1.0
"""A failure that took less is not held against a model, for to ask it again costs next to nothing [s]."""

CLOSING: Final = 5.0
"""How long a cancelled model may take to come to its end before it is left alone [s]."""


class NoPlan(ModelError):
    """The model replied in time, and nothing of it passed. It is not to be left alone for that."""


class ModelAccess:
    """The model of a planner.

    Args:
        name: of the backend, for reports.
        load: makes the model; called when it is first wanted, and again after it failed.
        rest_limit: longest that the model is left alone [s]; 0 for never.
    """

    def __init__(self, name: str, load: Callable[[], LanguageModel], rest_limit: float) -> None:
        self._name, self._make = name, load
        self._loading = Loading(self._load)
        self._turn = Turn()  # one plan at a time
        self._lock = threading.Lock()  # guards what follows
        self._backoff = Backoff(FIRST_REST, rest_limit)
        self._why = ""

    @contextmanager
    def use(self, deadline: float, cancel: Cancel) -> Iterator[LanguageModel]:
        """The model, for one plan. What goes wrong in the block is held against it if it took longer than CHEAP.

        Args:
            deadline: when waiting for it is of no use any more [s, monotonic clock].
            cancel: ends the wait.

        Raises:
            Cancelled: it was cancelled.
            ModelError: it is left alone, does not load, or is not there before the deadline; says why.
        """
        begun = time.monotonic()
        self._check_rest(begun)
        try:
            with self._alone(deadline, cancel):
                yield self._loaded(deadline, cancel)
        except Cancelled:
            raise
        except NoPlan:
            self._worked()
            raise
        except ModelError as error:
            self._failed(begun, str(error))
            raise
        self._worked()

    def rest(self) -> str:
        """When the model is asked again, as a clause that follows why it is not; empty if that is at the next plan."""
        with self._lock:
            left = self._backoff.left(time.monotonic())
        return f"; the model is asked again in {math.ceil(left)} s" if left else ""

    def load(self, cancel: Cancel) -> None:
        """Load the model, if it is not loaded yet, however long that takes.

        Raises:
            Cancelled: it was cancelled.
            ModelError: it does not load; says why.
        """
        self._loading.wait(None, cancel)

    def close(self) -> None:
        """Give the model back, unless it does not come to an end.

        Raises:
            ModelError: it does not close; says why.
        """
        if self._turn.take(CLOSING, Cancel()):
            try:
                with foreign(f"closing the language model ({self._name})"):
                    self._loading.close()
            finally:
                self._turn.give_back()

    def _load(self) -> LanguageModel:
        with foreign(f"loading the language model ({self._name})"):
            model = self._make()
        self._worked()  # whoever gave up while it was loading need not wait for longer
        return model

    @contextmanager
    def _alone(self, deadline: float, cancel: Cancel) -> Iterator[None]:
        """One plan at a time."""
        if not self._turn.take(max(deadline - time.monotonic(), 0.0), cancel):
            raise ModelError(f"the language model ({self._name}) is busy with an earlier plan")
        try:
            yield
        finally:
            self._turn.give_back()

    def _loaded(self, deadline: float, cancel: Cancel) -> LanguageModel:
        model = self._loading.wait(max(deadline - time.monotonic(), 0.0), cancel)
        if model is None:
            raise ModelError(f"the language model ({self._name}) is still loading")
        return model

    def _check_rest(self, now: float) -> None:
        with self._lock:
            if self._backoff.left(now):
                raise ModelError(self._why)

    def _worked(self) -> None:
        with self._lock:
            self._backoff.worked()

    def _failed(self, begun: float, why: str) -> None:
        now = time.monotonic()
        if now - begun >= CHEAP:
            with self._lock:
                self._why = why
                self._backoff.failed(now)
