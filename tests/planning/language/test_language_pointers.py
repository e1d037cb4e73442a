"""Signs in place of ids: each is one object's, none comes from outside, and every plan comes back as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.planning.language.pointers import SIGNS, Pointers

KINDS = {"red_block": "red block", "red_block_2": "red block", "mug": "mug", "b_0": "blue bowl", "Odd id": ""}


def test_the_first_two_dozen_have_one_sign_and_all_have_their_own() -> None:
    ids = [f"thing_{number}" for number in range(700)]
    signs = [Pointers(dict.fromkeys(ids, "green block")).shown(name) for name in ids]
    assert len(set(signs)) == 700 and signs[:24] == list(SIGNS) and set(map(len, signs[24:600])) == {2}


def test_what_is_not_among_them_keeps_its_name() -> None:
    names = Pointers(KINDS)
    assert (names.shown("table"), names.shown("blue_bowl"), names.shown("#plan")) == ("table", "blue_bowl", "thing")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Take red_block_2, not RED_BLOCK", "take β, not α"),
        ("把red_block_2放进碗里", "把β放进碗里"),
        ("red_block_3 and dared_block", "red_block_3 and dared_block"),
        ("the mug", "the mug"),
        ("put α on Ω and ς on b_0", "put on and on δ"),
    ],
)
def test_ids_become_signs_and_signs_from_outside_are_no_signs(text: str, told: str) -> None:
    assert Pointers(KINDS).told(text) == told


@given(
    ids=st.lists(st.from_regex(r"[a-z]{1,5}_[0-9]{1,2}", fullmatch=True), min_size=1, max_size=40, unique=True),
    data=st.data(),
)
def test_a_plan_comes_back_as_it_was(ids: list[str], data: st.DataObject) -> None:
    one, two = data.draw(st.sampled_from(ids)), data.draw(st.sampled_from(ids))
    steps = (
        SkillCall(skill="place_on", arguments={"support": one}),
        SkillCall(skill="place_on", arguments={"support": "table"}),
        SkillCall(skill="push", arguments={"object": two, "direction": "left", "distance": 0.1}),
    )
    rules = (Constraint(kind="avoid", object=two), Constraint(kind="speed", scale=0.5))
    plan = Plan(thought=f"{one} is on {two}; avoid {two}", steps=steps, constraints=rules)
    names = Pointers(dict.fromkeys(ids, "green block"))
    said = names.point(plan)
    assert said.thought.startswith("green block ") and names.restore(said) == plan
    assert not any(name in said.model_dump_json() for name in ids)


def test_questions_and_refusals_are_told_with_ids() -> None:
    names = Pointers(KINDS)
    assert (
        names.restore(Plan(question="Which one: α or red block β?")).question == "Which one: red_block or red_block_2?"
    )
    assert names.restore(Plan(question="blue bowl β?")).question == "blue bowl red_block_2?"
    assert names.restore(Plan(refusal="α里没有空位了；λ")).refusal == "red_block里没有空位了；λ"
