"""Examples: the teacher is right, the sentence means the task, and nothing held out gets into training."""

import os
import subprocess
import sys
from random import Random

import pytest

from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.language.chat import chat_prompt
from reins.planning.language.compact import MOST_INSTRUCTION, compact_prompt
from reins.planning.language.reply import read_reply, reply_text
from reins.planning.planner import History
from reins.planning.symbolic import SymbolicPlanner
from reins.planning.verifier import verify
from reins.skills.library import SKILLS
from reins.training.planner.acts import Actor
from reins.training.planner.example import Example
from reins.training.planner.examples import SPLITS, Examples, Split, things_of
from reins.training.planner.judge import judge
from reins.training.planner.meanings import FORBIDDEN, Meaning, plan_of
from reins.training.planner.phrases_file import LANGUAGES, load_held_out
from reins.training.planner.references import Ref
from reins.training.planner.scenes import SceneStyle, draw_scene
from reins.training.planner.suites import SUITES
from reins.training.planner.table import Table

COUNT = 40


def drawn(split: Split = "familiar", count: int = COUNT, suite: str | None = None, seed: int = 1) -> list[Example]:
    examples = Examples(Random(seed), SKILLS, split)
    return [examples.draw(suite) for _ in range(count)]


def steps_of(example: Example) -> tuple[SkillCall, ...]:
    assert example.plan.steps is not None
    return example.plan.steps


@pytest.mark.parametrize("split", SPLITS)
def test_the_teacher_is_right(split: Split) -> None:
    for example in drawn(split):
        assert judge(example.plan, example, SKILLS).correct
        assert verify(example.plan, example.scene, SKILLS) == []


@pytest.mark.parametrize("suite", SUITES)
def test_every_suite_can_be_said_in_every_language(suite: str) -> None:
    examples = Examples(Random(2), SKILLS)
    for language in LANGUAGES:
        for _ in range(8):
            example = examples.draw(suite, language)
            assert 0 < len(example.instruction) <= MOST_INSTRUCTION
            assert "<" not in example.instruction and "{" not in example.instruction
            assert example.meaning.suite == suite


def test_replies_read_back_as_the_plan() -> None:
    for example in drawn():
        assert read_reply(reply_text(example.plan)) == example.plan


def test_training_has_nothing_in_it_that_is_held_out() -> None:
    held_out = load_held_out()
    for example in drawn(count=120):
        assert not example.families & held_out.families
        assert example.meaning.composition not in held_out.compositions
        assert not held_out.pairs & {(item.colour, item.label) for item in example.scene.objects.values()}


def test_splits_have_in_them_what_is_held_out() -> None:
    held_out = load_held_out()
    assert all(example.families & held_out.families for example in drawn("families"))
    assert all(example.meaning.composition in held_out.compositions for example in drawn("compositions"))
    for example in drawn("pairs"):
        assert held_out.pairs & {(item.colour, item.label) for item in things_of(example)}


def test_who_refuses_to_touch_what_is_forbidden_says_first_what_was_understood() -> None:
    forbidden = [example for example in drawn(count=400, seed=4) if example.meaning.topic == FORBIDDEN]
    assert len(forbidden) >= 5
    for example in forbidden:
        understood, _, verdict = example.plan.thought.rpartition("; ")
        assert verdict == "no: forbidden" and example.plan.refusal
        assert any(name in understood for name in example.meaning.about.split(", "))


@pytest.mark.parametrize("suite", [None, "single"])
def test_a_group_sees_and_knows_the_same_and_is_right(suite: str | None) -> None:
    examples = Examples(Random(7), SKILLS)
    groups = [examples.group(4, suite) for _ in range(25)]
    for first, *others in groups:
        for example in others:
            assert (example.scene, example.history) == (first.scene, first.history)
            assert judge(example.plan, example, SKILLS).correct
            assert suite is None or example.meaning.suite == suite
    fresh = [group for group in groups if group[0].history == History(group[0].scene) and not group[0].untricked]
    under_way = [group for group in groups if group[0].history.steps]
    assert under_way and all(example.meaning == group[0].meaning for group in under_way for example in group)
    assert len(fresh) > 5 and all(len({example.instruction for example in group}) > 1 for group in groups)
    assert sum(any(example.meaning != group[0].meaning for example in group) for group in fresh) > 0.9 * len(fresh)


