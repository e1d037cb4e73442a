"""What a person sees of a running task: lines where there is no terminal, a live plan where there is one."""

import io

from rich.console import Console

from reins.cli.task_view import TaskView, plan_lines
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.nodes.outcomes import TaskProgress

PLAN = Plan(
    thought="wanted: red_block is in blue_bowl",
    steps=(
        SkillCall(skill="pick", arguments={"object": "red_block"}),
        SkillCall(skill="place_in", arguments={"container": "blue_bowl"}),
    ),
    constraints=(Constraint(kind="avoid", object="yellow_block"), Constraint(kind="speed", scale=0.5)),
)


def told(stage: str, step: int, phase: str = "", progress: float = 0.0, plan: Plan | None = PLAN) -> TaskProgress:
    text = str(plan.steps[step]) if plan and plan.steps and step < len(plan.steps) else ""
    return TaskProgress(stage, plan, step, text, phase, progress)


def shown(terminal: bool, *progress: TaskProgress) -> str:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=terminal, width=100, color_system=None)
    with TaskView(console, "put [the red] block away") as view:
        for one in progress:
            view.update(one)
    return stream.getvalue()


def test_lines_tell_the_plan_once_and_each_step_once() -> None:
    steps = [told("acting", 0, "approach", share / 10) for share in range(10)]
    text = shown(False, told("looking", 0, plan=None), *steps, told("acting", 1))
    assert text.count("wanted: red_block") == 1
    assert text.count("acting 1: pick(object=red_block)") == 1
    assert text.count("acting 2: place_in(container=blue_bowl)") == 1
    assert "must not touch yellow_block" in text and "at most 50% of the speed" in text


def test_a_terminal_shows_where_the_task_is() -> None:
    text = shown(True, told("acting", 1, "lower", 0.5))
    assert "✓ pick(object=red_block)" in text
    assert "place_in(container=blue_bowl)" in text and "lower" in text


def test_a_pause_and_what_changed_in_it_are_lines_that_stay() -> None:
    paused = TaskProgress("paused", PLAN, 0, "the operator drives by hand; hand back with `reins handback`", "", 0.0)
    changed = TaskProgress("looking", PLAN, 0, "while you drove: red_block moved 12 cm", "", 0.0)
    for terminal in (False, True):
        text = shown(terminal, told("acting", 0), paused, paused, changed, told("acting", 0))
        assert text.count("paused: the operator drives by hand; hand back with `reins handback`") == 1
        assert text.count("looking: while you drove: red_block moved 12 cm") == 1


def test_while_a_plan_waits_the_screen_is_left_to_whoever_shows_it() -> None:
    asking = TaskProgress("asking", PLAN, 0, "waits 20 s for an answer", "", 0.0)
    assert "waits 20 s" not in shown(False, asking) and "pick" not in shown(False, asking)
    assert "pick(object=red_block)" in shown(True, told("looking", 0, plan=None), asking, asking, told("acting", 0))


def test_the_instruction_is_words_and_not_markup() -> None:
    assert "put [the red] block away" in shown(False)
    assert "put [the red] block away" in shown(True)


def test_a_question_and_a_refusal_are_lines_of_their_own() -> None:
    assert plan_lines(Plan(question="which block?")) == ["  which block?"]
    assert plan_lines(Plan(refusal="there is no cup")) == ["  there is no cup"]
