"""Which plans are risky, rule by rule and on both sides of each edge; a harmless plan has no risk."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_tables import scene_of, tabletop, thing

from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.planning.risk import CLOSE, UNSURE, Circumstances, risks_of
from reins.skills.library import SKILLS


def call(skill: str, **arguments: str | float) -> SkillCall:
    return SkillCall(skill=skill, arguments=arguments)


PICK = call("pick", object="red_block")
IN_BOWL = Plan(steps=(PICK, call("place_in", container="blue_bowl")))
AVOID = Constraint(kind="avoid", object="yellow_block")


def risks(plan: Plan, *, agreed: tuple[Constraint, ...] = (), held_to: tuple[Constraint, ...] = ()) -> tuple[str, ...]:
    return risks_of(plan, Circumstances(tabletop(), SKILLS, agreed, held_to))


def test_a_harmless_plan_has_none() -> None:
    assert risks(IN_BOWL) == ()
    assert risks(IN_BOWL.model_copy(update={"constraints": (AVOID,)}), agreed=(AVOID,)) == ()


def speed(scale: float) -> Constraint:
    return Constraint(kind="speed", scale=scale)


@given(st.floats(0.05, 1.0), st.floats(0.05, 1.0))
def test_faster_than_before_is_risky_and_slower_is_not(before: float, now: float) -> None:
    found = risks(IN_BOWL.model_copy(update={"constraints": (speed(now),)}), agreed=(speed(before),))
    assert bool(found) == (now > before)


def test_a_constraint_that_is_gone_is_risky_unless_its_object_is_gone_too() -> None:
    assert risks(IN_BOWL, agreed=(AVOID,)) == ("it no longer keeps to “avoid yellow_block”",)
    assert risks(IN_BOWL, agreed=(Constraint(kind="avoid", object="cat"),)) == ()
    (found,) = risks(IN_BOWL, agreed=(speed(0.5),))
    assert "up to 100%" in found and "50%" in found
    mine = AVOID.model_copy(update={"set_by": "operator", "id": "operator-1"})
    assert risks(IN_BOWL.model_copy(update={"constraints": (AVOID,)}), agreed=(mine,)) == ()


@pytest.mark.parametrize(("offset", "is_risky"), [(-1e-6, True), (1e-6, False)])
@pytest.mark.parametrize("by_others", [True, False])
def test_work_beside_what_must_not_be_touched(offset: float, is_risky: bool, by_others: bool) -> None:
    scene = scene_of([thing("red_block", 0.5, 0.0), thing("yellow_block", 0.5, 0.04 + CLOSE + offset)])
    held_to = (AVOID,) if by_others else ()
    plan = Plan(steps=(PICK,), constraints=() if by_others else (AVOID,))
    found = risks_of(plan, Circumstances(scene, SKILLS, held_to=held_to))
    assert bool(found) == is_risky
    if is_risky:
        assert found == ("step 1, pick red_block, works 8 cm from yellow_block, which must not be touched",)


def test_without_a_rule_about_it_a_neighbour_is_no_risk() -> None:
    scene = scene_of([thing("red_block", 0.5, 0.0), thing("yellow_block", 0.5, 0.05)])
    assert risks_of(Plan(steps=(PICK,)), Circumstances(scene, SKILLS)) == ()


def test_every_skill_that_is_hard_to_undo_says_so_once_for_each_step() -> None:
    assert [name for name, spec in SKILLS.items() if spec.risk] == ["push"]
    push = call("push", object="red_block", direction="left")
    found = risks(Plan(steps=(push, PICK, push)))
    assert [text.partition(",")[0] for text in found] == ["step 1", "step 3"]


@pytest.mark.parametrize(("confidence", "is_risky"), [(UNSURE - 1e-6, True), (UNSURE, False)])
def test_what_is_hardly_seen(confidence: float, is_risky: bool) -> None:
    scene = tabletop()
    objects = {**scene.objects, "red_block": replace(scene.objects["red_block"], confidence=confidence)}
    found = risks_of(IN_BOWL, Circumstances(replace(scene, objects=objects), SKILLS))
    assert bool(found) == is_risky


def test_doubts_of_the_planner() -> None:
    assert risks(IN_BOWL.model_copy(update={"doubts": ("only 2 of 5 agree", "only 2 of 5 agree")})) == (
        "only 2 of 5 agree",
    )


def test_a_question_has_no_risk() -> None:
    assert risks(Plan(question="which?")) == ()
