"""Declared skills, true to the geometry that scenes are read by; facts, verifier, scripted plans."""

from dataclasses import replace

import pytest
from planning_tables import tabletop, thing
from planning_world import World

from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.facts import CAPACITY, DERIVED, MOVED_LEAST, facts_of, with_derived
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.relations import SPATIAL
from reins.contracts.scene import TABLE
from reins.planning.actions import RunSkill
from reins.planning.factory import PLANNERS, WALKING, make_planner
from reins.planning.planner import History, StepRecord, unmet_effects
from reins.planning.scripted import parse_calls
from reins.planning.simulation import SymbolicState, expected_facts
from reins.planning.verifier import MAX_STEPS, verify
from reins.skills.legged.library import LEGGED_SKILLS
from reins.skills.library import SKILLS
from reins.skills.registry import ANY, HELD, SkillRegistry, SkillSpec

PREDICATES = {*SPATIAL, *DERIVED, "holding", "moved", ANY}


def call(skill: str, **arguments: str | float) -> SkillCall:
    return SkillCall(skill=skill, arguments=arguments)


@pytest.mark.parametrize("spec", SKILLS.values(), ids=list(SKILLS))
class TestDeclarations:
    def test_conditions_name_predicates_parameters_and_things_that_exist(self, spec: SkillSpec) -> None:
        words = {parameter.name: parameter.words for parameter in spec.parameters}
        for condition in (*spec.preconditions, *spec.effects):
            predicate, *parts = condition.fact
            assert predicate in PREDICATES or set(words.get(predicate, (None,))) <= PREDICATES
            assert set(parts) <= {*words, ANY, HELD, TABLE}

    def test_what_follows_from_facts_is_no_effect(self, spec: SkillSpec) -> None:
        assert not [effect for effect in spec.effects if effect.fact[0] in DERIVED]

    def test_what_is_held_is_spoken_of_only_where_something_is(self, spec: SkillSpec) -> None:
        if any(HELD in condition.fact for condition in (*spec.preconditions, *spec.effects)):
            assert ("holding", ANY) in [condition.fact for condition in spec.preconditions]

    def test_defaults_are_allowed_and_bounds_are_bounds(self, spec: SkillSpec) -> None:
        for parameter in spec.parameters:
            if parameter.default is not None:
                parameter.check(parameter.default, tabletop())
            if parameter.kind == "number":
                for value in (parameter.lower, parameter.upper):
                    parameter.check(value, tabletop())
                for value in (parameter.lower - 1e-6, parameter.upper + 1e-6, float("nan")):
                    with pytest.raises(ReinsError, match="must be a number"):
                        parameter.check(value, tabletop())

    def test_time_is_limited(self, spec: SkillSpec) -> None:
        assert 0.0 < spec.time_limit <= 60.0


@pytest.mark.parametrize(
    ("step", "where"),
    [
        (call("pick", object="red_block"), {}),
        (call("pick", object="red_block"), {"red_block": "in blue_bowl"}),
        (call("place_in", container="blue_bowl"), {"held": "red_block"}),
        (call("place_on", support="white_plate"), {"held": "red_block"}),
        (call("place_on", support="green_block"), {"held": "red_block"}),
        (call("place_on", support="table"), {"held": "red_block"}),
        *(
            (call("place_beside", object=other, side=side), {"held": "red_block"})
            for other in ("blue_bowl", "white_plate", "green_block")
            for side in ("beside", "left_of", "right_of", "behind", "in_front_of")
        ),
        *((call("push", object="red_block", direction=way), {}) for way in ("left", "right", "forward", "back")),
        (call("home"), {}),
        (call("open_gripper"), {}),
        (call("close_gripper"), {}),
        (call("move_to", target="red_block"), {}),
    ],
    ids=str,
)
def test_effects_are_what_a_scene_shows_and_nothing_else_changes(step: SkillCall, where: dict[str, str]) -> None:
    before = tabletop(**where)
    spec = SKILLS[step.skill]
    arguments = spec.complete(step, before)
    assert SymbolicState.of(before).unmet(spec, arguments) == []
    world = World(before)
    world.run(RunSkill(step, ()))
    seen = facts_of(world.scene(), before)
    assert expected_facts(spec, arguments, before.held()) <= seen
    foretold = SymbolicState.of(before).after(spec, arguments).facts
    assert foretold <= seen
    assert {fact for fact in seen - foretold if fact[0] in ("in", "on", "holding", *DERIVED)} == set()