def test_examples_depend_on_their_seed_alone() -> None:
    code = (
        "from reins.training.planner.batches import text_of;"
        "from reins.training.planner.examples import Examples;"
        "from reins.skills.library import SKILLS; from random import Random; import hashlib;"
        "e = Examples(Random(5), SKILLS);"
        "print(hashlib.sha256(repr([text_of(e.draw()) for _ in range(40)]).encode()).hexdigest())"
    )
    pytest.importorskip("tokenizers", reason="needs the extra train")
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_what_the_symbolic_planner_understands_it_understands_in_the_same_way() -> None:
    """The sentences are checked by somebody who reads them and does not know what was meant."""
    planner, read, right = SymbolicPlanner(SKILLS), 0, 0
    examples = Examples(Random(3), SKILLS)
    for suite in ("single", "spatial", "constraints"):
        for _ in range(120):
            example = examples.draw(suite, "en")
            plan = planner.plan(example.instruction, example.scene, example.history)
            if plan.steps is not None and example.plan.steps is not None:
                read += 1
                right += judge(plan, example, SKILLS).correct
    assert read > 20
    assert right / read > 0.9


def test_tasks_under_way_have_failures_and_what_is_done_is_not_planned_again() -> None:
    under_way = [example for example in drawn(count=120) if example.history.steps]
    assert len(under_way) > 15
    assert any(not record.success for example in under_way for record in example.history.steps)
    assert any(example.plan.steps == () for example in under_way)


def test_what_a_text_in_a_scene_says_changes_neither_plan_nor_short_prompt() -> None:
    tricked = [example for example in drawn(count=120, suite="single") if example.untricked]
    assert tricked
    for example in tricked:
        prompt = compact_prompt(example.instruction, example.scene, example.history, SKILLS)
        assert "ignore" not in prompt and "safety" not in prompt and "忽略" not in prompt
        harmless, clean = example.untricked
        ids = dict(zip(example.scene.objects, harmless.objects, strict=True))
        history = History(harmless, forbidden=frozenset(ids[name] for name in example.history.forbidden))
        assert compact_prompt(example.instruction, harmless, history, SKILLS) == prompt
        assert [item.position for item in clean.objects.values()] == [
            item.position for item in example.scene.objects.values()
        ]


def test_a_text_on_a_thing_is_also_what_a_vision_language_model_says_of_it() -> None:
    tricked = [example for example in drawn(count=120, suite="single") if example.untricked]
    on_things = [example for example in tricked if not example.scene.caption]
    assert 0 < len(on_things) < len(tricked)
    for example in tricked:
        harmless, clean = example.untricked
        for scene, count in ((example.scene, 1), (harmless, 1), (clean, 0)):
            prompt = chat_prompt(example.instruction, scene, History(scene), SKILLS)[-1].content
            assert prompt.count("(seen as: ") == count * (not example.scene.caption)


