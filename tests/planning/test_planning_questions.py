"""A planner's question is put to the operator while the task waits, and the answer goes on with the same task."""

import pytest
from planning_tables import at, tabletop
from planning_world import World

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.actions import Ask, Done, Limits, Look
from reins.planning.approval import MOST_REPLY, Answer, ApprovalMode, Approve, Edit, Leave, Reject, Reply, Reword
from reins.planning.clarify import clarified, lets_be
from reins.planning.english.answer import choose
from reins.planning.english.meaning import read
from reins.planning.executor import TaskExecutor
from reins.planning.factory import make_planner
from reins.planning.planner import Exchange, History, Planner
from reins.planning.tracing.notebook import Notebook
from reins.planning.tracing.page import line_of
from reins.planning.why.account import explain
from reins.skills.library import SKILLS

BLOCK_IN_BOWL = "put the block in the bowl"
WHICH = "Which one do you mean by 'the block': blue_block, green_block, red_block or yellow_block?"
RED = ["pick(object=red_block)", "place_in(container=blue_bowl)"]


def asking(
    instruction: str = BLOCK_IN_BOWL,
    planner: Planner | None = None,
    approve: ApprovalMode = "always",
    questions: int = 3,
    trace: Notebook | None = None,
) -> TaskExecutor:
    made, notes = planner or make_planner("symbolic", SKILLS), trace or Notebook()
    return TaskExecutor(made, SKILLS, instruction, Limits(questions=questions), notes, approve=approve)


def until_asked(task: TaskExecutor, world: World) -> Ask:
    while isinstance(action := task.next(world.scene(), world.t), Look):
        world.t += 0.5
    assert isinstance(action, Ask)
    return action


def told(instruction: str, *answers: str, scene: Scene | None = None) -> tuple[Done, World]:
    """How a task ends whose questions are answered so."""
    world = World(scene or tabletop())
    world.answers = [Reply(answer) for answer in answers]
    return world.drive(asking(instruction)), world


class TestWaiting:
    """Nothing moves while a question waits, and it does not wait for ever."""

    def test_it_waits_as_a_plan_does(self) -> None:
        world, task = World(tabletop()), asking()
        ask = until_asked(task, world)
        assert (ask.number, ask.question, task.stage, task.asked) == (1, WHICH, "asking", ask)
        world.t += 1000.0
        assert task.next(world.scene(), world.t) is ask and task.next(None, world.t) is ask
        assert world.ran == []

    def test_the_answer_goes_on_from_a_newer_scene(self) -> None:
        world, task = World(tabletop()), asking()
        until_asked(task, world)
        before = world.scene()
        task.answer(Reply("the red one"), before, world.t)
        assert isinstance(task.next(before, world.t), Look)
        assert world.drive(task).outcome == "succeeded" and world.calls == RED
        assert task.instruction == BLOCK_IN_BOWL and task.replans == 0

    def test_nobody_answers(self) -> None:
        world, task = World(tabletop()), asking()
        until_asked(task, world)
        task.unanswered(30.0)
        done = task.next(world.scene(), world.t)
        assert isinstance(done, Done) and done.outcome == "question"
        assert done.reason == f"{WHICH} (nobody answered within 30 s)" and task.asked is None

    def test_where_nobody_can_answer_it_ends_with_the_question(self) -> None:
        world = World(tabletop())
        done = world.drive(asking(questions=0))
        assert (done.outcome, done.reason, world.asked) == ("question", WHICH, [])
        world.answers = [Leave()]
        done = world.drive(asking())
        assert (done.outcome, done.reason, world.ran) == ("question", WHICH, [])

    def test_it_can_be_cancelled(self) -> None:
        world, task = World(tabletop()), asking()
        until_asked(task, world)
        task.cancel("changed my mind")
        assert task.next(world.scene(), world.t) == Done("cancelled", "changed my mind", task.plan)
        with pytest.raises(ReinsError, match="no plan waits"):
            task.answer(Reply("red"), world.scene(), world.t)

    def test_after_a_takeover_it_asks_again_and_the_operators_hand_may_have_answered(self) -> None:
        world, task = World(tabletop("red_block", "green_block", "blue_bowl")), asking()
        until_asked(task, world)
        task.pause(world.scene())
        assert task.asked is None
        task.resume(world.t)
        world.answers = [Reply("the green one")]
        assert world.drive(task).outcome == "succeeded" and world.calls[0] == "pick(object=green_block)"
        assert [ask.number for ask in world.asked] == [2]

    def test_questions_are_bounded(self) -> None:
        world = World(tabletop())
        world.answers = [Reply("whatsit")] * 9
        done = world.drive(asking(questions=3))
        assert done.outcome == "question" and done.reason == f"I cannot make out “whatsit”. {WHICH}"
        assert len(world.asked) == 3 and world.ran == []


