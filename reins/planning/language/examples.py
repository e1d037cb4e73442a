"""Instructions with the right answers, for few-shot prompts, and which of them fit an instruction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

import yaml
from rapidfuzz import fuzz

from reins.contracts.plan import Plan
from reins.contracts.scene import ROBOT, TABLE, Relation, Scene, SceneObject, Vector3, by_id

_SIZES: Final[Mapping[str, Vector3]] = {
    "block": (0.04, 0.04, 0.04),
    "bowl": (0.14, 0.14, 0.06),
    "plate": (0.15, 0.15, 0.02),
}
_GROUND_SIZES: Final[Mapping[str, Vector3]] = {
    "box": (0.5, 0.5, 0.5),
    "door": (0.06, 0.9, 2.0),
    "marker": (0.3, 0.3, 0.01),
    "person": (0.45, 0.45, 1.75),
}
_HEIGHT: Final = 0.3  # of what the gripper holds [m]


@dataclass(frozen=True, slots=True)
class Example:
    """An instruction in a scene, and the plan that is right for it."""

    instruction: str
    scene: Scene
    plan: Plan


@cache
def table_examples() -> tuple[Example, ...]:
    """Those of an arm: `examples.yaml`."""
    document = _document("examples.yaml")
    tables = {name: _table(objects) for name, objects in document["tables"].items()}
    return tuple(_example(entry, tables[entry["table"]]) for entry in document["examples"])


@cache
def ground_examples() -> tuple[Example, ...]:
    """Those of a robot that walks: `examples_on_legs.yaml`."""
    document = _document("examples_on_legs.yaml")
    grounds = {name: _ground(**ground) for name, ground in document["grounds"].items()}
    return tuple(_example(entry, grounds[entry["ground"]]) for entry in document["examples"])


def most_similar(instruction: str, count: int, examples: Sequence[Example]) -> list[Example]:
    """The examples whose instructions are most like this one, the most similar last, next to the instruction.

    One of them at least is a question or a refusal, or a model that imitates would never ask back.

    Args:
        instruction: what was said.
        count: how many, at least 1.
        examples: to choose from.
    """
    ranked = sorted(examples, key=lambda example: -_similarity(instruction, example.instruction))
    chosen = ranked[:count]
    if all(example.plan.steps is not None for example in chosen):
        chosen[-1] = next(example for example in ranked if example.plan.steps is None)
    return chosen[::-1]


def _document(name: str) -> Any:
    return yaml.safe_load(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _example(entry: Mapping[str, Any], scene: Scene) -> Example:
    return Example(entry["say"], scene, Plan.model_validate(entry["reply"]))


def _similarity(one: str, other: str) -> float:
    """0 … 100: how many words two sentences share, in whatever order; where there are no blanks, how many signs."""
    return float(fuzz.token_set_ratio(one.lower(), other.lower()))


def _table(objects: Mapping[str, Any]) -> Scene:
    """A scene from "id: [where, x, y]", where is "table", "held", "in ID" or "on ID", x and y in centimetres."""
    things, relations = [], set()
    for name, (where, x, y) in objects.items():
        colour, label = name.split("_")[:2]
        height = _HEIGHT if where == "held" else _SIZES[label][2] / 2
        position = (x / 100, y / 100, height)
        things.append(SceneObject(name, label, colour, position, (0.0, 0.0, 0.0, 1.0), _SIZES[label], 1.0, 0.0))
        predicate, _, other = where.partition(" ")
        if where == TABLE:
            relations.add(Relation(name, "on", TABLE))
        elif where == "held":
            relations.add(Relation(name, "held", "gripper"))
        else:
            relations.add(Relation(name, predicate, other))
    return Scene(0.0, "example", by_id(things), frozenset(relations))


def _ground(posture: str, things: Mapping[str, Any]) -> Scene:
    """A scene from "id: [x, y]" in metres, as seen from a robot in a posture."""
    objects = []
    for name, (x, y) in things.items():
        first, *rest = name.split("_")
        colour, label = (first, rest[0]) if rest and not rest[0].isdigit() else ("orange", first)
        size = _GROUND_SIZES[label]
        objects.append(SceneObject(name, label, colour, (x, y, size[2] / 2), (0.0, 0.0, 0.0, 1.0), size, 1.0, 0.0))
    return Scene(0.0, "example", by_id(objects), frozenset({Relation(ROBOT, "is", posture)}))
