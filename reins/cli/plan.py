"""`reins plan`: what waits for an operator, answered from any terminal: a plan, or a question of the planner."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.markup import escape

from reins.cli.console import ExitCode, Namespace, asker, err, needs_ros, out
from reins.cli.graph import answer
from reins.cli.plan_dialogue import edit_plan, question_lines
from reins.contracts.errors import ReinsError

if TYPE_CHECKING:
    from reins.nodes.outcomes import PlanQuestion
    from reins.planning.approval import Answer

app = typer.Typer(no_args_is_help=True, help="What waits for your answer: show it, let it run, change it, answer it.")

Number = Annotated[int, typer.Option(min=0, help="Of the plan that is meant, as `show` tells; 0: whichever waits.")]

MOST_FILE: Final = 1_000_000
"""A file that is larger is not read [bytes]."""


@app.command()
def show(namespace: Namespace = "") -> None:
    """The plan or question that waits, and why a person should look at it. Exit status 1 when none does."""
    for line in question_lines(_waiting(namespace)):
        out.print(escape(line), soft_wrap=True)


@app.command()
def approve(namespace: Namespace = "", number: Number = 0) -> None:
    """Let it run."""
    from reins.planning.approval import Approve

    _give(Approve(asker()), namespace, number)


@app.command()
def reject(
    reason: Annotated[str, typer.Argument(help="Why not; another plan is made. Without it the task ends.")] = "",
    namespace: Namespace = "",
    number: Number = 0,
) -> None:
    """Turn it down."""
    from reins.planning.approval import Reject

    _give(Reject(reason, asker()), namespace, number)


@app.command()
def reply(
    words: Annotated[str, typer.Argument(help="The answer, e.g. “the left one”; “never mind” ends the task.")],
    namespace: Namespace = "",
    number: Number = 0,
) -> None:
    """Answer a question of the planner; the task goes on with it."""
    from reins.planning.approval import Reply

    _give(Reply(words, asker()), namespace, number)


@app.command()
def reword(
    sentence: Annotated[str, typer.Argument(help="What you meant; it is planned anew.")],
    namespace: Namespace = "",
    number: Number = 0,
) -> None:
    """Forget the instruction and do this instead."""
    from reins.planning.approval import Reword

    _give(Reword(sentence, asker()), namespace, number)


@app.command()
def edit(
    file: Annotated[
        Path | None, typer.Option(help="Take the plan from here (YAML or JSON); without it, edit it.")
    ] = None,
    namespace: Namespace = "",
    number: Number = 0,
) -> None:
    """Run a plan of your own instead, written in $EDITOR or a file. It is checked as any other."""
    from reins.planning.approval import Edit
    from reins.planning.plan_text import plan_from_text

    if file is not None:
        plan = plan_from_text(_text_of(file))
    else:
        question = _waiting(namespace)
        if question.plan.question:
            raise ReinsError(
                f"there is no plan to edit, but a question; answer it with `reins plan reply`: {question.plan.question}"
            )
        edited = edit_plan(question.plan, (f"for: {question.instruction}", *question.risks))
        if edited is None:
            out.print("nothing was changed; the plan still waits")
            return
        plan, number = edited[1], number or question.number
    _give(Edit(plan, asker()), namespace, number)


def abort(namespace: Namespace = "") -> None:
    """End the task that runs, whoever gave it; the arm brakes and holds. `reins estop` stops harder, and latches."""
    with needs_ros():
        from reins.nodes.client import GraphClient
        from reins.nodes.plan_client import PlanClient
    with GraphClient(namespace) as client:
        answer(PlanClient(client).abort())


def _waiting(namespace: str) -> "PlanQuestion":
    with needs_ros():
        from reins.nodes.client import GraphClient
        from reins.nodes.plan_client import PlanClient
    with GraphClient(namespace) as client:
        question = PlanClient(client).waiting()
    if question is None:
        err.print("no plan waits for an answer")
        raise typer.Exit(int(ExitCode.FAILED))
    return question


def _give(said: "Answer", namespace: str, number: int) -> None:
    with needs_ros():
        from reins.nodes.client import GraphClient
        from reins.nodes.plan_client import PlanClient
    with GraphClient(namespace) as client:
        answer(PlanClient(client).answer(said, number))


def _text_of(file: Path) -> str:
    try:
        if file.stat().st_size > MOST_FILE:
            raise ReinsError(f"{file} is too large to be a plan")
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ReinsError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from None
