"""An operator approves, edits, rewords or turns down a plan before it runs; without an answer nothing moves."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_tables import at, tabletop
from planning_world import World

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.actions import Ask, Done, Limits, Look, RunSkill
from reins.planning.approval import Answer, ApprovalMode, Approve, Edit, Reject, Reword, is_within
from reins.planning.cadence import Cadence
from reins.planning.executor import TaskExecutor
from reins.planning.factory import make_planner
from reins.planning.planner import History, Planner
from reins.planning.tracing.notebook import Notebook
from reins.skills.library import SKILLS

RED_IN_BOWL = "put the red block in the blue bowl"


def call(skill: str, **arguments: str | float) -> SkillCall:
    return SkillCall(skill=skill, arguments=arguments)


ON_PLATE = (call("pick", object="red_block"), call("place_on", support="white_plate"))
RED = (call("pick", object="red_block"), call("place_in", container="blue_bowl"))
GREEN_ON_PLATE = Plan(steps=(call("pick", object="green_block"), call("place_on", support="white_plate")))


class Model:
    """Proposes these plans in turn, the last one from then on, as a language model would."""

    name, quick = "model", False

    def __init__(self, *plans: tuple[SkillCall, ...]) -> None:
        self.plans = list(plans)
        self.asked: list[History] = []

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        self.asked.append(history)
        return Plan(steps=self.plans[min(len(self.asked), len(self.plans)) - 1])

    def unmet(self, instruction: str, scene: Scene, history: History) -> list[str]:
        return []


def asking(
    instruction: str = RED_IN_BOWL,
    planner: Planner | None = None,
    approve: ApprovalMode = "ask",
    cadence: Cadence | None = None,
) -> TaskExecutor:
    made = planner or make_planner("symbolic", SKILLS)
    return TaskExecutor(made, SKILLS, instruction, cadence=cadence, approve=approve)


def until_asked(task: TaskExecutor, world: World) -> Ask:
    while isinstance(action := task.next(world.scene(), world.t), Look):
        world.t += 0.5
    assert isinstance(action, Ask)
    return action


class TestWaiting:
    """Nothing moves while a plan waits."""

    def test_it_asks_the_same_question_until_it_is_answered_and_runs_nothing(self) -> None:
        world, task = World(tabletop()), asking()
        ask = until_asked(task, world)
        assert (ask.number, ask.plan.steps, task.stage, task.asked) == (1, RED, "asking", ask)
        world.t += 1000.0
        assert task.next(world.scene(), world.t) is ask and task.next(None, world.t) is ask
        assert world.ran == []

    def test_an_approved_plan_runs_from_a_newer_scene(self) -> None:
        world, task = World(tabletop()), asking()
        until_asked(task, world)
        before = world.scene()
        task.answer(Approve(), before, world.t)
        assert isinstance(task.next(before, world.t), Look)
        assert world.drive(task).outcome == "succeeded" and len(world.asked) == 0

    def test_nobody_answers(self) -> None:
        world, task = World(tabletop()), asking()
        until_asked(task, world)
        task.unanswered(30.0)
        done = task.next(world.scene(), world.t)
        assert isinstance(done, Done) and done.outcome == "cancelled"
        assert "nobody approved the plan within 30 s" in done.reason and task.asked is None
        with pytest.raises(ReinsError, match="no plan waits"):
            task.answer(Approve(), world.scene(), world.t)

    def test_it_can_be_cancelled(self) -> None:
        world, task = World(tabletop()), asking()
        until_asked(task, world)
        task.cancel("changed my mind")
        assert task.next(world.scene(), world.t) == Done("cancelled", "changed my mind", task.plan)
        assert task.asked is None

    def test_after_a_takeover_it_looks_plans_and_asks_again(self) -> None:
        world, task = World(tabletop()), asking()
        until_asked(task, world)
        task.pause(world.scene())
        assert task.asked is None
        world.put("red_block", "on", "white_plate")
        task.resume(world.t)
        world.answers = [Approve()]
        done = world.drive(task)
        assert done.outcome == "succeeded" and "now on white_plate" in done.reason
        assert [ask.number for ask in world.asked] == [2]

    def test_a_world_that_changed_meanwhile_is_planned_for_again_and_asked_about_again(self) -> None:
        world, task = World(tabletop()), asking()
        until_asked(task, world)
        world.put("green_block", "on", "red_block")
        world.t += 60.0
        task.answer(Approve(), world.scene(), world.t)
        world.answers = [Approve()]
        assert world.drive(task).outcome == "succeeded"
        assert (
            world.asked[0].plan.steps is not None and world.asked[0].plan.steps[0].arguments["object"] == "green_block"
        )

    def test_always_asks_nobody(self) -> None:
        world = World(tabletop())
        assert world.drive(asking(approve="always")).outcome == "succeeded" and world.asked == []


class TestRisky:
    """Under `risky` only what a rule is about waits."""

    def test_a_harmless_plan_runs(self) -> None:
        world = World(tabletop())
        assert world.drive(asking(approve="risky")).outcome == "succeeded" and world.asked == []

    def test_a_risky_one_waits_and_says_why(self) -> None:
        world = World(tabletop())
        world.answers = [Approve()]
        assert world.drive(asking("push the green block left", approve="risky")).outcome == "succeeded"
        assert "without a grip" in world.asked[0].risks[0]

    def test_of_two_plans_only_the_risky_one_waits(self) -> None:
        push = (call("push", object="red_block", direction="left"),)
        world = World(tabletop())
        world.faults, world.answers = {("pick", 0)}, [Reject()]
        done = world.drive(asking(planner=Model(RED, push), approve="risky"))
        assert done.outcome == "cancelled" and [ask.plan.steps for ask in world.asked] == [push]
        assert world.calls == ["pick(object=red_block)"]

    @pytest.mark.parametrize(
        "answer", [Reject("carry it"), Reword("put the red block in the blue bowl"), Edit(GREEN_ON_PLATE)]
    )
    def test_after_anything_but_yes_harmless_plans_wait_as_well(self, answer: Answer) -> None:
        push = (call("push", object="red_block", direction="left"),)
        world = World(tabletop())
        world.faults, world.answers = {("pick", 0)}, [answer, Reject()]
        done = world.drive(asking(planner=Model(push, RED), approve="risky"))
        assert done.outcome == "cancelled" and len(world.asked) == 2 and world.asked[1].risks == ()


class TestAgain:
    """What was approved is not asked about twice; what is new is."""

    def test_a_replan_after_a_failure_is_asked_about_again(self) -> None:
        world = World(tabletop())
        world.faults, world.answers = {("place_in", 0)}, [Approve(), Approve()]
        assert world.drive(asking()).outcome == "succeeded"
        assert [ask.plan.steps for ask in world.asked] == [RED, RED[1:]]

    @pytest.mark.parametrize("cadence", [Cadence("closed_loop"), Cadence("advisor", 0.1)])
    def test_what_is_left_of_an_approved_plan_is_not(self, cadence: Cadence) -> None:
        world, model = World(tabletop()), Model(RED, RED[1:], ())
        world.answers = [Approve()]
        assert world.drive(asking(planner=model, cadence=cadence)).outcome == "succeeded"
        assert len(world.asked) == 1 and len(model.asked) > 1

    def test_a_shorter_way_is_taken_only_if_it_does_nothing_new(self) -> None:
        world = World(tabletop(green_block="on red_block"))
        world.answers = [Approve()]
        world.events = {1: lambda now: now.to_table("red_block")}
        assert world.drive(asking()).outcome == "succeeded"
        assert len(world.asked) == 1

    @given(st.lists(st.sampled_from((*RED, call("home"))), max_size=4), st.data())
    def test_within_means_steps_left_out_and_none_added(self, left: list[SkillCall], data: st.DataObject) -> None:
        kept = [step for step in left if data.draw(st.booleans())]
        rules = (Constraint(kind="avoid", object="x"),)
        assert is_within(Plan(steps=tuple(kept)), left, ())
        assert is_within(Plan(steps=tuple(kept), constraints=rules), left, ())
        assert not is_within(Plan(steps=tuple(kept)), left, rules)
        assert not is_within(Plan(steps=(*kept, call("open_gripper"))), left, ())
        assert not is_within(Plan(question="which?"), left, ())


class TestEditing:
    """An operator's own plan is verified as any other and followed as it is."""

    def test_it_runs_in_place_of_the_plan_and_its_effects_are_the_goal(self) -> None:
        world = World(tabletop())
        world.answers = [Edit(GREEN_ON_PLATE)]
        done = world.drive(asking())
        assert (done.outcome, done.plan) == ("succeeded", GREEN_ON_PLATE)
        assert world.calls == ["pick(object=green_block)", "place_on(support=white_plate)"]

    @pytest.mark.parametrize("quick", [True, False])
    def test_no_step_of_it_is_left_out(self, quick: bool) -> None:
        longer = Plan(steps=(call("move_to", target="white_plate"), *RED))
        world = World(tabletop())
        world.answers = [Edit(longer)]
        world.drive(asking(planner=None if quick else Model(RED), cadence=Cadence("closed_loop")))
        assert world.calls == [str(step) for step in longer.steps or ()]

    @pytest.mark.parametrize(
        ("plan", "why"),
        [
            (Plan(steps=RED[1:]), "something is held, which is not so"),
            (Plan(steps=(call("juggle"),)), "no skill 'juggle'"),
            (Plan(steps=(call("pick", object="unicorn"),)), "no object 'unicorn'"),
            (Plan(steps=(call("pick", object="yellow_block"),)), "yellow_block, which must not be touched"),
            (Plan(steps=()), "has no steps"),
            (Plan(question="why?"), "has no steps"),
            (Plan(steps=RED, constraints=(Constraint(kind="avoid", object="red_block"),)), "must not be touched"),
        ],
    )
    def test_one_that_does_not_pass_is_refused_with_the_reason_and_the_question_stays(
        self, plan: Plan, why: str
    ) -> None:
        world, task = World(tabletop()), asking()
        task.rules.standing = (Constraint(kind="avoid", object="yellow_block", set_by="operator", id="operator-1"),)
        ask = until_asked(task, world)
        with pytest.raises(ReinsError, match=why):
            task.answer(Edit(plan), world.scene(), world.t)
        assert task.asked is ask
        task.answer(Approve(), world.scene(), world.t)
        assert world.drive(task).outcome == "succeeded"

    def test_without_a_scene_there_is_nothing_to_check_it_against(self) -> None:
        world, task = World(tabletop()), asking()
        until_asked(task, world)
        with pytest.raises(ReinsError, match="no scene"):
            task.answer(Edit(GREEN_ON_PLATE), None, world.t)

    def test_when_it_fails_the_next_plan_is_shown_even_under_risky(self) -> None:
        world = World(tabletop())
        world.faults, world.answers = {("place_on", 0)}, [Edit(GREEN_ON_PLATE), Reject()]
        done = world.drive(asking("push the red block left", approve="risky"))
        assert done.outcome == "cancelled" and len(world.asked) == 2


