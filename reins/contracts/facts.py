"""The symbolic state that plans are checked against: facts derived from a scene.

Facts are tuples: ("in", a, b), ("on", a, b) with b an object or the table, ("beside", a, b), ("left_of", a, b) and the
other spatial relations, ("holding", a), ("hand_empty",), ("clear", a) — nothing is on or in it.
"""

from reins.contracts.scene import Scene

Fact = tuple[str, ...]
Facts = frozenset[Fact]


def facts_of(scene: Scene) -> Facts:
    """All facts that hold in `scene`."""
    facts: set[Fact] = set()
    for relation in scene.relations:
        if relation.predicate == "held":
            facts.add(("holding", relation.subject))
        else:
            facts.add((relation.predicate, relation.subject, relation.object))
    if scene.held() is None:
        facts.add(("hand_empty",))
    occupied = {relation.object for relation in scene.relations if relation.predicate in ("in", "on")}
    facts.update(("clear", object_id) for object_id in scene.objects if object_id not in occupied)
    return frozenset(facts)
