"""The `llama_cpp` backend: any GGUF file, in this process, held to a grammar while it writes.

Of llama-cpp-python only tokens and logits are used. Tokens are chosen here (`choice.py`), because its own samplers look
at the whole vocabulary for every token. A reply can be stopped in the middle of a long prompt: llama.cpp asks a C
function between two operations whether to go on. That function is libc's `strlen`, on a buffer that is empty until
somebody writes into it, so it costs nothing and needs no interpreter.
"""

import codecs
import ctypes
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from jinja2 import TemplateError

from reins.language_models.choice import Chooser
from reins.language_models.grammar import grammar_of
from reins.language_models.llama_pictures import pieces_of, seeing_handler
from reins.language_models.model import (
    COMPACT,
    Bounds,
    Cancel,
    Completion,
    Message,
    ModelError,
    Prompt,
    PromptFormat,
    Schema,
    pictures_of,
    require,
    unheard,
)
from reins.language_models.turns import rendered, transcript

PROMPT_KEY: Final = "reins.prompt"
"""Key of a GGUF file's metadata under which it names the prompt that it takes."""

LEAST_REPLY: Final = 64
"""Tokens that have to be left for a reply; no plan is shorter."""

SMALL: Final = 64 * 2**20
"""Size of a file under which its operations are too short to be shared between threads, which wait for each other."""

BATCH: Final = 512
"""Tokens of a prompt that are read at a time."""

_FUNCTION: Final = re.compile(r"^\w+: (error loading model: )*")  # what llama.cpp's complaints begin with
_LOG_WARN, _LOG_ERROR = 3, 4  # enum ggml_log_level of ggml.h; llama-cpp-python's own table is of an older one


@dataclass(frozen=True, slots=True)
class LlamaSettings:
    """How a GGUF file is run.

    Attributes:
        path: of the file.
        context: tokens of prompt and reply together; the model's own limit counts as well.
        threads: that compute; 0 for one on each core, or one alone for a file under SMALL.
        gpu_layers: layers on the GPU; -1 for all.
        lora: path of a LoRA adapter, or empty.
        projector: path of the GGUF file that turns pictures into what the model reads ("mmproj"), or empty.
    """

    path: Path
    context: int = 8192
    threads: int = 0
    gpu_layers: int = 0
    lora: str = ""
    projector: str = ""


