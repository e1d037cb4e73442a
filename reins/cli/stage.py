"""`reins stage`: bring an arm up, one stage after the other, each asked for."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.live import Live
from rich.table import Table

from reins.cli.console import Namespace, err, needs_ros, out
from reins.cli.graph import answer

if TYPE_CHECKING:
    from reins.hardware.stages import Stage
    from reins.nodes.client import GraphClient
    from reins.nodes.stage_client import DryRun


def stage(
    name: Annotated[str, typer.Argument(help="Stage to enter: unarmed, dry_run, reduced or full.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Enter it without asking first.")] = False,
    show: Annotated[
        float, typer.Option(min=0.0, max=3600.0, help="Show a dry run for so long, in seconds: arm beside twin.")
    ] = 0.0,
    namespace: Namespace = "",
) -> None:
    """The stage of bring-up of the robot, or the next one: unarmed, dry run, reduced speed, full.

    Up goes one step at a time, while the robot is disarmed; a stage does not arm it. Keep a hand on its emergency stop.
    """
    from reins.contracts.errors import look_up
    from reins.hardware.stages import ORDER

    wanted = look_up("stage", name, {one.value: one for one in ORDER}) if name else None
    with needs_ros():
        from reins.nodes.client import GraphClient
        from reins.nodes.stage_client import StageClient
    with GraphClient(namespace) as client:
        stages = StageClient(client)
        now = stages.stage()
        if wanted is None:
            _tell(now)
        else:
            _confirm(now, wanted, given=yes)
            answer(stages.enter(wanted))
            _advise(client, wanted)
        if show:
            _show(client, stages.watch(), show)


def _tell(now: "Stage") -> None:
    from reins.hardware.stages import MEANS, next_stage

    out.print(f"stage [bold]{now.value}[/]: {MEANS[now]}", soft_wrap=True)
    if following := next_stage(now):
        out.print(f"next: `reins stage {following.value}`: {MEANS[following]}", soft_wrap=True)


def _confirm(now: "Stage", wanted: "Stage", given: bool) -> None:
    """Ask before a stage in which more may happen."""
    from reins.hardware.stages import MEANS, ORDER

    err.print(f"from '{now.value}' to '{wanted.value}': {MEANS[wanted]}", soft_wrap=True)
    if not given and ORDER.index(wanted) > ORDER.index(now):
        typer.confirm("Is the space around the robot clear, and a hand on its emergency stop?", abort=True)


def _advise(client: "GraphClient", wanted: "Stage") -> None:
    """Bring the safety monitor's speed down to what the stage allows, and say what comes next."""
    from reins.hardware.reduced import REDUCED_SHARE
    from reins.hardware.stages import Stage
    from reins.nodes.rules_client import RulesClient

    if wanted is Stage.REDUCED:
        rules = RulesClient(client)
        if rules.list().speed_scale > REDUCED_SHARE:
            answer(rules.set_speed(REDUCED_SHARE))
        out.print(f"speed at most {REDUCED_SHARE:.0%} of the limits")
    if wanted is not Stage.UNARMED:
        out.print("`reins arm` lets commands through; `reins reset` first if it is stopped")


def _show(client: "GraphClient", seen: "DryRun", seconds: float) -> None:
    """Arm and twin beside each other, as they are now."""
    passed = 0.0
    with Live(console=out, auto_refresh=False) as live:
        while passed < seconds:
            client.spin(0.2)
            passed += 0.2
            live.update(_beside(seen), refresh=True)


def _beside(seen: "DryRun") -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("joint", "is at [rad]", "would be at [rad]"):
        table.add_column(heading, justify="left" if heading == "joint" else "right")
    for joint, position in seen.measured.items():
        would = seen.shown.get(joint)
        table.add_row(joint, f"{position:+.3f}", "" if would is None else f"{would:+.3f}")
    return table
