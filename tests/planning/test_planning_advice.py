"""A planner that is asked in the middle of a step: when, and what its answer does to the step."""

from collections.abc import Callable

import pytest
from planning_tables import tabletop, thing
from planning_world import World

from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.actions import Done, Look, RunSkill
from reins.planning.approval import Approve
from reins.planning.cadence import Cadence, Mode, Occasions
from reins.planning.executor import TaskExecutor
from reins.planning.planner import History
from reins.planning.tracing.notebook import Notebook
from reins.planning.tracing.page import line_of
from reins.skills.library import SKILLS

PERIOD, STALL = 30.0, 8.0
ADVISOR = Cadence("advisor", PERIOD, STALL)


def call(skill: str, **arguments: str) -> SkillCall:
    return SkillCall(skill=skill, arguments=dict(arguments))


RED = (call("pick", object="red_block"), call("place_in", container="blue_bowl"))
GREEN = (call("pick", object="green_block"), call("place_in", container="blue_bowl"))


class Says:
    """Plans one after the other, the last one ever after; of the steps that are done it leaves out what it can."""

    name, quick = "says", False

    def __init__(self, *plans: Plan) -> None:
        self.plans, self.asked = list(plans), list[History]()

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        self.asked.append(history)
        plan = self.plans[min(len(self.asked), len(self.plans)) - 1]
        done = [record.call for record in history.steps if record.success]
        return plan if plan.steps is None else plan.model_copy(update={"steps": _left(plan.steps, done)})

    def unmet(self, instruction: str, scene: Scene, history: History) -> list[str]:
        return []


def _left(steps: tuple[SkillCall, ...], done: list[SkillCall]) -> tuple[SkillCall, ...]:
    for step in done:
        if steps and steps[0] == step:
            steps = steps[1:]
    return steps


class Table:
    """A world, and a task in it of which the first step runs."""

    def __init__(self, planner: Says, cadence: Cadence = ADVISOR, *, approve: bool = False) -> None:
        self.world, self.planner, self.notes = World(tabletop()), planner, Notebook()
        self.notes.write("task", instruction="do it", planner="says")
        mode = "ask" if approve else "always"
        self.task = TaskExecutor(planner, SKILLS, "do it", trace=self.notes, cadence=cadence, approve=mode)  # type: ignore[arg-type]
        self.running = self.begin()

    def begin(self) -> RunSkill:
        while not isinstance(action := self.task.next(self.world.scene(), self.world.t), RunSkill):
            if isinstance(action, Done):
                raise AssertionError(action)
            if not isinstance(action, Look):
                self.task.answer(Approve(), self.world.scene(), self.world.t)
            self.world.t += 0.5
        return action

    def consult(self, progress: float, after: float) -> bool | None:
        """Ask in the middle of the step if it is time to; whether the step is to end, None if nobody was asked."""
        self.world.t += after
        question = self.task.consult(self.world.scene(), progress, self.world.t)
        return None if question is None else self.task.advised(question.put_to(self.planner))

    def new(self) -> None:
        self.world.objects["black_block"] = thing("black_block", 0.3, 0.35)

    def drop(self) -> Done:
        """Take the step away, and let the task go on to its end."""
        self.task.skill_finished(False, "cancelled", self.world.t, interrupted=True)
        return self.world.drive(self.task)

    def told(self) -> list[str]:
        story = self.notes.story()
        assert story is not None
        return [line_of(entry) for entry in story.entries if entry["kind"] == "advice"]


