"""`reins task`: ask the planner, watch the robot do it."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from reins.cli.console import ExitCode, Namespace, needs_ros, out
from reins.cli.task_view import TaskView

if TYPE_CHECKING:
    from reins.nodes.outcomes import TaskOutcome

CODES = {
    "succeeded": ExitCode.SUCCESS,
    "failed": ExitCode.FAILED,
    "refused": ExitCode.REFUSED,
    "question": ExitCode.QUESTION,
    "cancelled": ExitCode.CANCELLED,
}
COLOURS = {"succeeded": "green", "question": "yellow", "cancelled": "yellow"}


def task(
    instruction: Annotated[str, typer.Argument(help="What to do, e.g. “put the red block in the blue bowl”.")],
    namespace: Namespace = "",
    time_limit: Annotated[float, typer.Option(min=1.0, help="Cancel the task after so many seconds.")] = 300.0,
) -> None:
    """Do what a sentence says; shows the plan, its steps and how they go. Ctrl-C cancels and waits for the stop."""
    with needs_ros():
        from reins.nodes.client import GraphClient
    with GraphClient(namespace) as client, TaskView(out, instruction) as view:
        outcome = client.execute_task(instruction, time_limit, view.update)
    show_outcome(outcome)
    raise typer.Exit(int(CODES.get(outcome.outcome, ExitCode.FAILED)))


def show_outcome(outcome: "TaskOutcome") -> None:
    """One line: how it ended, why, how long it took."""
    colour = COLOURS.get(outcome.outcome, "red")
    again = f", planned again {outcome.replans} times" if outcome.replans else ""
    out.print(
        f"[bold {colour}]{escape(outcome.outcome)}[/] after {outcome.duration:.1f} s{again}: {escape(outcome.reason)}",
        soft_wrap=True,
    )
