"""The short prompt says what is where, and nothing that it was given can look like a part of it."""

import re
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

COLOURS = ("red", "green", "blue", "yellow", "white", "black", "pink")
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
        "blue bowl on table 62 22 4 left yellow block behind red block green block",
        "green block in blue bowl 62 22 was on table 45 10 2 left yellow block",
        "red block held was on table 45 30 1 left green block yellow block",
        "yellow block on table 45 -30 3",
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
    assert lines[3] == "red block gone was on table 45 30 1 left blue block yellow block"


def test_what_rests_on_nothing_that_is_known_is_loose() -> None:
    scene = scene_of([thing("red_block", 0.45, 0.0, bottom=0.5)])
    assert "red block loose 45 0 1" in prompt("go home", scene).splitlines()


def test_what_is_held_when_the_instruction_is_given_is_neither_near_nor_beside_anything() -> None:
    lines = prompt("go home", tabletop("red_block", "blue_bowl", held="red_block")).splitlines()
    assert sorted(lines[1:3]) == ["blue bowl on table 62 22 1", "red block held"]


@given(st.lists(st.tuples(st.integers(30, 70), st.integers(-40, 40)), min_size=1, max_size=7, unique=True))
def test_order_of_nearness_and_bearings_are_those_of_the_scene(places: list[tuple[int, int]]) -> None:
    things = [thing(f"{colour}_block", x / 100, y / 100) for colour, (x, y) in zip(COLOURS, places, strict=False)]
    scene = scene_of(things)
    told = {line.split(" block on ")[0]: line for line in prompt("go home", scene).splitlines() if " block on " in line}
    for relation in scene.relations:
        if relation.predicate in ("left_of", "behind"):
            words = told[relation.subject.partition("_")[0]].partition(relation.predicate.partition("_")[0])[2]
            words = words.partition(" behind ")[0] if relation.predicate == "left_of" else words
            assert relation.object.replace("_", " ") in words
    ranks = {colour: int(re.search(r"-?\d+ -?\d+ (\d+)", line)[1]) for colour, line in told.items()}  # type: ignore[index]
    nearest_first = sorted(ranks, key=lambda colour: ranks[colour])
    far = [scene.objects[f"{colour}_block"].position[0] for colour in nearest_first]
    assert far == sorted(far) and sorted(ranks.values()) == list(range(1, len(ranks) + 1))


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
