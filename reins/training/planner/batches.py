"""Examples as rows of tokens: made in chunks that only their number decides, sorted by length into batches."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context
from random import Random
from typing import Final

import torch
from tokenizers import Tokenizer
from torch import Tensor

from reins.planning.language.compact import TASK, compact_prompt, kind_names
from reins.planning.language.kind_names import KindNames
from reins.planning.language.reply import reply_text
from reins.skills.library import SKILLS
from reins.training.planner.example import Example
from reins.training.planner.examples import Examples
from reins.training.planner.forks import Forks, forks
from reins.training.planner.settings import PlannerSettings
from reins.training.planner.tokens import END_ID, encode
from reins.training.workers import begin_worker

AHEAD = 2
"""Chunks that are made ahead."""

NOTHING: Final = -100
"""What is wanted where nothing is."""

ALIKE: Final = 12
"""Tokens by which endings of a batch may differ: the less, the less there is to fill up while attention is made."""

ENDINGS: Final = 4
"""Examples of a row: what their prompts share is gone through once for all of them."""

Text = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Told:
    """Prompts that begin alike, with the replies that are wanted.

    Attributes:
        shared: how the prompts begin: all that is seen and known.
        endings: (the rest of a prompt, its reply), each.
    """

    shared: str
    endings: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """The tokens of a `Told`."""

    shared: list[int]
    endings: list[tuple[list[int], list[int]]]

    @property
    def lengths(self) -> tuple[int, list[int]]:
        """Tokens of what is shared, and of each ending."""
        return len(self.shared), [len(task) + len(reply) for task, reply in self.endings]

    @property
    def tokens(self) -> int:
        """All of them."""
        shared, endings = self.lengths
        return shared + sum(endings)

    @property
    def longest(self) -> int:
        """Tokens of the longest prompt with its reply."""
        shared, endings = self.lengths
        return shared + max(endings)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of a gradient step, one after the other.

    Attributes:
        tokens: (tokens,).
        wanted: (tokens,) the token after each; NOTHING after the last of what is shared, and of an ending.
        replies: (tokens,) whether that token belongs to a reply.
        forks: where they stand.
    """

    tokens: Tensor
    wanted: Tensor
    replies: Tensor
    forks: Forks


def text_of(example: Example) -> Text:
    """The prompt of an example, and the reply that is wanted."""
    prompt = compact_prompt(example.instruction, example.scene, example.history, SKILLS)
    return prompt, reply_text(names_of(example).point(example.plan))


def names_of(example: Example) -> KindNames:
    """What the objects are called in the prompt of an example."""
    return kind_names(example.scene, example.history.initial)


def make_chunk(seed: int, number: int, size: int, easy: float = 0.0) -> list[Told]:
    """The texts of one chunk of examples; the same for the same arguments.

    Args:
        seed: of everything random.
        number: of the chunk.
        size: how many scenes.
        easy: share of them with one plain thing to do, from the beginning.
    """
    rng = Random(f"{seed}/{number}")
    examples, plain = Examples(rng, SKILLS), Examples(rng, SKILLS, plain=True)

    def group() -> list[Example]:
        return plain.group(ENDINGS, "single") if rng.random() < easy else examples.group(ENDINGS)

    return [told_of(group()) for _ in range(size)]


def told_of(group: Sequence[Example]) -> Told:
    """The texts of examples that differ in their tasks alone."""
    texts = [text_of(example) for example in group]
    cut = texts[0][0].index(TASK)
    return Told(texts[0][0][:cut], tuple((prompt[cut:], reply) for prompt, reply in texts))


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
        pool = ProcessPoolExecutor(1, get_context("spawn"), begin_worker)
        try:
            numbers = count(self.chunk)

            def ask() -> "Future[list[Told]]":
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

    def _batches(self, texts: Sequence[Told], rng: Random) -> list[Batch]:
        groups = in_batches([self._row(told) for told in texts], self._settings)
        rng.shuffle(groups)
        return [as_batch(group) for group in groups]

    def _row(self, told: Told) -> Row:
        endings = [
            (encode(self._tokenizer, task), [*encode(self._tokenizer, reply), END_ID]) for task, reply in told.endings
        ]
        return Row(encode(self._tokenizer, told.shared), endings)


def in_batches(rows: Sequence[Row], settings: PlannerSettings) -> list[list[Row]]:
    """Rows of like lengths together, of endings and of beginnings; what the context is too short for is left out."""
    groups: list[list[Row]] = [[]]
    for row in sorted(rows, key=lambda row: (max(row.lengths[1]) // ALIKE, row.lengths[0])):
        if row.longest > settings.shape.context:
            continue
        if sum(other.tokens for other in (*groups[-1], row)) > settings.batch and groups[-1]:
            groups.append([])
        groups[-1].append(row)
    return [group for group in groups if group]


def as_batch(rows: Sequence[Row]) -> Batch:
    """Rows as one batch; they have equally many endings."""
    tokens, wanted, replies = list[int](), list[int](), list[bool]()
    for row in rows:
        for prompt, reply in ((row.shared, []), *row.endings):
            told = [*prompt, *reply]
            tokens += told
            wanted += [*told[1:], NOTHING]
            replies += [*[False] * (len(prompt) - 1), *[True] * len(reply), False]
    at = forks([row.lengths for row in rows])
    return Batch(torch.tensor(tokens), torch.tensor(wanted), torch.tensor(replies), at)
