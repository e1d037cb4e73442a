"""When a planner is asked although its plan goes well, in each mode, and that all of it comes to an end."""

from typing import Any

import pytest
from planning_tables import tabletop, thing
from planning_world import DURATION, World

from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene
from reins.language_models.model import Bounds, Cancel, Completion, ModelError, PromptFormat
from reins.planning.actions import Limits
from reins.planning.cadence import Cadence
from reins.planning.executor import TaskExecutor
from reins.planning.language.planner import LanguagePlanner
from reins.planning.language.reply import reply_text
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History
from reins.skills.library import SKILLS

FAR = 1e6


def call(skill: str, **arguments: str | float) -> SkillCall:
    return SkillCall(skill=skill, arguments=arguments)


RED = (call("pick", object="red_block"), call("place_in", container="blue_bowl"))
GREEN = (call("pick", object="green_block"), call("place_in", container="blue_bowl"))


class Scripted:
    """Plans what is left of its steps, and counts how often it is asked."""

    name, quick = "scripted", False

    def __init__(self, *steps: SkillCall) -> None:
        self.steps = steps
        self.asked: list[History] = []

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        self.asked.append(history)
        return Plan(steps=self.steps[sum(record.success for record in history.steps) :])

    def unmet(self, instruction: str, scene: Scene, history: History) -> list[str]:
        return []


def drive(planner: Scripted, cadence: Cadence, world: World | None = None) -> str:
    world = world or World(tabletop())
    return world.drive(TaskExecutor(planner, SKILLS, "do it", cadence=cadence)).outcome


@pytest.mark.parametrize(
    ("cadence", "times"),
    [
        (Cadence(), 1),
        (Cadence("closed_loop"), 4),
        (Cadence("advisor", FAR), 1),
        (Cadence("advisor", 2.5 * DURATION), 2),
        (Cadence("advisor", 0.1), 4),
    ],
)
def test_how_often_it_is_asked(cadence: Cadence, times: int) -> None:
    planner = Scripted(*RED, *GREEN)
    assert drive(planner, cadence) == "succeeded"
    assert len(planner.asked) == times


def test_it_is_told_what_is_left_of_its_plan_and_it_does_not_count_as_a_replan() -> None:
    planner, world = Scripted(*RED, *GREEN), World(tabletop())
    executor = TaskExecutor(planner, SKILLS, "do it", cadence=Cadence("closed_loop"))
    world.drive(executor)
    assert [history.left for history in planner.asked] == [(), (*RED, *GREEN)[1:], GREEN, GREEN[1:]]
    assert executor.replans == 0


@pytest.mark.parametrize(("cadence", "times"), [(Cadence(), 1), (Cadence("advisor", FAR), 2)])
def test_an_advisor_is_asked_when_something_new_is_seen(cadence: Cadence, times: int) -> None:
    world, planner = World(tabletop("red_block", "green_block", "blue_bowl")), Scripted(*RED, *GREEN)
    world.events = {1: lambda now: now.objects.update(black_block=thing("black_block", 0.3, 0.3))}
    assert drive(planner, cadence, world) == "succeeded"
    assert len(planner.asked) == times


def test_when_a_step_fails_it_is_asked_in_any_mode_and_nothing_is_left() -> None:
    for cadence in (Cadence(), Cadence("closed_loop"), Cadence("advisor", FAR)):
        world, planner = World(tabletop()), Scripted(*RED)
        world.faults = {("pick", 0)}
        assert drive(planner, cadence, world) == "succeeded"
        assert planner.asked[1].left == ()


def test_a_planner_that_goes_round_in_circles_comes_to_an_end() -> None:
    class Circling(Scripted):
        def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
            pick, place = call("pick", object="red_block"), call("place_on", support="table")
            return Plan(steps=(pick, place) if scene.held() is None else (place, pick))

    world = World(tabletop())
    executor = TaskExecutor(Circling(), SKILLS, "do it", Limits(steps=20), cadence=Cadence("closed_loop"))
    done = world.drive(executor)
    assert (done.outcome, done.reason) == ("failed", "gave up after 20 skills")
    assert len(world.ran) == 20


class Dying:
    """A model that answers once."""

    name = "dying"
    takes: PromptFormat = "chat"

    def __init__(self) -> None:
        self.replies = [reply_text(Plan(steps=RED))]

    def complete(self, prompt: Any, schema: Any, bounds: Bounds, cancel: Cancel, on_text: Any = None) -> Completion:
        if not self.replies:
            raise ModelError("the model is dead")
        return Completion(self.replies.pop(), 1, 1, 0.0, 0.0, cut=False)

    def close(self) -> None:
        """Nothing."""


def test_a_plan_goes_on_when_the_model_dies_in_the_middle() -> None:
    reports: list[str] = []
    planner = LanguagePlanner("dying", Dying, SKILLS, LanguageSettings(), reports.append)
    executor = TaskExecutor(planner, SKILLS, "yeet the red one into the blue thing", cadence=Cadence("closed_loop"))
    done = World(tabletop()).drive(executor)
    assert done.outcome == "succeeded", done.reason
    assert done.plan is not None and done.plan.thought == "the plan at hand goes on"
    assert reports == ["the model is dead; the plan at hand goes on"]
