"""A model that is loaded beside everything else: who wants it waits as long as they like, and no longer."""

import threading
from collections.abc import Callable
from concurrent.futures import Future

from reins.language_models.model import Cancel, Cancelled, LanguageModel


class Loading:
    """Loads a model when it is first wanted, in a thread of its own, which goes on when nobody waits any more.

    That a load failed is told to all who wait, or else to who asks next. After that it is tried again.

    Args:
        load: makes the model; may take minutes.
    """

    def __init__(self, load: Callable[[], LanguageModel]) -> None:
        self._load = load
        self._changed = threading.Condition()  # guards what follows
        self._model: Future[LanguageModel] | None = None
        self._closed = False

    def wait(self, limit: float | None, cancel: Cancel) -> LanguageModel | None:
        """The model; None if it is still loading after `limit` [s], where None is no limit.

        Raises:
            Cancelled: it was cancelled, or closed.
            ModelError: it does not load; says why.
        """
        with cancel.calls(self._wake), self._changed:
            model = self._model or self._begin()
            self._changed.wait_for(lambda: model.done() or cancel.given or self._closed, limit)
            cancel.check()
            if self._closed:
                raise Cancelled
            if not model.done():
                return None
            if model.exception() is not None and self._model is model:
                self._model = None
            return model.result()

    def close(self) -> None:
        """Give the model back; one that is still loading is given back once it is there."""
        with self._changed:
            self._closed = True
            model, self._model = self._model, None
            self._changed.notify_all()
        if model is not None and model.done() and model.exception() is None:
            model.result().close()

    def _begin(self) -> Future[LanguageModel]:
        self._model = model = Future[LanguageModel]()
        if not self._closed:
            threading.Thread(target=self._run, args=(model,), name="loading", daemon=True).start()
        return model

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _run(self, wanted: Future[LanguageModel]) -> None:
        try:
            model = self._load()
        except Exception as error:  # raised again where somebody waits for the model
            with self._changed:
                wanted.set_exception(error)
                self._changed.notify_all()
            return
        with self._changed:
            wanted.set_result(model)
            self._changed.notify_all()
            is_late = self._closed
        if is_late:
            model.close()
