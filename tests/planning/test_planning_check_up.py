"""A planner that is asked while all goes well ends no task with a doubt; what it says because of news is heard."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from planning_tables import tabletop, thing
from planning_world import World

from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.actions import Done
from reins.planning.approval import Approve
from reins.planning.cadence import Cadence
from reins.planning.changes import news
from reins.planning.executor import TaskExecutor
from reins.planning.planner import History
from reins.planning.tracing.notebook import Notebook
from reins.planning.tracing.page import line_of
from reins.planning.why.account import explain
from reins.skills.library import SKILLS


def call(skill: str, **arguments: str | float) -> SkillCall:
    return SkillCall(skill=skill, arguments=arguments)


STEPS = (
    call("pick", object="red_block"),
    call("place_in", container="blue_bowl"),
    call("pick", object="green_block"),
    call("place_on", support="white_plate"),
)
CALLS = [str(step) for step in STEPS]
QUESTION = Plan(question="which bowl?")
REFUSAL = Plan(refusal="that is too hot")
IMPOSSIBLE = Plan(steps=(call("pick", object="unicorn"),))
IDLE = Plan(steps=())


class Wavering:
    """Plans what is left of its steps, except when it is asked for the times that are given here."""

    name, quick = "wavering", False

    def __init__(self, **says: Plan) -> None:
        self.says = {int(number.removeprefix("at")): plan for number, plan in says.items()}
        self.asked = 0

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        self.asked += 1
        done = sum(record.success for record in history.steps)
        return self.says.get(self.asked, Plan(steps=STEPS[done:]))

    def unmet(self, instruction: str, scene: Scene, history: History) -> list[str]:
        return [] if sum(record.success for record in history.steps) == len(STEPS) else ["there is more to do"]


def drive(
    planner: Wavering,
    world: World | None = None,
    mode: str = "closed_loop",
    notes: Notebook | None = None,
    approve: str = "always",
) -> tuple[Done, World, TaskExecutor]:
    world = world or World(tabletop())
    cadence = Cadence(mode, 1e6)  # type: ignore[arg-type]
    trace = notes or Notebook()
    trace.write("task", instruction="do it", planner="wavering")
    task = TaskExecutor(planner, SKILLS, "do it", trace=trace, cadence=cadence, approve=approve)  # type: ignore[arg-type]
    return world.drive(task), world, task


class TestDoubts:
    """What is left of the plan can be done, so it is done, and the doubt is told."""

    @pytest.mark.parametrize(
        ("said", "told"),
        [
            (QUESTION, "the planner asked: which bowl?"),
            (REFUSAL, "the planner had doubts: that is too hot"),
            (IMPOSSIBLE, "the planner had another plan that is not accepted: step 1"),
            (IDLE, "the planner had another plan that is not accepted: there is more to do"),
        ],
    )
    def test_end_no_task(self, said: Plan, told: str) -> None:
        done, world, task = drive(Wavering(at2=said))
        assert (done.outcome, world.calls, task.replans) == ("succeeded", CALLS, 0)
        assert told in done.reason and "the plan at hand went on" in done.reason
        assert task.plan is not None and task.plan.question is None

    def test_that_stay_are_told_once_and_no_step_is_left_out(self) -> None:
        planner = Wavering(at2=QUESTION, at3=QUESTION, at4=QUESTION)
        done, world, task = drive(planner)
        assert (done.outcome, world.calls, planner.asked) == ("succeeded", CALLS, 4)
        assert task.notes == ["the planner asked: which bowl?; the plan at hand went on"]

    def test_are_in_the_trace_and_the_plan_that_went_on_is_the_one_that_why_is_about(self) -> None:
        notes = Notebook()
        drive(Wavering(at2=QUESTION), notes=notes)
        story = notes.story()
        assert story is not None
        (doubt,) = (entry for entry in story.entries if entry["kind"] == "doubt")
        assert doubt["plan"]["question"] == "which bowl?"
        assert line_of(doubt) == "the planner asked: which bowl?; the plan at hand goes on"
        assert story.figures()["plans"] == 4
        assert "which bowl?" not in explain(story, "why step 2?", SKILLS)

    def test_leave_an_approved_plan_approved(self) -> None:
        world = World(tabletop())
        world.answers = [Approve()]
        done, world, _ = drive(Wavering(at2=REFUSAL), world, approve="ask")
        assert (done.outcome, world.calls, len(world.asked)) == ("succeeded", CALLS, 1)

    def test_count_when_the_plan_cannot_go_on(self) -> None:
        world = World(tabletop())
        world.faults = {("place_in", 0)}
        done, world, _ = drive(Wavering(at3=QUESTION), world)
        assert (done.outcome, done.reason) == ("question", "which bowl?")
        assert world.calls == CALLS[:2]

    def test_count_before_anything_moved(self) -> None:
        for said, outcome in ((QUESTION, "question"), (REFUSAL, "refused")):
            done, world, _ = drive(Wavering(at1=said))
            assert (done.outcome, world.calls) == (outcome, [])

    def test_an_advisor_that_asks_about_what_is_new_is_asked_once(self) -> None:
        world, planner = World(tabletop()), Wavering(at2=QUESTION, at3=QUESTION)
        world.events = {1: appears}
        done, world, _ = drive(planner, world, mode="advisor")
        assert (done.outcome, world.calls, planner.asked) == ("succeeded", CALLS, 2)


def appears(world: World) -> None:
    world.objects["black_block"] = thing("black_block", 0.3, 0.35)


def renamed(world: World) -> None:
    world.objects["white_plate"] = replace(world.objects["white_plate"], name="hot plate")


def described(world: World) -> None:
    world.objects["white_plate"] = replace(world.objects["white_plate"], attributes=("glowing",))


def moved(world: World) -> None:
    world.move("yellow_block", 0.36, -0.3)


NEWS: dict[str, tuple[Callable[[World], None], str]] = {
    "appears": (appears, "black_block"),
    "renamed": (renamed, "white_plate"),
    "described": (described, "white_plate"),
    "moved": (moved, "yellow_block"),
}


class TestObjections:
    """A refusal after something new was seen ends the task, and nothing moves any more."""

    @pytest.mark.parametrize(("mode", "what"), [("advisor", "appears"), *(("closed_loop", what) for what in NEWS)])
    def test_are_heard(self, mode: str, what: str) -> None:
        event, named = NEWS[what]
        world = World(tabletop())
        world.events = {1: event}
        done, world, _ = drive(Wavering(at2=REFUSAL), world, mode)
        assert (done.outcome, done.reason) == ("failed", f"that is too hot (new in the scene: {named})")
        assert world.calls == CALLS[:1]

    def test_are_heard_late_when_the_plan_is_of_before(self) -> None:
        world = World(tabletop())
        world.events = {1: appears}
        done, world, _ = drive(Wavering(at2=QUESTION, at3=REFUSAL), world)
        assert done.outcome == "failed" and "black_block" in done.reason and world.calls == CALLS[:2]

    def test_are_doubts_once_a_plan_was_made_in_sight_of_it(self) -> None:
        world = World(tabletop())
        world.events = {1: appears}
        done, world, _ = drive(Wavering(at3=REFUSAL), world)
        assert (done.outcome, world.calls) == ("succeeded", CALLS)

    def test_are_not_about_what_the_steps_moved(self) -> None:
        done, world, _ = drive(Wavering(at3=REFUSAL, at4=REFUSAL))
        assert (done.outcome, world.calls) == ("succeeded", CALLS)


class TestNews:
    """What is not as it was."""

    @pytest.mark.parametrize(("distance", "is_news"), [(0.019, False), (0.021, True)])
    def test_what_moved(self, distance: float, is_news: bool) -> None:
        before, after = World(tabletop()), World(tabletop())
        after.move("red_block", 0.45 + distance, 0.30)
        assert (news(before.scene(), after.scene(), ()) == ["red_block"]) == is_news
        assert news(before.scene(), after.scene(), {"red_block"}) == []

    def test_what_is_gone_is_none(self) -> None:
        assert news(tabletop(), tabletop("red_block", "blue_bowl"), ()) == []
