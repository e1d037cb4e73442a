"""`reins bench …`: run a suite, print its table, write its JSON."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from reins.bench import cli_planner
from reins.bench.cli_locomotion import locomotion, recovery
from reins.bench.console import JsonFile, Robot, finish, progressing, write
from reins.bench.navigation.command import navigation
from reins.bench.perception.command import perception
from reins.bench.stream.command import stream
from reins.cli.console import ExitCode

app = typer.Typer(
    no_args_is_help=True,
    help="Measure: each suite prints a table and, with --json, writes its figures.",
)
app.command()(cli_planner.tabletop)
app.command()(cli_planner.planning)
app.command("first-call")(cli_planner.first_call)
app.command()(cli_planner.soak)
app.command()(cli_planner.compare)
app.command()(locomotion)
app.command()(navigation)
app.command()(perception)
app.command()(recovery)
app.command()(stream)


@app.command()
def sim(
    robot: Robot = "franka",
    world: Annotated[
        str | None,
        typer.Option(help="World, or ground of a legged robot.", show_default="tabletop; flat"),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(min=1.0, max=600.0, help="Simulated time of each round, in seconds."),
    ] = 20.0,
    json_file: JsonFile = None,
) -> None:
    """Physics steps per second under the robot driver, beside bare mj_step."""
    from reins.hardware.profile import load_profile
    from reins.hardware.profile_base import Profile
    from reins.hardware.quadruped import QuadrupedProfile

    profile = load_profile(robot, Profile)
    if isinstance(profile, QuadrupedProfile):
        from reins.bench.legged_sim import run_legged_sim

        report = run_legged_sim(profile, world or "flat", seconds)
    else:
        from reins.bench.sim import run_sim

        report = run_sim(robot, world or "tabletop", seconds)
    finish(report, json_file)


@app.command()
def env(
    task: Annotated[str, typer.Option(help="Task: reach, push, pick, place or stack.")] = "pick",
    seconds: Annotated[float, typer.Option(min=0.1, max=10.0, help="Simulated time of each round, in seconds.")] = 4.0,
    envs: Annotated[int, typer.Option(min=1, max=64, help="Environments side by side in one process.")] = 4,
    json_file: JsonFile = None,
) -> None:
    """Physics steps per second of training environments on one core, beside bare mj_step."""
    from reins.cli.train import needs_extra

    with needs_extra():
        from reins.bench.env import run_env
    finish(run_env(task, seconds, envs), json_file)


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
    with progressing("episodes", total) as progress:
        report = run_skills(robot, sims, episodes, names or (), randomisation, models, lambda: progress(""))
    finish(report, json_file)


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

    finish(run_policy(robot, name, steps, models), json_file)


@app.command()
def latency(
    seconds: Annotated[float, typer.Option(min=2.0, max=600.0, help="Length of each measurement, in seconds.")] = 20.0,
    json_file: JsonFile = None,
) -> None:
    """Latency of the control path and regularity of joint states, beside bare rclpy."""
    from reins.bench.latency import run_latency

    finish(run_latency(seconds), json_file)


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

    with progressing("episodes", episodes_of(commands)) as progress:
        report = run_safety(robot, commands, seed, jobs, lambda episode: progress(trouble(episode)))
    finish(report, json_file)


@app.command()
def stops(
    faults: Annotated[
        list[str] | None, typer.Argument(help="Words from the faults' names; every fault by default.")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, max=1000, help="How often each fault is injected.")] = 3,
    estops: Annotated[int, typer.Option(min=1, max=10000, help="How often each way of emergency stop.")] = 20,
    sequences: Annotated[int, typer.Option(min=0, help="Random sequences of faults.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the sequences.")] = 1,
    slack: Annotated[
        float, typer.Option(min=0.0, help="What a busy machine adds to each bound, in milliseconds.")
    ] = 0.0,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print the table as docs/safety.md has it.")] = False,
    robot: Robot = "franka",
    json_file: JsonFile = None,
) -> None:
    """Time from fault to standstill in the launched graph, with what it said of it: dead and frozen nodes, corrupt
    commands, robot time, stick, cameras, emergency stops. Exit status 1 if anything was wrong."""
    from reins.bench.stops.estops import ESTOPS
    from reins.bench.stops.faults import all_faults
    from reins.bench.stops.run import chosen, run_stops
    from reins.bench.stops.table import markdown, table, verdict
    from reins.bench.stops.trial import trouble
    from reins.hardware.profile import load_profile

    some = chosen(all_faults(load_profile(robot)), faults or [])
    total = sequences + sum(estops if fault in ESTOPS else trials for fault in some)
    with progressing("trials", total) as progress:
        report = run_stops(robot, some, trials, estops, sequences, seed, slack / 1e3, lambda t: progress(trouble(t)))
    console = Console()
    if as_markdown:
        print(markdown(report))
    else:
        console.print(table(report))
        console.print(verdict(report))
    write(report, json_file)
    if report.summary["wrong"]:
        raise typer.Exit(ExitCode.FAILED)
