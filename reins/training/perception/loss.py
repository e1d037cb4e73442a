"""What a network has got wrong: tokens that were to be said, and what is in every cell of the picture."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from reins.perception.vision_language.tiny.words import EDGE
from reins.training.perception.batches import UNWANTED, Batch, Places
from reins.training.perception.network import Guessed, TinyVlm
from reins.training.perception.settings import VisionTrainingSettings


@dataclass(frozen=True, slots=True)
class Losses:
    """Losses of a batch, scalars.

    Attributes:
        words: mean of a token [nat].
        places: of kinds, colours and edges of the cells together.
    """

    words: Tensor
    places: Tensor


def losses_of(network: TinyVlm, batch: Batch, settings: VisionTrainingSettings) -> Losses:
    """The losses of a network on a batch."""
    cells = network.look(batch.pictures)
    told = batch.wanted != UNWANTED
    scores = network.speak(cells, batch.tokens)[told].float()
    words = words_loss(scores, batch.wanted[told], settings.blurred)
    return Losses(words, places_loss(network.guess(cells), batch.places))


def words_loss(scores: Tensor, wanted: Tensor, blurred: float) -> Tensor:
    """Mean cross entropy of scores (n, SIZE) with the tokens wanted (n,), of edges with those beside them, too.

    Args:
        scores: of all tokens.
        wanted: the right ones.
        blurred: share of an edge's target that its two neighbours have.
    """
    logs = functional.log_softmax(scores, dim=-1)
    exact = logs.gather(1, wanted[:, None])[:, 0]
    beside = torch.stack([wanted - 1, wanted + 1], dim=1).clamp(EDGE.first, EDGE.end - 1)
    near = logs.gather(1, beside).mean(dim=1)
    is_edge = wanted >= EDGE.first
    return -torch.where(is_edge, (1.0 - blurred) * exact + blurred * near, exact).mean()


def places_loss(guessed: Guessed, places: Places) -> Tensor:
    """Cross entropy of kinds and of colours, and how far edges are off [cells, smooth below 1/4]."""
    kinds = functional.cross_entropy(guessed.kinds.float().flatten(0, 1), places.kinds.flatten(), ignore_index=UNWANTED)
    shown = places.colours != UNWANTED
    if not bool(shown.any()):
        return kinds
    colours = functional.cross_entropy(guessed.colours.float()[shown], places.colours[shown])
    edges = functional.smooth_l1_loss(guessed.edges.float()[shown], places.edges[shown], beta=0.25)
    return kinds + 0.5 * colours + edges