class TestAnswers:
    """What may be said, and what becomes of it."""

    @pytest.mark.parametrize(
        "answer",
        ["red", "the red one", "No, the red one, please!", "red_block", "the left one", "left", "the one on the left",
         "the leftmost", "I mean the red block", "take the red one", "the third"],
    )  # fmt: skip
    def test_the_words_name_one_of_them(self, answer: str) -> None:
        scene = tabletop("red_block", "green_block", "blue_block", "yellow_block", "blue_bowl")
        done, world = told(BLOCK_IN_BOWL, answer, scene=scene)
        assert (done.outcome, world.calls) == ("succeeded", RED), done.reason

    @pytest.mark.parametrize(
        ("instruction", "answer", "calls"),
        [
            ("push the green block", "left", ["push(object=green_block, direction=left)"]),
            ("put the red block", "in the bowl", RED),
            ("put the red block", "the bowl", RED),
            ("put the red block", "put it in the bowl", RED),
            ("put the red block but don't touch the plate", "in the bowl", RED),
            ("pick up the green block or the red block", "the red one", RED[:1]),
            ("pick up it", "the red block", RED[:1]),
            ("go", "home", ["home()"]),
            ("don't touch the yellow block", BLOCK_IN_BOWL.replace("block", "red block"), RED),
            ("put the red block to the blue block", "on it", [RED[0], "place_on(support=blue_block)"]),
            ("put the red block to the blue block", "beside", [RED[0], "place_beside(object=blue_block)"]),
        ],
    )
    def test_what_was_left_open_is_added(self, instruction: str, answer: str, calls: list[str]) -> None:
        done, world = told(instruction, answer)
        assert (done.outcome, world.calls, len(world.asked)) == ("succeeded", calls, 1), done.reason

    def test_a_second_question_may_follow(self) -> None:
        done, world = told("put the block on the block", "the green one", "the red one")
        assert done.outcome == "succeeded"
        assert world.calls == ["pick(object=green_block)", "place_on(support=red_block)"]
        assert world.asked[1].question == WHICH.replace("green_block, ", "")

    def test_an_answer_that_fits_nothing_is_asked_about_again(self) -> None:
        done, world = told(BLOCK_IN_BOWL, "the purple one", "the red one")
        assert (done.outcome, world.calls) == ("succeeded", RED)
        assert world.asked[1].question == f"I cannot make out “the purple one”. {WHICH}"

    def test_several_of_them_are_meant(self) -> None:
        done, world = told(BLOCK_IN_BOWL, "the red one and the green one")
        assert done.outcome == "succeeded" and {"pick(object=red_block)", "pick(object=green_block)"} < set(world.calls)

    def test_left_is_left_where_things_stand_when_it_is_said(self) -> None:
        world, task = World(tabletop("red_block", "green_block", "blue_bowl")), asking()
        until_asked(task, world)
        world.move("red_block", 0.45, -0.3)
        world.t += 5.0
        task.answer(Reply("the left one"), world.scene(), world.t)
        world.drive(task)
        assert world.calls[0] == "pick(object=green_block)"

    @pytest.mark.parametrize("answer", ["the one on the plate", "on the plate", "the cube that is on the plate"])
    def test_it_may_be_told_by_where_it_is(self, answer: str) -> None:
        done, world = told(BLOCK_IN_BOWL, answer, scene=tabletop(red_block="on white_plate"))
        assert (done.outcome, world.calls) == ("succeeded", RED), done.reason

    @pytest.mark.parametrize("answer", ["never mind", "Never mind!", "forget it", "neither of them", "cancel", "算了"])
    def test_it_may_be_taken_back(self, answer: str) -> None:
        done, world = told(BLOCK_IN_BOWL, answer)
        assert (done.outcome, world.ran) == ("cancelled", []) and answer in done.reason

    @pytest.mark.parametrize("answer", ["the red one", "no", "stop at the red one", "mind the red one", ""])
    def test_other_words_take_nothing_back(self, answer: str) -> None:
        assert not lets_be(answer)

    @pytest.mark.parametrize(
        ("answer", "why"),
        [
            (Reply("  "), "empty"),
            (Reply("x" * (MOST_REPLY + 1)), "longer than 200"),
            (Approve(), "nothing to approve"),
            (Edit(Plan(steps=(SkillCall(skill="juggle"),))), "no skill 'juggle'"),
        ],
    )
    def test_what_is_no_answer_leaves_the_question_open(self, answer: Answer, why: str) -> None:
        world, task = World(tabletop()), asking()
        ask = until_asked(task, world)
        with pytest.raises(ReinsError, match=why):
            task.answer(answer, world.scene(), world.t)
        assert task.asked is ask

    def test_a_plan_that_waits_is_not_answered_in_words(self) -> None:
        world, task = World(tabletop()), asking("put the red block in the bowl", approve="ask")
        ask = until_asked(task, world)
        for answer in (Reply("the left one"), Leave()):
            with pytest.raises(ReinsError, match="waits for yes or no"):
                task.answer(answer, world.scene(), world.t)
        assert task.asked is ask

    def test_other_ways_to_answer(self) -> None:
        home = Plan(steps=(SkillCall(skill="home"),))
        for answer, outcome, calls in (
            (Edit(home), "succeeded", ["home()"]),
            (Reject(), "cancelled", []),
            (Reject("the red one"), "succeeded", RED),
        ):
            world = World(tabletop())
            world.answers = [answer]
            assert (world.drive(asking()).outcome, world.calls) == (outcome, calls)
        world = World(tabletop())
        world.answers = [Reword("put the red block in the bowl"), Approve()]
        assert world.drive(asking()).outcome == "succeeded"

    def test_plans_are_not_shown_for_an_answer_alone(self) -> None:
        done, world = told(BLOCK_IN_BOWL, "the red one")
        assert done.outcome == "succeeded" and len(world.asked) == 1
        world = World(tabletop())
        world.answers = [Reply("the red one"), Approve()]
        assert world.drive(asking(approve="ask")).outcome == "succeeded"
        assert [ask.question for ask in world.asked] == [WHICH, ""]


