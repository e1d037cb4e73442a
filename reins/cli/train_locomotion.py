"""`reins train locomotion`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from reins.cli.console import ExitCode, out
from reins.cli.long_work import interruptible, progress_bar, quick_torch
from reins.cli.train import RUNS, Episodes, Run, Seed, Threads, needs_extra


def locomotion(
    robot: Annotated[str, typer.Option(help="Robot profile.")] = "go2",
    seed: Seed = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Policy steps; the recipe's by default.")] = None,
    robots: Annotated[int | None, typer.Option(min=1, max=4096, help="Robots side by side.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0.01, help="Pause after so long; run again to go on.")] = None,
    finish: Annotated[bool, typer.Option(help="When the time is up, measure and export what there is.")] = False,
    episodes: Episodes = 200,
    save_every: Annotated[float, typer.Option(min=1.0, help="Seconds between two checkpoints.")] = 120.0,
    threads: Threads = 1,
    run: Run = RUNS,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Where a policy that is good enough is written too.", file_okay=False)
    ] = None,
) -> None:
    """Train a policy that walks at body velocities, measure it, export it. Ctrl-C saves; the same command goes on."""
    with needs_extra():
        from reins.training.locomotion.recipe import make_walk
        from reins.training.locomotion.settings import WalkSettings
        from reins.training.locomotion.train import WalkLimits
    given = {"robot": robot, "seed": seed, "steps": steps, "robots": robots}
    settings = WalkSettings.model_validate({name: value for name, value in given.items() if value is not None})
    place = run / f"locomotion-{settings.seed}"
    seconds = None if minutes is None else 60.0 * minutes
    with (
        quick_torch(threads),
        interruptible() as interrupted,
        progress_bar("locomotion", settings.steps) as (progress, bar),
    ):
        limits = WalkLimits(seconds, save_every, lambda: bool(interrupted), finish)

        def tell(line: str) -> None:
            progress.console.print(escape(line))

        def advance(done: int) -> None:
            progress.update(bar, completed=done)

        result = make_walk(settings, place, limits, episodes, tell, advance, folder)
    if result.model is None:
        out.print(f"paused at step {result.run.steps} of {settings.steps}; the same command goes on from {place}")
        raise typer.Exit(int(ExitCode.CANCELLED))
    out.print(f"wrote {result.model}")
    if result.objections:
        raise typer.Exit(int(ExitCode.FAILED))
