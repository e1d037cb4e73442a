"""Batches of gradient steps: which samples, seen how, is decided by the step's number alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from reins.perception.colours import COLOURS
from reins.perception.vision_language.tiny.reading import fitted
from reins.perception.vision_language.tiny.speech import tokens_of
from reins.perception.vision_language.tiny.words import SAID_KINDS
from reins.training.perception.augment import augmented
from reins.training.perception.samples import Sample, Truth, boxes_of, description_of_truth, opened
from reins.training.perception.settings import CELL, Shape, VisionTrainingSettings

UNWANTED: Final = -100
"""What is wanted where nothing is."""

IN_CELL: Final = 0.1
"""A cell shows a thing if this share of its pixels does, and no other thing more."""


@dataclass(frozen=True, slots=True)
class Places:
    """What is to be said of every cell.

    Attributes:
        kinds: (b, cells) index of the kind, after the last one for none; UNWANTED where what is there is not said.
        colours: (b, cells) index of the colour; UNWANTED where nothing is.
        edges: (b, cells, 4) left, top, right and bottom of the thing from the middle of the cell [cells].
    """

    kinds: Tensor
    colours: Tensor
    edges: Tensor


@dataclass(frozen=True, slots=True)
class Batch:
    """Samples of a gradient step.

    Attributes:
        pictures: (b, height, width, 3) of 0 … 255.
        tokens: (b, t) from BEGIN on; filled up with anything.
        wanted: (b, t) the token after each; UNWANTED after the last.
        places: of its cells.
    """

    pictures: Tensor
    tokens: Tensor
    wanted: Tensor
    places: Places


def batch_of_step(samples: Sequence[Sample], settings: VisionTrainingSettings, step: int) -> Batch:
    """The batch of a step: every sample once, in an order of their own, then all of them again in another order."""
    chosen = [samples[_at(settings, len(samples), step * settings.batch + place)] for place in range(settings.batch)]
    random = np.random.default_rng([settings.seed, 2, step])
    return as_batch([augmented(opened(sample), settings.shape, random) for sample in chosen], settings.shape)


def as_batch(truths: Sequence[Truth], shape: Shape) -> Batch:
    """Samples as one batch; what is longer than the network's most tokens is cut off."""
    rows = [tokens_of(description_of_truth(truth))[: shape.length + 1] for truth in truths]
    longest = max(map(len, rows)) - 1
    tokens = torch.zeros(len(rows), longest, dtype=torch.long)
    wanted = torch.full((len(rows), longest), UNWANTED)
    for index, row in enumerate(rows):
        tokens[index, : len(row) - 1] = torch.tensor(row[:-1])
        wanted[index, : len(row) - 1] = torch.tensor(row[1:])
    pictures = torch.from_numpy(np.stack([fitted(truth.rgb, shape.width, shape.height) for truth in truths]))
    places = [places_of(truth, shape) for truth in truths]
    kinds, colours, edges = (torch.from_numpy(np.stack(part)) for part in zip(*places, strict=True))
    return Batch(pictures, tokens, wanted, Places(kinds, colours, edges))


def places_of(truth: Truth, shape: Shape) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Kinds (cells,), colours (cells,) and edges (cells, 4) of a sample, as in `Places`."""
    height, width = truth.owners.shape
    rows = np.arange(height) * shape.rows // height
    columns = np.arange(width) * shape.columns // width
    cell = (rows[:, None] * shape.columns + columns[None]).ravel()
    owners = truth.owners.ravel()
    counts = np.stack([np.bincount(cell[owners == index], minlength=shape.cells) for index in range(len(truth.things))])
    owner = counts.argmax(axis=0)
    shown = counts.max(axis=0) >= IN_CELL * (height * width) / shape.cells
    kinds = np.where(shown, UNWANTED, len(SAID_KINDS))
    colours = np.full(shape.cells, UNWANTED)
    edges = np.zeros((shape.cells, 4), np.float32)
    scale = np.array([shape.width / width, shape.height / height] * 2) / CELL
    middles = np.stack(np.meshgrid(np.arange(shape.columns), np.arange(shape.rows)), axis=-1).reshape(-1, 2) + 0.5
    for index, box in boxes_of(truth).items():
        here = shown & (owner == index)
        kinds[here] = SAID_KINDS.index(truth.things[index].kind)
        colours[here] = COLOURS.index(truth.things[index].colour)
        edges[here] = np.array(box) * scale - np.tile(middles[here], 2)
    return kinds, colours, edges


def _at(settings: VisionTrainingSettings, size: int, number: int) -> int:
    """Which sample is the one with this running number."""
    turn, place = divmod(number, size)
    return int(_order(settings.seed, turn, size)[place])


@lru_cache(maxsize=2)
def _order(seed: int, turn: int, size: int) -> NDArray[np.int64]:
    return np.random.default_rng([seed, 1, turn]).permutation(size)
