"""A plan as a person edits it: the same when nothing is edited, and a clear word about what is wrong."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.planning.plan_text import MOST_TEXT, plan_from_text, plan_to_text

WORDS = st.from_regex(r"[a-z_]{1,12}", fullmatch=True)
CALLS = st.builds(SkillCall, skill=WORDS, arguments=st.dictionaries(WORDS, WORDS | st.floats(-10.0, 10.0), max_size=3))
RULES = st.builds(Constraint, kind=st.just("speed"), scale=st.floats(0.05, 1.0)) | st.builds(
    Constraint, kind=st.just("avoid"), object=WORDS
)


@given(st.lists(CALLS, max_size=4), st.lists(RULES, max_size=3), st.lists(st.text(max_size=30), max_size=2))
def test_what_is_not_edited_is_the_same_plan(
    calls: list[SkillCall], rules: list[Constraint], remarks: list[str]
) -> None:
    plan = Plan(steps=tuple(calls), constraints=tuple(rules))
    assert plan_from_text(plan_to_text(plan, tuple(remarks))) == plan


def test_a_plan_is_short_and_easy_to_change() -> None:
    steps = (SkillCall(skill="pick", arguments={"object": "red_block"}), SkillCall(skill="home"))
    text = plan_to_text(
        Plan(thought="so", steps=steps, constraints=(Constraint(kind="avoid", object="cat"),)), ("for: x",)
    )
    assert text.splitlines() == [
        "# for: x",
        "steps:",
        "- skill: pick",
        "  arguments: {object: red_block}",
        "- {skill: home}",
        "constraints:",
        "- {kind: avoid, object: cat}",
    ]


def test_json_is_read_as_well() -> None:
    text = json.dumps({"steps": [{"skill": "home", "arguments": {}}], "thought": "x"})
    assert plan_from_text(text) == Plan(thought="x", steps=(SkillCall(skill="home"),))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "a plan has 'steps:'"),
        ("go home", "a plan has 'steps:'"),
        ("steps: [", "no YAML: line 1"),
        ("steps:\n\t- x", "no YAML: line 2"),
        ("steps: home", "not valid: steps"),
        ("steps: [home]", "not valid: steps.0"),
        ("steps: [{skill: home, speed: 9}]", "steps.0.speed"),
        ("steps: [{skill: home, arguments: {a: [1]}}]", "steps.0.arguments.a"),
        ("steps: []\nquestion: why", "no 'question'"),
        ("steps: []\ndoubts: [x]", "no 'doubts'"),
        ("steps: []\nconstraints: [{kind: fly}]", "constraints.0.kind"),
        ("steps: []\nconstraints: [{kind: speed, scale: .inf}]", "constraints.0.scale"),
        ("steps: !!python/object:os.system {}", "no YAML"),
        ("x" * (MOST_TEXT + 1), "characters"),
        ("[" * 5000, "nested|no YAML"),
    ],
)
def test_what_is_wrong_is_told(text: str, why: str) -> None:
    with pytest.raises(ReinsError, match=why):
        plan_from_text(text)


@given(st.text(max_size=60))
def test_any_text_is_a_plan_or_an_error(text: str) -> None:
    with suppress(ReinsError):
        assert plan_from_text(text).steps is not None
