"""`reins train`: make the files of models/ anew. Needs the extra `train` (PyTorch)."""

from typing import Annotated

import typer

from reins.cli.console import out
from reins.contracts.errors import ReinsError, UnknownName

app = typer.Typer(no_args_is_help=True, help="Make the files of models/ anew (needs the extra “train”).")

SKILLS = ("reach",)
"""Skills that have a training recipe."""


@app.callback()
def _group() -> None:
    """Keeps `skill` a sub-command."""


@app.command()
def skill(
    name: Annotated[str, typer.Argument(help="Skill to train: reach.")],
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 1,
) -> None:
    """Train a policy for a skill and export it to models/ with its card."""
    if name not in SKILLS:
        raise UnknownName("trainable skill", name, SKILLS)
    try:
        from reins.training.reach import train
    except ImportError as error:
        if (error.name or "").split(".")[0] not in ("torch", "stable_baselines3", "gymnasium"):
            raise
        raise ReinsError(f"training needs '{error.name}': pip install 'reins[train]'") from None
    out.print(f"wrote {train(seed=seed)}")
