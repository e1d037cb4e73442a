"""References to several objects at once, to any of them, and the acts that only make sense with those."""

from itertools import pairwise
from random import Random
from typing import Final

from reins.contracts.facts import facts_of
from reins.contracts.scene import TABLE, Scene, SceneObject
from reins.planning.goals import Reach, Wish
from reins.training.planner.acts import Actor
from reins.training.planner.meanings import Act
from reins.training.planner.references import Describer, Ref, matching

LABEL: Final = "block"
"""What is spoken of in groups: only blocks can be moved."""


def draw_group(scene: Scene, rng: Random) -> Ref | None:
    """Several blocks, spoken of together; None if the scene has none that fit."""
    makers = (_all, _all_coloured, _both, _except, _except, _listed, _any, _any_coloured)
    return rng.choice(makers)(scene, rng)


def group_act(actor: Actor) -> Act | None:
    """An act on several blocks at once, or on any one of them."""
    special = actor.rng.random()
    if special < 0.12:
        return tower(actor)
    if special < 0.22:
        return empty(actor)
    if special < 0.30:
        return by_colour(actor)
    theme = draw_group(actor.scene, actor.rng)
    if theme is None:
        return None
    kinds = (
        ("in", "on", "stack", "push", "beside", "hold") if theme.form == "any" else ("in", "on", "on", "table", "push")
    )
    return actor.about(actor.rng.choice(kinds), theme)


def tower(actor: Actor) -> Act | None:
    """Blocks on top of each other, said from the bottom to the top."""
    blocks = [item for item in _rows(actor.scene) if item.id not in actor.used]
    if len(blocks) < 3:
        return None
    describe = Describer(actor.scene, actor.rng)
    parts = [describe.plain(item.id) for item in actor.rng.sample(blocks, 3)]
    if any(part is None or part.form != "plain" for part in parts):
        return None
    known = tuple(part for part in parts if part is not None)
    names = [part.ids[0] for part in known]
    goals = tuple(Reach(("on", above, below)) for below, above in pairwise(names))
    return Act("tower", (Wish(False, goals),), Ref("list", tuple(names), LABEL, parts=known))


def empty(actor: Actor) -> Act | None:
    """Everything out of a bowl or off a plate, onto the table."""
    facts = facts_of(actor.scene)
    places = [item for item in actor.scene.objects.values() if item.label in ("bowl", "plate")]
    full = [item for item in places if any(fact[0] in ("in", "on") and fact[2:] == (item.id,) for fact in facts)]
    if not full:
        return None
    item = actor.rng.choice(full)
    place = actor.ref(item.id)
    names = [
        other.id
        for other in _rows(actor.scene)
        if ("in", other.id, item.id) in facts or ("on", other.id, item.id) in facts
    ]
    if place is None or any(("clear", name) not in facts for name in names):
        return None
    return Act(f"empty_{item.label}", (Wish(False, tuple(Reach(("on", name, TABLE)) for name in names)),), place=place)


def by_colour(actor: Actor) -> Act | None:
    """Every block that has a bowl or a plate of its colour goes there."""
    for label, relation in actor.rng.sample([("bowl", "in"), ("plate", "on")], 2):
        goals = []
        for place in matching(actor.scene, label):
            same = matching(actor.scene, LABEL, place.colour)
            if len(matching(actor.scene, label, place.colour)) > 1 or len(same) > 2:
                return None
            goals += [Reach((relation, item.id, place.id)) for item in same]
        if goals and len(matching(actor.scene, label)) > 1:  # nobody sorts into one place
            return Act(f"match_{label}", (Wish(False, tuple(goals)),))
    return None


def _rows(scene: Scene) -> list[SceneObject]:
    """The blocks, from left to right."""
    return sorted(matching(scene, LABEL), key=lambda item: (-item.position[1], item.id))


def _ids(items: list[SceneObject]) -> tuple[str, ...]:
    return tuple(item.id for item in items)


def _all(scene: Scene, rng: Random) -> Ref | None:
    blocks = _rows(scene)
    return Ref("all", _ids(blocks), LABEL) if len(blocks) > 1 else None


def _all_coloured(scene: Scene, rng: Random) -> Ref | None:
    colours = [colour for colour in {item.colour for item in _rows(scene)} if len(matching(scene, LABEL, colour)) > 1]
    if not colours:
        return None
    colour = rng.choice(sorted(colours))
    return Ref("all", tuple(item.id for item in _rows(scene) if item.colour == colour), LABEL, colour)


def _both(scene: Scene, rng: Random) -> Ref | None:
    for colour in ("", *sorted({item.colour for item in _rows(scene)})):
        blocks = [item for item in _rows(scene) if colour in ("", item.colour)]
        if len(blocks) == 2:
            return Ref("both", _ids(blocks), LABEL, colour)
    return None


def _except(scene: Scene, rng: Random) -> Ref | None:
    blocks = _rows(scene)
    if len(blocks) < 2:
        return None
    describe = Describer(scene, rng)
    left_out = rng.sample(blocks, 1 if len(blocks) < 4 or rng.random() < 0.7 else 2)
    parts = tuple(part for item in left_out if (part := describe.plain(item.id)) is not None and part.form == "plain")
    if len(parts) < len(left_out):
        return None
    ids = tuple(item.id for item in blocks if item not in left_out)
    return Ref("all_except", ids, LABEL, parts=parts)


def _listed(scene: Scene, rng: Random) -> Ref | None:
    blocks = _rows(scene)
    if len(blocks) < 2:
        return None
    describe = Describer(scene, rng)
    chosen = rng.sample(blocks, min(len(blocks), rng.choice((2, 2, 3))))
    parts = tuple(part for item in chosen if (part := describe.plain(item.id)) is not None and part.form == "plain")
    return Ref("list", tuple(part.ids[0] for part in parts), LABEL, parts=parts) if len(parts) == len(chosen) else None


def _any(scene: Scene, rng: Random, colour: str = "") -> Ref | None:
    facts = facts_of(scene)
    blocks = [item for item in _rows(scene) if colour in ("", item.colour)]
    clear = [item for item in blocks if ("clear", item.id) in facts and item.id != scene.held()]
    if len(clear) < 2 or scene.held() is not None:
        return None
    return Ref("any", _ids(clear), LABEL, colour)


def _any_coloured(scene: Scene, rng: Random) -> Ref | None:
    doubled = [item.colour for item in _rows(scene) if len(matching(scene, LABEL, item.colour)) > 1]
    return _any(scene, rng, rng.choice(doubled)) if doubled else None
