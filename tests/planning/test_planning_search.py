"""Search: plans are valid, shortest, and found quickly; and when there is none, the reason is told."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from planning_tables import tabletop

from reins.contracts.facts import CAPACITY, Fact, facts_of
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.explanation import why_not
from reins.planning.grounding import Problem, ground
from reins.planning.search import Landmarks, search
from reins.planning.simulation import SymbolicState
from reins.planning.verifier import touched, verify
from reins.skills.library import SKILLS
from reins.skills.registry import ANY, Condition, Parameter, SkillRegistry, SkillSpec

BLOCKS = ("red_block", "green_block", "blue_block")
OTHERS = ("blue_bowl", "white_plate")


def problem_of(scene: Scene, *goals: Fact, avoid: Sequence[str] = ()) -> Problem:
    return Problem(scene, SymbolicState.of(scene), goals, SKILLS, frozenset(avoid))


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Three blocks on the table, in the bowl, on the plate, on each other, or in the gripper."""
    where: dict[str, str] = {}
    order = draw(st.permutations(BLOCKS))
    for index, name in enumerate(order):
        free = [other for other in order[:index] if "in" not in where.get(other, "")]
        free = [other for other in free if f"on {other}" not in where.values()]
        places = ["table", "in blue_bowl", "on white_plate", *(f"on {other}" for other in free)]
        place = draw(st.sampled_from(places))
        if place != "table":
            where[name] = place
    top = order[-1]
    held = top if draw(st.booleans()) else None
    if held is not None:
        where.pop(held, None)
    scene = tabletop(*BLOCKS, *OTHERS, held=held, **where)
    for name, place in where.items():
        relation, other = place.split()
        assert (relation, name, other) in facts_of(scene), f"the test's table is wrong: {name} {place}"
    return scene


@st.composite
def goal_sets(draw: st.DrawFn) -> tuple[Fact, ...]:
    """One to three goals about different blocks."""
    goals: list[Fact] = []
    for name in draw(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=3, unique=True)):
        other = draw(st.sampled_from([block for block in BLOCKS if block != name]))
        goals.append(
            draw(
                st.sampled_from(
                    [
                        ("in", name, "blue_bowl"),
                        ("on", name, "white_plate"),
                        ("on", name, "table"),
                        ("on", name, other),
                        ("beside", name, "blue_bowl"),
                        ("moved", name, "left"),
                        ("holding", name),
                    ]
                )
            )
        )
    return tuple(goals)


def every_call(problem: Problem) -> Iterator[SkillCall]:
    """All that could be asked for, made without the planner; of words those that the goals name, and defaults."""
    said = {part for goal in problem.goals for part in goal}
    for spec in SKILLS.values():
        choices: list[list[str | float]] = []
        for parameter in spec.parameters:
            if parameter.kind == "object":
                choices.append([*problem.scene.objects, *parameter.also])
            elif parameter.kind == "word":
                choices.append([word for word in parameter.words if word in said or word == parameter.default])
            else:
                choices.append([parameter.default or 0.0])
        for values in product(*choices):
            names = (parameter.name for parameter in spec.parameters)
            yield SkillCall(skill=spec.name, arguments=dict(zip(names, values, strict=True)))


def shortest(problem: Problem) -> int | None:
    """Length of the shortest plan, by looking at everything: breadth first over the declared effects."""
    calls = []
    for call in every_call(problem):
        plan = Plan(steps=(call,), constraints=tuple(Constraint(kind="avoid", object=name) for name in problem.avoid))
        if not any(
            "takes" in text or " not a " in text or "touched" in text for text in verify(plan, problem.scene, SKILLS)
        ):
            calls.append((SKILLS[call.skill], call.arguments))
    goals = set(problem.goals)
    seen = {problem.state.facts}
    queue = deque([(problem.state, 0)])
    while queue:
        state, depth = queue.popleft()
        if goals <= state.facts:
            return depth
        for spec, arguments in calls:
            if not spec.effects or state.unmet(spec, arguments):
                continue
            after = state.after(spec, arguments)
            moved = {fact[1] for fact in after.facts - state.facts if fact[0] in ("holding", "moved")}
            if moved <= problem.movable and after.facts not in seen:
                seen.add(after.facts)
                queue.append((after, depth + 1))
    return None


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(scene=scenes(), goals=goal_sets(), avoid=st.lists(st.sampled_from(BLOCKS), max_size=1))
def test_plans_are_valid_and_shortest(scene: Scene, goals: tuple[Fact, ...], avoid: list[str]) -> None:
    problem = problem_of(scene, *goals, avoid=avoid)
    steps = search(problem)
    assert (None if steps is None else len(steps)) == shortest(problem)
    if steps is None:
        return
    plan = Plan(steps=tuple(steps), constraints=tuple(Constraint(kind="avoid", object=name) for name in avoid))
    assert verify(plan, scene, SKILLS) == []
    state = problem.state
    for call in steps:
        spec = SKILLS[call.skill]
        arguments = spec.complete(call, scene)
        assert not touched(spec, arguments, avoid)
        state = state.after(spec, arguments)
    assert set(goals) <= state.facts


