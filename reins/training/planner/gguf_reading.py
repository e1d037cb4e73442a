"""An exported model as a network and its tokenizer again, so that training can begin with it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import gguf
import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from reins.contracts.errors import ReinsError
from reins.training.planner.gguf_file import LAYER, OTHERS
from reins.training.planner.network import Llama
from reins.training.planner.settings import Shape
from reins.training.planner.tokens import END

_SHAPE: Final = {
    "vocabulary": "vocab_size",
    "width": "embedding_length",
    "layers": "block_count",
    "heads": "attention.head_count",
    "hidden": "feed_forward_length",
    "context": "context_length",
    "theta": "rope.freq_base",
}


def load_gguf(path: Path) -> tuple[Llama, Tokenizer]:
    """The network and the tokenizer of a file that `write_gguf` wrote.

    Raises:
        ReinsError: there is no such file, or it is of another kind.
    """
    try:
        reader = gguf.GGUFReader(path)
        network = Llama(Shape(**{name: _field(reader, f"llama.{key}") for name, key in _SHAPE.items()}))
        network.load_state_dict(_weights(reader))
        return network, _tokenizer(_field(reader, "tokenizer.ggml.tokens"), _field(reader, "tokenizer.ggml.merges"))
    except (OSError, ValueError, KeyError, IndexError, RuntimeError) as error:
        raise ReinsError(f"training cannot begin with {path}: it is no model that reins exported ({error})") from error


def _field(reader: Any, key: str) -> Any:
    return reader.fields[key].contents()


def _weights(reader: Any) -> Mapping[str, torch.Tensor]:
    layers = {theirs: ours for ours, theirs in LAYER.items()}
    others = {theirs: ours for ours, theirs in OTHERS.items()}

    def named(theirs: str) -> str:
        if theirs in others:
            return others[theirs]
        _, number, part, _ = theirs.split(".")
        return f"blocks.{number}.{layers[part]}.weight"

    return {named(each.name): torch.tensor(np.array(each.data, dtype=np.float32)) for each in reader.tensors}


def _tokenizer(tokens: Iterable[str], merges: Iterable[str]) -> Tokenizer:
    numbers = {token: number for number, token in enumerate(tokens)}
    pairs = [(first, second) for first, _, second in (merge.partition(" ") for merge in merges)]
    tokenizer = Tokenizer(models.BPE(vocab=numbers, merges=pairs))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([END])
    return tokenizer
