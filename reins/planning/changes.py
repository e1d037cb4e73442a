"""What is different between two scenes, in words: what an operator did while they drove."""

from collections.abc import Collection
from math import dist
from typing import Final

from reins.contracts.facts import MOVED_LEAST
from reins.contracts.scene import FALLEN, ROBOT, SITTING, STANDING, Scene, SceneObject
from reins.planning.words import listed

PLACES: Final = ("in", "on", "beside", "at", "is")
"""Relations that say where a thing is, or how a robot is; directions such as left_of change with every small move."""


def changes(before: Scene, after: Scene) -> list[str]:
    """What an onlooker would say has changed, one clause for each object, by name.

    An object counts as moved from MOVED_LEAST on. Where it is now is told of objects that moved, were let go or are
    new. What is held moves with the hand, which is no change. Things are seen from the robot; of one that walks it is
    told what it is at and whether it sits, and not that everything has moved around it.

    Args:
        before: the earlier scene.
        after: the later one.

    Returns:
        E.g. ["block_2 gone", "red_block moved 12 cm, now beside blue_bowl"]; empty if nothing changed.
    """
    told = [f"{ROBOT} {', '.join(parts)}"] if (parts := _now(ROBOT, before, after)) else []
    for name in sorted({*before.objects, *after.objects}):
        parts = _object(name, before, after)
        if parts:
            told.append(f"{name} {', '.join(parts)}")
    return told


def changes_text(before: Scene, after: Scene) -> str:
    """`changes` as a sentence to an operator: "while you drove: block_2 gone; red_block moved 12 cm"."""
    told = changes(before, after)
    return f"while you drove: {'; '.join(told) if told else 'nothing changed'}"


def news(before: Scene, after: Scene, handled: Collection[str]) -> list[str]:
    """Ids of what is not as it was, and not by the robot's own doing, sorted.

    That is what is new, what is seen as something else or said to be otherwise, and what somebody moved. What is gone
    may just be hidden.

    Args:
        before: the earlier scene.
        after: the later one.
        handled: ids of what the robot was at in between, which may have moved for that.
    """
    return sorted(name for name, item in after.objects.items() if _is_news(item, before, after, name in handled))


def _is_news(item: SceneObject, before: Scene, after: Scene, is_handled: bool) -> bool:
    old = before.objects.get(item.id)
    if old is None or (old.label, old.name, old.attributes) != (item.label, item.name, item.attributes):
        return True
    return not is_handled and not _walks(after) and dist(old.position, item.position) >= MOVED_LEAST


def _object(name: str, before: Scene, after: Scene) -> list[str]:
    """What is different about one object."""
    old, new = before.objects.get(name), after.objects.get(name)
    if new is None:
        return ["gone"]
    was_held, is_held = before.held() == name, after.held() == name
    if old is None:
        return ["new", *(["now held"] if is_held else _now(name, before, after))]
    if is_held:
        return [] if was_held else ["now held"]
    moved = 0.0 if _walks(after) else dist(old.position, new.position)
    told = ["no longer held"] if was_held else []
    if moved >= MOVED_LEAST and not was_held:
        told.append(f"moved {moved * 100:.0f} cm")
    return told + _now(name, before, after) if told else []


def _now(name: str, before: Scene, after: Scene) -> list[str]:
    """Where an object is now and was not before; else where it is no longer."""
    old, new = _places(name, before), _places(name, after)
    if gained := sorted(new - old):
        return [f"now {listed(map(_phrase, gained))}"]
    if lost := sorted(old - new):
        return [f"no longer {listed(map(_phrase, lost), 'or')}"]
    return []


def _phrase(place: tuple[str, str]) -> str:
    """E.g. "beside blue_bowl", "standing"."""
    relation, other = place
    return other if relation == "is" else f"{relation} {other}"


def _walks(scene: Scene) -> bool:
    """Whether it is a robot that walks: such a one has a posture."""
    return any(scene.related("is", posture) for posture in (STANDING, SITTING, FALLEN))


def _places(name: str, scene: Scene) -> set[tuple[str, str]]:
    return {(r.predicate, r.object) for r in scene.relations if r.subject == name and r.predicate in PLACES}
