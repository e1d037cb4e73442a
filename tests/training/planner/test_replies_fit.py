"""What the model learns to say, the grammar of replies lets it say."""

import json
from random import Random
from typing import Any

import pytest

pytest.importorskip("tokenizers", reason="needs the extra train")

from reins.planning.language.reply import read_reply
from reins.planning.language.schema import plan_schema
from reins.skills.library import SKILLS
from reins.training.planner.batches import names_of, text_of
from reins.training.planner.examples import SPLITS, Examples, Split


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value is what a schema allows, its keys in the order in which the schema names them."""
    if "anyOf" in schema:
        return any(fits(value, one) for one in schema["anyOf"])
    if "const" in schema:
        return bool(value == schema["const"])
    if "enum" in schema:
        return value in schema["enum"]
    if schema["type"] == "string":
        return schema.get("minLength", 0) <= len(value) <= schema["maxLength"]
    if schema["type"] == "array":
        right = schema.get("minItems", 0) <= len(value) <= schema["maxItems"]
        return right and all(fits(item, schema["items"]) for item in value)
    order = [name for name in schema["properties"] if name in value]
    return (
        list(value) == order
        and set(schema["required"]) <= set(value)
        and all(fits(value[name], schema["properties"][name]) for name in order)
    )


def test_the_check_can_fail() -> None:
    schema = {"type": "object", "properties": {"a": {"const": 1}, "b": {"enum": [2, 3]}}, "required": ["a"]}
    assert fits({"a": 1, "b": 3}, schema)
    for wrong in ({"b": 3}, {"a": 2}, {"b": 3, "a": 1}, {"a": 1, "c": 3}, {"a": 1, "b": 4}):
        assert not fits(wrong, schema)


def test_replies_call_things_as_the_prompt_does() -> None:
    """Whatever the ids are: what is read back is the teacher's plan."""
    examples = Examples(Random(13), SKILLS)
    for _ in range(60):
        example = examples.draw("injected")
        assert names_of(example).restore(read_reply(text_of(example)[1])) == example.plan


@pytest.mark.parametrize("split", SPLITS)
def test_every_reply_of_the_teacher_fits(split: Split) -> None:
    examples = Examples(Random(12), SKILLS, split)
    for _ in range(80):
        example = examples.draw()
        reply = json.loads(text_of(example)[1])
        assert fits(reply, plan_schema(example.scene, SKILLS, names_of(example))), reply
