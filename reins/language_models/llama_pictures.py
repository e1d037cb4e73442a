"""Pictures for a GGUF model, as llama-cpp-python reads them: through a projector in a file of its own, the mmproj."""

from collections.abc import Iterator, Sequence
from typing import Any

from jinja2 import TemplateError

from reins.language_models.grammar import grammar_of
from reins.language_models.model import Bounds, Message, ModelError, Schema, require
from reins.language_models.turns import without_system
from reins.language_models.wire import content_of


def seeing_handler(lib: Any, projector: str) -> Any:
    """What reads pictures through a projector, for any model whose file has a chat template.

    Raises:
        ModelError: this llama-cpp-python has none.
    """
    formats = require("llama_cpp.llama_chat_format")
    if not hasattr(formats, "MTMDChatHandler"):
        raise ModelError(
            f"llama-cpp-python {lib.__version__} is too old to read pictures of any model: run `pip install --upgrade "
            "llama-cpp-python`"
        )
    return formats.MTMDChatHandler(clip_model_path=projector, verbose=False)


def pieces_of(
    lib: Any, llama: Any, turns: Sequence[Message], schema: Schema, bounds: Bounds
) -> Iterator[tuple[str, str | None]]:
    """Pieces of the reply to a conversation with pictures, and with the last one why it ended.

    Args:
        lib: the package.
        llama: its model, with a seeing handler.
        turns: the conversation up to the model's turn.
        schema: of the reply, which is held to it.
        bounds: of the reply; its time is whoever's who can stop the model.

    Raises:
        ValueError, TemplateError, RuntimeError: as the package does.
    """
    try:
        chunks = _chunks(lib, llama, turns, schema, bounds)
    except (ValueError, TemplateError):  # some templates know no turn of the system
        if turns[0].role != "system":
            raise
        chunks = _chunks(lib, llama, without_system(turns), schema, bounds)
    for chunk in chunks:
        choice = chunk["choices"][0]
        yield choice["delta"].get("content") or "", choice.get("finish_reason")


def _chunks(lib: Any, llama: Any, turns: Sequence[Message], schema: Schema, bounds: Bounds) -> Iterator[Any]:
    """The reply as it is streamed; pictures and prompt have been read when this returns."""
    chunks: Iterator[Any] = llama.create_chat_completion(
        messages=[{"role": turn.role, "content": content_of(turn)} for turn in turns],
        grammar=lib.LlamaGrammar.from_string(grammar_of(schema), verbose=False),
        max_tokens=bounds.tokens,
        temperature=bounds.temperature,
        seed=bounds.seed,
        stream=True,
    )
    return chunks
