"""A Llama of random weights in a GGUF file: it knows nothing, so what is right about its replies is the grammar's."""

from pathlib import Path

import gguf
import numpy as np

WIDTH, HEADS, LAYERS, HIDDEN = 32, 4, 2, 64
SIGNS = ["Ċ", "Ġ", *map(chr, range(ord("!"), ord("~") + 1))]  # ASCII, as byte-level tokenizers write it
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write_tiny_gguf(
    path: Path,
    *,
    seed: int = 0,
    architecture: str = "llama",
    context: int = 8192,
    template: str | None = None,
    metadata: dict[str, str] | None = None,
) -> Path:
    """Write the file.

    Args:
        path: where to.
        seed: of the weights.
        architecture: as the file says.
        context: tokens that the model holds, as the file says.
        template: chat template.
        metadata: more keys.

    Returns:
        The path.
    """
    special = ["<|end|>", "<|im_start|>", "<|im_end|>"]
    tokens = [*special, *SIGNS, "th"]
    kinds = [gguf.TokenType.CONTROL] * len(special) + [gguf.TokenType.NORMAL] * (len(tokens) - len(special))
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(context)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(["t h"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    writer.add_add_bos_token(False)
    if template is not None:
        writer.add_chat_template(template)
    for key, value in (metadata or {}).items():
        writer.add_string(key, value)
    random = np.random.default_rng(seed)

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(name, random.normal(0.0, 0.4, shape).astype(np.float32))

    tensor("token_embd.weight", len(tokens), WIDTH)
    for block in (f"blk.{layer}" for layer in range(LAYERS)):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            tensor(f"{block}.{name}.weight", WIDTH, WIDTH)
        tensor(f"{block}.ffn_gate.weight", HIDDEN, WIDTH)
        tensor(f"{block}.ffn_up.weight", HIDDEN, WIDTH)
        tensor(f"{block}.ffn_down.weight", WIDTH, HIDDEN)
        for name in ("attn_norm", "ffn_norm"):
            tensor(f"{block}.{name}.weight", WIDTH)
    tensor("output_norm.weight", WIDTH)
    tensor("output.weight", len(tokens), WIDTH)
    return _written(writer, path)


def write_tiny_lora(path: Path) -> Path:
    """Write an adapter for the file above, which changes its first attention."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", 4.0)
    random = np.random.default_rng(1)
    for name, shape in (("lora_a", (4, WIDTH)), ("lora_b", (WIDTH, 4))):
        writer.add_tensor(f"blk.0.attn_v.weight.{name}", random.normal(0.0, 1.0, shape).astype(np.float32))
    return _written(writer, path)


def _written(writer: gguf.GGUFWriter, path: Path) -> Path:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
