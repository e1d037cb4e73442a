"""Examples as rows of tokens: made in chunks that only their number decides, sorted by length into batches."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context, parent_process
from random import Random
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from typing import Final

import torch
from tokenizers import Tokenizer
from torch import Tensor

from reins.planning.language.compact import compact_prompt, kind_names
from reins.planning.language.kind_names import KindNames
from reins.planning.language.reply import reply_text
from reins.skills.library import SKILLS
from reins.training.planner.example import Example
from reins.training.planner.examples import Examples
from reins.training.planner.settings import PlannerSettings
from reins.training.planner.tokens import END_ID, encode

AHEAD = 2
"""Chunks that are made ahead."""

ROUND = 16
"""Rows of a batch are filled up to a multiple of so many tokens."""

NOTHING: Final = -100
"""What is wanted where nothing is."""

Text = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of a gradient step.

    Attributes:
        tokens: (rows, tokens), filled up with END_ID.
        wanted: (rows, tokens) the token after each; NOTHING after a row's last.
        replies: (rows, tokens) whether that token belongs to a reply.
    """

    tokens: Tensor
    wanted: Tensor
    replies: Tensor


def text_of(example: Example) -> Text:
    """The prompt of an example, and the reply that is wanted."""
    prompt = compact_prompt(example.instruction, example.scene, example.history, SKILLS)
    return prompt, reply_text(names_of(example).point(example.plan))


def names_of(example: Example) -> KindNames:
    """What the objects are called in the prompt of an example."""
    return kind_names(example.scene, example.history.initial)


def make_chunk(seed: int, number: int, size: int, easy: float = 0.0) -> list[Text]:
    """The texts of one chunk of examples; the same for the same arguments.

    Args:
        seed: of everything random.
        number: of the chunk.
        size: how many examples.
        easy: share of them that are one plain thing to do, from the beginning.
    """
    rng = Random(f"{seed}/{number}")
    examples, plain = Examples(rng, SKILLS), Examples(rng, SKILLS, plain=True)
    return [text_of(plain.draw("single") if rng.random() < easy else examples.draw()) for _ in range(size)]


def easy_share(number: int, settings: PlannerSettings) -> float:
    """Share of easy examples in a chunk: all of the first one, fewer and fewer, none from `settings.easy` on."""
    return max(0.0, 1.0 - number / settings.easy) if settings.easy else 0.0


class Feed:
    """Batches without end, from chunk `start` on. A process of its own makes the examples.

    Args:
        settings: of the run.
        tokenizer: of the run.
        start: number of the first chunk.
    """

    def __init__(self, settings: PlannerSettings, tokenizer: Tokenizer, start: int) -> None:
        self._settings = settings
        self._tokenizer = tokenizer
        self.chunk = start
        """Number of the chunk that is used up next."""

    def __iter__(self) -> Iterator[Batch]:
        settings = self._settings
        pool = ProcessPoolExecutor(1, get_context("spawn"), _begin)
        try:
            numbers = count(self.chunk)

            def ask() -> "Future[list[Text]]":
                number = next(numbers)
                return pool.submit(make_chunk, settings.seed, number, settings.chunk, easy_share(number, settings))

            coming = [ask() for _ in range(AHEAD)]
            while True:
                texts = coming.pop(0).result()
                coming.append(ask())
                yield from self._batches(texts, Random(f"{settings.seed}/order/{self.chunk}"))
                self.chunk += 1
        finally:
            pool.shutdown(cancel_futures=True)

    def _batches(self, texts: Sequence[Text], rng: Random) -> list[Batch]:
        rows = [(encode(self._tokenizer, prompt), [*encode(self._tokenizer, reply), END_ID]) for prompt, reply in texts]
        rows = [row for row in rows if len(row[0]) + len(row[1]) <= self._settings.shape.context]
        rows.sort(key=lambda row: len(row[0]) + len(row[1]))
        groups: list[list[tuple[list[int], list[int]]]] = [[]]
        for row in rows:
            longest = _rounded(len(row[0]) + len(row[1]))
            if longest * (len(groups[-1]) + 1) > self._settings.batch and groups[-1]:
                groups.append([])
            groups[-1].append(row)
        rng.shuffle(groups)
        return [as_batch(group) for group in groups if group]


def _begin() -> None:
    """What the process that makes examples does first: Ctrl-C is for who trains, and without that one it ends."""
    signal(SIGINT, SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def as_batch(rows: Sequence[tuple[list[int], list[int]]]) -> Batch:
    """Prompts and replies as one batch."""
    longest = _rounded(max(len(prompt) + len(reply) for prompt, reply in rows))
    tokens = torch.full((len(rows), longest), END_ID, dtype=torch.long)
    wanted = torch.full((len(rows), longest), NOTHING, dtype=torch.long)
    replies = torch.zeros((len(rows), longest), dtype=torch.bool)
    for index, (prompt, reply) in enumerate(rows):
        row = torch.tensor([*prompt, *reply])
        tokens[index, : len(row)] = row
        wanted[index, : len(row) - 1] = row[1:]
        replies[index, len(prompt) - 1 : len(row) - 1] = True
    return Batch(tokens, wanted, replies)


def _rounded(length: int) -> int:
    return -(-length // ROUND) * ROUND
