"""`reins bench navigation`."""

from typing import Annotated

import typer

from reins.bench.console import JsonFile, Walk, finish, progressing


def navigation(
    sim: Annotated[str, typer.Option(help="Simulator: mujoco or pybullet.")] = "mujoco",
    walk: Walk = "scripted",
    planner: Annotated[str, typer.Option(help="Planner backend.")] = "symbolic",
    episodes: Annotated[int, typer.Option(min=1, help="How many tasks, each on a ground of its own.")] = 50,
    seed: Annotated[int, typer.Option(min=0, help="Seed of grounds and instructions.")] = 1,
    language: Annotated[str, typer.Option(help="Language of the instructions: en, zh, or both in turn.")] = "en",
    perception: Annotated[
        str, typer.Option(help="Perception backend: state (simulator truth), or geometric (the head's camera).")
    ] = "state",
    robot: Annotated[str, typer.Option(help="Robot profile.")] = "go2",
    json_file: JsonFile = None,
) -> None:
    """Walking by instruction among things and people: how many tasks succeed, and whether distances are kept."""
    from reins.bench.navigation.suite import NavigationEpisode, run_navigation
    from reins.legged_rig import LeggedRigSettings

    settings = LeggedRigSettings(robot=robot, backend=sim, walk=walk, planner=planner, perception=perception)
    with progressing("tasks", episodes) as progress:

        def advance(episode: NavigationEpisode) -> None:
            what = [*episode.wrong, *(f"too near to {name}" for name in episode.violations)]
            what += ["it fell"] if episode.fell else []
            off = "" if episode.error is None else f"{episode.error:.2f} m off; "
            told = f"{off}{'; '.join([*what, episode.reason])}"
            progress("" if episode.success else f"{episode.family}, '{episode.instruction}': {told}")

        report = run_navigation(settings, episodes, seed, advance, language)
    finish(report, json_file)
