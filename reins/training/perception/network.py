"""The network: convolutions and a transformer that look at a picture, and a transformer that says what it shows.

Cells of the picture become vectors; a decoder says tokens from these. Beside it, three small heads say of every cell
which thing is in it and where its edges are: these are for training alone and are not exported.
"""

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from reins.perception.colours import COLOURS
from reins.perception.vision_language.tiny.words import EDGE, SAID_KINDS, SIZE
from reins.training.perception.settings import Shape


class Attention(nn.Module):
    """Attention of several heads.

    Args:
        features: width of the vectors.
        heads: that share it.
    """

    def __init__(self, features: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(features, features, bias=False)
        self.key = nn.Linear(features, features, bias=False)
        self.value = nn.Linear(features, features, bias=False)
        self.out = nn.Linear(features, features, bias=False)

    def forward(self, x: Tensor, to: Tensor, forward_only: bool = False) -> Tensor:
        """(b, t, features) of vectors x that look at vectors `to` (b, s, features), or each only at those up to it."""
        query, key, value = self._split(self.query(x)), self._split(self.key(to)), self._split(self.value(to))
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=forward_only)
        told: Tensor = self.out(mixed.transpose(1, 2).flatten(2))
        return told

    def _split(self, x: Tensor) -> Tensor:
        rows, tokens, features = x.shape
        return x.view(rows, tokens, self.heads, features // self.heads).transpose(1, 2)


class Feed(nn.Module):
    """The feed-forward layer: squares of what is above zero."""

    def __init__(self, features: int, hidden: int) -> None:
        super().__init__()
        self.up = nn.Linear(features, hidden, bias=False)
        self.down = nn.Linear(hidden, features, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """(…, features) in and out."""
        fed: Tensor = self.down(functional.relu(self.up(x)).square())
        return fed


class Looker(nn.Module):
    """A layer of the encoder."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(shape.features)
        self.attention = Attention(shape.features, shape.heads)
        self.feed_norm = nn.LayerNorm(shape.features)
        self.feed = Feed(shape.features, shape.hidden)

    def forward(self, x: Tensor) -> Tensor:
        """(b, cells, features) in and out."""
        normed = self.norm(x)
        x = x + self.attention(normed, normed)
        looked: Tensor = x + self.feed(self.feed_norm(x))
        return looked


class Speaker(nn.Module):
    """A layer of the decoder."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(shape.features)
        self.attention = Attention(shape.features, shape.heads)
        self.look_norm = nn.LayerNorm(shape.features)
        self.look = Attention(shape.features, shape.heads)
        self.feed_norm = nn.LayerNorm(shape.features)
        self.feed = Feed(shape.features, shape.hidden)

    def forward(self, x: Tensor, cells: Tensor) -> Tensor:
        """(b, t, features) in and out, of tokens that look at the cells (b, cells, features)."""
        normed = self.norm(x)
        x = x + self.attention(normed, normed, forward_only=True)
        x = x + self.look(self.look_norm(x), cells)
        spoken: Tensor = x + self.feed(self.feed_norm(x))
        return spoken


@dataclass(frozen=True, slots=True)
class Guessed:
    """What the encoder says of every cell: scores of kinds (b, cells, kinds + 1) and of colours, and edges [cells]."""

    kinds: Tensor
    colours: Tensor
    edges: Tensor


class TinyVlm(nn.Module):
    """The network.

    Args:
        shape: of it.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        channels = (3, *shape.stem, shape.features)
        self.convolutions = [nn.Conv2d(before, after, 3, stride=2, padding=1) for before, after in pairwise(channels)]
        self.stem = nn.ModuleList(self.convolutions)
        self.cell_places = nn.Parameter(torch.zeros(shape.cells, shape.features))
        self.looking = [Looker(shape) for _ in range(shape.layers)]
        self.lookers = nn.ModuleList(self.looking)
        self.cell_norm = nn.LayerNorm(shape.features)
        self.embedding = nn.Embedding(SIZE, shape.features)
        self.token_places = nn.Parameter(torch.zeros(shape.length, shape.features))
        self.speaking = [Speaker(shape) for _ in range(shape.decoder_layers)]
        self.speakers = nn.ModuleList(self.speaking)
        self.token_norm = nn.LayerNorm(shape.features)
        self.kind_head = nn.Linear(shape.features, len(SAID_KINDS) + 1)
        self.colour_head = nn.Linear(shape.features, len(COLOURS))
        self.edge_head = nn.Linear(shape.features, 4)
        self._begin()

    def look(self, pictures: Tensor) -> Tensor:
        """(b, cells, features) of pictures (b, height, width, 3) of 0 … 255."""
        x = (pictures.float() / 64.0 - 2.0).permute(0, 3, 1, 2)
        for number, convolution in enumerate(self.convolutions, start=1):
            x = convolution(x)
            if number < len(self.convolutions):
                x = functional.relu(x)
        cells = x.flatten(2).transpose(1, 2) + self.cell_places
        for looker in self.looking:
            cells = looker(cells)
        normed: Tensor = self.cell_norm(cells)
        return normed

    def guess(self, cells: Tensor) -> Guessed:
        """What is in the cells (b, cells, features), each by itself."""
        return Guessed(self.kind_head(cells), self.colour_head(cells), self.edge_head(cells))

    def speak(self, cells: Tensor, tokens: Tensor) -> Tensor:
        """(b, t, SIZE) scores of what follows each of the tokens (b, t), which begin with BEGIN."""
        x = self.embedding(tokens) + self.token_places[: tokens.shape[1]]
        for speaker in self.speaking:
            x = speaker(x, cells)
        return functional.linear(self.token_norm(x), self.embedding.weight)

    def _begin(self) -> None:
        """Weights to begin with; what adds to the residual stream begins small."""
        for convolution in self.convolutions:
            nn.init.kaiming_normal_(convolution.weight, nonlinearity="relu")
            if convolution.bias is not None:
                nn.init.zeros_(convolution.bias)
        for weight in (self.token_places, self.embedding.weight):
            nn.init.normal_(weight, std=0.02)
        with torch.no_grad():
            self.cell_places.copy_(_waves(self.shape))
            edges = _lines(torch.arange(EDGE.size), self.shape.features)
            self.embedding.weight[EDGE.first : EDGE.end] = 0.03 * edges  # neighbours begin alike
        deep = (2 * (self.shape.layers + self.shape.decoder_layers)) ** -0.5
        for name, weight in self.named_parameters():
            if weight.dim() == 2 and name.startswith(("lookers", "speakers")):
                ends = name.endswith(("out.weight", "down.weight"))
                nn.init.normal_(weight, std=weight.shape[1] ** -0.5 * (deep if ends else 1.0))


def _waves(shape: Shape) -> Tensor:
    """(cells, features) where cells are: half of it across, half of it down."""
    half = -(-shape.features // 2)
    across = _lines(torch.arange(shape.columns), half).expand(shape.rows, -1, -1)
    down = _lines(torch.arange(shape.rows), half)[:, None].expand(-1, shape.columns, -1)
    return 0.5 * torch.cat([across, down], dim=-1).flatten(0, 1)[:, : shape.features]


def _lines(numbers: Tensor, features: int) -> Tensor:
    """(n, features) of numbers (n,), as waves of ever longer wavelengths: numbers near each other begin alike."""
    speed = 2.0 ** -torch.linspace(0.0, 7.0, -(-features // 2))
    angle = numbers[:, None] * speed
    return torch.cat([angle.sin(), angle.cos()], dim=-1)[:, :features]


def size_of(network: nn.Module) -> int:
    """How many parameters it has."""
    return sum(weight.numel() for weight in network.parameters())
