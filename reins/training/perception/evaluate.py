"""How good a network is: exported as it would ship, it describes pictures that training has not seen."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from reins.models.vision import Certainty
from reins.perception.vision_language.tiny.reading import TinyReader, logit
from reins.training.perception.samples import Sample, description_of_truth, opened
from reins.training.perception.scores import Counts, held_against

ROUNDS: Final = 50
"""Steps of Newton's method; a few are enough."""

STIFF: Final = 1.0
"""What keeps certainties near the probabilities where there is little to learn them from."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a model made of pictures.

    Attributes:
        counts: what was right.
        likely: the model's own probability of each thing that it said, and whether that was right.
        seconds: median of what a picture took [s].
    """

    counts: Counts
    likely: tuple[tuple[float, bool], ...]
    seconds: float


def evaluate(data: bytes, samples: Sequence[Sample]) -> Seen:
    """What the model in an ONNX file says of samples, and what of it is right.

    Raises:
        ReinsError: it does not run.
    """
    reader = TinyReader(data)
    counts, likely, seconds = Counts(), list[tuple[float, bool]](), list[float]()
    for sample in samples:
        truth = opened(sample)
        begun = time.perf_counter()
        reading = reader.read(truth.rgb, reader.contract.length, lambda: None)
        seconds.append(time.perf_counter() - begun)
        found = held_against(reader.describe(reading), description_of_truth(truth), reading.cut)
        counts += found
        likely += [(own, right) for own, (_, right) in zip(reading.likely, found.certain, strict=False)]
    return Seen(counts, tuple(likely), float(np.median(seconds)) if seconds else 0.0)


def certainty_of(likely: Sequence[tuple[float, bool]]) -> Certainty:
    """From a model's own probabilities to how often it is right: logistic regression (Platt scaling).

    Source: J. Platt, "Probabilistic outputs for support vector machines", 1999; Newton's method.
    """
    weights = np.array([1.0, 0.0])
    if not likely:
        return Certainty()
    inputs = np.array([[logit(own), 1.0] for own, _ in likely])
    right = np.array([float(is_so) for _, is_so in likely])
    for _ in range(ROUNDS):
        said = 1.0 / (1.0 + np.exp(-np.clip(inputs @ weights, -30.0, 30.0)))
        gradient = inputs.T @ (said - right) + STIFF * (weights - [1.0, 0.0])
        curvature = (inputs * (said * (1.0 - said))[:, None]).T @ inputs + STIFF * np.eye(2)
        change = np.linalg.solve(curvature, gradient)
        weights = weights - change / max(1.0, float(np.abs(change).max()))
    return Certainty(slope=float(weights[0]), shift=float(weights[1]))
