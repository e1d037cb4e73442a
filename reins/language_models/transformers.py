"""The `transformers` backend: any causal or image-text model in a folder, held to the schema by llguidance.

The text side of an image-text model is used alone unless it is to see. Weights have to be safetensors and code in the
folder is not run, so that a folder from somewhere can do no more than reply.
"""

import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np

from reins.language_models.model import (
    Bounds,
    Cancel,
    Completion,
    ModelError,
    Prompt,
    PromptFormat,
    Schema,
    pictures_of,
    require,
    unheard,
)
from reins.language_models.turns import rendered, transcript

_COMPACT: Final = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"}
"""No white space at all, for one that may write some may write it for ever."""


class TransformersModel:
    """A folder with a model, its tokenizer and its configuration.

    Args:
        path: of the folder.
        device: for PyTorch; "auto" for a GPU if there is one.
        takes: the prompt that the model was made for.
        sees: whether prompts have pictures; the folder then has an image-text model, with its processor.

    Raises:
        ModelError: the packages are not installed, or the folder does not load; says why.
    """

    def __init__(self, path: Path, device: str = "auto", takes: PromptFormat = "chat", sees: bool = False) -> None:
        self.takes: Final = takes
        self._processor: Any = None
        self._path = path
        self._torch = require("torch")
        self._guide = require("llguidance")
        transformers = require("transformers")
        if not (path / "config.json").is_file():
            raise ModelError(
                f"{path} is no folder with a model: it has no config.json; name one in the parameter 'model'"
            )
        chosen = device if device != "auto" else "cuda" if self._torch.cuda.is_available() else "cpu"
        try:
            if sees:
                self._processor = transformers.AutoProcessor.from_pretrained(path, local_files_only=True)
                self._tokenizer = self._processor.tokenizer
            else:
                self._tokenizer = transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
            self._model = _load(transformers, path, sees).to(chosen).eval()
            ends = self._model.generation_config.eos_token_id or self._tokenizer.eos_token_id
            vocabulary = self._model.get_output_embeddings().weight.shape[0]
            self._vocabulary = require("llguidance.hf").from_tokenizer(self._tokenizer, vocabulary, ends)
        except Exception as error:  # these libraries raise whatever they come across
            raise ModelError(f"{path} does not load: {_first_line(error)}") from error

    @property
    def name(self) -> str:
        """The backend and the folder."""
        return f"transformers: {self._path.name}"

    def complete(
        self,
        prompt: Prompt,
        schema: Schema,
        bounds: Bounds,
        cancel: Cancel,
        on_text: Callable[[str], None] = unheard,
    ) -> Completion:
        """The reply. A cancel and the end of the time take effect between two tokens. See `LanguageModel`."""
        begun = time.monotonic()
        inputs = self._seen_inputs(prompt) if pictures_of(prompt) else self._inputs(prompt)
        length = int(inputs["input_ids"].shape[1])
        self._check_room(length)
        grammar = self._guide.LLMatcher.grammar_from_json_schema(schema, overrides=_COMPACT)
        guide = _Guide(self._guide.LLMatcher(self._vocabulary, grammar), length, self._tokenizer, on_text)

        def allow(ids: Any, scores: Any) -> Any:
            cancel.check()
            if time.monotonic() - begun > bounds.seconds:
                raise ModelError(f"{self.name} gave no whole reply within {bounds.seconds:.3g} s")
            mask = self._torch.from_numpy(guide.forbidden(ids[0].tolist(), scores.shape[1])).to(scores.device)
            return scores.masked_fill(mask, float("-inf"))

        self._torch.manual_seed(bounds.seed)
        choice = (
            {"do_sample": True, "temperature": bounds.temperature} if bounds.temperature > 0.0 else {"do_sample": False}
        )
        try:
            with self._torch.inference_mode():
                output = self._model.generate(
                    **inputs,
                    **choice,
                    max_new_tokens=bounds.tokens,
                    logits_processor=[allow],
                    pad_token_id=self._tokenizer.pad_token_id or self._tokenizer.eos_token_id,
                )
        except ModelError:
            raise
        except Exception as error:  # a model is other people's code, and may run out of memory
            raise ModelError(f"{self.name} failed in the middle of its work: {_first_line(error)}") from error
        guide.read(output[0].tolist())
        return Completion(
            guide.text, length, guide.count, guide.first - begun, time.monotonic() - begun, not guide.is_whole
        )

    def close(self) -> None:
        """Give the memory back."""
        del self._model
        if self._torch.cuda.is_available():
            self._torch.cuda.empty_cache()

    def _check_room(self, length: int) -> None:
        limit = getattr(self._model.config.get_text_config(), "max_position_embeddings", None)
        if limit is not None and length >= limit:
            raise ModelError(f"the prompt has {length} tokens and {self.name} holds {limit} with the reply")

    def _inputs(self, prompt: Prompt) -> Any:
        """The prompt as tokens. Only a chat template's own special words become special tokens."""
        if isinstance(prompt, str):
            tokens = self._tokenizer(prompt, return_tensors="pt", split_special_tokens=True)
        elif self._tokenizer.chat_template is None:
            tokens = self._tokenizer(transcript(prompt), return_tensors="pt", split_special_tokens=True)
        else:
            text = rendered(prompt, self._render, self._path)
            tokens = self._tokenizer(text, return_tensors="pt", add_special_tokens=False)
        return {name: tokens[name].to(self._model.device) for name in ("input_ids", "attention_mask")}

    def _seen_inputs(self, prompt: Prompt) -> Any:
        """A conversation with pictures as tokens and pixels, as the model's own processor makes them.

        Raises:
            ModelError: the model was not loaded to see, or its processor refuses; says why.
        """
        if self._processor is None:
            raise ModelError(f"{self.name} was not loaded to look at pictures")
        from PIL import Image  # transformers' processors take pictures of this kind

        turns = [turn for turn in prompt if not isinstance(turn, str)]
        messages = [
            {
                "role": turn.role,
                "content": [
                    *({"type": "image", "image": Image.open(BytesIO(picture.data))} for picture in turn.pictures),
                    {"type": "text", "text": turn.content},
                ],
            }
            for turn in turns
        ]
        try:
            inputs = self._processor.apply_chat_template(
                messages, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
            )
        except Exception as error:  # a processor is other people's code
            raise ModelError(f"the processor of {self._path} takes no such prompt: {_first_line(error)}") from error
        return inputs.to(self._model.device, dtype=self._model.dtype)

    def _render(self, messages: list[dict[str, str]]) -> str:
        return str(self._tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False))


