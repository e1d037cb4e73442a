"""`reins train perception`."""

from typing import Annotated

import typer

from reins.cli.console import ExitCode, out
from reins.cli.long_work import interruptible, part_bar, quick_torch
from reins.cli.train import (
    RUNS,
    Finish,
    Minutes,
    ModelOut,
    Rate,
    Run,
    SaveEvery,
    Seed,
    Start,
    Steps,
    Threads,
    needs_extra,
)


def perception(
    seed: Seed = None,
    steps: Steps = None,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Pictures that it is trained on; the recipe's by default.")
    ] = None,
    minutes: Minutes = None,
    finish: Finish = False,
    examples: Annotated[int, typer.Option(min=1, help="Pictures that it is measured on, of each kind.")] = 200,
    save_every: SaveEvery = 120.0,
    rate: Rate = None,
    start: Start = None,
    threads: Threads = 2,
    run: Run = RUNS,
    folder: ModelOut = None,
) -> None:
    """Train the small image-to-text model, measure it, and export it. Ctrl-C saves; the same command goes on."""
    with needs_extra():
        from reins.training.limits import Limits
        from reins.training.perception.recipe import make_vision_model
        from reins.training.perception.settings import VisionTrainingSettings
    asked = {"seed": seed, "steps": steps, "rate": rate, "pictures": None if samples is None else {"samples": samples}}
    settings = VisionTrainingSettings.model_validate(
        {name: value for name, value in asked.items() if value is not None}
    )
    place = run / f"perception-{settings.seed}"
    with (
        quick_torch(threads),
        interruptible() as interrupted,
        part_bar("perception") as (tell, on_part),
    ):
        limits = Limits(
            seconds=None if minutes is None else 60.0 * minutes,
            save_every=save_every,
            stopped=lambda: bool(interrupted),
        )
        result = make_vision_model(settings, place, limits, examples, tell, on_part, folder, finish, threads, start)
    if result.model is None:
        step = result.run.progress.step
        out.print(f"paused at step {step} of {settings.steps}; the same command goes on from {place}")
        raise typer.Exit(int(ExitCode.CANCELLED))
    out.print(f"wrote {result.model}")
    if not result.enters:
        raise typer.Exit(int(ExitCode.FAILED))
