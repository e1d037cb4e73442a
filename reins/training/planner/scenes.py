"""Random scenes as perception makes them: what stands where, in or on what, what is held, and how it is called."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from math import hypot
from random import Random
from typing import Final

from reins.contracts.scene import Scene, SceneObject
from reins.training.planner.table import GAP, HANGS, LOWER, UPPER, Table

COMMON: Final = ("red", "green", "blue", "yellow", "orange", "purple", "white")
"""Colours that most things have."""

RARE: Final = ("cyan", "pink", "grey", "black")
"""The other colours that perception tells apart."""

SIZES: Final = {"block": (0.04, 0.04, 0.04), "bowl": (0.14, 0.14, 0.045), "plate": (0.15, 0.15, 0.012)}
"""Extents of the things that skills know [m]."""

STRANGE: Final = ("cup", "mug", "box", "bottle", "can", "banana", "apple", "spoon", "pen", "note", "phone")
"""Labels of things that are there and that no skill can grasp."""

NAMES: Final = ("obj", "object", "item", "thing", "b", "o", "track", "cube", "part", "target", "toy", "x")
"""Stems of ids that say nothing of what a thing is."""

_TRIES: Final = 40


@dataclass(frozen=True, slots=True)
class SceneStyle:
    """What scenes are like.

    Attributes:
        without: (colour, label) pairs that do not occur.
        renamed: share of scenes whose ids say nothing, or something else.
        doubles: share of scenes in which several things look alike.
        strange: share of scenes with something that no skill knows.
        loaded: share of scenes with something in or on something.
        holding: share of scenes with something in the gripper.
    """

    without: frozenset[tuple[str, str]] = frozenset()
    renamed: float = 0.2
    doubles: float = 0.3
    strange: float = 0.12
    loaded: float = 0.45
    holding: float = 0.15


def draw_scene(rng: Random, style: SceneStyle, force: Collection[tuple[str, str]] = ()) -> Scene:
    """A random scene.

    Args:
        rng: of everything random.
        style: what it is like.
        force: (colour, label) pairs that are in it in any case.
    """
    kinds = [*force, *_kinds(rng, style)]
    places: list[SceneObject] = []
    for colour, label in sorted(kinds, key=lambda kind: -_extent(kind[1])):
        spot = _spot(rng, _extent(label), places)
        if spot is not None:
            places.append(_thing(rng, _name(colour, label, places), label, colour, spot))
    rng.shuffle(places)
    if rng.random() < style.renamed:
        places = _renamed(rng, places)
    table = Table(Scene(round(rng.uniform(1.0, 90.0), 2), "made up", {item.id: item for item in places}))
    if rng.random() < style.loaded:
        _load(rng, table)
    if rng.random() < style.holding:
        _hold(rng, table)
    return table.scene()


def _kinds(rng: Random, style: SceneStyle) -> list[tuple[str, str]]:
    """Colours and labels of the things."""
    blocks = rng.choices((1, 2, 3, 4, 5), (1, 3, 5, 5, 2))[0]
    bowls = rng.choices((0, 1, 2), (3, 5, 2))[0]
    plates = rng.choices((0, 1, 2), (4, 5, 1))[0]
    labels = ["block"] * blocks + ["bowl"] * bowls + ["plate"] * plates
    if rng.random() < style.strange:
        labels.append(rng.choice(STRANGE))
    doubled = rng.random() < style.doubles
    kinds: list[tuple[str, str]] = []
    for label in labels:
        same = [kind for kind in kinds if kind[1] == label]
        if doubled and same and rng.random() < 0.5:
            kinds.append(rng.choice(same))
            continue
        for _ in range(_TRIES):
            kind = (rng.choice(COMMON if rng.random() < 0.85 else RARE), label)
            if kind not in style.without and kind not in kinds:
                kinds.append(kind)
                break
    return kinds


def _extent(label: str) -> float:
    return SIZES.get(label, (0.08,))[0]


def _spot(rng: Random, extent: float, others: list[SceneObject]) -> tuple[float, float] | None:
    """A free place for something `extent` wide [m]; None where there is none."""
    for _ in range(_TRIES):
        x, y = rng.uniform(LOWER[0], UPPER[0]), rng.uniform(LOWER[1], UPPER[1])
        if all(
            hypot(x - other.position[0], y - other.position[1]) >= (extent + other.size[0]) / 2 + GAP
            for other in others
        ):
            return x, y
    return None


def _thing(rng: Random, name: str, label: str, colour: str, spot: tuple[float, float]) -> SceneObject:
    width, depth, height = SIZES.get(label, (0.08, 0.08, 0.06))
    if label == "block" and rng.random() < 0.2:
        width = depth = height = round(rng.uniform(0.032, 0.05), 3)
    position = (spot[0], spot[1], height / 2)
    return SceneObject(name, label, colour, position, (0.0, 0.0, 0.0, 1.0), (width, depth, height), 1.0, 0.0)


def _name(colour: str, label: str, others: list[SceneObject]) -> str:
    """The id that perception gives."""
    number = sum((other.colour, other.label) == (colour, label) for other in others) + 1
    return f"{colour}_{label}" + (f"_{number}" if number > 1 else "")


def _renamed(rng: Random, things: list[SceneObject]) -> list[SceneObject]:
    """The things with ids as other perception backends give them: numbered by label, or with names that say nothing."""
    by_label = rng.random() < 0.5
    stem, start = rng.choice(NAMES), rng.choice((0, 1, 1, rng.randrange(2, 40)))
    named, counts = [], dict[str, int]()
    for index, item in enumerate(things):
        counts[item.label] = counts.get(item.label, 0) + 1
        name = f"{item.label}_{counts[item.label]}" if by_label else f"{stem}_{start + index}"
        named.append(replace(item, id=name))
    return named


def _load(rng: Random, table: Table) -> None:
    """Put some blocks in bowls, on plates and on each other."""
    blocks = [name for name, item in table.objects.items() if item.label == "block"]
    rng.shuffle(blocks)
    room = {
        name: {"bowl": 2, "plate": 4, "block": 1}[item.label]
        for name, item in table.objects.items()
        if item.label in SIZES
    }
    loose = set(blocks)
    for name in blocks[: rng.choice((1, 1, 2, 3))]:
        places = [
            other
            for other, free in room.items()
            if free > 0 and other != name and (table.objects[other].label != "block" or other in loose)
        ]
        if name not in loose or room[name] < 1 or not places:
            continue
        where = rng.choice(places)
        table.load(name, where)
        room[where] -= 1
        loose.discard(name)
        if table.objects[where].label == "block":
            loose.discard(where)


def _hold(rng: Random, table: Table) -> None:
    """Take a block into the gripper that nothing stands on."""
    below = {relation.object for relation in table.scene().relations if relation.predicate in ("on", "in")}
    free = [name for name, item in table.objects.items() if item.label == "block" and name not in below]
    if free:
        table.held = rng.choice(free)
        table.move(table.held, HANGS[:2], HANGS[2])
