"""`reins bench …`: run a suite, print its table, write its JSON."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from reins.contracts.errors import ReinsError

if TYPE_CHECKING:
    from reins.bench.report import Report
    from reins.bench.tabletop import Episode

app = typer.Typer(
    no_args_is_help=True,
    help="Measure: each suite prints a table and, with --json, writes its figures.",
)

JsonFile = Annotated[
    Path | None,
    typer.Option("--json", help="Write settings, summary and episodes to this file."),
]
Robot = Annotated[str, typer.Option(help="Robot profile.")]
Backend = Annotated[str, typer.Option(help="Simulator: mujoco or pybullet.")]


class Through(str, Enum):
    """What a suite runs through."""

    RIG = "rig"
    ROS = "ros"


def _finish(report: "Report", json_file: Path | None) -> None:
    report.print(Console())
    _write(report, json_file)


def _write(report: "Report", json_file: Path | None) -> None:
    if json_file is not None:
        report.write_json(json_file)
        Console().print(f"wrote {json_file}")


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[str], None]]:
    """A bar with time left; call what it gives after each, with a line to print or an empty one."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task(what, total=total)

        def advance(line: str) -> None:
            if line:
                progress.console.print(line)
            progress.advance(bar)

        yield advance


def _trouble(episode: "Episode") -> str:
    """What to print of an episode."""
    if episode.success:
        return ""
    return f"seed {episode.seed}: {episode.instruction!r}: {episode.outcome}: {episode.reason}"


@app.command()
def tabletop(
    planner: Annotated[str, typer.Option(help="Planner backend.")] = "symbolic",
    skills: Annotated[str, typer.Option(help="Skill backend: scripted or onnx.")] = "scripted",
    perception: Annotated[
        str,
        typer.Option(help="Perception backend: geometric, or state (simulator truth)."),
    ] = "geometric",
    episodes: Annotated[int, typer.Option(min=1, help="How many tasks.")] = 50,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the suite.")] = 1,
    through: Annotated[
        Through,
        typer.Option(help="rig: the cores in lock-step; ros: the launched graph."),
    ] = Through.RIG,
    jobs: Annotated[int, typer.Option(min=1, help="Episodes side by side (rig only).")] = 1,
    filter_cost: Annotated[
        bool, typer.Option("--filter-cost", help="Run each task without the safety filter, too (rig only).")
    ] = False,
    robot: Robot = "franka",
    backend: Backend = "mujoco",
    json_file: JsonFile = None,
) -> None:
    """Randomised tabletop tasks, success measured from physics."""
    from reins.rig import RigSettings
    from reins.sim.simulators import require_simulator

    require_simulator(backend)
    if filter_cost and through is Through.ROS:
        raise ReinsError("--filter-cost is for --through rig only: in the graph nothing goes past the safety filter")
    settings = RigSettings(robot=robot, backend=backend, planner=planner, skills=skills, perception=perception)
    with _progress("episodes", episodes * (2 if filter_cost else 1)) as progress:

        def advance(episode: "Episode") -> None:
            progress(_trouble(episode))

        if through is Through.RIG:
            from reins.bench.tabletop import run_tabletop
            from reins.bench.unfiltered import with_cost

            run = with_cost if filter_cost else run_tabletop
            report = run(settings, episodes, seed, jobs, advance)
        else:
            from reins.bench.tabletop_ros import run_tabletop_ros

            report = run_tabletop_ros(settings, episodes, seed, advance)
    _finish(report, json_file)


@app.command()
def planning(
    planner: Annotated[str, typer.Option(help="Planner backend.")] = "symbolic",
    suite: Annotated[str, typer.Option(help="Suites, separated by commas, or all.")] = "all",
    episodes: Annotated[int, typer.Option(min=1, help="Instructions per suite.")] = 100,
    language: Annotated[str, typer.Option(help="Language of the instructions: en, zh or both.")] = "both",
    split: Annotated[
        str,
        typer.Option(help="What is in them that our model never saw: familiar, families, pairs or compositions."),
    ] = "familiar",
    model: Annotated[str, typer.Option(help="Model of a language model's backend: a path or a name.")] = "",
    prompt: Annotated[str, typer.Option(help="Prompt of a language model: auto, chat or compact.")] = "auto",
    base_url: Annotated[str, typer.Option(help="Address of an OpenAI-compatible server.")] = "",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the instructions and scenes.")] = 1,
    json_file: JsonFile = None,
) -> None:
    """Plans for random scenes without physics, judged against what was meant."""
    from reins.bench.planning import PlanningEpisode, chosen_suites, run_planning
    from reins.planning.language.settings import LanguageSettings

    wanted = {"model": model, "prompt": prompt, **({"base_url": base_url} if base_url else {})}
    settings = LanguageSettings.model_validate(wanted)
    suites = chosen_suites(suite)
    with _progress("instructions", episodes * len(suites)) as progress:

        def advance(_episode: PlanningEpisode) -> None:
            progress("")

        report = run_planning(planner, settings, suites, episodes, seed, language, split, advance)
    _finish(report, json_file)


