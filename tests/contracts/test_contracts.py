"""Plans say one thing, names that do not exist are told with those that do, facts follow from scenes."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from reins.contracts.errors import UnknownName
from reins.contracts.facts import facts_of
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import FARTHEST, Relation, Scene, SceneObject, by_id, makes_sense, sensible


def block(object_id: str) -> SceneObject:
    colour, label = object_id.split("_")[:2]
    return SceneObject(object_id, label, colour, (0.5, 0.0, 0.02), (0.0, 0.0, 0.0, 1.0), (0.04, 0.04, 0.04), 1.0, 0.0)


def scene(*relations: Relation) -> Scene:
    objects = by_id(block(name) for name in ("red_block", "blue_block"))
    return Scene(stamp=1.0, source="test", objects=objects, relations=frozenset(relations))


@pytest.mark.parametrize("said", [{}, {"steps": (), "refusal": "no"}, {"question": "which?", "refusal": "no"}])
def test_a_plan_says_exactly_one_thing(said: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="exactly one of steps, question, refusal"):
        Plan.model_validate(said)


def test_a_plan_survives_json() -> None:
    call = SkillCall(skill="pick", arguments={"object": "red_block"})
    plan = Plan(thought="why", steps=(call,), constraints=(Constraint(kind="avoid", object="blue_block"),))
    assert Plan.model_validate_json(plan.model_dump_json()) == plan


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "avoid"},
        {"kind": "speed", "object": "red_block"},
        {"kind": "speed", "scale": 0},
        {"kind": "speed", "scale": 0.5, "distance": 1.0},
        {"kind": "avoid", "object": "person", "distance": -0.1},
        {"kind": "avoid", "object": "person", "distance": 10.1},
        {"kind": "keep_out", "size": (1.0, 1.0, 1.0), "centre": (0.0, 1.001 * FARTHEST, 0.0)},
        {"kind": "keep_out", "size": (1.0, 1.0, 1.0), "centre": (0.0, -1.001 * FARTHEST, 0.0)},
        {"kind": "keep_out", "size": (1.0, 1.0, 1.001 * FARTHEST)},
    ],
)
def test_a_constraint_that_makes_no_sense_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Constraint.model_validate(fields)


@pytest.mark.parametrize(("distance", "text"), [(0.0, "avoid person"), (1.5, "keep 1.5 m away from person")])
def test_a_constraint_says_how_far_to_keep(distance: float, text: str) -> None:
    rule = Constraint(kind="avoid", object="person", distance=distance)
    assert str(rule) == text
    assert Constraint.model_validate_json(rule.model_dump_json(exclude_defaults=True)) == rule


def test_an_unknown_object_is_told_with_those_that_exist() -> None:
    with pytest.raises(
        UnknownName, match=r"no object 'red_blok'; did you mean 'red_block'\? \(known: blue_block, red_block\)"
    ):
        scene().find("red_blok")


def test_facts_of_a_stack() -> None:
    facts = facts_of(scene(Relation("red_block", "on", "blue_block"), Relation("blue_block", "on", "table")))
    assert {("on", "red_block", "blue_block"), ("hand_empty",), ("clear", "red_block")} <= facts
    assert ("clear", "blue_block") not in facts


def test_facts_with_a_full_hand() -> None:
    facts = facts_of(scene(Relation("red_block", "held", "gripper")))
    assert ("holding", "red_block") in facts
    assert ("hand_empty",) not in facts


def test_a_box_as_far_and_large_as_may_be() -> None:
    Constraint(kind="keep_out", size=(FARTHEST,) * 3, centre=(FARTHEST, -FARTHEST, 0.0))


@pytest.mark.parametrize(
    ("changes", "sense"),
    [
        ({}, True),
        ({"position": (FARTHEST, -FARTHEST, 0.0)}, True),
        ({"position": (0.0, 1.001 * FARTHEST, 0.0)}, False),
        ({"position": (0.0, 0.0, -1.001 * FARTHEST)}, False),
        ({"position": (float("nan"), 0.0, 0.0)}, False),
        ({"position": (float("-inf"), 0.0, 0.0)}, False),
        ({"orientation": (0.0, 0.0, 0.0, -0.5)}, True),
        ({"orientation": (0.0, 0.0, 0.0, 0.0)}, False),
        ({"orientation": (0.0, float("inf"), 0.0, 1.0)}, False),
        ({"orientation": (float("nan"), 0.0, 0.0, 1.0)}, False),
        ({"size": (FARTHEST, 1e-9, 1.0)}, True),
        ({"size": (1.001 * FARTHEST, 1.0, 1.0)}, False),
        ({"size": (1.0, 0.0, 1.0)}, False),
        ({"size": (1.0, 1.0, -1.0)}, False),
        ({"size": (float("nan"), 1.0, 1.0)}, False),
    ],
)
def test_which_objects_make_sense(changes: dict[str, Any], sense: bool) -> None:
    assert makes_sense(replace(block("red_block"), **changes)) is sense


def test_of_what_makes_no_sense_nothing_is_left() -> None:
    on, beside = Relation("red_block", "on", "blue_block"), Relation("blue_block", "beside", "red_block")
    lies = Relation("blue_block", "on", "table")
    seen = scene(on, beside, lies)
    assert sensible(seen) is seen
    wrong = replace(seen, objects={**seen.objects, "red_block": replace(block("red_block"), size=(0.0, 0.0, 0.0))})
    left = sensible(wrong)
    assert left == replace(seen, objects={"blue_block": block("blue_block")}, relations=frozenset({lies}))
