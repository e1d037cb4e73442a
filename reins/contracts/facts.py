"""The symbolic state that plans are checked against: facts derived from a scene.

Facts are tuples. Seen in a scene: ("in", a, b), ("on", a, b) with b an object or the table, ("beside", a, b) both ways
round, ("left_of", a, b) and the other spatial relations, ("holding", a); compared with an earlier scene: ("moved", a,
direction). What follows from those: ("hand_empty",); ("clear", a) — nothing is on or in it; ("room", a) — there is
room for more on or in it.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from reins.contracts.scene import OCCLUDED, REACHABLE, TABLE, TOUCHING, Scene, SceneObject

Fact = tuple[str, ...]
Facts = frozenset[Fact]

DERIVED: Final = ("hand_empty", "clear", "room")
"""Predicates that follow from the others."""

CAPACITY: Final[Mapping[str, int]] = {"bowl": 2, "plate": 4}
"""How many blocks fit in or on an object of that label; on anything else one does, on the table any number.

Source: tried in simulation with 4 cm blocks, a bowl 14 cm and a plate 15 cm wide: a third block comes to lie on the
others and rises above the bowl's rim."""

NO_FACTS: Final = frozenset({OCCLUDED, REACHABLE, TOUCHING})
"""Relations that plans are not made about: they change with every look, and no skill declares them."""

MOVED_LEAST: Final = 0.02
"""Displacement from which an object counts as moved [m]; well above what perception's noise makes."""

AXES: Final[Mapping[str, tuple[int, float]]] = {
    "left": (1, 1.0),
    "right": (1, -1.0),
    "forward": (0, 1.0),
    "back": (0, -1.0),
}
"""Directions as (axis, sign) in the base frame."""


def facts_of(scene: Scene, before: Scene | None = None) -> Facts:
    """All facts that hold in `scene`; with an earlier scene also what moved since."""
    facts: set[Fact] = set()
    for relation in scene.relations:
        if relation.predicate in NO_FACTS:
            continue
        if relation.predicate == "held":
            facts.add(("holding", relation.subject))
        else:
            facts.add((relation.predicate, relation.subject, relation.object))
    if before is not None:
        for item in scene.objects.values():
            if (old := before.objects.get(item.id)) is not None:
                facts.update(
                    ("moved", item.id, direction)
                    for direction in AXES
                    if displacement(old, item, direction) >= MOVED_LEAST
                )
    return with_derived(facts, {item.id: item.label for item in scene.objects.values()})


def capacity(label: str) -> int:
    """How many things fit in or on an object of that label."""
    return CAPACITY.get(label, 1)


def displacement(before: SceneObject, now: SceneObject, direction: str) -> float:
    """How far an object moved along `direction` (a key of AXES) [m]; negative if it moved the other way."""
    axis, sign = AXES[direction]
    return sign * (now.position[axis] - before.position[axis])


def with_derived(facts: AbstractSet[Fact], labels: Mapping[str, str]) -> Facts:
    """The seen ones among `facts` and all that follows from them.

    Args:
        facts: seen facts; derived ones among them are left out, for they may be stale.
        labels: label of every object, by id.
    """
    seen = {fact for fact in facts if fact[0] not in DERIVED}
    seen.update(("beside", b, a) for _, a, b in [fact for fact in seen if fact[0] == "beside"])
    held = {fact[1] for fact in seen if fact[0] == "holding"}
    load: dict[str, int] = {}
    for fact in seen:
        if fact[0] in ("in", "on"):
            load[fact[2]] = load.get(fact[2], 0) + 1
    derived: set[Fact] = {("room", TABLE)}
    if not held:
        derived.add(("hand_empty",))
    for object_id, label in labels.items():
        used = load.get(object_id, 0)
        if used == 0:
            derived.add(("clear", object_id))
        if used < capacity(label) and object_id not in held:
            derived.add(("room", object_id))
    return frozenset(seen | derived)