class TestRules:
    """An answer may name things; what was forbidden stays so, and it may forbid more."""

    def test_what_the_first_sentence_forbids_holds_for_the_answer(self) -> None:
        done, world = told(f"{BLOCK_IN_BOWL} but don't touch the red block", "the red one")
        assert done.outcome == "refused" and "red_block" in done.reason and world.ran == []

    def test_and_for_an_answer_that_is_a_sentence_of_its_own(self) -> None:
        first = f"slowly {BLOCK_IN_BOWL} but don't touch the red block"
        assert told(first, "put the red block on the plate")[0].outcome == "refused"
        done, world = told(first, "put the green block on the plate")
        assert done.outcome == "succeeded"
        for _, constraints in world.ran:
            assert {Constraint(kind="avoid", object="red_block"), Constraint(kind="speed", scale=0.3)} <= {*constraints}

    def test_what_the_answer_forbids_holds_too(self) -> None:
        _, world = told(BLOCK_IN_BOWL, "the red one, but don't touch the green block")
        assert world.calls == RED
        assert all(Constraint(kind="avoid", object="green_block") in constraints for _, constraints in world.ran)
        scene = tabletop(green_block="on red_block")
        done, world = told(BLOCK_IN_BOWL, "the red one, but don't touch the green block", scene=scene)
        assert done.outcome == "refused" and world.ran == []

    def test_what_others_forbid_is_not_loosened(self) -> None:
        world, task = World(tabletop()), asking()
        task.rules.standing = (Constraint(kind="avoid", object="red_block", set_by="operator", id="operator-1"),)
        until_asked(task, world)
        task.answer(Reply("the red one"), world.scene(), world.t)
        assert world.drive(task).outcome == "refused" and world.ran == []


