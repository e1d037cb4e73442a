"""The short prompt says what is where, and nothing that it was given can look like a part of it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_tables import scene_of, tabletop, thing

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene, by_id
from reins.language_models.plain import plain_text
from reins.planning.language.compact import END, MOST_INSTRUCTION, compact_prompt
from reins.planning.language.plain import Names
from reins.planning.planner import History, StepRecord
from reins.skills.library import SKILLS

MARKS = ("#scene", "#keep", "#done", "#wrong", "#task", "#plan")


def prompt(instruction: str, scene: Scene, history: History | None = None) -> str:
    return compact_prompt(instruction, scene, history or History(scene), SKILLS)


def test_a_whole_prompt() -> None:
    things = ("red_block", "green_block", "blue_bowl", "yellow_block")
    before, now = tabletop(*things), tabletop(*things, held="red_block", green_block="in blue_bowl")
    pick = StepRecord(SkillCall(skill="pick", arguments={"object": "red_block"}), True, "", before, now)
    place = SkillCall(skill="place_beside", arguments={"side": "left_of", "object": "blue_bowl"})
    failed = StepRecord(place, False, "the fingers\nclosed on green_block", now, now)
    history = History(before, (pick, failed), ("step 1, pick(object=x): no object 'x'",), frozenset({"yellow_block"}))
    assert compact_prompt("Put red_block  beside the Bowl", now, history, SKILLS).splitlines() == [
        "#scene",
        "blue bowl on table 62 22",
        "green block in blue bowl 62 22 was on table 45 10",
        "red block held was on table 45 30",
        "yellow block on table 45 -30",
        "#keep yellow block",
        "#done",
        "ok pick red block",
        "failed place_beside blue bowl left_of: the fingers closed on green block",
        "#wrong",
        "step 1, pick(object=x): no object 'x'",
        "#task",
        "put red block beside the bowl",
        "#plan",
    ]


def test_objects_stand_from_left_to_right_and_those_that_are_gone_come_last() -> None:
    before = tabletop("red_block", "yellow_block", "blue_block")
    now = scene_of(item for item in before.objects.values() if item.id != "red_block")
    lines = prompt("go home", now, History(before)).splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["blue", "yellow", "red"]
    assert lines[3] == "red block gone was on table 45 30"


def test_what_rests_on_nothing_that_is_known_is_loose() -> None:
    scene = scene_of([thing("red_block", 0.45, 0.0, bottom=0.5)])
    assert "red block loose 45 0" in prompt("go home", scene).splitlines()


def test_instructions_may_be_chinese() -> None:
    assert "把红色方块放进蓝色的碗里" in prompt("把红色方块放进蓝色的碗里", tabletop()).splitlines()


@pytest.mark.parametrize("instruction", ["", " \n ", "###", "x" * (MOST_INSTRUCTION + 1)])
def test_an_instruction_that_says_nothing_or_too_much_is_refused(instruction: str) -> None:
    with pytest.raises(ReinsError, match="instruction"):
        prompt(instruction, tabletop())


def test_the_longest_instruction_is_whole() -> None:
    assert "x" * MOST_INSTRUCTION in prompt("x" * MOST_INSTRUCTION, tabletop()).splitlines()


@given(instruction=st.text(min_size=1), label=st.text(), colour=st.text(), name=st.text(min_size=1), reason=st.text())
def test_nothing_that_is_given_makes_a_mark_or_a_line(
    instruction: str, label: str, colour: str, name: str, reason: str
) -> None:
    red = tabletop().objects["red_block"]
    scene = Scene(1.0, "test", by_id([replace(red, id=name, label=label, colour=colour)]))
    record = StepRecord(SkillCall(skill="pick", arguments={"object": name}), False, reason, scene, scene)
    history = History(scene, (record,), (reason,), frozenset({name}))
    try:
        text = prompt(f"go {instruction}"[:MOST_INSTRUCTION], scene, history)
    except ReinsError:  # signs that unfold to many
        return
    assert text.endswith(END)
    lines = text.splitlines()
    assert [line.split()[0] for line in lines if "#" in line] == list(MARKS)
    assert len(lines) == len(MARKS) + 4  # the object, the step, what was wrong, the instruction
    assert not set("<>[]{}|`\\") & set(text)


@pytest.mark.parametrize("sign", ["＃", "﹟", "＜", "\u2028", "\u0085", "\x1b", "\u202e"])
def test_other_ways_to_write_a_mark_are_folded_first(sign: str) -> None:
    assert plain_text(f"a{sign}b", 10) == "a b"


@pytest.mark.parametrize("name", ["red block", "#plan", "table", "Red_block", "a_b_c_d_e", "x" * 17, "红"])
def test_an_object_whose_id_is_no_name_gets_one_and_keeps_its_id_in_the_plan(name: str) -> None:
    red = tabletop().objects["red_block"]
    scene = Scene(1.0, "test", by_id([replace(red, id=name), replace(red, id="thing_1")]))
    names = Names(scene)
    shown = names.shown(name)
    assert shown == "thing_2" and names.shown("thing_1") == "thing_1"
    step = SkillCall(skill="pick", arguments={"object": shown})
    plan = names.restore(Plan(steps=(step,), constraints=(Constraint(kind="avoid", object=shown),)))
    assert plan.steps is not None and plan.steps[0].arguments == {"object": name}
    assert plan.constraints[0].object == name