@settings(max_examples=60)
@given(scene=scenes(), goals=goal_sets())
def test_the_estimate_never_exceeds_the_steps_that_are_left(scene: Scene, goals: tuple[Fact, ...]) -> None:
    problem = problem_of(scene, *goals)
    steps = search(problem)
    assume(steps is not None)
    assert steps is not None
    estimate = Landmarks(frozenset(goals), ground(problem))
    actions = ground(problem)
    facts = problem.start()
    for done, call in enumerate(steps):
        assert estimate(facts) <= len(steps) - done
        action = next(action for action in actions if action.call == call and action.possible(facts))
        facts = action.apply(facts, problem.state.labels)
    assert estimate(facts) == 0


@pytest.mark.parametrize(
    ("goals", "where", "steps"),
    [
        ([("on", "red_block", "blue_block")], {}, ["pick red_block", "place_on blue_block"]),
        (
            [("on", "red_block", "blue_block"), ("on", "blue_block", "green_block")],
            {},
            ["pick blue_block", "place_on green_block", "pick red_block", "place_on blue_block"],
        ),
        (
            [("on", "red_block", "blue_block")],
            {"green_block": "on blue_block"},
            ["pick green_block", "place_on table", "pick red_block", "place_on blue_block"],
        ),
        (
            [("in", "red_block", "blue_bowl")],
            {"held": "green_block"},
            ["place_on table", "pick red_block", "place_in blue_bowl"],
        ),
        ([("in", "red_block", "blue_bowl")], {"red_block": "in blue_bowl"}, []),
        (
            [("moved", "red_block", "left")],
            {"red_block": "on white_plate"},
            ["pick red_block", "place_on table", "push red_block left"],
        ),
        (
            [("holding", "red_block")],
            {"green_block": "on red_block", "blue_block": "on green_block"},
            ["pick blue_block", "place_on table", "pick green_block", "place_on table", "pick red_block"],
        ),
        ([("hand_empty",)], {"held": "red_block"}, ["place_on table"]),
    ],
)
def test_finds_the_steps_in_between(goals: list[Fact], where: dict[str, str], steps: list[str]) -> None:
    found = search(problem_of(tabletop(**where), *goals))
    assert found is not None
    assert [" ".join((call.skill, *map(str, call.arguments.values()))) for call in found] == steps


def test_goals_are_worked_on_in_the_order_given() -> None:
    names = ("yellow_block", "red_block", "blue_block", "green_block")
    found = search(problem_of(tabletop(), *(("on", name, "white_plate") for name in names)))
    assert found is not None
    assert [call.arguments["object"] for call in found[::2]] == list(names)


COLOURS = ("red", "green", "blue", "yellow", "pink", "black")
EIGHT = (*(f"{colour}_block" for colour in COLOURS), *OTHERS)
SORTED_OUT = [
    *(("in", f"{colour}_block", "blue_bowl") for colour in COLOURS[:2]),
    *(("on", f"{colour}_block", "white_plate") for colour in COLOURS[2:]),
]


@pytest.mark.parametrize(
    ("goals", "where", "length"),
    [
        (SORTED_OUT, {}, 12),
        (
            SORTED_OUT,
            {"green_block": "on red_block", "blue_block": "on green_block", "black_block": "on yellow_block"},
            12,
        ),
        ([("on", upper, lower) for upper, lower in pairwise(EIGHT[:6])], {}, 10),
        (
            [("on", upper, lower) for upper, lower in pairwise(EIGHT[:4])],
            {"green_block": "on red_block", "blue_block": "on green_block", "yellow_block": "on blue_block"},
            8,
        ),
    ],
)
def test_eight_objects_take_few_states(goals: list[Fact], where: dict[str, str], length: int) -> None:
    found = search(problem_of(tabletop(*EIGHT, **where), *goals), effort=100)
    assert found is not None and len(found) == length