class Model:
    """Says these in turn, the last one from then on, as a language model would."""

    name, quick = "model", False

    def __init__(self, *plans: Plan) -> None:
        self.plans = list(plans)
        self.asked: list[tuple[str, History]] = []

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        self.asked.append((instruction, history))
        return self.plans[min(len(self.asked), len(self.plans)) - 1]

    def unmet(self, instruction: str, scene: Scene, history: History) -> list[str]:
        return []


RED_STEPS = Plan(
    steps=(
        SkillCall(skill="pick", arguments={"object": "red_block"}),
        SkillCall(skill="place_in", arguments={"container": "blue_bowl"}),
    )
)


class TestModels:
    """A planner of another kind is told what was asked and answered."""

    def test_the_history_tells_it(self) -> None:
        world, model = World(tabletop()), Model(Plan(question="Which colour?"), RED_STEPS)
        world.answers = [Reply("  the  red one")]
        assert world.drive(asking(planner=model)).outcome == "succeeded"
        assert model.asked[0] == (BLOCK_IN_BOWL, History(model.asked[0][1].initial))
        assert model.asked[1][0] == BLOCK_IN_BOWL
        (exchange,) = model.asked[1][1].exchanges
        assert (exchange.question, exchange.answer) == ("Which colour?", "the red one")

    def test_a_question_in_the_middle_of_a_task_keeps_what_was_done(self) -> None:
        world = World(tabletop())
        world.faults = {("place_in", 0)}
        model = Model(RED_STEPS, Plan(question="Shall I try again?"), Plan(steps=(RED_STEPS.steps or ())[1:]))
        world.answers = [Reply("yes")]
        assert world.drive(asking(planner=model)).outcome == "succeeded"
        steps = model.asked[-1][1].steps
        assert [record.success for record in steps] == [True, False] and world.calls == [*RED, RED[1]]

    def test_after_too_many_plans_were_turned_down_it_asks_and_goes_on(self) -> None:
        world = World(tabletop())
        world.answers = [Reject("not like that"), Reply("put the green block on the plate"), Approve()]
        done = world.drive(asking("put the red block in the bowl", approve="ask"))
        assert "not like that" in world.asked[1].question and done.outcome == "succeeded"
        assert world.calls == ["pick(object=green_block)", "place_on(support=white_plate)"]


class TestTold:
    """The trace has question and answer, and why-questions are answered from it."""

    def test_the_trace(self) -> None:
        notes, world = Notebook(), World(tabletop())
        world.answers = [Reply("the red one", "anna@desk")]
        world.drive(asking(trace=notes))
        story = notes.story()
        assert story is not None
        lines = [line_of(entry) for entry in story.entries if entry["kind"] in ("ask", "answer")]
        assert lines == [f"question 1: {WHICH}", "question 1: anna@desk: reply: the red one"]
        plans = [entry for entry in story.entries if entry["kind"] == "plan"]
        assert plans[1]["because"] == "the operator answered “the red one”"

    def test_why(self) -> None:
        notes, world = Notebook(), World(tabletop())
        task = asking(trace=notes)
        notes.write("task", instruction=BLOCK_IN_BOWL, planner="symbolic")
        until_asked(task, world)
        assert f"I wait for an operator's answer to my question: {WHICH}" in explain(
            notes.story(), "why do you wait?", SKILLS
        )
        task.answer(Reply("the red one", "anna@desk"), world.scene(), world.t)
        world.drive(task)
        told = explain(notes.story(), "why did you pick up the red block?", SKILLS)
        assert "the operator answered “the red one”" in told
        assert "anna@desk answered “the red one”" in explain(notes.story(), "why did you wait?", SKILLS)


def test_an_instruction_that_was_clear_stays_as_it_is() -> None:
    scene = at(1.0)
    history = History(scene, exchanges=(Exchange("Is it urgent?", "not really", scene),))
    clear = clarified("put the red block in the bowl", history, SKILLS, read, choose)
    assert (clear.text, clear.is_sure) == ("put the red block in the bowl", False)
    assert clarified("yeet it", History(scene), SKILLS, read, choose).is_sure
