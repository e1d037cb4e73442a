"""Rows that begin alike and end in several ways, as one string of tokens: what they share is gone through only once.

Everything but attention treats each token for itself. Attention needs rows of equal lengths; tokens are spread over
these and collected again, so that only there something is filled up.
"""

from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor
from torch.autograd.function import Function

SLOTS: Final = 1
"""Dimension of slots in (heads, slots, per head)."""


@dataclass(frozen=True, slots=True)
class Forks:
    """Where the tokens of rows stand.

    A slot is a place in the rows as attention sees them: (rows · shared) slots of what rows share, then
    (rows · endings · ending) of how they end.

    Attributes:
        places: (tokens,) of each token in its row, as the rotary embedding counts.
        spread: (slots,) the token in each slot; 0 where there is none.
        used: (slots,) whether there is one.
        slots: (tokens,) the slot of each token.
        rows: how many.
        shared: slots of what a row's endings share.
        endings: of a row.
    """

    places: Tensor
    spread: Tensor
    used: Tensor
    slots: Tensor
    rows: int
    shared: int
    endings: int


def forks(lengths: list[tuple[int, list[int]]]) -> Forks:
    """The tokens of rows one after the other, what is shared first.

    Args:
        lengths: of each row: tokens that its endings share, and tokens of each ending; equally many of these.
    """
    rows, endings = len(lengths), len(lengths[0][1])
    shared = max(length for length, _ in lengths)
    ending = max(length for _, ends in lengths for length in ends)
    places, slots = [], []
    for row, (length, ends) in enumerate(lengths):
        places.append(torch.arange(length))
        slots.append(row * shared + torch.arange(length))
        for number, end in enumerate(ends):
            places.append(length + torch.arange(end))
            slots.append(rows * shared + (row * endings + number) * ending + torch.arange(end))
    where = torch.cat(slots)
    spread = torch.zeros(rows * (shared + endings * ending), dtype=torch.long)
    spread[where] = torch.arange(len(where))
    used = torch.zeros(len(spread), dtype=torch.bool)
    used[where] = True
    return Forks(torch.cat(places), spread, used, where, rows, shared, endings)


def attend_forked(query: Tensor, key: Tensor, value: Tensor, at: Forks) -> Tensor:
    """Attention of each token to those before it in its ending, and in what its row's endings share.

    Args:
        query, key, value: (1, heads, tokens, per head).
        at: where the tokens stand.
    """
    first, last = zip(*(_as_rows(part, at) for part in (query, key, value)), strict=True)
    scale = query.shape[-1] ** -0.5
    seen = at.used[: at.rows * at.shared].view(at.rows, 1, at.shared)
    scores = (first[0] @ first[1].transpose(-1, -2) * scale).masked_fill(~before(at.shared), -torch.inf)
    mixed = scores.softmax(dim=-1) @ first[2]
    ending = last[0].shape[3]
    to_own = (last[0] @ last[1].transpose(-1, -2)).masked_fill(~before(ending), -torch.inf)
    to_shared = (last[0].flatten(2, 3) @ first[1].transpose(-1, -2)).masked_fill(~seen, -torch.inf)
    weights = (torch.cat((to_shared, to_own.flatten(2, 3)), dim=-1) * scale).softmax(dim=-1)
    of_shared, of_own = weights.split((at.shared, ending), dim=-1)
    ended = of_shared @ first[2] + (of_own.unflatten(2, (at.endings, ending)) @ last[2]).flatten(2, 3)
    every = torch.cat((mixed.flatten(1, 2), ended.flatten(1, 2)), dim=SLOTS)
    collected: Tensor = _Collect.apply(every, at.spread, at.used, at.slots)
    return collected[None]


def before(tokens: int) -> Tensor:
    """(tokens, tokens) whether a key is not after a query."""
    return torch.ones(tokens, tokens, dtype=torch.bool).tril()


def _as_rows(part: Tensor, at: Forks) -> tuple[Tensor, Tensor]:
    """(heads, rows, shared, per head) and (heads, rows, endings, ending, per head) of (1, heads, tokens, per head)."""
    spread: Tensor = _Spread.apply(part[0], at.spread, at.slots)
    first, last = spread.split((at.rows * at.shared, len(at.spread) - at.rows * at.shared), dim=SLOTS)
    return first.unflatten(SLOTS, (at.rows, at.shared)), last.unflatten(SLOTS, (at.rows, at.endings, -1))


class _Spread(Function):
    """Tokens into slots. Each token has one slot, so that the way back collects, and adds nothing up."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, spread: Tensor, slots: Tensor) -> Tensor:
        ctx.save_for_backward(slots)
        return x.index_select(SLOTS, spread)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:  # type: ignore[override]
        (slots,) = ctx.saved_tensors
        return grad.index_select(SLOTS, slots), None, None


class _Collect(Function):
    """Slots into tokens."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, spread: Tensor, used: Tensor, slots: Tensor) -> Tensor:
        ctx.save_for_backward(spread, used)
        return x.index_select(SLOTS, slots)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None]:  # type: ignore[override]
        spread, used = ctx.saved_tensors
        return grad.index_select(SLOTS, spread) * used[:, None], None, None, None
