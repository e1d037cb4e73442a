"""`reins train`: make the files of models/ anew. Needs the extra `train` (PyTorch)."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from reins.cli.console import ExitCode, out
from reins.cli.long_work import interruptible, part_bar, progress_bar, quick_torch
from reins.contracts.errors import ReinsError, UnknownName

if TYPE_CHECKING:
    from reins.training.rl.recipe import SkillResult

app = typer.Typer(no_args_is_help=True, help="Make the files of models/ anew (needs the extra “train”).")

SKILLS = ("reach", "push", "pick", "place", "stack")
"""Skills that have a training recipe."""

EXTRA = (
    *("torch", "stable_baselines3", "gymnasium", "onnxscript", "onnx", "tensorboard", "matplotlib"),
    *("tokenizers", "gguf"),
)
"""What the extra `train` brings."""

Robot = Annotated[str, typer.Option(help="Robot profile.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed of everything random; the recipe's by default.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Where a policy that passes its gate is written too.", file_okay=False),
]
Run = Annotated[
    Path, typer.Option("--run", help="Folder of checkpoints and curves; a run there goes on.", file_okay=False)
]
Episodes = Annotated[int, typer.Option(min=1, help="Episodes that the exported policy is measured on.")]
Threads = Annotated[int, typer.Option(min=1, max=64, help="Threads of PyTorch.")]
Steps = Annotated[int | None, typer.Option(min=1, help="Gradient steps; the recipe's by default.")]
Finish = Annotated[bool, typer.Option(help="When the time is up, measure and export what there is.")]
Rate = Annotated[float | None, typer.Option(min=0.0, help="Learning rate; the recipe's by default.")]
ModelOut = Annotated[
    Path | None,
    typer.Option("--out", help="Where a model that is good enough is written too.", file_okay=False),
]
Start = Annotated[
    Path | None,
    typer.Option(help="Exported model to begin with, instead of nothing.", exists=True, dir_okay=False),
]
Minutes = Annotated[float | None, typer.Option(min=0.01, help="Pause after so long; run again to go on.")]
SaveEvery = Annotated[float, typer.Option(min=1.0, help="Seconds between two checkpoints.")]
RUNS = Path("out/training")


@contextmanager
def needs_extra() -> Iterator[None]:
    """Turn a missing PyTorch into an error that says how to get it."""
    try:
        yield
    except ImportError as error:
        if (error.name or "").split(".")[0] not in EXTRA:
            raise
        raise ReinsError(f"training needs '{error.name}': pip install 'reins[train]'") from None


@app.command()
def skill(
    name: Annotated[str, typer.Argument(help=f"Skill to train: {', '.join(SKILLS)}.")],
    robot: Robot = "franka",
    seed: Seed = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Most policy steps; the recipe's by default.")] = None,
    minutes: Minutes = None,
    demos: Annotated[int | None, typer.Option(min=0, help="Demonstrations of the teacher; 0 for none.")] = None,
    compare: Annotated[bool, typer.Option(help="First train without demonstrations, for the learning curves.")] = False,
    episodes: Episodes = 200,
    save_every: SaveEvery = 120.0,
    processes: Annotated[bool, typer.Option(help="Run the environments in processes of their own.")] = False,
    threads: Threads = 1,
    run: Run = RUNS,
    folder: Out = None,
    imitate: Annotated[bool, typer.Option(help="reach only: imitate the inverse kinematics instead (DAgger).")] = False,
) -> None:
    """Train a policy for a skill, measure it, and export it with its cards. Ctrl-C saves; the same command goes on."""
    if name not in SKILLS:
        raise UnknownName("trainable skill", name, SKILLS)
    if imitate:
        _imitate(name, robot, seed, folder)
        return
    changes: dict[str, object] = {"robot": robot, "seed": seed, "steps": steps, "demos": demos}
    began = time.monotonic()
    if compare:
        limit = None if minutes is None else minutes / 2
        alone = {**changes, "demos": 0}
        if _make(name, alone, run, limit, episodes, save_every, processes, threads, None, measured=False) is None:
            raise typer.Exit(int(ExitCode.CANCELLED))
    left = None if minutes is None else max(0.01, minutes - (time.monotonic() - began) / 60.0)
    result = _make(name, changes, run, left, episodes, save_every, processes, threads, folder)
    if result is None or result.measured is None:
        raise typer.Exit(int(ExitCode.CANCELLED))
    if not result.enters(name):
        raise typer.Exit(int(ExitCode.FAILED))


@app.command()
def planner(
    seed: Seed = None,
    steps: Steps = None,
    minutes: Minutes = None,
    finish: Finish = False,
    examples: Annotated[int, typer.Option(min=1, help="Examples that it is measured on, of each kind.")] = 200,
    save_every: SaveEvery = 120.0,
    start: Start = None,
    rate: Rate = None,
    prompts: Annotated[float | None, typer.Option(min=0.0, help="Weight of the prompts in the loss.")] = None,
    threads: Threads = 2,
    run: Run = RUNS,
    folder: ModelOut = None,
) -> None:
    """Train the planner's language model, measure it, and export it. Ctrl-C saves; the same command goes on."""
    with needs_extra():
        from reins.training.limits import Limits
        from reins.training.planner.recipe import make_planner_model
        from reins.training.planner.settings import PlannerSettings
    asked = {"seed": seed, "steps": steps, "rate": rate, "prompts": prompts}
    settings = PlannerSettings.model_validate({name: value for name, value in asked.items() if value is not None})
    place = run / f"planner-{settings.seed}"
    with (
        quick_torch(threads),
        interruptible() as interrupted,
        progress_bar("planner", settings.steps) as (progress, bar),
    ):
        result = make_planner_model(
            settings,
            place,
            Limits(
                seconds=None if minutes is None else 60.0 * minutes,
                save_every=save_every,
                stopped=lambda: bool(interrupted),
            ),
            examples,
            lambda line: progress.console.print(escape(line)),
            lambda done: progress.update(bar, completed=done),
            folder,
            finish,
            start,
        )
    if result.model is None:
        out.print(
            f"paused at step {result.run.progress.step} of {settings.steps}; the same command goes on from {place}"
        )
        raise typer.Exit(int(ExitCode.CANCELLED))
    out.print(f"wrote {result.model}")
    if not result.enters:
        raise typer.Exit(int(ExitCode.FAILED))


