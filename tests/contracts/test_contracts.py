"""Plans say one thing, names that do not exist are told with those that do, facts follow from scenes."""

import pytest
from pydantic import ValidationError

from reins.contracts.errors import UnknownName
from reins.contracts.facts import facts_of
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Relation, Scene, SceneObject, by_id


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
    "fields", [{"kind": "avoid"}, {"kind": "speed", "object": "red_block"}, {"kind": "speed", "scale": 0}]
)
def test_a_constraint_that_makes_no_sense_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Constraint.model_validate(fields)


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
