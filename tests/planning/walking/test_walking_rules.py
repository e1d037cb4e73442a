"""What an operator says beside an instruction holds a robot that walks to distances and speeds, in two languages."""

import pytest
from walking_ground import scene

from reins.contracts.plan import Constraint
from reins.planning.rules import TaskRules
from reins.skills.legged.library import LEGGED_SKILLS
from reins.skills.library import SKILLS

PERSON = Constraint(kind="avoid", object="person")
SLOW = Constraint(kind="speed", scale=0.5)


def held_to(words: str) -> tuple[Constraint, ...]:
    rules = TaskRules(LEGGED_SKILLS)
    rules.say(words, scene())
    return rules.own


@pytest.mark.parametrize(
    ("words", "rules"),
    [
        ("keep 1.5 m away from the person", (PERSON.model_copy(update={"distance": 1.5}),)),
        ("That is too near. Keep 1.5 metres away from the person!", (PERSON.model_copy(update={"distance": 1.5}),)),
        ("太近了，和人保持一米的距离", (PERSON.model_copy(update={"distance": 1.0}),)),
        ("I would rather not: don't go near the person, slower", (PERSON, SLOW)),
        ("slower, very slowly", (Constraint(kind="speed", scale=0.3),)),
        ("慢一点", (SLOW,)),
        ("go to the red door first, avoiding the person", (PERSON,)),
        ("no, I do not want that", ()),
        ("不好", ()),
    ],
)
def test_what_is_understood_of_it_holds(words: str, rules: tuple[Constraint, ...]) -> None:
    assert held_to(words) == rules


def test_to_an_arm_the_same_words_are_read_as_they_were() -> None:
    rules = TaskRules(SKILLS)
    rules.say("don't touch the blue box", scene())
    assert rules.own == (Constraint(kind="avoid", object="blue_box"),)
