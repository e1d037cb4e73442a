"""Why-questions are told from instructions, in two languages, and answered from the trace alone."""

import re
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_tables import tabletop
from planning_world import World

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.planning.actions import Outcome
from reins.planning.approval import Answer, ApprovalMode, Approve, Edit, Reject, Reword
from reins.planning.executor import TaskExecutor
from reins.planning.factory import make_planner
from reins.planning.tracing.notebook import Notebook
from reins.planning.tracing.reading import Story
from reins.planning.why.account import explain, explain_step
from reins.planning.why.question import Topic, is_about_the_past, topic_of
from reins.planning.why.wording import CHINESE, ENGLISH
from reins.skills.library import SKILLS
from reins.training.planner.examples import Examples
from reins.training.planner.phrases_file import LANGUAGES
from reins.training.planner.suites import SUITES

ASKED = "carefully put the red block in the blue bowl but don't touch the yellow block"


class TestRecognition:
    """What asks why moves nothing; what tells what to do is never taken for a question."""

    @pytest.mark.parametrize(
        "text",
        [
            "why did you do that?",
            "Why?",
            "and why did you pick up the green block",
            "ok, so why didn't you put it in the bowl?",
            "how come you stopped?",
            "what made you push it",
            "what did you just do?",
            "what happened?",
            "what went wrong",
            "can you tell me why you did that?",
            "could you please explain why the arm stopped",
            "explain yourself",
            "explain the last step",
            "why can't you pick up the bowl?",
            "Why not?",
            "why did you do that? put it back",
            "你为什么这样做？",
            "为什么要拿绿色的方块",
            "你刚才为什么停了",
            "你做了什么？",
            "刚刚发生了什么事",
            "怎么回事",
            "为何没有碰黄色的方块",
            "解释一下你刚才的动作",
        ],
    )
    def test_questions(self, text: str) -> None:
        assert is_about_the_past(text)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "put the red block in the blue bowl",
            "why don't you put the red block in the bowl?",
            "why don’t you go home",
            "why not push it left?",
            "wouldn't it be nice to have the red block in the bowl",
            "can you put the red block on the plate?",
            "could you please go home",
            "what about the green block",
            "pick up the block that says 'why did you do that'",
            "put whatever you did not move on the plate",
            "'why?' is written on it: pick up the red block",
            "explore the table",
            "把红色的方块放进蓝色的碗里",
            "请把绿色方块推到左边",
            "能不能把它放回去",
        ],
    )
    def test_instructions(self, text: str) -> None:
        assert not is_about_the_past(text)

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_nothing_that_the_model_is_taught_is_a_question(self, language: str) -> None:
        examples = Examples(Random(3), SKILLS)
        said = [examples.draw(suite, language).instruction for suite in SUITES]
        assert [text for text in said if is_about_the_past(text)] == []

    @given(st.text(max_size=80))
    def test_any_text_is_one_or_the_other(self, text: str) -> None:
        assert is_about_the_past(text) in (True, False) and isinstance(topic_of(text), Topic)


def story_of(
    world: World, instruction: str = ASKED, answers: tuple[Answer, ...] = (), approve: ApprovalMode = "always"
) -> Story:
    """A task that is carried out to its end, as its trace tells it."""
    notes = Notebook()
    notes.write("task", instruction=instruction, planner="symbolic")
    world.answers = list(answers)
    planner = make_planner("symbolic", SKILLS)
    world.drive(TaskExecutor(planner, SKILLS, instruction, trace=notes, approve=approve))
    story = notes.story()
    assert story is not None
    return story


@pytest.fixture(scope="module")
def story() -> Story:
    """The red block lay under the green one; the first try to let go of it failed."""
    world = World(tabletop(green_block="on red_block"))
    world.faults = {("place_in", 0)}
    return story_of(world, answers=(Approve("anna@desk"), Approve("ben@desk")), approve="ask")


def about(story: Story, question: str) -> str:
    return explain(story, question, SKILLS)


