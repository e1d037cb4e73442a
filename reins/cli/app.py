"""The `reins` command and its groups put together."""

from typing import Annotated

import typer

from reins import __version__
from reins.cli import (
    blackbox,
    calibrate,
    conformance,
    constraints,
    demo,
    doctor,
    explain,
    graph,
    look,
    models,
    peer,
    plan,
    sim,
    skills,
    stage,
    task,
    teleop,
    trace,
    train,
    train_locomotion,
    train_perception,
    up,
)
from reins.cli.console import EXIT_CODES, out
from reins.cli.group import BenchGroup, RootGroup

app = typer.Typer(
    cls=RootGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    epilog=EXIT_CODES,
    help="Tell a robot what to do, in plain language, and keep it safe while it does it.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        out.print(f"reins {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Print tracebacks.")] = False,
) -> None:
    """Options of every command."""


RUN, OPERATE, LOOK, BUILD = "Run", "Operate", "Look", "Measure and train"

app.command("up", rich_help_panel=RUN, context_settings=up.CONTEXT)(up.up)
app.command("task", rich_help_panel=RUN, epilog=EXIT_CODES)(task.task)
app.command("demo", rich_help_panel=RUN)(demo.demo)
app.command("peer", rich_help_panel=RUN)(peer.peer)
app.command("estop", rich_help_panel=OPERATE)(graph.estop)
app.command("reset", rich_help_panel=OPERATE)(graph.reset)
app.command("arm", rich_help_panel=OPERATE)(graph.arm)
app.command("abort", rich_help_panel=OPERATE)(plan.abort)
app.add_typer(plan.app, name="plan", rich_help_panel=OPERATE)
app.command("stage", rich_help_panel=OPERATE)(stage.stage)
app.command("handback", rich_help_panel=OPERATE)(graph.handback)
app.command("speed", rich_help_panel=OPERATE)(constraints.speed)
app.add_typer(constraints.app, name="constraints", rich_help_panel=OPERATE)
app.add_typer(teleop.app, name="teleop", rich_help_panel=OPERATE)
app.command("status", rich_help_panel=LOOK)(graph.status)
app.command("look", rich_help_panel=LOOK)(look.look)
app.command("blackbox", rich_help_panel=LOOK)(blackbox.blackbox)
app.command("trace", rich_help_panel=LOOK)(trace.trace)
app.command("explain", rich_help_panel=LOOK)(explain.explain)
app.add_typer(skills.app, name="skills", rich_help_panel=LOOK)
app.add_typer(models.app, name="models", rich_help_panel=LOOK)
app.command("doctor", rich_help_panel=LOOK)(doctor.doctor)
app.command("conformance", rich_help_panel=LOOK)(conformance.conformance)
app.add_typer(
    typer.Typer(cls=BenchGroup, no_args_is_help=True),
    name="bench",
    rich_help_panel=BUILD,
    help="Measure: each suite prints a table and, with --json, writes its figures.",
)
train.app.command("locomotion")(train_locomotion.locomotion)
train.app.command("perception")(train_perception.perception)
app.add_typer(calibrate.app, name="calibrate", rich_help_panel=BUILD)
app.add_typer(train.app, name="train", rich_help_panel=BUILD)
app.add_typer(sim.app, name="sim", rich_help_panel=BUILD)
