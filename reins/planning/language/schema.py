"""The JSON schema of a reply: what can be said about this scene with these skills, and nothing else.

A model that is held to it names only objects that are there and fit, skills that exist, and numbers within their
bounds. Everything is bounded, so that a model that loops comes to an end. JSON schema has no word for white space
between tokens; whoever turns it into a grammar bounds that: `grammar.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from reins.contracts.scene import Scene
from reins.language_models.model import Schema
from reins.planning.language.plain import Names, Naming
from reins.skills.registry import Parameter, SkillSpec

MOST_STEPS: Final = 24
"""Steps of a plan that a model may propose."""

MOST_THOUGHT: Final = 240
"""Characters of a thought."""

MOST_WORDS: Final = 240
"""Characters of a question or a refusal."""

GRID: Final = 0.005
"""Numbers of a skill are multiples of this, in the parameter's unit, where it names no step: half a centimetre."""

SPEEDS: Final = tuple(round(0.05 * step, 2) for step in range(1, 20))
"""Shares of the speed limits that a constraint may leave."""


def plan_schema(
    scene: Scene,
    registry: Mapping[str, SkillSpec],
    names: Naming | None = None,
    distances: Sequence[float] = (),
) -> Schema:
    """The schema of a reply: an object with a thought, then steps, a question or a refusal, then constraints.

    Args:
        scene: its objects are the enumerations.
        registry: the skills. One for which there is no fitting object is left out.
        names: what the objects are called; as `Names` says by default.
        distances: that a constraint may keep from an object [m]; none where it is only left alone.
    """
    names = names or Names(scene)
    skills = [schema for spec in registry.values() if (schema := _skill(spec, scene, names)) is not None]
    rules = _constraints(scene, names, distances)
    steps: Schema = {"type": "array", "items": {"anyOf": skills}, "maxItems": MOST_STEPS}
    said = {"steps": steps, "question": _text(MOST_WORDS), "refusal": _text(MOST_WORDS)}
    if not skills:
        del said["steps"]
    thought: Schema = {"type": "string", "maxLength": MOST_THOUGHT}
    return {
        "anyOf": [_object({"thought": thought, name: schema}, {"constraints": rules}) for name, schema in said.items()]
    }


def numbers(parameter: Parameter) -> list[float]:
    """The values of a number parameter that a model may use: its bounds and the multiples of its step between them."""
    grid = parameter.step or GRID
    steps = range(round(parameter.lower / grid), round(parameter.upper / grid) + 1)
    between = (value for step in steps if parameter.lower < (value := round(step * grid, 3)) < parameter.upper)
    return sorted({parameter.lower, *between, parameter.upper})


def _skill(spec: SkillSpec, scene: Scene, names: Naming) -> Schema | None:
    """The schema of a call, or None if there is nothing that it could be done to."""
    required: Schema = {}
    optional: Schema = {}
    for parameter in spec.parameters:
        values = _values(parameter, scene, names)
        if parameter.default is not None:
            optional |= {parameter.name: {"enum": values}} if values else {}
        elif values:
            required[parameter.name] = {"enum": values}
        else:
            return None
    skill: Schema = {"skill": {"const": spec.name}}
    arguments = {"arguments": _object(required, optional)} if spec.parameters else {}
    return _object(skill | arguments, {}) if required else _object(skill, arguments)


def _values(parameter: Parameter, scene: Scene, names: Naming) -> list[Any]:
    if parameter.kind == "number":
        return [_shortest(float(value)) for value in numbers(parameter)]
    if parameter.kind == "word":
        return list(parameter.words)
    fitting = (item.id for item in scene.objects.values() if not parameter.labels or item.label in parameter.labels)
    return [*sorted(map(names.shown, fitting)), *parameter.also]


def _constraints(scene: Scene, names: Naming, distances: Sequence[float]) -> Schema:
    """Objects to avoid, a speed to keep to: what an instruction can ask for in words.

    Boxes and masses are left to operators: a model guesses at them.
    """
    kinds = [_object({"kind": {"const": "speed"}, "scale": {"enum": list(SPEEDS)}}, {})]
    if scene.objects:
        objects = sorted(map(names.shown, scene.objects))
        far: Schema = {"distance": {"enum": [_shortest(value) for value in distances]}} if distances else {}
        kinds.insert(0, _object({"kind": {"const": "avoid"}, "object": {"enum": objects}}, far))
    return {"type": "array", "items": {"anyOf": kinds}, "minItems": 1, "maxItems": len(scene.objects) + 1}


def _shortest(value: float) -> float:
    """A whole number without a fraction, as `reply_text` writes it."""
    return int(value) if value.is_integer() else value


def _object(required: Schema, optional: Schema) -> Schema:
    return {
        "type": "object",
        "properties": required | optional,
        "required": list(required),
        "additionalProperties": False,
    }


def _text(most: int) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": most}