class TestFacts:
    def test_beside_goes_both_ways(self) -> None:
        assert ("beside", "b", "a") in with_derived({("beside", "a", "b")}, {"a": "block", "b": "block"})

    def test_derived_facts_are_made_anew(self) -> None:
        facts = with_derived({("clear", "a"), ("hand_empty",), ("holding", "b"), ("on", "b", "a")}, {"a": "block"})
        assert facts & {("clear", "a"), ("hand_empty",), ("room", "a")} == set()

    @pytest.mark.parametrize(("label", "capacity"), [*CAPACITY.items(), ("block", 1)])
    def test_room_up_to_the_capacity(self, label: str, capacity: int) -> None:
        for load in range(capacity + 2):
            facts = with_derived({("on", f"block_{number}", "it") for number in range(load)}, {"it": label})
            assert (("room", "it") in facts) == (load < capacity)
            assert (("clear", "it") in facts) == (load == 0)

    def test_the_table_always_has_room_and_what_is_held_has_none(self) -> None:
        facts = facts_of(tabletop(held="red_block"))
        assert ("room", TABLE) in facts and ("room", "red_block") not in facts

    @pytest.mark.parametrize(("shift", "moved"), [(MOVED_LEAST + 1e-6, True), (MOVED_LEAST - 1e-6, False)])
    @pytest.mark.parametrize(
        ("direction", "axis", "sign"), [("left", 1, 1), ("right", 1, -1), ("forward", 0, 1), ("back", 0, -1)]
    )
    def test_moved_from_the_threshold_on(self, shift: float, moved: bool, direction: str, axis: int, sign: int) -> None:
        before = tabletop()
        item = before.objects["red_block"]
        x, y, z = item.position
        position = (x + sign * shift, y, z) if axis == 0 else (x, y + sign * shift, z)
        now = replace(before, objects={**before.objects, "red_block": replace(item, position=position)})
        found = {fact for fact in facts_of(now, before) if fact[0] == "moved"}
        assert found == ({("moved", "red_block", direction)} if moved else set())

    def test_what_was_not_there_before_has_not_moved(self) -> None:
        before = tabletop("blue_bowl")
        assert not [fact for fact in facts_of(tabletop(), before) if fact[0] == "moved"]


class TestVerifier:
    PICK = call("pick", object="red_block")

    @pytest.mark.parametrize(
        ("steps", "named"),
        [
            ([call("grasp", object="red_block")], ["step 1", "grasp", "known"]),
            ([call("pick", thing="red_block")], ["thing", "object"]),
            ([call("pick")], ["needs 'object'"]),
            ([call("pick", object="red_blok")], ["red_blok", "did you mean 'red_block'"]),
            ([call("pick", object="blue_bowl")], ["blue_bowl", "bowl", "not a block"]),
            ([call("pick", object=TABLE)], ["table"]),
            ([call("push", object="red_block", direction="lefft")], ["lefft", "did you mean 'left'"]),
            ([call("push", object="red_block", direction="left", distance=1.0)], ["distance", "0.2"]),
            ([call("push", object="red_block", direction="left", distance="far")], ["distance"]),
            ([call("place_in", container="blue_bowl")], ["step 1", "something is held", "not so"]),
            ([PICK, PICK], ["step 2", "the hand is empty"]),
            ([PICK, call("place_on", support="red_block")], ["step 2", "room"]),
            ([PICK, call("place_in", container="blue_bowl"), call("place_on", support=TABLE)], ["step 3", "held"]),
        ],
    )
    def test_names_the_step_and_the_trouble(self, steps: list[SkillCall], named: list[str]) -> None:
        problems = verify(Plan(steps=tuple(steps)), tabletop(), SKILLS)
        assert len(problems) == 1
        assert all(text in problems[0] for text in named), problems[0]

    @pytest.mark.parametrize(
        ("steps", "touches"),
        [
            ([call("pick", object="red_block")], True),
            ([call("push", object="red_block", direction="left")], True),
            ([call("pick", object="green_block"), call("place_on", support="red_block")], True),
            ([call("pick", object="green_block"), call("place_beside", object="red_block")], False),
            ([call("move_to", target="red_block")], False),
        ],
    )
    def test_what_must_not_be_touched(self, steps: list[SkillCall], touches: bool) -> None:
        plan = Plan(steps=tuple(steps), constraints=(Constraint(kind="avoid", object="red_block"),))
        problems = verify(plan, tabletop(), SKILLS)
        assert len(problems) == touches
        assert all("red_block, which must not be touched" in problem for problem in problems)

    def test_a_constraint_on_nothing_is_a_problem(self) -> None:
        plan = Plan(steps=(), constraints=(Constraint(kind="avoid", object="unicorn"),))
        assert "unicorn" in verify(plan, tabletop(), SKILLS)[0]

    def test_steps_that_are_done_are_not_checked_again(self) -> None:
        plan = Plan(steps=(self.PICK, call("place_in", container="blue_bowl")))
        assert verify(plan, tabletop(held="red_block"), SKILLS, start=1) == []
        assert verify(plan, tabletop(held="red_block"), SKILLS) != []

    def test_a_plan_without_end_is_a_problem(self) -> None:
        assert verify(Plan(steps=(call("home"),) * MAX_STEPS), tabletop(), SKILLS) == []
        assert "at most" in verify(Plan(steps=(call("home"),) * (MAX_STEPS + 1)), tabletop(), SKILLS)[0]

    @pytest.mark.parametrize("plan", [Plan(question="which?"), Plan(refusal="no"), Plan(steps=())])
    def test_nothing_to_check(self, plan: Plan) -> None:
        assert verify(plan, tabletop(), SKILLS) == []

    def test_all_that_is_wrong_is_told_at_once(self) -> None:
        steps = (call("grasp"), call("pick", object="unicorn"), call("home", fast=1.0))
        assert len(verify(Plan(steps=steps), tabletop(), SKILLS)) == 3


