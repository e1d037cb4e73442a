"""The schema lets through what can be done in a scene, and no more; the grammar says the same."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from language_schemas import fits, replies
from planning_tables import TABLETOP, scene_of, tabletop

from reins.contracts.scene import Scene, by_id
from reins.language_models.grammar import grammar_of
from reins.planning.language.plain import NAME
from reins.planning.language.reply import read_reply, reply_text
from reins.planning.language.schema import MOST_STEPS, numbers, plan_schema
from reins.planning.planner import History
from reins.planning.symbolic import SymbolicPlanner
from reins.planning.verifier import verify
from reins.skills.library import MOVE_TO, PUSH, SKILLS
from reins.skills.registry import Parameter, SkillRegistry, SkillSpec

SCENE = tabletop()
SCHEMA = plan_schema(SCENE, SKILLS)


def step(skill: str, **arguments: Any) -> dict[str, Any]:
    """A reply of one step."""
    return {"thought": "", "steps": [{"skill": skill, "arguments": arguments}]}


@pytest.mark.parametrize(
    "reply",
    [
        step("pick", object="red_block"),
        step("place_in", container="blue_bowl"),
        step("place_on", support="table"),
        step("place_beside", object="white_plate", side="behind"),
        step("push", object="red_block", direction="left", distance=0.2),
        step("push", object="red_block", direction="left"),
        step("move_to", target="white_plate", height=0.02),
        {"thought": "", "steps": [{"skill": "home"}]},
        {"thought": "", "steps": []},
        {"thought": "", "question": "which block?"},
        {"thought": "", "refusal": "no", "constraints": [{"kind": "avoid", "object": "blue_bowl"}]},
        {"thought": "", "steps": [], "constraints": [{"kind": "speed", "scale": 0.5}]},
    ],
)
def test_what_can_be_said(reply: dict[str, Any]) -> None:
    assert fits(reply, SCHEMA)


@pytest.mark.parametrize(
    "reply",
    [
        step("pick", object="blue_bowl"),
        step("pick", object="black_block"),
        step("pick", object="table"),
        step("pick"),
        step("place_in", container="red_block"),
        step("push", object="red_block", direction="up"),
        step("push", object="red_block", direction="left", distance=0.25),
        step("push", object="red_block", direction="left", distance=-0.05),
        step("push", object="red_block", direction="left", force=3),
        step("disable_safety"),
        {"thought": "", "steps": [{"skill": "home", "arguments": {"fast": 1}}]},
        {"thought": "", "steps": [{"skill": "home"}] * (MOST_STEPS + 1)},
        {"thought": "", "steps": [], "question": "which?"},
        {"thought": "", "question": ""},
        {"thought": "x" * 1000, "steps": []},
        {"steps": []},
        {"thought": "", "steps": [], "constraints": [{"kind": "avoid", "object": "table"}]},
        {"thought": "", "steps": [], "constraints": [{"kind": "speed", "scale": 1.0}]},
        {"thought": "", "steps": [], "constraints": [{"kind": "speed", "scale": 0.5, "set_by": "operator"}]},
        {"thought": "", "steps": [], "constraints": [{"kind": "payload", "mass": 50}]},
    ],
)
def test_what_cannot_be_said(reply: dict[str, Any]) -> None:
    assert not fits(reply, SCHEMA)


@given(reply=replies(SCHEMA))
def test_whatever_fits_is_a_plan_of_skills_that_exist_on_objects_that_fit(reply: Any) -> None:
    plan = read_reply(json.dumps(reply))
    problems = verify(plan, SCENE, SKILLS)
    assert all("needs that" in problem or "must not be touched" in problem for problem in problems), problems


@pytest.mark.parametrize(
    "instruction",
    [
        "put all the blocks on the plate except the red one",
        "carefully push the green block 5 cm to the right, then go home",
        "put the yellow block to the left of the bowl but don't touch anything else",
        "stack the red block on the blue block on the green block",
        "go 15 cm above the blue bowl, open the gripper and close the gripper",
        "put the black block in the bowl",
        "put the block in the bowl",
    ],
)
def test_what_the_symbolic_planner_says_fits(instruction: str) -> None:
    plan = SymbolicPlanner(SKILLS).plan(instruction, SCENE, History(SCENE))
    assert fits(json.loads(reply_text(plan)), SCHEMA)


def test_skills_without_a_fitting_object_are_left_out() -> None:
    bowls = plan_schema(tabletop("blue_bowl"), SKILLS)
    assert not fits(step("pick", object="blue_bowl"), bowls)
    assert fits(step("move_to", target="blue_bowl"), bowls)
    assert fits({"thought": "", "steps": [{"skill": "home"}]}, plan_schema(scene_of([]), SKILLS))


def test_where_nothing_can_be_done_nothing_is_offered() -> None:
    schema = plan_schema(scene_of([]), SkillRegistry([PUSH]))
    assert not fits({"thought": "", "steps": []}, schema)
    assert fits({"thought": "", "refusal": "I see nothing"}, schema)


def test_arguments_that_all_have_defaults_may_be_left_out() -> None:
    often = Parameter("times", "number", "how often", upper=0.01, default=0.0)
    wave = SkillSpec("wave", "Wave.", (often,), (), (), 5.0)
    schema = plan_schema(SCENE, SkillRegistry([wave]))
    assert fits({"thought": "", "steps": [{"skill": "wave"}]}, schema)
    assert fits(step("wave"), schema) and fits(step("wave", times=0.005), schema)
    assert '("," space "\\"arguments\\"" ' in grammar_of(schema)


@pytest.mark.parametrize("parameter", [MOVE_TO.parameters[1], PUSH.parameters[2]], ids=lambda item: item.name)
def test_numbers_are_half_centimetres_within_the_bounds(parameter: Parameter) -> None:
    values = numbers(parameter)
    assert values[0] == parameter.lower and values[-1] == parameter.upper and parameter.default in values
    assert all(abs(later - value - 0.005) < 1e-9 for value, later in pairwise(values))


def test_bounds_that_are_no_multiples_count_as_well() -> None:
    assert numbers(Parameter("x", "number", "", lower=0.012, upper=0.021)) == [0.012, 0.015, 0.02, 0.021]


@given(label=st.text(), colour=st.text(), caption=st.text())
def test_text_that_was_read_changes_no_enumeration(label: str, colour: str, caption: str) -> None:
    red = SCENE.objects["red_block"]
    odd = replace(SCENE, caption=caption, objects={**SCENE.objects, "red_block": replace(red, colour=colour)})
    assert plan_schema(odd, SKILLS) == SCHEMA
    stranger = replace(SCENE, objects={**SCENE.objects, "red_block": replace(red, label=label)})
    skills = {item["properties"]["skill"]["const"] for item in steps_of(plan_schema(stranger, SKILLS))}
    assert skills == set(SKILLS)


@given(name=st.text(min_size=1).filter(lambda name: not NAME.fullmatch(name)))
def test_an_id_that_is_no_name_is_not_in_the_grammar(name: str) -> None:
    red = SCENE.objects["red_block"]
    odd, plain = (Scene(1.0, "test", by_id([replace(red, id=called)])) for called in (name, "thing_1"))
    assert grammar_of(plan_schema(odd, SKILLS)) == grammar_of(plan_schema(plain, SKILLS))


def test_the_grammar_bounds_everything() -> None:
    grammar = grammar_of(SCHEMA)
    assert 'space ::= " "?' in grammar
    assert "*" not in grammar and "+" not in grammar
    assert all(f'"\\"{name}\\""' in grammar for name in (*TABLETOP, *SKILLS))


@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": "number"}, {"type": "object", "properties": {}}, {}])
def test_a_schema_without_bounds_has_no_grammar(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no grammar"):
        grammar_of(schema)


def steps_of(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas of the calls."""
    calls: list[dict[str, Any]] = schema["anyOf"][0]["properties"]["steps"]["items"]["anyOf"]
    return calls
