"""Names in place of ids: each is one object's, none says anything else, and every plan comes back as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.planning.language.kind_names import KindNames

KINDS = {"red_block": "red block", "red_block_2": "red block", "mug": "mug", "b_0": "blue bowl", "Odd id": "table"}


def test_look_alikes_have_numbers_in_the_order_of_the_prompt() -> None:
    names = KindNames(KINDS)
    assert [names.shown(name) for name in KINDS] == ["red block 1", "red block 2", "mug", "blue bowl", "thing"]


def test_what_is_not_among_them_keeps_its_name() -> None:
    names = KindNames(KINDS)
    assert (names.shown("table"), names.shown("blue_bowl"), names.shown("#plan")) == ("table", "blue_bowl", "thing")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Take red_block_2, not RED_BLOCK", "take red block 2, not red block 1"),
        ("把red_block_2放进b_0里", "把red block 2放进blue bowl里"),
        ("red_block_3 and dared_block", "red_block_3 and dared_block"),
        ("the mug", "the mug"),
    ],
)
def test_ids_become_names(text: str, told: str) -> None:
    assert KindNames(KINDS).told(text) == told


@given(
    kinds=st.dictionaries(
        st.from_regex(r"[a-z]{1,5}_[0-9]{1,2}", fullmatch=True),
        st.sampled_from(["red block", "blue bowl", "", "thing", "table", "gone", "block"]),
        min_size=1,
        max_size=40,
    ),
    data=st.data(),
)
def test_a_plan_comes_back_as_it_was(kinds: dict[str, str], data: st.DataObject) -> None:
    one, two = data.draw(st.sampled_from(sorted(kinds))), data.draw(st.sampled_from(sorted(kinds)))
    steps = (
        SkillCall(skill="place_on", arguments={"support": one}),
        SkillCall(skill="place_on", arguments={"support": "table"}),
        SkillCall(skill="push", arguments={"object": two, "direction": "left", "distance": 0.1}),
    )
    rules = (Constraint(kind="avoid", object=two), Constraint(kind="speed", scale=0.5))
    plan = Plan(thought=f"{one} is on {two}; avoid {two}", steps=steps, constraints=rules)
    names = KindNames(kinds)
    said = names.point(plan)
    assert names.restore(said) == plan
    assert not any(name in said.model_dump_json() for name in kinds)
    assert len({names.shown(name) for name in kinds}) == len(kinds)


def test_questions_and_refusals_are_told_with_ids() -> None:
    names = KindNames(KINDS)
    assert names.restore(Plan(question="Which one: mug or red block 2?")).question == "Which one: mug or red_block_2?"
    assert names.restore(Plan(refusal="red block 1里没有空位了")).refusal == "red_block里没有空位了"
    assert names.restore(Plan(refusal="red block 12, a mugful")).refusal == "red block 12, a mugful"