class TestRewording:
    """Other words are another task."""

    def test_it_is_planned_anew_and_asked_about(self) -> None:
        world = World(tabletop())
        world.answers = [Reword("put the green block  on the white plate"), Approve()]
        task = asking()
        done = world.drive(task)
        assert done.outcome == "succeeded" and task.instruction == "put the green block on the white plate"
        assert world.calls == ["pick(object=green_block)", "place_on(support=white_plate)"]

    def test_what_the_old_words_forbade_is_forgotten_and_what_others_forbid_is_not(self) -> None:
        world = World(tabletop())
        world.answers = [Reword("put the yellow block in the blue bowl"), Approve()]
        task = asking(f"{RED_IN_BOWL} but don't touch the yellow block")
        assert world.drive(task).outcome == "succeeded"
        standing = Constraint(kind="avoid", object="yellow_block", set_by="operator", id="operator-1")
        world = World(tabletop())
        world.answers = [Reword("put the yellow block in the blue bowl")]
        task = asking()
        task.rules.standing = (standing,)
        assert world.drive(task).outcome == "refused"

    def test_no_words_are_refused(self) -> None:
        world, task = World(tabletop()), asking()
        ask = until_asked(task, world)
        with pytest.raises(ReinsError, match="empty"):
            task.answer(Reword("  "), world.scene(), world.t)
        assert task.asked is ask


