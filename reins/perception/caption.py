"""A scene in one or two sentences of plain English."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from reins.contracts.scene import OCCLUDED, PERSON, TABLE, Relation, SceneObject

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def caption_of(objects: Mapping[str, SceneObject], relations: Iterable[Relation]) -> str:
    """What stands on the table, what is in or on what; then what the gripper holds, and what is remembered only."""
    every = sorted(relations)
    standing = [r.subject for r in every if r.predicate == "on" and r.object == TABLE and r.subject in objects]
    held = [r.subject for r in every if r.predicate == "held"]
    stacked = [r for r in every if r.predicate in ("in", "on") and r.object != TABLE]
    known = {*standing, *held, *(r.subject for r in stacked)}
    standing += [name for name in sorted(objects) if name not in known]
    first = "The table is empty"
    if standing:
        verb = "is" if len(standing) == 1 else "are"
        first = f"There {verb} {_listed(_counted(objects[name] for name in standing))} on the table"
    if stacked:
        placed = [f"{_the(objects, r.subject)} is {r.predicate} {_the(objects, r.object)}" for r in stacked]
        first += f", and {_listed(placed)}"
    second = f" The gripper holds {_the(objects, held[0])}." if held else ""
    return f"{first}.{second}{_out_of_sight(objects, every)}"


def caption_around(objects: Mapping[str, SceneObject], relations: Iterable[Relation] = ()) -> str:
    """What stands about a robot that walks; then what is remembered only."""
    if not objects:
        return "Nothing stands about."
    verb = "is" if len(objects) == 1 else "are"
    about = f"There {verb} {_listed(_counted(objects.values()))} about."
    return about + _out_of_sight(objects, sorted(relations))


def _out_of_sight(objects: Mapping[str, SceneObject], relations: Iterable[Relation]) -> str:
    """A sentence about what no camera sees now, a space before it; nothing where there is nothing such."""
    occluded = [_the(objects, r.subject) for r in relations if r.predicate == OCCLUDED and r.subject in objects]
    verb = "is" if len(occluded) == 1 else "are"
    return f" {_listed(occluded).capitalize()} {verb} out of sight." if occluded else ""


def _counted(things: Iterable[SceneObject]) -> list[str]:
    """ "a red block", "two green blocks" …; people have no colour that matters."""
    counts = Counter(item.label if item.label == PERSON else f"{item.colour} {item.label}" for item in things)
    return [_article(name) if number == 1 else f"{_number(number)} {name}s" for name, number in counts.items()]


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _number(value: int) -> str:
    return NUMBERS[value] if value < len(NUMBERS) else str(value)


def _the(objects: Mapping[str, SceneObject], object_id: str) -> str:
    item = objects[object_id]
    number = object_id.rpartition("_")[2]
    name = item.label if item.label == PERSON else f"{item.colour} {item.label}"
    return f"the {name}" + (f" {number}" if number.isdigit() else "")


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
