"""An operator who is asked, in lock-step: the arm stands while a plan waits, and does no more than was agreed to."""

import numpy as np
import pytest

from reins.contracts.plan import Plan, SkillCall
from reins.planning.actions import Ask
from reins.planning.approval import Answer, Approve, Edit, Reply
from reins.rig import Rig, RigSettings, Tick

DEMO = "put the red block in the blue bowl"
UNICORN = Plan(steps=(SkillCall(skill="pick", arguments={"object": "unicorn"}),))
LOOK = Plan(steps=(SkillCall(skill="move_to", arguments={"target": "white_plate"}),))


class Person:
    """Thinks for two seconds, says the first thing, and after it was refused the next.

    Args:
        says: answers, in turn.
    """

    def __init__(self, *says: Answer) -> None:
        self.says, self.refused = list(says), list[str]()
        self._waited = 0

    def answer(self, ask: Ask, refused: str) -> Answer | None:
        self._waited += 1
        if refused and refused not in self.refused:
            self.refused.append(refused)
        return self.says.pop(0) if self.says and self._waited > 200 else None


def run(person: Person | None, limit: float = 60.0) -> tuple[Rig, list[Tick]]:
    ticks: list[Tick] = []
    settings = RigSettings(perception="state", approve="ask", approve_limit=limit)
    return Rig(settings, seed=1, on_tick=ticks.append, approver=person), ticks


def fastest(ticks: list[Tick], end: float) -> float:
    return max(float(np.abs(tick.state.velocity).max()) for tick in ticks if tick.state.stamp < end)


def test_it_stands_until_it_is_answered_then_does_the_operators_plan_and_can_say_why() -> None:
    person = Person(Edit(UNICORN), Edit(LOOK, "anna"))
    rig, ticks = run(person)
    with rig:
        result = rig.run(DEMO)
        why = rig.run("why did you do that?")
    assert result.outcome == "succeeded" and result.plan == LOOK
    assert [str(call) for call, _ in result.skills] == ["move_to(target=white_plate)"]
    assert len(person.refused) == 1 and "no object 'unicorn'" in person.refused[0]
    assert fastest(ticks, 2.0) < 1e-3 < fastest(ticks, 1e9)
    assert why.outcome == "answered" and "anna wrote this plan in place of mine" in why.reason
    assert why.duration == 0.0 and why.skills == ()


@pytest.mark.parametrize("person", [None, Person(), Person(*[Edit(UNICORN)] * 1000)])
def test_without_an_answer_that_can_be_taken_it_ends_in_time_and_nothing_moves(person: Person | None) -> None:
    rig, ticks = run(person, limit=5.0)
    with rig:
        result = rig.run(DEMO)
    assert result.outcome == "cancelled" and "within 5 s" in result.reason
    assert result.duration == pytest.approx(5.0, abs=0.6) and result.skills == ()
    assert fastest(ticks, 1e9) < 1e-3


def test_a_question_before_any_task_moves_nothing() -> None:
    rig, _ = run(Person(Approve()))
    with rig:
        assert "nothing to explain" in rig.run("why?").reason


def test_a_question_of_the_planner_waits_and_the_answer_goes_on_with_the_task() -> None:
    ticks: list[Tick] = []
    person = Person(Approve(), Reply("the red one"))
    with Rig(RigSettings(perception="state", questions=1), seed=1, on_tick=ticks.append, approver=person) as rig:
        result = rig.run("put the block in the blue bowl")
    assert result.outcome == "succeeded" and str(result.skills[0][0]) == "pick(object=red_block)"
    assert len(person.refused) == 1 and "nothing to approve" in person.refused[0]
    assert fastest(ticks, 2.0) < 1e-3 < fastest(ticks, 1e9)