class LlamaCppModel:
    """A GGUF file.

    Raises:
        ModelError: llama-cpp-python is not installed, or the file does not load; says why.
    """

    def __init__(self, settings: LlamaSettings) -> None:
        self._lib = require("llama_cpp")
        _check_file(settings.path)
        if settings.lora:
            _check_file(Path(settings.lora))
        handler = None
        if settings.projector:
            _check_file(Path(settings.projector), "projector")
            handler = seeing_handler(self._lib, settings.projector)
        self._sees = handler is not None
        self._path = settings.path
        threads = settings.threads or fitting_threads(settings.path)
        with heard(self._lib) as log:
            try:
                self._llama = self._lib.Llama(
                    model_path=str(settings.path),
                    n_ctx=settings.context,
                    n_batch=min(BATCH, settings.context),
                    n_threads=threads,
                    n_threads_batch=threads,
                    n_gpu_layers=settings.gpu_layers,
                    lora_path=settings.lora or None,
                    chat_handler=handler,
                    verbose=False,
                )
            except (ValueError, RuntimeError, OSError, AssertionError, TemplateError) as error:
                why = _FUNCTION.sub("", log[0]) if log else str(error)
                raise ModelError(f"{settings.path} does not load: {why}") from error
        if settings.lora and not self._llama._lora_adapter:  # llama-cpp-python takes a null pointer for an adapter
            raise ModelError(f"{settings.lora} is no LoRA adapter for {settings.path.name}: {'; '.join(log)}")
        self._stop = ctypes.create_string_buffer(2)
        self._callback = self._lib.ggml_abort_callback(_address("strlen"))
        self._lib.llama_set_abort_callback(self._llama.ctx, self._callback, ctypes.addressof(self._stop))
        self._vocabulary = self._lib.llama_model_get_vocab(self._llama.model)
        own_limit = int(self._lib.llama_model_n_ctx_train(self._llama.model)) or settings.context
        self._context = min(settings.context, own_limit)
        self._pieces: dict[int, bytes] = {}

    @property
    def name(self) -> str:
        """The backend and the file."""
        return f"llama_cpp: {self._path.name}"

    @property
    def takes(self) -> PromptFormat:
        """What the file says, or a conversation."""
        return COMPACT if self._llama.metadata.get(PROMPT_KEY) == COMPACT else "chat"

    def complete(
        self,
        prompt: Prompt,
        schema: Schema,
        bounds: Bounds,
        cancel: Cancel,
        on_text: Callable[[str], None] = unheard,
    ) -> Completion:
        """The reply. See `LanguageModel`."""
        begun = time.monotonic()
        if not isinstance(prompt, str) and pictures_of(prompt):
            return self._complete_seeing(prompt, schema, bounds, cancel, on_text)
        tokens = self._tokens(prompt)
        if len(tokens) + LEAST_REPLY > self._context:
            raise ModelError(
                f"the prompt has {len(tokens)} tokens and {self.name} holds {self._context} with the reply; set "
                "'context' higher, if the model can hold more"
            )
        most = min(bounds.tokens, self._context - len(tokens))
        chooser = Chooser(self._lib, self._vocabulary, grammar_of(schema), bounds.temperature, bounds.seed)
        decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
        text, count, first, cut = "", 0, 0.0, True
        known = self._keep_known(tokens)
        with chooser, self._stopped_by(cancel, bounds.seconds - (time.monotonic() - begun)):
            for token in self._generate(tokens[known:], chooser, cancel, bounds):
                if self._lib.llama_vocab_is_eog(self._vocabulary, token):
                    cut = False
                    break
                piece = decode(self._piece(token))
                first = first or time.monotonic() - begun
                text += piece
                count += 1
                if piece:
                    on_text(piece)
                if count >= most:
                    break
        return Completion(text + decode(b"", True), len(tokens), count, first, time.monotonic() - begun, cut, known)

    def _complete_seeing(
        self,
        turns: Sequence[Message],
        schema: Schema,
        bounds: Bounds,
        cancel: Cancel,
        on_text: Callable[[str], None],
    ) -> Completion:
        """The reply to a conversation with pictures, by llama-cpp-python's own way through the projector.

        A cancel and the end of the time take effect between two tokens, and between two operations on the prompt.
        """
        if not self._sees:
            raise ModelError(f"{self.name} takes no pictures alone; name its projector in the parameter 'projector'")
        begun = time.monotonic()
        text, count, first, cut = "", 0, 0.0, False
        with self._stopped_by(cancel, bounds.seconds):
            try:
                for piece, end in pieces_of(self._lib, self._llama, turns, schema, bounds):
                    self._check_stopped(cancel, bounds)
                    cut = end == "length"
                    if piece:
                        first = first or time.monotonic() - begun
                        text += piece
                        count += 1
                        on_text(piece)
            except (ValueError, RuntimeError, TemplateError) as error:
                self._check_stopped(cancel, bounds)
                raise ModelError(f"{self.name} failed in the middle of its work: {error}") from error
            finally:
                self._llama.reset()  # what it has read of a picture is not to be taken for text
        return Completion(text, 0, count, first, time.monotonic() - begun, cut)

    def _check_stopped(self, cancel: Cancel, bounds: Bounds) -> None:
        if self._stop.value:
            cancel.check()
            raise ModelError(f"{self.name} gave no whole reply within {bounds.seconds:.3g} s")

    def close(self) -> None:
        """Free the model."""
        self._llama.close()

    def _keep_known(self, tokens: list[int]) -> int:
        """How many tokens at the prompt's beginning are known from before; everything else is forgotten."""
        llama = self._llama
        known = _common(tokens[:-1], llama.input_ids[: llama.n_tokens])
        if known == 0 or llama._is_recurrent or llama._is_hybrid:
            llama.reset()
            return 0
        llama.n_tokens = known
        return known

    def _generate(self, left: list[int], chooser: Chooser, cancel: Cancel, bounds: Bounds) -> Iterator[int]:
        """Tokens of the reply, without an end of their own, once what is left of the prompt has been read."""
        llama = self._llama
        while True:
            try:
                llama.eval(left)
            except RuntimeError as error:
                llama.reset()
                if not self._stop.value:
                    raise ModelError(f"{self.name} failed in the middle of its work: {error}") from error
            self._check_stopped(cancel, bounds)
            token = chooser.choose(self._lib.llama_get_logits_ith(llama.ctx, -1))
            yield token
            left = [token]

    @contextmanager
    def _stopped_by(self, cancel: Cancel, seconds: float) -> Iterator[None]:
        """Within the block, a cancel or the end of the time stops what llama.cpp computes."""
        self._stop.value = b""
        timer = threading.Timer(max(seconds, 0.0), self._halt)
        timer.daemon = True
        timer.start()
        try:
            with cancel.calls(self._halt):
                yield
        finally:
            timer.cancel()

    def _halt(self) -> None:
        self._stop.value = b"1"

    def _tokens(self, prompt: Prompt) -> list[int]:
        """The prompt as tokens. Only a chat template's own special words become special tokens."""
        if isinstance(prompt, str):
            return list(self._llama.tokenize(prompt.encode(), add_bos=True, special=False))
        text = self._render(prompt)
        begin = self._special(self._llama.token_bos())
        return list(self._llama.tokenize(text.encode(), add_bos=not (begin and text.startswith(begin)), special=True))

    def _render(self, turns: Sequence[Message]) -> str:
        template = self._llama.metadata.get("tokenizer.chat_template")
        if template is None:
            return transcript(turns)
        ends = [self._special(token) for token in (self._llama.token_eos(), self._llama.token_bos())]
        formatter = require("llama_cpp.llama_chat_format").Jinja2ChatFormatter(template, *ends)
        return rendered(turns, lambda messages: str(formatter(messages=messages).prompt), self._path)

    def _piece(self, token: int) -> bytes:
        """What a token of a reply stands for."""
        if token not in self._pieces:
            self._pieces[token] = self._llama.detokenize([token])
        return self._pieces[token]

    def _special(self, token: int) -> str:
        if token < 0:
            return ""
        return str(self._lib.llama_vocab_get_text(self._vocabulary, token).decode("utf-8", "replace"))


