"""What a description got right: held against the truth of its picture, thing by thing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from reins.perception.vision_language.description import Description, SaidObject
from reins.perception.vision_language.place import rectangle_of

LEAST_OVERLAP: Final = 0.5
"""Of a said and the true place of a thing that is found."""

BINS: Final = 10
"""Of the reliability of certainties."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What was right of how many, of one or more pictures.

    Attributes:
        found, missed, invented: things of the right kind at the right place; things that are not said; said ones that
            are not there.
        coloured: found ones with the right colour.
        worded: found ones with the right attributes.
        relations: relations between found ones (with the table, too) that are true and said, and true or said.
        whole: descriptions that came to their end; of how many.
        certain: how sure the model was of each thing that it said, and whether it is found with the right colour.
    """

    found: int = 0
    missed: int = 0
    invented: int = 0
    coloured: int = 0
    worded: int = 0
    relations: tuple[int, int] = (0, 0)
    whole: tuple[int, int] = (0, 0)
    certain: tuple[tuple[float, bool], ...] = ()

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.found + other.found,
            self.missed + other.missed,
            self.invented + other.invented,
            self.coloured + other.coloured,
            self.worded + other.worded,
            (self.relations[0] + other.relations[0], self.relations[1] + other.relations[1]),
            (self.whole[0] + other.whole[0], self.whole[1] + other.whole[1]),
            self.certain + other.certain,
        )


@dataclass(frozen=True, slots=True)
class Score:
    """Shares, 0 … 1.

    Attributes:
        object_f1: of things of the right kind and place.
        colours, attributes: right ones of those that were found.
        relations: true ones of those that are true or said.
        whole: descriptions that came to their end.
        off: how far certainties are from the share that is right, on average.
    """

    object_f1: float
    colours: float
    attributes: float
    relations: float
    whole: float
    off: float

    def __str__(self) -> str:
        return (
            f"objects {self.object_f1:.1%}, colours {self.colours:.1%}, attributes {self.attributes:.1%}, relations "
            f"{self.relations:.1%}, whole {self.whole:.1%}, certainty off by {self.off:.3f}"
        )


def held_against(said: Description, true: Description, cut: bool) -> Counts:
    """What is right of a description; `cut` if it did not come to its end."""
    pairs = _pairs(said.objects, true.objects)
    right = {one for one, other in pairs.items() if said.objects[one].colour == true.objects[other].colour}
    worded = sum(
        set(said.objects[one].attributes) == set(true.objects[other].attributes) for one, other in pairs.items()
    )
    numbers = {one + 1: other + 1 for one, other in pairs.items()} | {0: 0}
    told = _either_way(
        (numbers[one.subject], one.relation, numbers[one.object])
        for one in said.relations
        if {one.subject, one.object} <= numbers.keys()
    )
    known = set(numbers.values())
    holds = _either_way(
        (one.subject, one.relation, one.object) for one in true.relations if {one.subject, one.object} <= known
    )
    return Counts(
        found=len(pairs),
        missed=len(true.objects) - len(pairs),
        invented=len(said.objects) - len(pairs),
        coloured=len(right),
        worded=worded,
        relations=(len(told & holds), len(told | holds)),
        whole=(int(not cut), 1),
        certain=tuple(
            (thing.certain, one in right) for one, thing in enumerate(said.objects) if thing.certain is not None
        ),
    )


def score_of(counts: Counts) -> Score:
    """The shares; 1 where there was nothing to get right."""
    every = 2 * counts.found + counts.missed + counts.invented
    return Score(
        object_f1=_share(2 * counts.found, every),
        colours=_share(counts.coloured, counts.found),
        attributes=_share(counts.worded, counts.found),
        relations=_share(*counts.relations),
        whole=_share(*counts.whole),
        off=sum(abs(said - right) * number for said, right, number in reliability(counts.certain))
        / max(1, len(counts.certain)),
    )


def reliability(certain: Sequence[tuple[float, bool]]) -> list[tuple[float, float, int]]:
    """Mean certainty, share that is right, and how many, of things in bins of certainty; those that are not empty."""
    if not certain:
        return []
    said, right = np.array(certain, dtype=float).T
    which = np.minimum((said * BINS).astype(int), BINS - 1)
    return [
        (float(said[which == index].mean()), float(right[which == index].mean()), int((which == index).sum()))
        for index in np.unique(which)
    ]


def _pairs(said: Sequence[SaidObject], true: Sequence[SaidObject]) -> dict[int, int]:
    """Which true thing each said one is, by indices: the best overlaps together, of things of the same kind."""
    if not said or not true:
        return {}
    overlap = np.array(
        [
            [rectangle_of(one.box).overlap(rectangle_of(other.box)) * (one.kind == other.kind) for other in true]
            for one in said
        ]
    )
    rows, columns = linear_sum_assignment(-overlap)
    return {
        int(row): int(column)
        for row, column in zip(rows, columns, strict=True)
        if overlap[row, column] >= LEAST_OVERLAP
    }


def _either_way(relations: Iterable[tuple[int, str, int]]) -> set[tuple[int, str, int]]:
    """Relations, of which it does not matter who is beside whom."""
    return {
        (max(subject, other), word, min(subject, other)) if word == "beside" else (subject, word, other)
        for subject, word, other in relations
    }


def _share(right: int, every: int) -> float:
    return right / every if every else 1.0
