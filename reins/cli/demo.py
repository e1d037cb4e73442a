"""`reins demo`: the whole graph end to end, measured from physics, with a video and a report."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from reins.cli.console import ExitCode, needs_ros, out

INSTRUCTION = "put the red block in the blue bowl but don't touch the yellow block"


def demo(
    instruction: Annotated[str, typer.Option(help="What to do.")] = INSTRUCTION,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random poses.")] = 1,
    world: Annotated[str, typer.Option(help="World name or file.")] = "tabletop",
    backend: Annotated[str, typer.Option(help="Simulator: mujoco or pybullet.")] = "mujoco",
    planner: Annotated[str, typer.Option(help="Planner backend.")] = "llama_cpp",
    model: Annotated[
        str, typer.Option(help="Language model: a GGUF file, a folder, or a name at the server; ours by default.")
    ] = "",
    skills: Annotated[str, typer.Option(help="Skill backend: scripted or onnx.")] = "scripted",
    folder: Annotated[
        Path | None, typer.Option("--out", help="Where to write; ./reins-demo/<time> by default.", file_okay=False)
    ] = None,
    video: Annotated[bool, typer.Option("--video/--no-video", help="Render the video.")] = True,
) -> None:
    """Start the graph, give it a task, measure what physics says, write a video and a report.

    Exit status 0 only if the task says that it succeeded and physics agrees.
    """
    with needs_ros():
        from reins.demo.run import DemoSettings, run_demo
    settings = DemoSettings(
        instruction=instruction,
        seed=seed,
        world=world,
        backend=backend,
        planner=planner,
        model=model,
        skills=skills,
        folder=folder or Path("reins-demo") / datetime.now().strftime("%Y-%m-%d_%H-%M-%S"),
        video=video,
    )
    raise typer.Exit(int(ExitCode.SUCCESS if run_demo(settings, out) else ExitCode.FAILED))
