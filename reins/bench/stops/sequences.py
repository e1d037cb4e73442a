"""Random sequences of faults, one soon after the other, as one fault."""

import time
from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np

from reins.bench.stops.cameras import PICTURES_FROZEN
from reins.bench.stops.fault import BEGINS, Fault
from reins.bench.stops.moving import SKILL, TELEOP, MovingGraph
from reins.hardware.robot import FloatArray

SEQUENCE: Final = "random sequence"

PAUSE: Final = 0.1
"""Longest time between two faults of a sequence [s]."""

LONGEST: Final = 4
"""Most faults of a sequence."""

BY_STICK: Final = 0.25
"""Share of those in which the operator drives."""

ENDING: Final = 0.1
"""Share of those whose last fault ends the graph, so that the next one needs another: a node killed or frozen."""

RENDERING: Final = 0.25
"""Share of these with cameras, whose pictures freeze first."""


def random_sequences(faults: Sequence[Fault], count: int, seed: int) -> list[Fault]:
    """Two to four of `faults`, one of which at least stops the arm; a tenth of them end with a node killed or frozen.

    A new graph takes some six seconds and a sequence two to three on two cores of their own: 1,000 sequences, a tenth
    of which cost a graph, take less than an hour.

    Args:
        faults: those without `sources` are left out.
        count: how many sequences.
        seed: which ones.
    """
    generator = np.random.default_rng(seed)
    pools = {source: _Pool(faults, source) for source in (SKILL, TELEOP)}
    sources = [source for source, pool in pools.items() if pool.is_enough]
    if not sources:
        return []

    def sequence() -> Fault:
        source = sources[-1] if generator.random() < BY_STICK else sources[0]
        parts = pools[source].draw(generator)
        return as_one(parts, generator.uniform(0.0, PAUSE, len(parts)), source)

    return [sequence() for _ in range(count)]


class _Pool:
    """What may happen while one source drives."""

    def __init__(self, faults: Sequence[Fault], source: str) -> None:
        fitting = [fault for fault in faults if source in fault.sources]
        self._passing = [fault for fault in fitting if not fault.ends_graph]
        self._endings = [fault for fault in fitting if fault.ends_graph]

    @property
    def is_enough(self) -> bool:
        """Whether a sequence can be made of it."""
        stopping = sum(fault.stops for fault in self._passing)
        return stopping > 0 and len(self._passing) + len(self._endings) > 1

    def draw(self, generator: np.random.Generator) -> list[Fault]:
        """The parts of one sequence, in order."""
        ends = bool(self._endings) and (len(self._passing) < 2 or generator.random() < ENDING)
        cameras = ends and (generator.random() < RENDERING or all(fault.cameras for fault in self._endings))
        last = _some(generator, [fault for fault in self._endings if cameras or not fault.cameras], int(ends))
        first = [PICTURES_FROZEN] if cameras else []
        free = int(generator.integers(2, LONGEST + 1)) - len(last) - len(first)
        stopping = _some(generator, [fault for fault in self._passing if fault.stops], 1 - len(last))
        others = [fault for fault in self._passing if fault not in stopping]
        between = stopping + _some(generator, others, free - len(stopping))
        return [*first, *(between[i] for i in generator.permutation(len(between))), *last]


def _some(generator: np.random.Generator, faults: Sequence[Fault], count: int) -> list[Fault]:
    """That many of them, or all: of each row of the table at most one, so that no kind has more weight for its many
    variants."""
    rows = list(dict.fromkeys(fault.row or fault.name for fault in faults))
    drawn = [rows[i] for i in generator.permutation(len(rows))[: max(0, count)]]
    variants = [[fault for fault in faults if (fault.row or fault.name) == row] for row in drawn]
    return [some[int(generator.integers(len(some)))] for some in variants]


def as_one(parts: Sequence[Fault], pauses: FloatArray, source: str) -> Fault:
    """One after the other: the first that stops the arm says how soon, or the last, where safety ends with it and
    notices nothing any more. Of those that others may hide, one must be told.

    Args:
        parts: in their order.
        pauses: (n,) after each of them [s].
        source: who drives.
    """
    last = parts[-1]
    certain = [last] if last.ends_graph else [part for part in parts if part.always]
    counts = last if last.ends_safety else next(part for part in parts if part.stops)
    return Fault(
        SEQUENCE,
        partial(_one_after_the_other, parts, pauses, counts),
        counts.deadline,
        tuple(part.always for part in certain),
        one_of=tuple(pattern for part in parts for pattern in part.told),
        begin=BEGINS[source],
        printed=last.printed,
        ends_graph=last.ends_graph,
        cameras=any(part.cameras for part in parts),
        parts=tuple(part.name for part in parts),
    )


def _one_after_the_other(parts: Sequence[Fault], pauses: FloatArray, counts: Fault, graph: MovingGraph) -> None:
    """Times count from the part that `counts`."""
    began = graph.now()
    for part, pause in zip(parts, pauses, strict=True):
        graph.injected = graph.now()
        part.inject(graph)
        if part is counts:
            began = graph.injected
        time.sleep(pause)
    graph.injected = began
