"""The shape of a language model: text, pictures and a schema in, text that fits out, within bounds, and cancellable."""

import base64
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Literal, Protocol

from reins.contracts.errors import ReinsError

Schema = dict[str, Any]
"""A JSON schema of the kinds that `grammar_of` knows."""

PromptFormat = Literal["chat", "compact-3"]

COMPACT: Final[Literal["compact-3"]] = "compact-3"
"""The short prompt of models that were trained on it: a GGUF file says so under the key `reins.prompt`."""

MOST_REPLY: Final = 20_000
"""Characters of a reply; whatever is longer has no end."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a turn, as a file of its kind.

    Attributes:
        data: the file's bytes.
        kind: "jpeg" or "png".
    """

    data: bytes
    kind: Literal["jpeg", "png"] = "jpeg"

    @property
    def url(self) -> str:
        """The picture as a data URL, as OpenAI's protocol and llama-cpp-python take it."""
        return f"data:image/{self.kind};base64,{base64.b64encode(self.data).decode()}"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation; pictures come before its text."""

    role: Literal["system", "user", "assistant"]
    content: str
    pictures: tuple[Picture, ...] = ()


Prompt = str | Sequence[Message]
"""Text that the model continues as it stands, or a conversation that its chat template is put around."""


def pictures_of(prompt: Prompt) -> tuple[Picture, ...]:
    """Every picture of a prompt, in order."""
    return () if isinstance(prompt, str) else tuple(picture for turn in prompt for picture in turn.pictures)


def prompt_text(prompt: Prompt) -> str:
    """All that a prompt says, for a person."""
    return prompt if isinstance(prompt, str) else "\n\n".join(f"[{turn.role}]\n{turn.content}" for turn in prompt)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a completion may cost.

    Attributes:
        tokens: of the reply, at most.
        seconds: from the call to the last token, retries included, at most.
        temperature: 0 for the likeliest reply.
        seed: of the choice among others; the same seed gives the same reply where the backend can.
    """

    tokens: int = 768
    seconds: float = 30.0
    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered.

    Attributes:
        text: the reply.
        prompt_tokens: tokens of the prompt; 0 where a server does not say.
        reply_tokens: tokens of the reply; 0 where a server does not say.
        first: from the call to the first text [s].
        seconds: from the call to the end [s].
        cut: it was cut off at the most tokens.
        known: tokens of the prompt that were known from the prompt before; 0 where a server does not say.
    """

    text: str
    prompt_tokens: int
    reply_tokens: int
    first: float
    seconds: float
    cut: bool
    known: int = 0


class ModelError(ReinsError):
    """A backend gave no reply; the message says why and what to do."""


class Cancelled(ModelError):
    """Somebody else wanted no reply any more."""

    def __init__(self) -> None:
        super().__init__("the language model was told to stop")


class Cancel:
    """Ends a completion from another thread, once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._given = threading.Event()
        self._calls: list[Callable[[], None]] = []

    def give(self) -> None:
        """End it."""
        with self._lock:
            self._given.set()
            calls, self._calls = self._calls, []
        for call in calls:
            call()

    @property
    def given(self) -> bool:
        """Whether it is to end."""
        return self._given.is_set()

    def check(self) -> None:
        """Raise Cancelled if it is to end."""
        if self.given:
            raise Cancelled

    @contextmanager
    def calls(self, what: Callable[[], None]) -> Iterator[None]:
        """Within the block, `give` calls `what`, in its own thread; at once if it was given before."""
        with self._lock:
            given = self._given.is_set()
            if not given:
                self._calls.append(what)
        if given:
            what()
        try:
            yield
        finally:
            with self._lock:
                if what in self._calls:
                    self._calls.remove(what)


def unheard(_text: str) -> None:
    """What is done with the text of a reply as it comes, where nobody asks for it."""


class LanguageModel(Protocol):
    """A model somewhere: in this process, in another one, or far away."""

    @property
    def name(self) -> str:
        """The backend and the model, for reports."""
        ...

    @property
    def takes(self) -> PromptFormat:
        """The prompt that it was made for."""
        ...

    def complete(
        self,
        prompt: Prompt,
        schema: Schema,
        bounds: Bounds,
        cancel: Cancel,
        on_text: Callable[[str], None] = unheard,
    ) -> Completion:
        """The reply, held to the schema as far as the backend can. One at a time.

        Args:
            prompt: what to reply to.
            schema: of the reply; everything in it is bounded.
            bounds: what it may cost.
            cancel: ends it from another thread, soon.
            on_text: called with every piece of the reply as it comes.

        Raises:
            Cancelled: it was cancelled.
            ModelError: there is no reply within the bounds; says why.
        """
        ...

    def close(self) -> None:
        """Give back what it holds. It is not used again."""
        ...


INSTALL: Final = {
    "llama_cpp": "run `./run setup llm`, or `pip install llama-cpp-python` (it is compiled, which takes minutes)",
    "llguidance": "run `./run setup vlm`, or `pip install torch transformers llguidance`",
    "torch": "run `./run setup vlm`, or `pip install torch transformers llguidance`",
    "transformers": "run `./run setup vlm`, or `pip install torch transformers llguidance`",
}
"""What to do about a package that is missing."""


def require(package: str) -> Any:
    """An optional package.

    Raises:
        ModelError: it is not installed, or does not load; says what to do.
    """
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        missing = (error.name or package).partition(".")[0]
        raise ModelError(f"{missing} is not installed: {INSTALL.get(missing, INSTALL[package])}") from error
    except (ImportError, OSError, RuntimeError) as error:  # a shared library that does not fit this machine
        raise ModelError(f"{package} is installed but does not load: {error}; {INSTALL[package]}") from error