class TestScripted:
    def test_reads_calls(self) -> None:
        calls = parse_calls(" push(object=red_block, direction=left, distance=0.05); home() ;")
        assert calls == (call("push", object="red_block", direction="left", distance=0.05), call("home"))

    @pytest.mark.parametrize("text", ["pick", "pick(red_block)", "pick(object=)", "pick(object=a", "a b()", "f(x=(1))"])
    def test_what_is_no_call_is_quoted(self, text: str) -> None:
        plan = make_planner("scripted", SKILLS).plan(text, tabletop(), History(tabletop()))
        assert plan.refusal is not None and text.split("(")[0] in plan.refusal


class TestEffectsAsGoals:
    """The goal check for planners that have no goals: what the steps were for has to be so."""

    def record(self, step: SkillCall, success: bool = True, held: str | None = None) -> StepRecord:
        return StepRecord(step, success, "", tabletop(held=held), tabletop())

    def history(self, *records: StepRecord) -> History:
        return History(tabletop(), records)

    def test_what_was_undone_on_purpose_is_not_missed(self) -> None:
        history = self.history(
            self.record(call("pick", object="red_block")),
            self.record(call("place_in", container="blue_bowl"), held="red_block"),
        )
        assert unmet_effects(tabletop(red_block="in blue_bowl"), history, SKILLS) == []
        assert unmet_effects(tabletop(), history, SKILLS) == ["red_block is not in blue_bowl"]

    def test_what_failed_is_not_expected(self) -> None:
        history = self.history(self.record(call("pick", object="red_block"), success=False))
        assert unmet_effects(tabletop(), history, SKILLS) == []

    def test_arguments_left_to_their_defaults_count(self) -> None:
        step = self.record(call("place_beside", object="blue_bowl"), held="red_block")
        assert unmet_effects(tabletop(), self.history(step), SKILLS) == ["red_block is not beside blue_bowl"]

    def test_a_push_is_measured_from_the_beginning(self) -> None:
        history = self.history(self.record(call("push", object="red_block", direction="left")))
        assert unmet_effects(tabletop(), history, SKILLS) == ["red_block has not moved left"]


def test_planners_by_name() -> None:
    for name in PLANNERS:
        assert make_planner(name, SKILLS).name == name
    with pytest.raises(UnknownName, match=r"symbolik.*did you mean 'symbolic'"):
        make_planner("symbolik", SKILLS)


def test_planners_of_legged_robots_by_name() -> None:
    for name in WALKING:
        assert make_planner(name, LEGGED_SKILLS, kind="quadruped").name == name
    with pytest.raises(UnknownName, match=r"no planner of legged robots 'scripted'.*symbolic"):
        make_planner("scripted", LEGGED_SKILLS, kind="quadruped")


def test_a_registry_says_what_it_lacks() -> None:
    with pytest.raises(UnknownName, match=r"'graps'"):
        SKILLS["graps"]
    assert "graps" not in SKILLS and "pick" in SKILLS
    with pytest.raises(ReinsError, match="declared twice"):
        SkillRegistry([SKILLS["pick"], SKILLS["pick"]])


def test_the_tests_own_objects_stand_on_the_table() -> None:
    assert thing("red_block", 0.4, 0.0).position[2] == 0.02
