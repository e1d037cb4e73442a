"""A picture read by the tiny model: token by token, always the likeliest allowed, in one thread of ONNX Runtime."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import exp, log
from typing import Any, Final

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError
from reins.models.vision import Certainty, read_vision_contract
from reins.perception.vision_language.description import Description
from reins.perception.vision_language.tiny.grammar import Grammar
from reins.perception.vision_language.tiny.speech import description_of
from reins.perception.vision_language.tiny.words import BEGIN, COLOUR, EDGE, END, FORMAT, KIND, SIZE

INPUTS: Final = ("picture", "begin", "memory", "past", "token", "place")
OUTPUTS: Final = ("scores", "seen", "said")
"""Names in the ONNX file. With `begin` the picture is looked at; after that its keys and values go in as `memory`."""

SLACK: Final = 2
"""Steps by which an edge may be off and still count as the edge that was said [edges]."""

LEAST: Final = 1e-6
"""Probabilities are kept this far from 0 and 1, where their logits have no end."""

Pixels = NDArray[np.uint8]


@dataclass(slots=True)
class Reading:
    """What was read of a picture.

    Attributes:
        tokens: from BEGIN on.
        likely: of every thing that was begun, the model's probability of its kind, colour and box together.
        cut: there were more tokens to come than were allowed.
    """

    tokens: list[int] = field(default_factory=lambda: [BEGIN])
    likely: list[float] = field(default_factory=list)
    cut: bool = False


class TinyReader:
    """One model, ready to run. One thread uses it.

    Args:
        data: contents of the ONNX file.

    Raises:
        ReinsError: it is damaged, has no contract, or speaks other words than this version of reins; says what.
    """

    def __init__(self, data: bytes) -> None:
        self.contract = contract = read_vision_contract(data)
        if (contract.words, contract.tokens) != (FORMAT, SIZE):
            raise ReinsError(
                f"it speaks {contract.tokens} words of {contract.words}, and this version of reins {SIZE} of {FORMAT}"
            )
        self._session = _session(data)
        names = tuple(entry.name for entry in self._session.get_inputs())
        if names != INPUTS or tuple(entry.name for entry in self._session.get_outputs()) != OUTPUTS:
            raise ReinsError(f"it takes {', '.join(names)} where {', '.join(INPUTS)} are given")
        self._probe()

    def read(self, rgb: Pixels, most: int, check: Callable[[], None]) -> Reading:
        """What a picture shows.

        Args:
            rgb: (h, w, 3) of any size.
            most: tokens of the reply.
            check: called before every token; raises what ends the reading.

        Raises:
            ReinsError: the network's output is not finite.
        """
        feed = self._first(rgb)
        grammar, reading = Grammar(), Reading()
        for place in range(min(most, self.contract.length)):
            check()
            scores, feed["memory"], feed["past"] = self._session.run(OUTPUTS, feed)
            share = _shares(scores, grammar.allowed())
            token = int(share.argmax())
            reading.tokens.append(token)
            _weigh(reading.likely, token, share)
            grammar.take(token)
            if token == END:
                return reading
            feed["begin"] = np.array(False)
            feed["token"], feed["place"] = np.array([[token]]), np.array([[place + 1]])
        reading.cut = True
        return reading

    def describe(self, reading: Reading) -> Description:
        """The description that was read."""
        return description_of(reading.tokens, [certain(value, self.contract.certainty) for value in reading.likely])

    def _first(self, rgb: Pixels) -> dict[str, Any]:
        """What goes in first."""
        contract = self.contract
        keys = (contract.memories, contract.heads)
        return {
            "picture": fitted(rgb, contract.width, contract.height)[None],
            "begin": np.array(True),
            "memory": np.zeros((*keys, contract.cells, contract.per_head), np.float32),
            "past": np.zeros((*keys, 0, contract.per_head), np.float32),
            "token": np.array([[BEGIN]]),
            "place": np.array([[0]]),
        }

    def _probe(self) -> None:
        """Run it once on black: what cannot run is refused before it describes anything."""
        try:
            self.read(np.zeros((8, 8, 3), np.uint8), 2, lambda: None)
        except ReinsError:
            raise
        except Exception as error:  # ONNX Runtime's own exception types derive from Exception only
            raise ReinsError(f"it does not run: {error}") from error


def fitted(rgb: Pixels, width: int, height: int) -> Pixels:
    """(height, width, 3) a picture at the size that the network takes; in training as when it runs."""
    return np.asarray(cv2.resize(rgb, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def certain(likely: float, certainty: Certainty) -> float:
    """How often a thing with this probability is right, as it was measured."""
    value = certainty.slope * logit(likely) + certainty.shift
    return 1.0 / (1.0 + exp(-min(max(value, -30.0), 30.0)))


def logit(share: float) -> float:
    """The logarithm of the odds."""
    inside = min(max(share, LEAST), 1.0 - LEAST)
    return log(inside / (1.0 - inside))


def _session(data: bytes) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # perception has no cores to spare
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's own exception types derive from Exception only
        raise ReinsError(f"ONNX Runtime does not load it: {error}") from error


def _shares(scores: NDArray[np.float32], allowed: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(SIZE,) probabilities among the tokens that are allowed; 0 of the others."""
    if not np.isfinite(scores).all():
        raise ReinsError("the tiny model's output is not finite")
    held = np.where(allowed, scores.astype(np.float64), -np.inf)
    shares = np.exp(held - held.max())
    return np.asarray(shares / shares.sum())


def _weigh(likely: list[float], token: int, share: NDArray[np.float64]) -> None:
    """Count in how probable a token is; that of an edge with its neighbours."""
    if token in KIND:
        likely.append(float(share[token]))
    elif token in COLOUR:
        likely[-1] *= float(share[token])
    elif token in EDGE:
        near = slice(max(token - SLACK, EDGE.first), min(token + SLACK + 1, EDGE.end))
        likely[-1] *= float(share[near].sum())