class TestTurningDown:
    """A reason makes for another plan; no reason, or no other plan, ends the task."""

    def test_without_a_reason_it_is_over(self) -> None:
        world = World(tabletop())
        world.answers = [Reject()]
        done = world.drive(asking())
        assert (done.outcome, done.reason, world.ran) == ("cancelled", "the operator turned the plan down", [])

    def test_the_planner_is_told_the_reason(self) -> None:
        world, model = World(tabletop()), Model(RED, ON_PLATE)
        world.answers = [Reject("I meant the plate"), Approve()]
        task = asking(planner=model)
        assert world.drive(task).outcome == "succeeded" and task.replans == 0
        assert model.asked[1].problems == ("the operator turned it down: I meant the plate",)
        assert world.calls == [str(step) for step in ON_PLATE]

    def test_what_the_reason_forbids_holds_whatever_the_planner_makes_of_it(self) -> None:
        world = World(tabletop(green_block="on red_block"))
        world.answers = [Reject("no, don't touch the green block")]
        done = world.drive(asking())
        assert done.outcome == "refused" and "green_block" in done.reason
        world = World(tabletop())
        world.answers = [Reject("very slowly please"), Approve()]
        world.drive(asking(planner=Model(RED, ON_PLATE)))
        assert all(Constraint(kind="speed", scale=0.2) in constraints for _, constraints in world.ran) and world.ran

    def test_the_same_plan_is_not_shown_again_and_in_the_end_it_asks(self) -> None:
        world = World(tabletop())
        world.answers = [Reject("not like that")]
        done = world.drive(asking())
        assert done.outcome == "question" and "not like that" in done.reason and len(world.asked) == 1

    def test_a_model_may_be_turned_down_so_many_times_only(self) -> None:
        objects = ("red_block", "green_block", "blue_block", "yellow_block")
        plans = [(call("pick", object=name), *put[1:]) for name in objects for put in (RED, ON_PLATE)]
        world = World(tabletop())
        world.answers = [Reject("another one") for _ in plans]
        done = world.drive(asking(planner=Model(*plans)))
        assert done.outcome == "question" and len(world.asked) == Limits().rejections + 1
        assert world.ran == []

    def test_the_arm_stays_where_it_is_when_there_is_no_other_way(self) -> None:
        world = World(tabletop())
        world.faults, world.answers = {("place_in", 0)}, [Approve(), Reject("don't touch the bowl")]
        done = world.drive(asking())
        assert done.outcome == "failed" and "home()" not in world.calls


