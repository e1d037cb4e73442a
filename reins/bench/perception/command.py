"""`reins bench perception`."""

from typing import Annotated

import typer

from reins.bench.console import JsonFile, Robot, finish, progressing
from reins.cli.vision_options import BaseUrl, Model, Projector, vision_settings
from reins.perception.vision_language.settings import NO_MODEL


def perception(
    backend: Annotated[str, typer.Option(help="Perception backend.")] = "geometric",
    episodes: Annotated[int, typer.Option(min=1, help="How many random pictures.")] = 500,
    sequences: Annotated[int, typer.Option(min=0, help="How many sequences in which things move.")] = 20,
    sim: Annotated[str, typer.Option(help="Whose renderer: mujoco or pybullet.")] = "mujoco",
    randomisation: Annotated[str, typer.Option(help="What changes from picture to picture.")] = "held_out",
    disturbances: Annotated[str, typer.Option(help="What cameras do to pictures.")] = "standard",
    model: Model = "",
    vlm: Annotated[str, typer.Option(help="What runs the model of vlm and hybrid.")] = NO_MODEL,
    projector: Projector = "",
    base_url: BaseUrl = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the suite.")] = 1,
    robot: Robot = "franka",
    json_file: JsonFile = None,
) -> None:
    """Scenes from random pictures, judged against the truth, as they are and disturbed; and ids while things move."""
    from reins.bench.perception.suite import PerceptionSettings, run_perception

    vision = vision_settings(vlm, model, projector, base_url)
    settings = PerceptionSettings(backend, sim, robot, randomisation, disturbances, episodes, sequences, seed, vision)
    with progressing("pictures", episodes + sequences) as progress:
        report = run_perception(settings, progress)
    finish(report, json_file)