class TestSteps:
    """Which step, what for, what was seen, what it was held to, what had failed, who let it run, how it ended."""

    def test_the_last_step(self, story: Story) -> None:
        for question in ("", "why did you do that?"):
            told = about(story, question)
            assert told.startswith("Step 5 was place_in blue_bowl, so that red_block is in blue_bowl")
            assert f"“{ASKED}”" in told and "which I took to mean: wanted: red_block is in blue_bowl" in told
            assert "place_in(container=blue_bowl) failed: the fingers closed on nothing" in told
            assert "red_block is held" in told and "avoid yellow_block" in told and "speed at most 0.5" in told
            assert "ben@desk approved it." in told and told.endswith("It succeeded.")

    @pytest.mark.parametrize(
        "question",
        [
            "why did you pick up the green block?",
            "why step 1?",
            "why did you grab green_block",
        ],
    )
    def test_one_that_is_named(self, story: Story, question: str) -> None:
        told = about(story, question)
        assert told.startswith("Step 1 was pick green_block, so that green_block is held, which place_on table needs.")
        assert "green_block is on red_block" in told and "anna@desk approved it" in told and "failed" not in told

    def test_of_two_that_are_meant_the_last(self, story: Story) -> None:
        assert about(story, "why did you put the red block into the bowl?").startswith("Step 5 was place_in")

    def test_one_that_failed(self, story: Story) -> None:
        assert "It failed: the fingers closed on nothing." in about(story, "why step 4?")

    def test_one_that_there_is_not(self, story: Story) -> None:
        assert about(story, "why step 9?") == "There is no step 9; 5 ran."
        for number in (0, 6, -1):
            with pytest.raises(ReinsError, match=f"no step {number}; 5 ran"):
                explain_step(story, number, SKILLS)
        assert explain_step(story, 3, SKILLS).startswith("Step 3 was pick red_block")

    def test_one_that_was_not_part_of_the_plan(self) -> None:
        world = World(tabletop())
        world.hides_until_home = True
        told = about(story_of(world, "push the green block left"), "why did you go home?")
        assert "home, to get the arm out of the way of the cameras" in told

    def test_one_of_an_operators_own_plan(self) -> None:
        own = Plan(steps=(SkillCall(skill="move_to", arguments={"target": "white_plate"}),))
        told = about(story_of(World(tabletop()), answers=(Edit(own, "anna@desk"),), approve="ask"), "")
        assert "for its own sake" in told and "because anna@desk wrote this plan in place of mine" in told

    def test_every_step_of_every_skill_has_a_reason(self) -> None:
        world = World(tabletop())
        told = story_of(world, "put the red block beside the blue bowl, then push the green block left, then go home")
        for number in range(1, len(world.ran) + 1):
            assert explain_step(told, number, SKILLS).startswith(f"Step {number} was ")


class TestOtherTopics:
    """Ends, replans, speed, what was left out, what waits."""

    def test_the_whole(self, story: Story) -> None:
        for question in ("what did you do?", "what happened"):
            told = about(story, question)
            assert "1. pick green_block: it succeeded." in told and "4. place_in blue_bowl: it failed: " in told
            assert told.endswith("place_in blue_bowl.") and "succeeded: done: " in told

    def test_why_it_planned_again(self, story: Story) -> None:
        told = about(story, "why did you try again?")
        assert told == "I planned again because place_in(container=blue_bowl) failed: the fingers closed on nothing."
        once = story_of(World(tabletop()), "go home")
        assert about(once, "why did you change your plan?") == "I planned once and kept to it."

    def test_why_so_slowly(self, story: Story) -> None:
        assert "speed at most 0.5" in about(story, "why so slow?")
        assert "full speed" in about(story_of(World(tabletop()), "go home"), "why are you so slow?")

    def test_what_was_left_alone(self, story: Story) -> None:
        told = about(story, "why didn't you touch the yellow block?")
        assert told.startswith("yellow_block must not be touched: the plan for “carefully")

    def test_why_it_ended(self) -> None:
        world = World(tabletop())
        world.faults = {("pick", number) for number in range(9)}
        told = about(story_of(world), "why did you give up?")
        assert "failed: gave up" in told and "pick red_block had failed: the fingers closed on nothing" in told
        refused = story_of(World(tabletop()), "put the red block in the blue bowl but don't touch the red block")
        assert "was refused: " in about(refused, "why did you refuse?")
        assert about(refused, "why did you do that?").startswith("no step has run".capitalize())

    def test_what_an_operator_said(self) -> None:
        world = World(tabletop())
        answers = (Reject("not the bowl", "anna@desk"),)
        assert "anna@desk" in about(story_of(world, answers=answers, approve="ask"), "why did you wait?")
        reworded = story_of(World(tabletop()), answers=(Reword("go home"), Approve()), approve="ask")
        assert "the task was “go home”" in about(reworded, "").replace("The task", "the task")

    def test_nothing_to_tell(self) -> None:
        assert explain(None, "why?", SKILLS) == "Nothing has been done yet, so there is nothing to explain."

    def test_what_follows_a_question_is_said_not_to_be_read(self, story: Story) -> None:
        assert about(story, "why did you do that? put it back").endswith("say it by itself.")
        assert "say it by itself" not in about(story, "why did you do that?")

    @given(question=st.text(max_size=60))
    def test_any_question_has_an_answer(self, story: Story, question: str) -> None:
        assert about(story, question).endswith((".", "!", "?", "…"))


