"""`reins task`: ask the planner, watch the robot do it."""

import sys
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from reins.cli.console import ExitCode, Namespace, asker, needs_ros, out
from reins.cli.lines import TypedLines, descriptor_of
from reins.cli.plan_dialogue import PlanDialogue
from reins.cli.task_view import TaskView

if TYPE_CHECKING:
    from reins.nodes.outcomes import TaskOutcome

CODES = {
    "succeeded": ExitCode.SUCCESS,
    "failed": ExitCode.FAILED,
    "refused": ExitCode.REFUSED,
    "question": ExitCode.QUESTION,
    "cancelled": ExitCode.CANCELLED,
    "answered": ExitCode.SUCCESS,
}
COLOURS = {"succeeded": "green", "answered": "green", "question": "yellow", "cancelled": "yellow"}


class Approval(str, Enum):
    """The words of `--approve`."""

    ASK = "ask"
    RISKY = "risky"
    ALWAYS = "always"


def task(
    instruction: Annotated[
        str, typer.Argument(help="What to do, e.g. “put the red block in the blue bowl”; or “why did you do that?”.")
    ],
    approve: Annotated[
        Approval | None,
        typer.Option(help="Which plans wait for your answer: all, risky ones, or none. Else as the planner is set."),
    ] = None,
    namespace: Namespace = "",
    time_limit: Annotated[float, typer.Option(min=1.0, help="Cancel the task after so many seconds.")] = 300.0,
) -> None:
    """Do what a sentence says; shows the plan, its steps and how they go. Ctrl-C cancels and waits for the stop.

    What the planner asks you answer at the terminal, and it goes on. Where there is none, the task ends with the
    question, and exit status 4.
    """
    with needs_ros():
        from reins.nodes.client import GraphClient
        from reins.nodes.plan_client import PlanClient
    from reins.planning.why.question import is_about_the_past

    answers = sys.stdin.isatty()
    mode = approve.value if approve is not None else ""
    with GraphClient(namespace) as client, TaskView(out, instruction) as view:
        plans = PlanClient(client)
        lines = TypedLines(descriptor_of(sys.stdin))
        dialogue = PlanDialogue(out, lines, plans, asker(), before=view.pause, takes_words=answers)
        if not is_about_the_past(instruction):
            plans.watch(dialogue.take)
        outcome = client.execute_task(instruction, time_limit, view.update, mode, dialogue.look, answers)
    show_outcome(outcome)
    raise typer.Exit(int(CODES.get(outcome.outcome, ExitCode.FAILED)))


def show_outcome(outcome: "TaskOutcome") -> None:
    """One line: how it ended, why, how long it took."""
    if outcome.outcome == "answered":
        out.print(escape(outcome.reason), soft_wrap=True)
        return
    colour = COLOURS.get(outcome.outcome, "red")
    again = f", planned again {outcome.replans} times" if outcome.replans else ""
    out.print(
        f"[bold {colour}]{escape(outcome.outcome)}[/] after {outcome.duration:.1f} s{again}: {escape(outcome.reason)}",
        soft_wrap=True,
    )