@app.command()
def sim(
    robot: Robot = "franka",
    world: Annotated[str, typer.Option(help="World.")] = "tabletop",
    seconds: Annotated[
        float,
        typer.Option(min=1.0, max=600.0, help="Simulated time of each round, in seconds."),
    ] = 20.0,
    json_file: JsonFile = None,
) -> None:
    """Physics steps per second under the robot driver, beside bare mj_step."""
    from reins.bench.sim import run_sim

    _finish(run_sim(robot, world, seconds), json_file)


@app.command()
def env(
    task: Annotated[str, typer.Option(help="Task: reach, push, pick, place or stack.")] = "pick",
    seconds: Annotated[float, typer.Option(min=0.1, max=10.0, help="Simulated time of each round, in seconds.")] = 4.0,
    json_file: JsonFile = None,
) -> None:
    """Physics steps per second of a training environment, beside bare mj_step."""
    from reins.cli.train import needs_extra

    with needs_extra():
        from reins.bench.env import run_env
    _finish(run_env(task, seconds), json_file)


@app.command()
def skills(
    names: Annotated[
        list[str] | None, typer.Argument(help="Tasks; by default all that there is a trained policy for.")
    ] = None,
    sim: Annotated[str, typer.Option(help="Simulators, separated by commas.")] = "mujoco",
    episodes: Annotated[int, typer.Option(min=1, help="Episodes per policy and simulator.")] = 200,
    randomisation: Annotated[str, typer.Option(help="What changes from episode to episode.")] = "training",
    models: Annotated[Path | None, typer.Option(help="Folder of models; those that ship by default.")] = None,
    robot: Robot = "franka",
    json_file: JsonFile = None,
) -> None:
    """Success of trained policies alone, per skill and simulator, on held-out episodes."""
    from reins.cli.train import needs_extra

    with needs_extra():
        from reins.bench.skills import run_skills, trained
    from reins.hardware.profile import load_profile

    sims = [name.strip() for name in sim.split(",") if name.strip()]
    total = episodes * len(sims) * len(trained(load_profile(robot), names or (), models))
    with _progress("episodes", total) as progress:
        report = run_skills(robot, sims, episodes, names or (), randomisation, models, lambda: progress(""))
    _finish(report, json_file)


@app.command()
def policy(
    name: Annotated[str | None, typer.Argument(help="Policy; by default the one with the most inputs.")] = None,
    steps: Annotated[int, typer.Option(min=100, help="Steps to time.")] = 5000,
    models: Annotated[Path | None, typer.Option(help="Folder of models; those that ship by default.")] = None,
    robot: Robot = "franka",
    json_file: JsonFile = None,
) -> None:
    """Time of one policy step, beside bare InferenceSession.run on the same model."""
    from reins.bench.policy import run_policy

    _finish(run_policy(robot, name, steps, models), json_file)


@app.command()
def latency(
    seconds: Annotated[float, typer.Option(min=2.0, max=600.0, help="Length of each measurement, in seconds.")] = 20.0,
    json_file: JsonFile = None,
) -> None:
    """Latency of the control path and regularity of joint states, beside bare rclpy."""
    from reins.bench.latency import run_latency

    _finish(run_latency(seconds), json_file)


@app.command()
def safety(
    commands: Annotated[int, typer.Option(min=1, help="How many commands.")] = 100_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the commands and of what is around the arm.")] = 1,
    jobs: Annotated[int, typer.Option(min=1, help="Processes side by side; times are true with one.")] = 1,
    robot: Robot = "franka",
    json_file: JsonFile = None,
) -> None:
    """Random, adversarial and smooth commands through the safety filter, each judged independently."""
    from reins.bench.safety.suite import episodes_of, run_safety, trouble

    with _progress("episodes", episodes_of(commands)) as progress:
        report = run_safety(robot, commands, seed, jobs, lambda episode: progress(trouble(episode)))
    _finish(report, json_file)


@app.command()
def stops(
    faults: Annotated[
        list[str] | None, typer.Argument(help="Words from the faults' names; every fault by default.")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, max=1000, help="How often each fault is injected.")] = 3,
    estops: Annotated[int, typer.Option(min=1, max=10000, help="How often each way of emergency stop.")] = 20,
    sequences: Annotated[int, typer.Option(min=0, help="Random sequences of faults.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the sequences.")] = 1,
    robot: Robot = "franka",
    json_file: JsonFile = None,
) -> None:
    """Time from fault to standstill in the launched graph: dead nodes, corrupt commands, emergency stops."""
    from reins.bench.stops.faults import ESTOPS, FAULTS
    from reins.bench.stops.run import chosen, run_stops, table

    some = chosen(FAULTS, faults or [])
    total = sequences + sum(estops if fault in ESTOPS else trials for fault in some)
    with _progress("trials", total) as progress:
        report = run_stops(robot, some, trials, estops, sequences, seed, lambda _trial: progress(""))
    Console().print(table(report))
    _write(report, json_file)
