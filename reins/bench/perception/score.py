"""A scene against the truth: what was found, where, with which attributes and relations."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from reins.contracts.relations import SPATIAL, contacts_between, relations_between
from reins.contracts.scene import GRIPPER, TABLE, TOUCHING, Relation, Scene
from reins.sim.world_state import TruthObject, WorldState

GATE: Final = 0.05
"""A seen object is a true one if their centres are no farther apart than this [m]; a block is 40 mm wide."""

REQUIRED: Final = 0.25
"""An object has to be found if this share of its outline is visible in some camera. Whether one that is hidden more is
found counts neither way."""

PLACES: Final = (TABLE, GRIPPER)
"""What relations may name besides objects."""


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """One scene, judged.

    Attributes:
        found, missed, invented: true objects that were to be found and were; and were not; seen ones that are not true.
        errors: distance of the found ones' centres from the truth [m].
        attributes: found ones' labels and colours that are right, and how many there are.
        relations: relations that are true and seen, and those that are true or seen, between found objects.
        confidence: of every seen object, and whether it is true with the right label and colour.
        hidden: found or not, of the objects between a tenth and REQUIRED visible.
        trouble: what was wrong, in words.
    """

    found: int
    missed: int
    invented: int
    errors: tuple[float, ...]
    attributes: tuple[int, int]
    relations: tuple[int, int]
    confidence: tuple[tuple[float, bool], ...]
    hidden: tuple[bool, ...]
    trouble: tuple[str, ...]


def match(truth: Mapping[str, TruthObject], scene: Scene) -> dict[str, str]:
    """Pairs true id → seen id: the assignment of least total distance, none farther apart than GATE."""
    true, seen = list(truth.values()), list(scene.objects.values())
    if not true or not seen:
        return {}
    offset = np.array([item.position for item in true])[:, None] - np.array([item.position for item in seen])[None]
    distance = np.linalg.norm(offset, axis=2)
    rows, columns = linear_sum_assignment(np.where(distance <= GATE, distance, 1e3))
    return {
        true[row].id: seen[column].id
        for row, column in zip(rows, columns, strict=True)
        if distance[row, column] <= GATE
    }


def judge(world: WorldState, scene: Scene, visible: Mapping[str, float]) -> Score:
    """Compare a scene with the truth.

    Args:
        world: what is true.
        scene: what was seen.
        visible: share of the outline that is visible in the camera that sees most of it, by true id.
    """
    pairs = match(world.objects, scene)
    needed = {name for name, share in visible.items() if share >= REQUIRED}
    found = {name: seen for name, seen in pairs.items() if name in needed}
    invented = scene.objects.keys() - set(pairs.values())
    errors, right, trouble = [], 0, []
    for name, seen in found.items():
        true, item = world.objects[name], scene.objects[seen]
        errors.append(float(np.linalg.norm(np.subtract(true.position, item.position))))
        good = (true.label == item.label) + (true.colour == item.colour)
        right += good
        if good < 2:
            trouble.append(f"{name} seen as {item.colour} {item.label}")
        if errors[-1] > 0.015:
            trouble.append(f"{name} off by {1e3 * errors[-1]:.0f} mm")
    trouble += [f"missed {name}, {visible[name]:.0%} visible" for name in sorted(needed - found.keys())]
    trouble += [f"invented {name}" for name in sorted(invented)]
    true_relations, seen_relations = _relations(world, scene, found)
    trouble += [f"relation {' '.join((r.subject, r.predicate, r.object))}" for r in true_relations ^ seen_relations]
    return Score(
        found=len(found),
        missed=len(needed - found.keys()),
        invented=len(invented),
        errors=tuple(errors),
        attributes=(right, 2 * len(found)),
        relations=(len(true_relations & seen_relations), len(true_relations | seen_relations)),
        confidence=_confidence(world, scene, pairs),
        hidden=tuple(name in pairs for name, share in visible.items() if 0.1 <= share < REQUIRED),
        trouble=tuple(trouble),
    )


def _relations(
    world: WorldState, scene: Scene, found: Mapping[str, str]
) -> tuple[frozenset[Relation], frozenset[Relation]]:
    """True and seen relations between found objects, both by true ids."""
    known = {*found, *PLACES}
    true_id = {seen: name for name, seen in found.items()} | {place: place for place in PLACES}
    things = world.objects.values()
    every = relations_between(things, world.held) | contacts_between(things, world.held)
    true = (r for r in every if known >= {r.subject, r.object})
    seen = (r for r in scene.relations if true_id.keys() >= {r.subject, r.object} and r.predicate in PREDICATES)
    return frozenset(true), frozenset(Relation(true_id[r.subject], r.predicate, true_id[r.object]) for r in seen)


PREDICATES: Final[Set[str]] = {*SPATIAL, "held", TOUCHING}
"""The relations that are judged: those that are true of the world, whoever looks."""


def _confidence(world: WorldState, scene: Scene, pairs: Mapping[str, str]) -> tuple[tuple[float, bool], ...]:
    right = {
        seen
        for name, seen in pairs.items()
        if (world.objects[name].label, world.objects[name].colour)
        == (scene.objects[seen].label, scene.objects[seen].colour)
    }
    return tuple((item.confidence, item.id in right) for item in scene.objects.values())
