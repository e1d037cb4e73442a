"""A Llama of random weights in a folder, as Hugging Face keeps them."""

from pathlib import Path

import torch
from tiny_gguf import CHATML, SIGNS
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast


def write_tiny_folder(path: Path, *, template: str | None = CHATML, context: int = 16384) -> Path:
    """Write model, tokenizer and configuration.

    Args:
        path: of the folder.
        template: chat template, if it is to have one.
        context: tokens that the model holds.

    Returns:
        The path.
    """
    special = ["<|end|>", "<|im_start|>", "<|im_end|>"]
    tokens = [*special, *SIGNS, "th"]
    tokenizer = Tokenizer(models.BPE({token: number for number, token in enumerate(tokens)}, [("t", "h")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(special)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>", bos_token="<|end|>")
    if template is not None:
        fast.chat_template = template
    fast.save_pretrained(path)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokens) + 6,  # padded, as many are
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=context,
        initializer_range=0.4,
        bos_token_id=0,
        eos_token_id=0,
    )
    LlamaForCausalLM(config).save_pretrained(path)
    return path