@pytest.mark.parametrize(
    ("goals", "where", "avoid", "named"),
    [
        ([("in", "white_plate", "blue_bowl")], {}, [], ["white_plate", "plate", "not a block"]),
        ([("holding", "blue_bowl")], {}, [], ["pick", "bowl", "not a block"]),
        ([("in", "red_block", "white_plate")], {}, [], ["place in", "plate", "not a bowl"]),
        ([("on", "red_block", "blue_bowl")], {}, [], ["place on", "bowl"]),
        ([("moved", "blue_bowl", "left")], {}, [], ["push", "bowl"]),
        ([("holding", "red_block")], {}, ["red_block"], ["touching red_block"]),
        (
            [("on", "red_block", "blue_block")],
            {"green_block": "on blue_block"},
            ["green_block"],
            ["touching green_block", "must not"],
        ),
        ([("holding", "red_block"), ("holding", "blue_block")], {}, [], ["at one time", "red_block", "blue_block"]),
        ([("on", "red_block", "blue_block"), ("on", "blue_block", "red_block")], {}, [], ["at one time"]),
        (
            [("on", "red_block", "blue_block"), ("on", "green_block", "blue_block")],
            {},
            [],
            ["blue_block has room for 1"],
        ),
        ([("in", name, "blue_bowl") for name in BLOCKS], {}, [], ["blue_bowl has room for 2, not for 3"]),
        ([("on", "red_block", "blue_block")], {"blue_block": "in blue_bowl"}, [], ["blue_block is in blue_bowl"]),
        ([("beside", "red_block", "blue_block")], {"blue_block": "in blue_bowl"}, [], ["blue_block is not on table"]),
    ],
)
def test_tells_why_there_is_no_plan(
    goals: list[Fact], where: dict[str, str], avoid: list[str], named: list[str]
) -> None:
    problem = problem_of(tabletop(**where), *goals, avoid=avoid)
    assert search(problem) is None
    reason = why_not(problem)
    assert all(text in reason for text in named), reason


def test_a_full_bowl_takes_no_more() -> None:
    names = EIGHT[: CAPACITY["bowl"] + 1]
    where = dict.fromkeys(names[1:], "in blue_bowl")
    problem = problem_of(tabletop(*names, "blue_bowl", **where), ("in", "red_block", "blue_bowl"))
    assert search(problem) is None
    assert "no room" in why_not(problem)


def test_a_skill_that_is_new_is_used_without_a_word_to_the_planner() -> None:
    block = Parameter("object", "object", "what to throw", labels=("block",), touches=True)
    throw = SkillSpec(
        name="throw_away",
        description="Throw a block away.",
        parameters=(block,),
        preconditions=(Condition(("hand_empty",)), Condition(("clear", "object"))),
        effects=(Condition((ANY, "object", ANY), negated=True), Condition(("gone", "object", "away"))),
        time_limit=5.0,
    )
    scene = tabletop(held="green_block")
    registry = SkillRegistry((*SKILLS.values(), throw))
    problem = replace(problem_of(scene, ("gone", "red_block", "away")), registry=registry)
    found = search(problem)
    assert found is not None
    assert [call.skill for call in found] == ["place_on", "throw_away"]


def test_of_two_ways_the_one_that_is_possible_is_taken() -> None:
    def toggles(name: str, needs: Fact) -> SkillSpec:
        effects = (Condition(("done", "object", "now")),)
        parameters = (Parameter("object", "object", "what"),)
        return SkillSpec(name, name, parameters, (Condition(needs),), effects, time_limit=1.0)

    registry = SkillRegistry(
        [toggles("on_plate", ("on", "object", "white_plate")), toggles("clear", ("clear", "object"))]
    )
    for where, name in (({}, "clear"), ({"red_block": "on white_plate", "blue_block": "on red_block"}, "on_plate")):
        problem = replace(problem_of(tabletop(**where), ("done", "red_block", "now")), registry=registry)
        assert search(problem) == [SkillCall(skill=name, arguments={"object": "red_block"})]


def test_what_nobody_asked_for_is_left_where_it_is() -> None:
    problem = problem_of(tabletop(blue_block="on white_plate"), ("on", "red_block", "white_plate"))
    assert problem.movable == {"red_block"}
    problem = problem_of(tabletop(blue_block="on green_block"), ("on", "red_block", "green_block"))
    assert problem.movable == {"red_block", "blue_block"}
