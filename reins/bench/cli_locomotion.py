"""`reins bench locomotion` and `reins bench recovery`."""

from typing import Annotated

import typer

from reins.bench.console import JsonFile, Walk, finish, progressing
from reins.contracts.errors import ReinsError


def locomotion(
    sim: Annotated[
        str, typer.Option(help="Simulators, separated by commas: mujoco, pybullet, dds (in real time).")
    ] = "mujoco",
    walk: Walk = "scripted",
    other: Annotated[
        str | None,
        typer.Option(
            "--beside",
            help="Another walk on the same episodes: as --walk, or legged_gym:FILE.onnx, a policy in that layout.",
        ),
    ] = None,
    ground: Annotated[str, typer.Option(help="Ground: a name, or the path of a YAML file.")] = "flat",
    episodes: Annotated[int, typer.Option(min=1, help="Episodes per simulator.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the commands and pushes.")] = 1,
    robot: Annotated[str, typer.Option(help="Robot profile.")] = "go2",
    jobs: Annotated[int, typer.Option(min=1, help="Processes that share the episodes.")] = 1,
    json_file: JsonFile = None,
) -> None:
    """Random velocity commands with pushes: how many episodes end without a fall, and how true the velocity is."""
    from reins.bench.locomotion import WalkEpisode, beside, run_locomotion

    sims = _named(sim, "mujoco, pybullet or dds, or several")
    walks = [walk] if other is None else [walk, other]
    with progressing("episodes", episodes * len(sims) * len(walks)) as progress:

        def advance(episode: WalkEpisode) -> None:
            fell, why = episode.fell, f": {episode.fault}" if episode.fault else ""
            progress("" if fell is None else f"{episode.simulator}, seed {episode.seed}: fell after {fell:.1f} s{why}")

        reports = [run_locomotion(robot, sims, each, ground, episodes, seed, advance, jobs) for each in walks]
    finish(reports[0] if other is None else beside(*reports), json_file)


def recovery(
    sim: Annotated[str, typer.Option(help="Simulators, separated by commas: mujoco, pybullet.")] = "mujoco",
    ground: Annotated[str, typer.Option(help="Ground: a name, or the path of a YAML file.")] = "flat",
    episodes: Annotated[int, typer.Option(min=1, help="Falls per simulator.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the falls.")] = 1,
    robot: Annotated[str, typer.Option(help="Robot profile.")] = "go2",
    json_file: JsonFile = None,
) -> None:
    """Falls on side and back: how many robots turn over and stand up again."""
    from reins.bench.recovery import RecoveryEpisode, run_recovery

    sims = _named(sim, "mujoco or pybullet, or both")
    with progressing("falls", episodes * len(sims)) as progress:

        def advance(episode: RecoveryEpisode) -> None:
            what = "" if episode.turned is None else ", having turned over"
            place = f"{episode.simulator}, seed {episode.seed}"
            progress("" if episode.stood else f"{place}: dropped on its {episode.lies_on}, not up again{what}")

        report = run_recovery(robot, sims, ground, episodes, seed, advance)
    finish(report, json_file)


def _named(sims: str, valid: str) -> list[str]:
    """The simulators of an option, separated by commas.

    Raises:
        ReinsError: there are none; says what is valid.
    """
    names = [name.strip() for name in sims.split(",") if name.strip()]
    if not names:
        raise ReinsError(f"--sim names no simulator; name {valid}")
    return names