@app.command("all-skills")
def all_skills(
    robot: Robot = "franka",
    seed: Seed = None,
    minutes: Annotated[float, typer.Option(min=0.05, help="For all of them together.")] = 170.0,
    episodes: Episodes = 200,
    threads: Threads = 2,
    run: Run = RUNS,
    folder: Out = None,
) -> None:
    """Train every skill, one after the other; each has an equal part of the time that is left."""
    began = time.monotonic()
    failed = []
    for index, name in enumerate(SKILLS):
        left = max(0.01, minutes - (time.monotonic() - began) / 60.0)
        share = left / (len(SKILLS) - index)
        out.print(f"{name}: {share:.0f} minutes at most, of {left:.0f} that are left for {len(SKILLS) - index} skills")
        changes: dict[str, object] = {"robot": robot, "seed": seed}
        result = _make(name, changes, run, share, episodes, 120.0, False, threads, folder, finish=True)
        if result is None:
            raise typer.Exit(int(ExitCode.CANCELLED))
        if not result.enters(name):
            failed.append(name)
    if failed:
        out.print(f"not good enough yet: {', '.join(failed)}")
        raise typer.Exit(int(ExitCode.FAILED))


def _make(
    name: str,
    changes: dict[str, object],
    runs: Path,
    minutes: float | None,
    episodes: int,
    save_every: float,
    processes: bool,
    threads: int,
    folder: Path | None,
    measured: bool = True,
    finish: bool = False,
) -> "SkillResult | None":
    """Train one skill with a bar; None where Ctrl-C ended it."""
    with needs_extra():
        from reins.training.rl.keeper import Limits
        from reins.training.rl.recipe import SkillResult, alone, make_skill
        from reins.training.rl.run import train
        from reins.training.rl.settings import settings_for
    settings = settings_for(name, **changes)
    place = runs / f"{name}-{settings.seed}"
    place = alone(place) if settings.demos == 0 else place
    with quick_torch(threads), interruptible() as interrupted, part_bar(name) as (tell, on_part):
        limits = Limits(
            seconds=None if minutes is None else 60.0 * minutes,
            save_every=save_every,
            processes=processes,
            stopped=lambda: bool(interrupted),
        )
        if measured:
            result = make_skill(settings, place, limits, episodes, tell, on_part, out=folder, finish=finish)
        else:
            result = SkillResult(train(settings, place, limits, tell, on_part), None, None)
    if not result.run.done:
        out.print(f"paused at step {result.run.steps} of {settings.steps}; the same command goes on from {place}")
    return None if interrupted else result


def _imitate(name: str, robot: str, seed: int | None, folder: Path | None) -> None:
    if name != "reach":
        raise ReinsError(f"only reach is learned by imitation alone; train {name} without --imitate")
    with needs_extra():
        from reins.training.reach import ReachSettings, train
    settings = ReachSettings(robot=robot) if seed is None else ReachSettings(robot=robot, seed=seed)
    measured = train(settings, log=lambda line: out.print(escape(line)), folder=folder)
    out.print(f"[green]done[/]: {measured.success_rate:.1%} of {measured.episodes} goals")