class TestOccasions:
    """When it is time to ask in the middle of a step."""

    @pytest.mark.parametrize(("after", "due"), [(PERIOD - 0.1, False), (PERIOD, True)])
    def test_the_period(self, after: float, due: bool) -> None:
        occasions = Occasions(Cadence("advisor", PERIOD, 1e6))
        occasions.asked(("red_block",), 5.0)
        occasions.begins(6.0)
        assert occasions.amid(0.5, ("red_block",), 5.0 + after) is due

    @pytest.mark.parametrize(("objects", "due"), [((), False), (("red_block",), False), (("red_block", "mug"), True)])
    def test_something_new(self, objects: tuple[str, ...], due: bool) -> None:
        occasions = Occasions(ADVISOR)
        occasions.asked(("red_block",), 0.0)
        occasions.begins(0.0)
        assert occasions.amid(0.5, objects, 1.0) is due

    @pytest.mark.parametrize(("progress", "due"), [(0.505, True), (0.52, False)])
    def test_no_progress(self, progress: float, due: bool) -> None:
        occasions = Occasions(Cadence("advisor", 1e6, STALL))
        occasions.asked((), 0.0)
        occasions.begins(0.0)
        assert not occasions.amid(0.5, (), 1.0)
        assert not occasions.amid(progress, (), STALL + 0.9)
        assert occasions.amid(progress, (), STALL + 1.1) is due

    def test_progress_that_is_lost_and_made_again_is_none(self) -> None:
        occasions = Occasions(Cadence("advisor", 1e6, STALL))
        occasions.asked((), 0.0)
        occasions.begins(0.0)
        heights = (0.5, 0.3, 0.5, 0.3, 0.5, 0.3, 0.5, 0.3, 0.5)
        assert [occasions.amid(height, (), float(t)) for t, height in enumerate(heights, 1)] == [*[False] * 8, True]

    def test_a_question_puts_the_next_one_off(self) -> None:
        occasions = Occasions(ADVISOR)
        occasions.asked((), 0.0)
        occasions.begins(0.0)
        assert occasions.amid(0.0, (), STALL)
        occasions.asked((), STALL)
        assert not occasions.amid(0.0, (), 2 * STALL - 0.1)
        assert occasions.amid(0.0, (), 2 * STALL)

    @pytest.mark.parametrize("mode", ["front_end", "closed_loop"])
    def test_other_modes_have_none(self, mode: Mode) -> None:
        occasions = Occasions(Cadence(mode, 0.1, 0.1))
        assert not occasions.amid(0.0, ("mug",), 1e3)


class TestTheSamePlan:
    """What does nothing beyond what is left lets the step go on."""

    @pytest.mark.parametrize("steps", [RED, RED[1:], ()])
    def test_goes_on(self, steps: tuple[SkillCall, ...]) -> None:
        table = Table(Says(Plan(steps=RED), Plan(steps=steps)))
        assert table.consult(0.2, PERIOD) is False
        assert table.task.replans == 0 and table.task.current == RED[0]
        assert table.planner.asked[1].left == RED
        assert [line.split(":")[0] for line in table.told()] == ["pick(object=red_block) goes on"]

    def test_it_is_asked_once_about_what_is_new(self) -> None:
        table = Table(Says(Plan(steps=RED)))
        table.new()
        assert [table.consult(0.1 * n, 1.0) for n in range(1, 4)] == [False, None, None]

    def test_it_is_not_asked_any_more_once_the_effects_are_seen(self) -> None:
        table = Table(Says(Plan(steps=RED), Plan(steps=GREEN)))
        table.world.held = "red_block"
        table.world.move_held()
        assert table.consult(0.8, PERIOD) is None
        table.world.held = None
        table.world.move("red_block", 0.45, 0.3)
        assert table.consult(0.8, 0.5) is True

    def test_news_that_a_plan_was_made_in_sight_of_is_no_ground_for_an_objection(self) -> None:
        table = Table(Says(Plan(steps=RED), Plan(steps=RED), Plan(refusal="too hot")))
        table.new()
        assert table.consult(0.2, 1.0) is False
        assert table.consult(0.5, PERIOD) is False and not table.task.over
        assert table.task.notes == ["the planner had doubts: too hot; the plan at hand went on"]


