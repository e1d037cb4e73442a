"""llama.cpp alone: the time that it takes to read and write as many tokens as a planner's model did."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typing_extensions import Self

from reins.language_models.llama_cpp import BATCH, fitting_threads, heard
from reins.language_models.model import require
from reins.planning.language.doors import shipped_model
from reins.planning.language.settings import LanguageSettings
from reins.planning.tracing.reading import Entry


@dataclass(frozen=True, slots=True)
class Spent:
    """Time that something took.

    Attributes:
        wall: by the clock on the wall [s].
        processor: of all threads of this process on a processor [s]; what others do on the machine is not in it.
    """

    wall: float
    processor: float

    @classmethod
    def so_far(cls) -> Self:
        """Both clocks now."""
        return cls(time.perf_counter(), time.process_time())

    def since(self, begun: "Spent") -> "Spent":
        """What was spent since `begun`."""
        return Spent(self.wall - begun.wall, self.processor - begun.processor)


class BareLlama:
    """The file that the `llama_cpp` backend runs, with its context, threads and batches, and nothing of ours around it.

    Args:
        settings: of the backend.

    Raises:
        ModelError: llama-cpp-python is not installed, or no model is named and none ships.
    """

    def __init__(self, settings: LanguageSettings) -> None:
        self._lib = require("llama_cpp")
        path = Path(settings.model).expanduser() if settings.model else shipped_model()
        threads = settings.threads or fitting_threads(path)
        with heard(self._lib):
            self._llama = self._lib.Llama(
                model_path=str(path),
                n_ctx=settings.context,
                n_batch=min(BATCH, settings.context),
                n_threads=threads,
                n_threads_batch=threads,
                n_gpu_layers=settings.gpu_layers,
                verbose=False,
            )

    def work(self, calls: Iterable[Entry]) -> Spent:
        """Do as much as the `call` entries of a trace did: read the prompt, as far as it was new, then token by token.

        No token is chosen: each is the next one of the same text.
        """
        spent = [self._work(call) for call in calls]
        return Spent(sum(one.wall for one in spent), sum(one.processor for one in spent))

    def _work(self, call: Entry) -> Spent:
        known, prompt, reply = (int(call[name]) for name in ("known", "prompt_tokens", "reply_tokens"))
        text = f"{call['prompt']}{call['reply']}".encode()
        tokens: list[int] = self._llama.tokenize(text, add_bos=False, special=False)
        tokens = (tokens * (1 + (prompt + reply) // len(tokens)))[: prompt + reply]
        self._llama.reset()
        if known:
            self._llama.eval(tokens[:known])
        begun = Spent.so_far()
        self._llama.eval(tokens[known:prompt])
        self._logits()
        for token in tokens[prompt:]:
            self._llama.eval([token])
            self._logits()
        return Spent.so_far().since(begun)

    def close(self) -> None:
        """Free the model."""
        self._llama.close()

    def _logits(self) -> Any:
        """What the next token would be chosen by; asking for it waits until it is computed."""
        return self._lib.llama_get_logits_ith(self._llama.ctx, -1)
