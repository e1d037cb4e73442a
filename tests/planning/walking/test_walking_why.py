"""Which step of a walk a why-question means, in two languages."""

import pytest

from reins.contracts.plan import SkillCall
from reins.planning.why.naming import named_in
from reins.planning.why.question import is_about_the_past

STEPS = [
    SkillCall(skill="stand"),
    SkillCall(skill="turn", arguments={"angle": 1.5}),
    SkillCall(skill="go_to", arguments={"object": "blue_box"}),
    SkillCall(skill="go_to", arguments={"object": "red_door"}),
    SkillCall(skill="follow", arguments={"person": "person"}),
    SkillCall(skill="wait"),
    SkillCall(skill="sit"),
    SkillCall(skill="look_around"),
]


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("why did you stand up?", 1),
        ("你为什么站起来？", 1),
        ("why have you turned?", 2),
        ("为什么左转？", 2),
        ("why did you go to the box?", 3),
        ("为什么走到蓝色的箱子那里？", 3),
        ("why did you walk to the red door?", 4),
        ("为什么走到红色的门？", 4),
        ("why have you followed that person?", 5),
        ("为什么跟着那个人？", 5),
        ("why did you wait?", 6),
        ("你为什么等了？", 6),
        ("why are you lying down, why have you sat down?", 7),
        ("你为什么坐下？", 7),
        ("why have you looked around?", 8),
    ],
)
def test_the_step_that_its_words_name(question: str, number: int) -> None:
    assert is_about_the_past(question)
    assert named_in(question, STEPS) == number
