"""How an object may be spoken of in a scene, as structure: which words say it is the phrases' business.

Every reference that is drawn stands for exactly what it is meant to: its extension in the scene is computed, not hoped
for. "The left block" means the leftmost one, seen from the robot (+y); "nearest" is nearest to the robot's base.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Final

from reins.contracts.scene import TABLE, Scene, SceneObject

CLEARLY: Final = 0.02
"""A superlative needs to win by this much [m], so that whole centimetres show it."""

REDUNDANT: Final = 0.15
"""How often it is said where a thing is though its kind alone tells it from the others."""

RANKS: Final = {"left": (1, 1.0), "right": (1, -1.0), "near": (0, -1.0), "far": (0, 1.0)}
"""Superlatives as (axis, sign) in the base frame."""

RELATIONS: Final = ("in", "on", "beside", "left_of", "right_of", "behind", "in_front_of")
"""Relations by which a thing may be told from others."""


@dataclass(frozen=True, slots=True)
class Ref:
    """What is said of an object, or of several.

    Attributes:
        form: how: a key of `nouns` in the phrases.
        ids: what it stands for; empty for something that is not there.
        label, colour: as far as they are said.
        rank: a key of RANKS, or "" .
        number: which one from that side, counted from 1; or how many.
        relation: a word of RELATIONS, or "".
        parts: other things that it mentions: the anchor of a relation, members of a list, exceptions.
    """

    form: str
    ids: tuple[str, ...]
    label: str = ""
    colour: str = ""
    rank: str = ""
    number: int = 0
    relation: str = ""
    parts: tuple["Ref", ...] = ()

    def mentioned(self) -> Iterator["Ref"]:
        """This reference and all in it."""
        yield self
        for part in self.parts:
            yield from part.mentioned()


TABLE_REF: Final = Ref("table", (TABLE,))
"""The table."""


def matching(scene: Scene, label: str = "", colour: str = "") -> list[SceneObject]:
    """The objects of that label and colour; an empty word fits all."""
    return [item for item in scene.objects.values() if label in ("", item.label) and colour in ("", item.colour)]


class Describer:
    """Draws references to the objects of one scene.

    Args:
        scene: the scene in which the instruction is given.
        rng: of everything random.
    """

    def __init__(self, scene: Scene, rng: Random) -> None:
        self._scene = scene
        self._rng = rng
        self._related = {(r.subject, r.predicate, r.object) for r in scene.relations}
        self._held = scene.held()

    def plain(self, name: str) -> Ref | None:
        """By colour, label or id; None if only a relation or a superlative would do."""
        return self._draw([ref for ref in self._plain(name) if ref is not None])

    def rich(self, name: str) -> Ref | None:
        """By a superlative, a number or a relation to something else; None if none tells it from the others."""
        ways = [self._ranked(name), self._ordinal(name), self._relation(name), self._relation(name)]
        return self._draw([ref for ref in ways if ref is not None])

    def any(self, name: str, rich: float = 0.25) -> Ref | None:
        """In any way that tells it from the others."""
        first, second = (self.rich, self.plain) if self._rng.random() < rich else (self.plain, self.rich)
        return first(name) or second(name)

    def _draw(self, refs: list[Ref]) -> Ref | None:
        return self._rng.choice(refs) if refs else None

    def _plain(self, name: str) -> list[Ref | None]:
        item = self._scene.objects[name]
        said: list[Ref | None] = []
        if len(matching(self._scene, item.label, item.colour)) == 1:
            said += [Ref("plain", (name,), item.label, item.colour)] * 12
            if len(matching(self._scene, item.label)) == 1:
                said += [Ref("label", (name,), item.label)] * 5
            if len(matching(self._scene, "", item.colour)) == 1:
                said += [Ref("colour", (name,), colour=item.colour)] * 3
        if name == self._held:
            said += [Ref("held", (name,), item.label)] * 4
        said += [Ref("id", (name,), item.label, item.colour)] * (1 if said else 6)
        return said

    def _ranked(self, name: str) -> Ref | None:
        item = self._scene.objects[name]
        for rank in self._rng.sample(list(RANKS), len(RANKS)):
            for colour in ("", item.colour):
                others = matching(self._scene, item.label, colour)
                if len(others) > 1 and self._wins(item, others, rank):
                    return Ref("rank2" if len(others) == 2 else "rank", (name,), item.label, colour, rank)
        return None

    def _wins(self, item: SceneObject, others: list[SceneObject], rank: str) -> bool:
        if any(other.id == self._held for other in others):
            return False
        axis, sign = RANKS[rank]
        return all(
            sign * (item.position[axis] - other.position[axis]) >= CLEARLY for other in others if other.id != item.id
        )

    def _ordinal(self, name: str) -> Ref | None:
        item = self._scene.objects[name]
        row = sorted(matching(self._scene, item.label), key=lambda other: -other.position[1])
        apart = all(one.position[1] - two.position[1] >= CLEARLY for one, two in pairwise(row))
        place = [other.id for other in row].index(name) + 1
        if len(row) < 3 or not apart or any(other.id == self._held for other in row) or place in (1, len(row)):
            return None
        if len(row) == 3:
            return Ref("middle", (name,), item.label)
        if self._rng.random() < 0.5:
            return Ref("ordinal", (name,), item.label, rank="left", number=place)
        return Ref("ordinal", (name,), item.label, rank="right", number=len(row) + 1 - place)

    def _relation(self, name: str) -> Ref | None:
        item = self._scene.objects[name]
        ways = sorted((relation, where) for subject, relation, where in self._related if subject == name)
        if len(matching(self._scene, item.label)) == 1 and self._rng.random() > REDUNDANT:
            return None
        self._rng.shuffle(ways)
        for relation, where in sorted(ways, key=lambda way: way[0] not in ("in", "on")):
            if relation not in RELATIONS or where == self._held:
                continue
            anchor = TABLE_REF if where == TABLE else self._anchor(where)
            form = "on_table" if where == TABLE else "relation"
            for colour in ("", item.colour):
                if len(matching(self._scene, item.label, colour)) == 1 and self._rng.random() > REDUNDANT:
                    continue
                fits = [
                    other.id
                    for other in matching(self._scene, item.label, colour)
                    if (other.id, relation, where) in self._related
                ]
                if anchor is not None and fits == [name]:
                    return Ref(form, (name,), item.label, colour, relation=relation, parts=(anchor,))
        return None

    def _anchor(self, name: str) -> Ref | None:
        item = self._scene.objects[name]
        if len(matching(self._scene, item.label, item.colour)) > 1:
            return None
        if len(matching(self._scene, item.label)) == 1 and self._rng.random() < 0.4:
            return Ref("label", (name,), item.label)
        return Ref("plain", (name,), item.label, item.colour)


def exactly(refs: Collection[Ref]) -> tuple[str, ...]:
    """Ids of all that the references stand for, each once, in order."""
    return tuple(dict.fromkeys(name for ref in refs for name in ref.ids))