@given(
    st.lists(st.sampled_from([Approve(), Reject(), Reject("no"), Reword("go home"), Edit(GREEN_ON_PLATE)]), min_size=1)
)
def test_nothing_runs_that_was_not_shown_and_every_dialogue_ends(answers: list[Answer]) -> None:
    world, task = World(tabletop()), asking()
    world.answers = [*answers, *[Reject()] * 40]
    shown: list[str] = []
    for _ in range(200):
        action = task.next(world.scene(), world.t)
        if isinstance(action, Done):
            break
        if isinstance(action, Look):
            world.t += 0.5
        elif isinstance(action, RunSkill):
            assert str(action.call) in shown
            success, reason = world.run(action)
            task.skill_finished(success, reason, world.t)
        else:
            answer = world.answers.pop(0)
            if isinstance(answer, Approve | Edit):
                plan = answer.plan if isinstance(answer, Edit) else action.plan
                shown += [str(step) for step in plan.steps or ()]
            try:
                task.answer(answer, world.scene(), world.t)
            except ReinsError:
                task.answer(Reject(), world.scene(), world.t)
    assert task.over


def test_the_trace_tells_questions_and_answers() -> None:
    world, notes = World(tabletop()), Notebook()
    world.answers = [Reject("don't touch the plate", by="anna@desk"), Approve("ben@desk")]
    task = TaskExecutor(make_planner("symbolic", SKILLS), SKILLS, "push the red block left", trace=notes, approve="ask")
    world.drive(task)
    story = notes.story()
    assert story is not None
    entries = story.entries
    asks = [entry for entry in entries if entry["kind"] == "ask"]
    answers = [entry for entry in entries if entry["kind"] == "answer"]
    assert [entry["number"] for entry in asks] == [1] and "without a grip" in asks[0]["risks"][0]
    assert answers[0] | {"at": 0.0} == {
        "at": 0.0,
        "kind": "answer",
        "t": answers[0]["t"],
        "number": 1,
        "verdict": "reject",
        "by": "anna@desk",
        "text": "don't touch the plate",
    }


def test_an_old_scene_is_no_ground_for_a_plan_that_waited() -> None:
    task = asking()
    task.next(at(1.0), 1.0)
    task.next(at(2.0), 2.0)
    task.answer(Approve(), at(2.0), 50.0)
    assert isinstance(task.next(at(49.0), 50.0), Look)
    assert isinstance(task.next(replace(at(50.1)), 50.2), RunSkill)