def fitting_threads(path: Path) -> int:
    """How many threads suit a file."""
    return 1 if path.stat().st_size < SMALL else len(os.sched_getaffinity(0))


def _check_file(path: Path, parameter: str = "model") -> None:
    """Say what is wrong with a file that llama.cpp need not be asked about."""
    if path.is_dir():
        raise ModelError(f"{path} is a folder; name the GGUF file in it")
    try:
        with path.open("rb") as handle:
            magic = handle.read(4)
    except FileNotFoundError:
        raise ModelError(f"there is no model file {path}; name a GGUF file in the parameter '{parameter}'") from None
    except OSError as error:
        raise ModelError(f"the model file {path} cannot be read: {error.strerror}") from error
    if magic != b"GGUF":
        raise ModelError(f"{path} is no GGUF file: it begins with {magic!r}, not with b'GGUF'")


@contextmanager
def heard(lib: Any) -> Iterator[list[str]]:
    """Within the block, collect what llama.cpp complains of."""
    lines: list[str] = []

    def hear(level: int, text: bytes, _data: Any) -> None:
        if level in (_LOG_WARN, _LOG_ERROR):
            lines.append(text.decode("utf-8", "replace").strip())

    callback = lib.llama_log_callback(hear)
    lib.llama_log_set(callback, None)
    try:
        yield lines
    finally:
        lib.llama_log_set(lib._logger.llama_log_callback, None)


def _address(function: str) -> int | None:
    """Where a function of libc is."""
    return ctypes.cast(getattr(ctypes.CDLL(None), function), ctypes.c_void_p).value


def _common(tokens: Sequence[int], known: Sequence[int]) -> int:
    """How many tokens two sequences have in common at their beginnings."""
    count = 0
    for one, other in zip(tokens, known, strict=False):
        if one != other:
            break
        count += 1
    return count
