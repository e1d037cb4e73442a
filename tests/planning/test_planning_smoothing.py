"""Sub-goals that follow each other are made smooth, and ask for the same in sum."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_tables import tabletop

from reins.contracts.plan import Plan, SkillCall
from reins.planning.smoothing import SAME, smoothed
from reins.planning.verifier import verify
from reins.skills.library import SKILLS
from reins.skills.registry import Parameter


def call(skill: str, **arguments: str | float) -> SkillCall:
    return SkillCall(skill=skill, arguments=arguments)


BLOCKS = st.sampled_from(["red_block", "green_block"])
PUSHES = st.builds(
    lambda name, direction, distance: call("push", object=name, direction=direction, distance=distance),
    BLOCKS,
    st.sampled_from(["left", "back"]),
    st.floats(0.02, 0.2),
)
HOVERS = st.builds(lambda name, height: call("move_to", target=name, height=height), BLOCKS, st.floats(0.02, 0.3))
OTHERS = st.sampled_from([call("home"), call("open_gripper"), call("push", object="red_block", direction="left")])
PLANS = st.lists(PUSHES | HOVERS | OTHERS, max_size=8)


def ways(steps: tuple[SkillCall, ...] | list[SkillCall]) -> Counter[tuple[object, object]]:
    """How far every object is pushed in every direction [m]."""
    total: Counter[tuple[object, object]] = Counter()
    for step in steps:
        if step.skill == "push":
            pair = (step.arguments["object"], step.arguments["direction"])
            total[pair] += float(step.arguments.get("distance", 0.1))  # type: ignore[assignment]
    return total


def same_ways(one: Counter[tuple[object, object]], other: Counter[tuple[object, object]]) -> bool:
    return one.keys() == other.keys() and all(one[pair] == pytest.approx(other[pair], abs=1e-3) for pair in one)


@given(PLANS)
def test_it_is_never_longer_and_asks_for_the_same_in_sum(steps: list[SkillCall]) -> None:
    found = smoothed(steps, (), SKILLS)
    assert len(found) <= len(steps)
    assert same_ways(ways(found), ways(steps))
    assert {step.skill for step in found} == {step.skill for step in steps}


@given(PLANS)
def test_a_plan_that_passes_still_passes(steps: list[SkillCall]) -> None:
    scene = tabletop()
    assert verify(Plan(steps=tuple(steps)), scene, SKILLS) == []
    assert verify(Plan(steps=smoothed(steps, (), SKILLS)), scene, SKILLS) == []


@given(PLANS)
def test_what_is_smooth_stays_as_it_is(steps: list[SkillCall]) -> None:
    once = smoothed(steps, (), SKILLS)
    assert smoothed(once, (), SKILLS) == once
    assert smoothed(once, once, SKILLS) == once


@given(PLANS, st.lists(st.floats(-0.01, 0.01), min_size=8, max_size=8))
def test_numbers_that_tremble_from_plan_to_plan_stay(steps: list[SkillCall], noise: list[float]) -> None:
    before = smoothed(steps, (), SKILLS)
    trembling = [_shaken(step, by) for step, by in zip(before, noise, strict=False)]
    again = smoothed(trembling, before, SKILLS)
    if len(again) == len(before):
        assert again == before


def _numbers(step: SkillCall) -> list[Parameter]:
    return [parameter for parameter in SKILLS[step.skill].parameters if parameter.name in ("distance", "height")]


def _shaken(step: SkillCall, by: float) -> SkillCall:
    arguments = dict(step.arguments)
    for parameter in _numbers(step):
        value = float(arguments.get(parameter.name, parameter.default or 0.0))
        arguments[parameter.name] = min(max(value + by, parameter.lower), parameter.upper)
    return step.model_copy(update={"arguments": arguments})


def test_of_repeats_one_is_left() -> None:
    steps = [
        call("home"),
        call("home"),
        call("move_to", target="red_block"),
        call("move_to", target="red_block", height=0.11),
    ]
    assert smoothed(steps, (), SKILLS) == (call("home"), call("move_to", target="red_block"))


def test_heights_that_differ_are_both_meant() -> None:
    steps = (call("move_to", target="red_block", height=0.1), call("move_to", target="red_block", height=0.2))
    assert smoothed(steps, (), SKILLS) == steps


@pytest.mark.parametrize(
    ("strokes", "expected"),
    [
        ((0.05, 0.05), [0.1]),
        ((0.15, 0.15), [0.15, 0.15]),
        ((0.2, 0.02), [0.11, 0.11]),
        ((0.1, 0.1), [0.2]),
        ((0.07,), [0.07]),
    ],
)
def test_strokes_are_few_and_even(strokes: tuple[float, ...], expected: list[float]) -> None:
    steps = [call("push", object="red_block", direction="left", distance=way) for way in strokes]
    assert [step.arguments["distance"] for step in smoothed(steps, (), SKILLS)] == pytest.approx(expected)


def test_strokes_of_different_things_or_ways_are_not_joined() -> None:
    steps = (
        call("push", object="red_block", direction="left"),
        call("push", object="red_block", direction="back"),
        call("push", object="green_block", direction="back"),
    )
    assert smoothed(steps, (), SKILLS) == steps


def test_a_new_number_that_differs_more_is_meant() -> None:
    old = (call("push", object="red_block", direction="left", distance=0.1),)
    near = (call("push", object="red_block", direction="left", distance=0.1 + SAME - 1e-6),)
    far = (call("push", object="red_block", direction="left", distance=0.1 + SAME + 1e-6),)
    assert smoothed(near, old, SKILLS) == old and smoothed(far, old, SKILLS) == far