class TestAnotherPlan:
    """It ends the step, and is followed."""

    def test_ends_the_step_and_is_followed(self) -> None:
        table = Table(Says(Plan(steps=RED), Plan(steps=GREEN)))
        assert table.consult(0.2, PERIOD) is True
        done = table.drop()
        assert (done.outcome, table.task.replans) == ("succeeded", 1)
        assert table.world.calls == [str(step) for step in GREEN]
        because = f"the planner had another plan in the middle of {RED[0]}"
        assert table.told() == [f"{because}: pick green_block → place_in blue_bowl"]

    def test_is_not_asked_for_twice(self) -> None:
        table = Table(Says(Plan(steps=RED), Plan(steps=GREEN), Plan(steps=RED)))
        assert table.consult(0.2, PERIOD) is True
        assert table.drop().outcome == "succeeded" and len(table.planner.asked) == 2

    def test_that_has_become_impossible_is_made_anew(self) -> None:
        table = Table(Says(Plan(steps=RED), Plan(steps=GREEN), Plan(steps=RED)))
        assert table.consult(0.2, PERIOD) is True
        table.world.hidden.add("green_block")
        assert table.drop().outcome == "succeeded"
        assert table.world.calls == [str(step) for step in RED]

    def test_is_forgotten_when_an_operator_takes_over(self) -> None:
        table = Table(Says(Plan(steps=RED), Plan(steps=GREEN), Plan(steps=RED)))
        assert table.consult(0.2, PERIOD) is True
        table.task.skill_finished(False, "cancelled", table.world.t, interrupted=True)
        table.task.pause(table.world.scene())
        table.task.resume(table.world.t)
        assert table.world.drive(table.task).outcome == "succeeded"
        assert table.world.calls == [str(step) for step in RED] and table.task.replans == 0

    def test_changes_of_mind_come_to_an_end(self) -> None:
        plans = [Plan(steps=steps) for _ in range(20) for steps in (RED, GREEN)]
        table = Table(Says(*plans))
        for _ in range(40):
            if not table.consult(0.2, PERIOD):
                break
            table.task.skill_finished(False, "cancelled", table.world.t, interrupted=True)
            try:
                table.begin()
            except AssertionError as end:
                (done,) = end.args
                assert done.outcome == "failed" and "gave up after planning again 5 times" in done.reason
                return
        raise AssertionError("it goes on for ever")

    def test_it_is_asked_about_as_any_plan(self) -> None:
        table = Table(Says(Plan(steps=RED), Plan(steps=GREEN)), approve=True)
        assert table.consult(0.2, PERIOD) is True
        table.world.answers = [Approve()]
        assert table.drop().outcome == "succeeded"
        assert [ask.plan.steps for ask in table.world.asked] == [GREEN]

    def test_a_step_that_ended_first_counts(self) -> None:
        table = Table(Says(Plan(steps=RED), Plan(steps=GREEN), Plan(steps=RED)))
        assert table.consult(0.9, PERIOD) is True
        success, reason = table.world.run(table.running)
        table.task.skill_finished(success, reason, table.world.t)
        assert table.world.drive(table.task).outcome == "succeeded"
        assert table.world.calls == [str(step) for step in RED]

    def test_a_step_that_failed_by_itself_first_is_planned_for_anew(self) -> None:
        table = Table(Says(Plan(steps=RED), Plan(steps=GREEN), Plan(steps=RED)))
        assert table.consult(0.9, PERIOD) is True
        table.task.skill_finished(False, "the fingers closed on nothing", table.world.t)
        assert table.world.drive(table.task).outcome == "succeeded"
        assert table.world.calls == [str(step) for step in RED]

    def test_a_takeover_in_the_next_step_does_not_count_for_it(self) -> None:
        table = Table(Says(Plan(steps=RED), Plan(steps=GREEN), Plan(steps=GREEN)))
        assert table.consult(0.2, PERIOD) is True
        table.task.skill_finished(False, "cancelled", table.world.t, interrupted=True)
        table.begin()
        table.task.skill_finished(False, "taken", table.world.t, interrupted=True)
        assert table.world.drive(table.task).outcome == "succeeded" and table.task.replans == 1


class TestDoubtsAndObjections:
    """As between two steps."""

    @pytest.mark.parametrize(
        "said", [Plan(question="which?"), Plan(refusal="too hot"), Plan(steps=(call("pick", object="unicorn"),))]
    )
    def test_a_doubt_is_told_and_the_step_goes_on(self, said: Plan) -> None:
        table = Table(Says(Plan(steps=RED), said, Plan(steps=RED)))
        assert table.consult(0.2, PERIOD) is False
        assert len(table.task.notes) == 1 and table.task.current == RED[0]

    def test_an_objection_to_what_is_new_ends_the_task(self) -> None:
        table = Table(Says(Plan(steps=RED), Plan(refusal="too hot")))
        table.new()
        assert table.consult(0.2, 1.0) is True
        done = table.drop()
        assert (done.outcome, done.reason) == ("failed", "too hot (new in the scene: black_block)")
        assert table.world.calls == []


class TestTooLate:
    """Advice about a step that is over, or that nobody may be asked about."""

    @pytest.fixture
    def table(self) -> Table:
        return Table(Says(Plan(steps=RED), Plan(steps=GREEN)))

    @pytest.mark.parametrize(
        "end",
        [
            lambda table: table.task.skill_finished(True, "", table.world.t),
            lambda table: table.task.cancel("enough"),
            lambda table: (table.task.skill_finished(False, "slipped", table.world.t), table.begin()),
        ],
        ids=["ended", "cancelled", "the next one"],
    )
    def test_it_is_not_heard(self, table: Table, end: Callable[[Table], object]) -> None:
        question = table.task.consult(table.world.scene(), 0.2, table.world.t + PERIOD)
        assert question is not None
        end(table)
        assert table.task.advised(question.put_to(table.planner)) is False
        assert table.task.consult(table.world.scene(), 0.2, table.world.t) is None
