"""`reins explain`: why the robot did what it did, from a task's trace. Needs no ROS."""

from pathlib import Path
from typing import Annotated

import typer

from reins.cli.console import out


def explain(
    what: Annotated[
        str,
        typer.Argument(metavar="[STEP|QUESTION]", help="A step's number, or a question. Without it: the last step."),
    ] = "",
    file: Annotated[Path | None, typer.Option(help="A trace; without it, the newest.")] = None,
) -> None:
    """Why a step was done: what it was for, what was seen, what it was held to, what had failed. Moves nothing."""
    from reins.planning.tracing.reading import read_trace
    from reins.planning.tracing.trace import default_folder, newest
    from reins.planning.why.account import explain as account
    from reins.planning.why.account import explain_step
    from reins.skills.catalogue import EVERY_SKILL

    story = read_trace(file if file is not None else newest(default_folder()))
    text = explain_step(story, int(what), EVERY_SKILL) if _is_number(what) else account(story, what, EVERY_SKILL)
    out.print(text, soft_wrap=True, markup=False)


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdecimal() and len(text) < 10
