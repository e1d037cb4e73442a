"""Replies are written in one way, and read with suspicion."""

import json
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.language_models.model import MOST_REPLY
from reins.planning.language.reply import read_reply, reply_text

PICK = SkillCall(skill="pick", arguments={"object": "red_block"})
PUSH = SkillCall(skill="push", arguments={"object": "red_block", "direction": "left", "distance": 0.05})
HOME = SkillCall(skill="home")
PLAIN = '{"thought":"","steps":[{"skill":"home"}]}'

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
calls = st.builds(
    SkillCall, skill=words, arguments=st.dictionaries(words, words | st.floats(allow_nan=False, allow_infinity=False))
)
rules = st.builds(lambda name: Constraint(kind="avoid", object=name), words.filter(bool)) | st.builds(
    lambda scale: Constraint(kind="speed", scale=scale), st.floats(0.01, 1.0)
)
said = st.sampled_from(["question", "refusal"])
plans = st.builds(
    lambda thought, steps, rules: Plan(thought=thought, steps=tuple(steps), constraints=tuple(rules)),
    words,
    st.lists(calls),
    st.lists(rules),
) | st.builds(lambda thought, kind, text: Plan.model_validate({"thought": thought, kind: text}), words, said, words)


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (Plan(steps=(HOME,)), PLAIN),
        (Plan(thought="so", steps=()), '{"thought":"so","steps":[]}'),
        (Plan(question="which?"), '{"thought":"","question":"which?"}'),
        (Plan(thought="好", refusal="no"), '{"thought":"好","refusal":"no"}'),
        (
            Plan(steps=(PUSH,), constraints=(Constraint(kind="speed", scale=0.5, set_by="operator", id="x"),)),
            '{"thought":"","steps":[{"skill":"push","arguments":'
            '{"object":"red_block","direction":"left","distance":0.05}}],"constraints":[{"kind":"speed","scale":0.5}]}',
        ),
        (
            Plan(steps=(), constraints=(Constraint(kind="keep_out", size=(1.0, 0.5, 1.0)),)),
            '{"thought":"","steps":[],"constraints":[{"kind":"keep_out","size":[1,0.5,1]}]}',
        ),
    ],
)
def test_the_text_of_a_plan(plan: Plan, text: str) -> None:
    assert reply_text(plan) == text


@example(Plan(thought="{", question="<think></think>"))
@given(plans)
def test_what_is_written_is_read_as_it_was(plan: Plan) -> None:
    assert read_reply(reply_text(plan)) == plan


@pytest.mark.parametrize(
    "text",
    [
        f"Sure! Here it is:\n```json\n{PLAIN}\n```\nGood luck",
        f"<think>I could say {{}} here</think>{PLAIN}",
        f"<think>{{}}</think> or rather <think>{{</think>{PLAIN}<think>done</think>",
        '{"thought": "", "steps": [{"skill": "home", "arguments": {}}], "question": null, "constraints": []}',
        '{"thought":"",\n\t"steps":[{"skill":"home"}]}{"thought":"","refusal":"no"}',
    ],
)
def test_what_stands_around_a_plan_does_not_matter(text: str) -> None:
    assert read_reply(text) == Plan(steps=(HOME,))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no JSON object"),
        ("<html><body>502 Bad Gateway</body></html>", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        (PLAIN[:-3], "ends in the middle"),
        ('{"thought":"wor', "ends in the middle"),
        ("{'thought': ''}", "not valid JSON"),
        ('{"thought":""}', "exactly one of steps, question, refusal"),
        ('{"steps":[],"question":"which?"}', "exactly one of steps, question, refusal"),
        ('{"steps":[{"name":"home"}]}', "steps.0.skill"),
        ('{"steps":[],"note":"x"}', "note"),
        ('{"steps":[],"steps":[{"skill":"home"}]}', "'steps' twice"),
        ('{"steps":[{"skill":"push","arguments":{"distance":NaN}}]}', "NaN"),
        ('{"steps":[{"skill":"push","arguments":{"distance":-Infinity}}]}', "Infinity"),
        ('{"steps":[{"skill":"push","arguments":{"distance":true}}]}', "true"),
        ('{"steps":[],"constraints":[{"kind":"speed","scale":0}]}', "constraints.0.scale"),
        ('{"steps":[],"constraints":[{"kind":"speed","scale":0.5,"set_by":"operator"}]}', "set_by"),
        ('{"steps":[],"constraints":[{"kind":"avoid","object":"x","id":"operator-1"}]}', "no id"),
        ('{"steps":[],"constraints":["speed"]}', "constraints.0"),
        ('{"steps":' + "[" * 15_000, "nested|middle"),
        (" " * MOST_REPLY + PLAIN, "characters"),
    ],
)
def test_what_is_no_plan_is_told(text: str, complaint: str) -> None:
    with pytest.raises(ReinsError, match=complaint):
        read_reply(text)


@given(cut=st.integers(0, len(PLAIN) - 1))
def test_no_beginning_of_a_plan_is_one(cut: int) -> None:
    with pytest.raises(ReinsError):
        read_reply(PLAIN[:cut])


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda x: st.dictionaries(st.text(), x)))
def test_any_json_is_a_plan_or_a_complaint(value: object) -> None:
    with suppress(ReinsError):
        assert isinstance(read_reply(json.dumps(value)), Plan)