class _Guide:
    """Follows a reply as it is written, and says what may come next."""

    def __init__(self, matcher: Any, start: int, tokenizer: Any, on_text: Callable[[str], None]) -> None:
        self._matcher = matcher
        self._read = start
        self._tokenizer = tokenizer
        self._on_text = on_text
        self._tokens: list[int] = []
        self.text = ""
        self.first = 0.0
        """When the first text came [s, monotonic clock]."""

    @property
    def count(self) -> int:
        """Tokens of the reply."""
        return len(self._tokens)

    @property
    def is_whole(self) -> bool:
        """Whether the reply has come to its end."""
        return bool(self._matcher.is_accepting() or self._matcher.is_stopped())

    def forbidden(self, ids: list[int], size: int) -> Any:
        """Which tokens of the vocabulary may not come next, (size,) bool."""
        self.read(ids)
        allowed = np.frombuffer(self._matcher.compute_logit_bias(), np.uint8)[:size] != 0
        return ~np.pad(allowed, (0, size - len(allowed)))

    def read(self, ids: list[int]) -> None:
        """Take what is new.

        Raises:
            ModelError: it does not fit the schema.
        """
        new, self._read = ids[self._read :], len(ids)
        for token in new:
            if self.is_whole and self._matcher.is_stopped():
                return
            self._matcher.consume_token(token)
            if self._matcher.is_error():
                raise ModelError(f"llguidance does not follow the reply: {self._matcher.get_error()}")
            self.first = self.first or time.monotonic()
            self._tokens.append(token)
        self._tell()

    def _tell(self) -> None:
        text = self._tokenizer.decode(self._tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        piece = text[len(self.text) :]
        if piece and not text.endswith("\N{REPLACEMENT CHARACTER}"):  # half a sign
            self.text = text
            self._on_text(piece)


def _load(transformers: Any, path: Path, sees: bool) -> Any:
    """The model, by whichever of the two classes knows it; by that for pictures if it is to see."""
    options = {"local_files_only": True, "use_safetensors": True, "dtype": "auto"}
    if sees:
        return transformers.AutoModelForImageTextToText.from_pretrained(path, **options)
    try:
        return transformers.AutoModelForCausalLM.from_pretrained(path, **options)
    except ValueError as error:
        if "Unrecognized configuration class" not in str(error):
            raise
        return transformers.AutoModelForImageTextToText.from_pretrained(path, **options)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
