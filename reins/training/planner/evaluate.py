"""How good a network is: exact plans and right plans on examples it has never seen, by split and language."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Final

from tokenizers import Tokenizer

from reins.skills.library import SKILLS
from reins.training.planner.batches import names_of, text_of
from reins.training.planner.example import Example
from reins.training.planner.examples import Examples, Split
from reins.training.planner.judge import judge, read_or_why
from reins.training.planner.network import Llama
from reins.training.planner.phrases_file import LANGUAGES
from reins.training.planner.tokens import encode

MOST_REPLY: Final = 320
"""Tokens of a reply."""

_ROWS: Final = 64
_SEED: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class Score:
    """Shares of examples.

    Attributes:
        parsed: whose reply is a plan.
        valid: whose plan the verifier accepts.
        correct: whose plan is right.
        exact: whose reply is the teacher's, to the letter.
    """

    parsed: float
    valid: float
    correct: float
    exact: float

    def __str__(self) -> str:
        return ", ".join(f"{name} {share:.1%}" for name, share in asdict(self).items())


@dataclass(frozen=True, slots=True)
class Miss:
    """A reply that is not right, for whoever looks at what goes wrong."""

    prompt: str
    reply: str
    wanted: str
    reason: str


def held_out_examples(split: Split, language: str, count: int, suite: str | None = None) -> list[Example]:
    """Examples for evaluation: always the same ones, and none that training draws."""
    examples = Examples(Random(f"{_SEED}/{split}/{language}/{suite}"), SKILLS, split)
    return [examples.draw(suite, language) for _ in range(count)]


def score(network: Llama, tokenizer: Tokenizer, examples: Sequence[Example]) -> tuple[Score, list[Miss]]:
    """What a network makes of examples, decoding greedily without a grammar."""
    texts = [text_of(example) for example in examples]
    order = sorted(range(len(texts)), key=lambda index: len(texts[index][0]))
    replies = [""] * len(texts)
    for start in range(0, len(order), _ROWS):
        rows = order[start : start + _ROWS]
        said = network.reply([encode(tokenizer, texts[index][0]) for index in rows], MOST_REPLY)
        for index, tokens in zip(rows, said, strict=True):
            replies[index] = tokenizer.decode(tokens)
    counts, misses = dict.fromkeys(("parsed", "valid", "correct", "exact"), 0), []
    for example, (prompt, wanted), reply in zip(examples, texts, replies, strict=True):
        plan, trouble = read_or_why(reply)
        verdict = judge(plan and names_of(example).restore(plan), example, SKILLS, trouble)
        counts["parsed"] += plan is not None
        counts["valid"] += verdict.valid
        counts["correct"] += verdict.correct
        counts["exact"] += reply == wanted
        if not verdict.correct:
            misses.append(Miss(prompt, reply, wanted, verdict.reason))
    return Score(**{name: number / len(examples) for name, number in counts.items()}), misses


def evaluate(network: Llama, tokenizer: Tokenizer, count: int, splits: Sequence[Split]) -> dict[str, Score]:
    """Scores by "split/language"."""
    network.eval()
    scores = {
        f"{split}/{language}": score(network, tokenizer, held_out_examples(split, language, count))[0]
        for split in splits
        for language in LANGUAGES
    }
    network.train()
    return scores
