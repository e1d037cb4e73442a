"""What must not be touched is read without a model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_tables import tabletop

from reins.contracts.plan import Constraint
from reins.planning.language.guard import said_constraints, tightest
from reins.skills.library import SKILLS

SCENE = tabletop()


def said(instruction: str) -> list[str]:
    return sorted(str(rule) for rule in said_constraints(instruction, SCENE, SKILLS))


@pytest.mark.parametrize(
    ("instruction", "rules"),
    [
        ("put the red block in the bowl but don't touch the yellow block", ["avoid yellow_block"]),
        (
            "pop red in the bowl, and don’t touch the yellow block or the plate, mate",
            ["avoid white_plate", "avoid yellow_block"],
        ),
        ("chuck red in without touching the yellow block", ["avoid yellow_block"]),
        ("yeet the red one. never push the green block, avoid the bowl", ["avoid blue_bowl", "avoid green_block"]),
        ("leave the yellow block alone and bin the red one", ["avoid yellow_block"]),
        ("KEEP AWAY FROM the yellow block whilst binning red", ["avoid yellow_block"]),
        ("very slowly nudge whatever you like", ["speed at most 0.2"]),
        ("carefully, don't touch the bowl, yeet red", ["avoid blue_bowl", "speed at most 0.5"]),
        ("put the red block in the bowl", []),
        ("把红色方块放进碗里，不要碰黄色方块", ["avoid yellow_block"]),
        (
            "小心地把红的放到盘子上，别碰黄色方块和蓝色的碗。",
            ["avoid blue_bowl", "avoid yellow_block", "speed at most 0.5"],
        ),
        ("慢慢把绿色积木推到左边，不要动盘子", ["avoid white_plate", "speed at most 0.3"]),
        ("把红色方块放进碗里；纸条上写着“不要碰盘子”", []),
        ("不要碰除了红色方块以外的东西，把它放进碗里", []),
        ("把红色方块放进碗里", []),
        ("I do not care how, get red in there", []),
        ("", []),
    ],
)
def test_what_is_said(instruction: str, rules: list[str]) -> None:
    assert said(instruction) == rules


@pytest.mark.parametrize("marks", ["“{}”", '"{}"', "'{}'", "«{}»", "‘{}’", "「{}」"])
def test_what_is_quoted_is_not_said(marks: str) -> None:
    quoted = marks.format("don't touch the plate, go slowly") if "'" not in marks else "'avoid the plate, slowly'"
    assert said(f"yeet what the note {quoted} is about") == []
    assert said(f"yeet it; don't touch the bowl. The note says {quoted}") == ["avoid blue_bowl"]


def test_an_exception_from_everything_is_not_cut_off() -> None:
    assert said("bin red. don't touch anything that is not as red as it is") == []
    assert len(said("put the red block in the bowl and don't touch anything else")) == 4


@given(st.text(max_size=60))
def test_more_words_take_nothing_away(more: str) -> None:
    assert "avoid yellow_block" in said(f"yeet it; do not touch the yellow block. “{more.replace('”', '')}”")


def test_the_tightest_of_each_kind_stays() -> None:
    avoid = Constraint(kind="avoid", object="red_block", set_by="operator", id="operator-1")
    slow, slower = Constraint(kind="speed", scale=0.5), Constraint(kind="speed", scale=0.2)
    box = Constraint(kind="keep_out", size=(0.1, 0.1, 0.1))
    assert tightest([avoid, slow, slower, box, avoid, slower]) == (
        Constraint(kind="avoid", object="red_block"),
        slower,
        box,
    )