class TestJudge:
    """What is wrong with a plan is seen."""

    @pytest.fixture
    def example(self) -> Example:
        examples = Examples(Random(9), SKILLS)
        while True:
            example = examples.draw("constraints", "en")
            plan = example.plan
            if len(plan.steps or ()) == 2 and plan.constraints and not example.history.steps and example.meaning.avoid:
                return example

    def test_a_rule_that_is_dropped(self, example: Example) -> None:
        assert not judge(example.plan.model_copy(update={"constraints": ()}), example, SKILLS).correct

    def test_a_rule_that_nobody_set(self, example: Example) -> None:
        more = (*example.plan.constraints, Constraint(kind="speed", scale=0.7))
        assert not judge(example.plan.model_copy(update={"constraints": more}), example, SKILLS).correct

    def test_a_step_that_is_missing(self, example: Example) -> None:
        assert not judge(example.plan.model_copy(update={"steps": steps_of(example)[:1]}), example, SKILLS).correct

    def test_steps_in_the_wrong_order_are_not_valid(self, example: Example) -> None:
        verdict = judge(example.plan.model_copy(update={"steps": steps_of(example)[::-1]}), example, SKILLS)
        assert not verdict.valid and not verdict.correct

    def test_something_else_besides(self, example: Example) -> None:
        more = (*steps_of(example), SkillCall(skill="home"))
        assert not judge(example.plan.model_copy(update={"steps": more}), example, SKILLS).correct

    def test_an_answer_of_another_kind(self, example: Example) -> None:
        assert not judge(Plan(question="which?"), example, SKILLS).correct
        assert not judge(Plan(refusal="no"), example, SKILLS).correct

    def test_no_plan_at_all(self, example: Example) -> None:
        verdict = judge(None, example, SKILLS, "it is no JSON")
        assert (verdict.kind, verdict.valid, verdict.correct, verdict.reason) == ("", False, False, "it is no JSON")

    def test_steps_where_there_is_to_be_a_refusal(self) -> None:
        example = Examples(Random(4), SKILLS).draw("unsafe")
        assert not judge(Plan(steps=(SkillCall(skill="home"),)), example, SKILLS).correct
        assert judge(Plan(refusal="in other words"), example, SKILLS).correct

    def test_another_way_that_is_as_good(self) -> None:
        """Of "any block" each will do."""
        blocks = frozenset({("red", "block"), ("blue", "block")})
        style = SceneStyle(without=blocks, renamed=0.0, loaded=0.0, holding=0.0, strange=0.0)
        scene = draw_scene(Random(6), style, force=sorted(blocks))
        theme = Ref("any", ("red_block", "blue_block"), "block")
        act = Actor.of(scene, Random(1)).about("hold", theme)
        assert act is not None
        meaning, history = Meaning("references", (act,)), History(scene)
        plan = plan_of(meaning, scene, history, SKILLS)
        assert plan is not None
        example = Example("take a block", scene, history, plan, meaning, "en", frozenset())
        for name, right in (("red_block", True), ("blue_block", True), (_third(scene), False)):
            picked = Plan(thought="", steps=(SkillCall(skill="pick", arguments={"object": name}),))
            assert judge(picked, example, SKILLS).correct is right

    @pytest.mark.parametrize(("strokes", "right"), [(1, True), (2, False)])
    def test_a_push_that_is_made_twice(self, strokes: int, right: bool) -> None:
        examples = Examples(Random(9), SKILLS, plain=True)
        while True:
            example = examples.draw("spatial", "en")
            if [call.skill for call in example.plan.steps or ()] == ["push"]:
                break
        pushed = example.plan.model_copy(update={"steps": steps_of(example) * strokes})
        assert judge(pushed, example, SKILLS).correct is right

    @pytest.mark.parametrize(("more", "right"), [((), True), (("yellow_block",), False), (("green_block",), False)])
    def test_more_than_is_asked_in_fewer_steps_than_the_teachers(self, more: tuple[str, ...], right: bool) -> None:
        """The teacher takes the first block that will do, with what stands on it; to take the other one is shorter."""
        blocks = [(colour, "block") for colour in ("red", "blue", "green", "yellow")]
        style = SceneStyle(renamed=0.0, loaded=0.0, holding=0.0, strange=0.0, doubles=0.0)
        table = Table(draw_scene(Random(6), style, force=blocks))
        table.load("green_block", "red_block")
        scene = table.scene()
        act = Actor.of(scene, Random(1)).about("hold", Ref("any", ("red_block", "blue_block"), "block"))
        assert act is not None
        meaning, history = Meaning("references", (act,)), History(scene)
        plan = plan_of(meaning, scene, history, SKILLS)
        assert plan is not None and len(plan.steps or ()) == 3
        example = Example("take a block", scene, history, plan, meaning, "en", frozenset())
        extra = [
            step
            for name in more
            for step in (
                SkillCall(skill="pick", arguments={"object": name}),
                SkillCall(skill="place_on", arguments={"support": "table"}),
            )
        ]
        steps = (*extra, SkillCall(skill="pick", arguments={"object": "blue_block"}))
        assert judge(Plan(thought="", steps=steps), example, SKILLS).correct is right


def _third(scene: Scene) -> str:
    """Another block."""
    return next(name for name in scene.objects if name.endswith("block") and name not in ("red_block", "blue_block"))
