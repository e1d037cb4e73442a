"""The model's own tokenizer: byte-level BPE as llama.cpp's `gpt-2` pre-tokenizer splits text, trained on examples.

Chinese signs stay apart from each other: words are not learned as wholes, so that phrases that were never seen are made
of parts that were. Merges that were learned so are the same ones that a tokenizer finds that does not keep them apart.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

END: Final = "<|end|>"
"""The token after a reply; also what shorter rows of a batch are filled up with."""

END_ID: Final = 0
"""Its number."""

PRE: Final = "gpt-2"
"""What llama.cpp calls the way in which text is split."""


def train_tokenizer(texts: Iterable[str], size: int) -> Tokenizer:
    """A tokenizer with at most `size` tokens, trained on `texts`."""
    tokenizer = Tokenizer(models.BPE())
    apart = pre_tokenizers.Split(Regex(r"\p{Han}"), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([apart, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        min_frequency=4,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer


def load_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer of a file."""
    return Tokenizer.from_file(str(path))


def encode(tokenizer: Tokenizer, text: str) -> list[int]:
    """The tokens of a text; nothing in it is read as a special token."""
    ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
    return ids
