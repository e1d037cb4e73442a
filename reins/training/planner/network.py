"""A small Llama: RMSNorm, rotary embedding, SwiGLU, no biases, output tied to the embedding.

The rotary embedding turns neighbouring pairs of a head's numbers, as llama.cpp does for this architecture, so that
weights are exported as they are.
"""

from collections.abc import Callable
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from reins.training.planner.forks import Forks, attend_forked, before
from reins.training.planner.settings import Shape
from reins.training.planner.tokens import END_ID

Mix = Callable[[Tensor, Tensor, Tensor], Tensor]
"""Attention: (rows, heads, tokens, per head) of queries, keys and values."""

EPSILON: Final = 1e-5
"""What is added under the root of a norm."""


class Block(nn.Module):
    """One layer."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.heads = shape.heads
        self.attention_norm = nn.RMSNorm(width, eps=EPSILON)
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.feed_norm = nn.RMSNorm(width, eps=EPSILON)
        self.gate = nn.Linear(width, shape.hidden, bias=False)
        self.up = nn.Linear(width, shape.hidden, bias=False)
        self.down = nn.Linear(shape.hidden, width, bias=False)

    def forward(self, x: Tensor, turn: Tensor, mix: Mix) -> Tensor:
        """(rows, tokens, width) in and out; `turn` as from `Llama.turns`; `mix` is the attention."""
        normed = self.attention_norm(x)
        query, key, value = (self._split(part(normed)) for part in (self.query, self.key, self.value))
        x = x + self.out(mix(rotate(query, turn), rotate(key, turn), value).transpose(1, 2).flatten(2))
        normed = self.feed_norm(x)
        fed: Tensor = self.down(functional.silu(self.gate(normed)) * self.up(normed))
        return x + fed

    def _split(self, x: Tensor) -> Tensor:
        rows, tokens, width = x.shape
        return x.view(rows, tokens, self.heads, width // self.heads).transpose(1, 2)


class Memory:
    """Keys and values of a layer, for rows of different lengths.

    Args:
        rows: how many.
        shape: of the network.
        size: most tokens.
    """

    def __init__(self, rows: int, shape: Shape, size: int) -> None:
        per_head = shape.width // shape.heads
        self.key = torch.zeros(rows, shape.heads, size, per_head)
        self.value = torch.zeros(rows, shape.heads, size, per_head)
        self.places = torch.zeros(rows, 0, dtype=torch.long)
        """(rows, tokens) where the tokens of the next call stand."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Attention of new tokens, whose keys and values are kept, to all there are up to each."""
        row = torch.arange(key.shape[0])[:, None]
        self.key[row, :, self.places] = key.transpose(1, 2)
        self.value[row, :, self.places] = value.float().transpose(1, 2)
        seen = torch.arange(self.key.shape[2])[None, None, :] <= self.places[:, :, None]
        return attend(query, self.key, self.value, seen[:, None])


class Llama(nn.Module):
    """The network.

    Args:
        shape: of it.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width, eps=EPSILON)
        self._begin()

    def turns(self, places: Tensor) -> Tensor:
        """(rows, 1, tokens, half a head, 2) cosine and sine for tokens at these places (rows, tokens)."""
        half = self.shape.width // self.shape.heads // 2
        speed = self.shape.theta ** (-torch.arange(half, dtype=torch.float32) / half)
        angle = places[..., None].float() * speed
        return torch.stack((angle.cos(), angle.sin()), dim=-1)[:, None]

    def hidden(self, tokens: Tensor) -> Tensor:
        """(rows, tokens, width) of whole rows, before the output."""
        return self._through(tokens, torch.arange(tokens.shape[1])[None], attend_before)

    def hidden_of_forks(self, tokens: Tensor, at: Forks) -> Tensor:
        """(tokens, width) before the output, of tokens (tokens,) that stand where `at` says."""

        def mix(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            return attend_forked(query, key, value, at)

        return self._through(tokens[None], at.places[None], mix)[0]

    def _through(self, tokens: Tensor, places: Tensor, mix: Mix) -> Tensor:
        """(rows, tokens, width) before the output, of tokens at these places, with this attention."""
        turn = self.turns(places)
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, turn, mix)
        normed: Tensor = self.norm(x)
        return normed

    def logits(self, hidden: Tensor) -> Tensor:
        """(…, vocabulary) from (…, width)."""
        return functional.linear(hidden, self.embedding.weight)

    @torch.inference_mode()
    def reply(self, prompts: list[list[int]], most: int) -> list[list[int]]:
        """The likeliest tokens after each prompt, up to the end mark or `most` of them."""
        rows, longest = len(prompts), max(map(len, prompts))
        memories = [Memory(rows, self.shape, longest + most) for _ in self.blocks]
        lengths = torch.tensor([len(prompt) for prompt in prompts])
        tokens = torch.tensor([prompt + [END_ID] * (longest - len(prompt)) for prompt in prompts])
        found = self._next(tokens, torch.arange(longest).expand(rows, -1), memories)[torch.arange(rows), lengths - 1]
        said = [found]
        done = found == END_ID
        for step in range(1, most):
            if bool(done.all()):
                break
            places = (lengths + step - 1)[:, None]
            found = self._next(said[-1][:, None], places, memories)[:, 0]
            said.append(found)
            done |= found == END_ID
        every = torch.stack(said, dim=1).tolist()
        return [row[: row.index(END_ID)] if END_ID in row else row for row in every]

    def _next(self, tokens: Tensor, places: Tensor, memories: list[Memory]) -> Tensor:
        """(rows, tokens) the likeliest token after each."""
        x, turn = self.embedding(tokens), self.turns(places)
        for block, memory in zip(self.blocks, memories, strict=True):
            memory.places = places
            x = block.forward(x, turn, memory.attend)  # not what training has compiled
        return self.logits(self.norm(x)).argmax(dim=-1)

    def _begin(self) -> None:
        """Weights to begin with; what adds to the residual stream begins small."""
        nn.init.normal_(self.embedding.weight, std=0.02)
        deep = (2 * self.shape.layers) ** -0.5
        for name, weight in self.named_parameters():
            if weight.dim() == 2 and name != "embedding.weight":
                ends = name.endswith(("out.weight", "down.weight"))
                nn.init.normal_(weight, std=weight.shape[1] ** -0.5 * (deep if ends else 1.0))


def attend(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> Tensor:
    """Attention, (rows, heads, tokens, per head); `seen` says which keys a query sees, (…, queries, keys).

    Written out, because for short rows the backward pass of PyTorch's own one takes three times as long on a processor.
    """
    scores = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
    mixed: Tensor = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1) @ value
    return mixed


def attend_before(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention of each token to those up to it."""
    return attend(query, key, value, before(query.shape[2]))


def rotate(x: Tensor, turn: Tensor) -> Tensor:
    """Turn neighbouring pairs: (rows, heads, tokens, per head) by (rows, 1, tokens, half, 2), in single precision."""
    one, two = x.float().unflatten(-1, (-1, 2)).unbind(-1)
    cosine, sine = turn.unbind(-1)
    return torch.stack((one * cosine - two * sine, one * sine + two * cosine), dim=-1).flatten(-2)


def size_of(network: nn.Module) -> int:
    """How many parameters it has."""
    return sum(weight.numel() for weight in network.parameters())
