"""Questions of the planner of robots with legs, and answers in English and Chinese."""

import pytest
from walking_ground import scene

from reins.planning.planner import Exchange, History
from reins.planning.symbolic import SymbolicPlanner
from reins.planning.walking.answer import choose
from reins.planning.walking.meaning import read
from reins.skills.legged.library import LEGGED_SKILLS

PLANNER = SymbolicPlanner(LEGGED_SKILLS, understand=read, hear=choose)


def calls(instruction: str, answer: str) -> list[str]:
    """What is planned once a question is answered so."""
    seen = scene()
    question = PLANNER.plan(instruction, seen, History(seen)).question
    assert question
    plan = PLANNER.plan(instruction, seen, History(seen, exchanges=(Exchange(question, answer, seen),)))
    return [str(step) for step in plan.steps or (plan.question, plan.refusal)]


@pytest.mark.parametrize(
    ("instruction", "answer", "goal"),
    [
        ("walk to the box", "the blue one", "blue_box"),
        ("walk to the box", "green", "green_box"),
        ("walk to the box", "blue_box", "blue_box"),
        ("走到箱子", "蓝色的", "blue_box"),
        ("走到箱子", "绿色的那个", "green_box"),
        ("走到箱子那里", "是蓝色的箱子", "blue_box"),
        ("walk around the blue box", "to the red door", "red_door"),
        ("go", "to the red door", "red_door"),
        ("go", "the red door", "red_door"),
    ],
)
def test_the_answer_says_where_to(instruction: str, answer: str, goal: str) -> None:
    assert calls(instruction, answer)[-1] == f"go_to(object={goal})"


def test_sides_are_those_of_the_robot() -> None:
    seen = scene()
    sides = {name: seen.objects[name].position[1] for name in ("green_box", "blue_box")}
    left, right = max(sides, key=sides.__getitem__), min(sides, key=sides.__getitem__)
    for answer, name in (("the left one", left), ("the right one", right), ("左边的", left), ("最右边的那个", right)):
        assert calls("走到箱子" if not answer.isascii() else "walk to the box", answer)[-1] == f"go_to(object={name})"


def test_turning() -> None:
    assert calls("turn", "left") == ["turn(angle=1.5708)"]


def test_what_names_nothing_is_asked_again() -> None:
    assert calls("walk to the box", "the purple one")[0].startswith("I cannot make out “the purple one”.")
