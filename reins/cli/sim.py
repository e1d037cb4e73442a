"""`reins sim`: the simulators themselves."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from reins.cli.console import err, out

if TYPE_CHECKING:
    from reins.training.identify.identify import Identified

app = typer.Typer(no_args_is_help=True, help="The simulators themselves.")


@app.callback()
def _group() -> None:
    """The simulators themselves."""


@app.command()
def identify(
    engine: Annotated[str, typer.Option(help="Simulator that is matched: mujoco or pybullet.")] = "pybullet",
    recording: Annotated[
        list[Path] | None,
        typer.Option(help="Black box file of the arm to match; may be given again. MuJoCo's arm by default."),
    ] = None,
    robot: Annotated[str, typer.Option(help="Robot profile.")] = "franka",
    seconds: Annotated[float, typer.Option(min=2.0, max=120.0, help="Length of each trial, in seconds.")] = 8.0,
    file: Annotated[
        Path | None, typer.Option("--out", help="Where the factors go; out/matching/ROBOT_SIMULATOR.yaml by default.")
    ] = None,
) -> None:
    """Identify drives and friction, so that a simulated arm moves as another one, or as a recorded one."""
    from reins.hardware.profile import load_profile
    from reins.training.identify.identify import identify as find

    profile = load_profile(robot)
    with err.status("…") as status:
        found = find(profile, engine, recording or [], seconds, status.update)
    out.print(_table(found))
    path = file or Path("out/matching") / f"{found.matching.name}.yaml"
    found.write(path)
    out.print(f"wrote {path}; in reins/sim/matchings/ the simulator uses it from the next start on")


def _table(found: "Identified") -> Table:
    """Factors and errors of every joint."""
    what = "other trials than those fitted" if found.held_out else "the trials that were fitted"
    table = Table(title=f"{found.matching.name}, {found.matching.title}; errors in {what}", title_justify="left")
    for heading in ("", "stiffness", "damping", "friction", "position before [mrad]", "after [mrad]"):
        table.add_column(heading, justify="left" if not heading else "right", no_wrap=not heading)
    rows = zip(
        found.matching.joints, found.matching.factors.T, found.before.position, found.after.position, strict=True
    )
    for name, factors, before, after in rows:
        table.add_row(name, *(f"{factor:.2f}" for factor in factors), f"{1e3 * before:.3f}", f"{1e3 * after:.3f}")
    if found.before.block == found.before.block:
        surface = f"{found.matching.surface:.2f}"
        off = (f"{1e3 * error:.2f} mm" for error in (found.before.block, found.after.block))
        table.add_row("sliding block", "", "", surface, *off)
    return table
