"""A trained network as a GGUF file: architecture `llama`, tokenizer `gpt2`, and what prompt it takes.

The rotary embedding already turns neighbouring pairs, so no weight has to be put in another order.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

import gguf
import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from reins.planning.language.compact import FORMAT
from reins.training.planner.network import EPSILON, Llama
from reins.training.planner.tokens import END, END_ID, PRE

PROMPT_KEY: Final = "reins.prompt"
"""Key under which the file names the prompt that its model takes."""

Kind = Literal["f16", "f32"]

LAYER: Final = {
    "attention_norm": "attn_norm",
    "query": "attn_q",
    "key": "attn_k",
    "value": "attn_v",
    "out": "attn_output",
    "feed_norm": "ffn_norm",
    "gate": "ffn_gate",
    "up": "ffn_up",
    "down": "ffn_down",
}
"""Names of a layer's weights here and in llama.cpp."""

OTHERS: Final = {"embedding.weight": "token_embd.weight", "norm.weight": "output_norm.weight"}
"""Names of the other weights."""


def write_gguf(path: Path, network: Llama, tokenizer: Tokenizer, about: Mapping[str, str], kind: Kind = "f16") -> None:
    """Write the file.

    Args:
        path: of the file.
        network: with its weights.
        tokenizer: of the network.
        about: what else the file's metadata says, by key.
        kind: of the matrices; norms are always f32.
    """
    shape = network.shape
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("reins planner")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16 if kind == "f16" else gguf.LlamaFileType.ALL_F32)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.hidden)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.heads)
    writer.add_rope_dimension_count(shape.width // shape.heads)
    writer.add_rope_freq_base(shape.theta)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_vocab_size(shape.vocabulary)
    _add_tokens(writer, tokenizer, shape.vocabulary)
    writer.add_string(PROMPT_KEY, FORMAT)
    for key, value in about.items():
        writer.add_string(key, value)
    for name, weight in _tensors(network):
        writer.add_tensor(name, weight.astype(np.float16) if kind == "f16" and weight.ndim == 2 else weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_tokens(writer: Any, tokenizer: Tokenizer, size: int) -> None:
    """The tokens in the order of their numbers; numbers that the tokenizer does not use are filled up."""
    by_id = {number: token for token, number in tokenizer.get_vocab().items()}
    unused = [f"<unused{number}>" for number in range(size)]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(PRE)
    writer.add_token_list([by_id.get(number, unused[number]) for number in range(size)])
    writer.add_token_types([_type_of(by_id.get(number)) for number in range(size)])
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in merges])
    writer.add_bos_token_id(END_ID)
    writer.add_eos_token_id(END_ID)
    writer.add_pad_token_id(END_ID)
    writer.add_add_bos_token(False)
    writer.add_add_eos_token(False)


def _type_of(token: str | None) -> int:
    if token is None:
        return int(gguf.TokenType.UNUSED)
    return int(gguf.TokenType.CONTROL if token == END else gguf.TokenType.NORMAL)


def _tensors(network: Llama) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """The weights by the names that llama.cpp gives them. The output is tied: it takes the embedding."""
    for name, weight in network.state_dict().items():
        values = np.ascontiguousarray(weight.detach().float().numpy())
        if name.startswith("blocks."):
            _, number, part, _ = name.split(".")
            yield f"blk.{number}.{LAYER[part]}.weight", values
        else:
            yield OTHERS[name], values