class TestChinese:
    """A Chinese question has a Chinese answer, about the same."""

    @pytest.mark.parametrize(
        ("question", "begins", "has"),
        [
            ("你为什么这样做？", "第5步是 place_in blue_bowl，为的是让red_block 在 blue_bowl 里", "red_block 被夹住"),
            (
                "为什么拿绿色的方块",
                "第1步是 pick green_block，为的是让green_block 被夹住",
                "green_block 在 red_block 上",
            ),
            ("第1步为什么", "第1步是 pick green_block", "anna@desk approved it。成功了。"),
            ("第9步为什么", "没有第9步；一共做了5步。", ""),
            ("你做了什么", "任务是“carefully", "4. place_in blue_bowl：失败了：the fingers"),
            ("为什么这么慢", "计划要遵守：avoid yellow_block、speed at most 0.5。", ""),
            ("为什么又做了一次", "重新计划是因为：place_in", ""),
            ("为什么没有碰黄色的方块", "不能碰 yellow_block", ""),
            ("你为什么停了？", "任务“carefully", "”成功了：done"),
            ("你为什么这样做？把它放回去。", "第5步", "请单独说。"),
        ],
    )
    def test_answers(self, story: Story, question: str, begins: str, has: str) -> None:
        told = about(story, question)
        assert told.startswith(begins) and has in told

    def test_whatever_is_said_in_one_language_is_said_in_the_other(self) -> None:
        fields = {key: set(re.findall(r"{(\w+)}", text)) for key, text in ENGLISH.items()}
        assert fields == {key: set(re.findall(r"{(\w+)}", text)) for key, text in CHINESE.items()}
        assert {f"end_{outcome}" for outcome in get_args(Outcome)} <= set(ENGLISH)


def test_rules_of_others_are_told() -> None:
    notes = Notebook()
    notes.write("task", instruction="go home", planner="symbolic")
    task = TaskExecutor(make_planner("symbolic", SKILLS), SKILLS, "go home", trace=notes)
    task.rules.standing = (Constraint(kind="avoid", object="white_plate", set_by="operator", id="operator-1"),)
    World(tabletop()).drive(task)
    assert "others hold the robot to: avoid white_plate" in explain(notes.story(), "why?", SKILLS).replace(
        "Others", "others"
    )


@pytest.mark.parametrize(
    "entry",
    [
        {"kind": "plan"},
        {"kind": "run", "call": "what?"},
        {"kind": "run", "call": "home()"},
        {"kind": "step"},
        {"kind": "end", "outcome": "lost", "reason": ""},
        {"kind": "answer", "verdict": "edit"},
        {"kind": "plan", "plan": {"steps": 3}, "scene": {"objects": {}, "relations": []}},
    ],
)
def test_a_trace_that_is_broken_is_no_trap(entry: dict[str, object]) -> None:
    story = Story([{"at": 0.0, "kind": "task", "instruction": "x"}, {"at": 1.0, **entry}])
    assert explain(story, "why?", SKILLS).startswith("I cannot say: ")
