"""`reins train`: make the files of models/ anew. Needs the extra `train` (PyTorch)."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from reins.cli.console import out
from reins.contracts.errors import ReinsError, UnknownName

app = typer.Typer(no_args_is_help=True, help="Make the files of models/ anew (needs the extra “train”).")

SKILLS = ("reach",)
"""Skills that have a training recipe."""


EXTRA = ("torch", "stable_baselines3", "gymnasium", "onnxscript")
"""What the extra `train` brings."""


@app.callback()
def _group() -> None:
    """Keeps `skill` a sub-command."""


@app.command()
def skill(
    name: Annotated[str, typer.Argument(help="Skill to train: reach.")],
    robot: Annotated[str, typer.Option(help="Robot profile.")] = "franka",
    seed: Annotated[int | None, typer.Option(help="Seed of everything random; the shipped file's by default.")] = None,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Where to write; reins/models/policies by default.", file_okay=False)
    ] = None,
) -> None:
    """Train a policy for a skill, measure it, and export it with its cards. Takes some minutes."""
    if name not in SKILLS:
        raise UnknownName("trainable skill", name, SKILLS)
    try:
        from reins.training.reach import ReachSettings, train
    except ImportError as error:
        if (error.name or "").split(".")[0] not in EXTRA:
            raise
        raise ReinsError(f"training needs '{error.name}': pip install 'reins[train]'") from None
    settings = ReachSettings(robot=robot) if seed is None else ReachSettings(robot=robot, seed=seed)
    measured = train(settings, log=lambda line: out.print(escape(line)), folder=folder)
    out.print(f"[green]done[/]: {measured.success_rate:.1%} of {measured.episodes} goals")
