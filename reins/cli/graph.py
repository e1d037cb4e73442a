"""`reins estop`, `reset`, `arm`, `handback`, `status`: one question to a running graph, one answer."""

from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.markup import escape
from rich.table import Table

from reins.cli.console import ExitCode, Namespace, asker, err, needs_ros, out

if TYPE_CHECKING:
    from reins.nodes.outcomes import Reply
    from reins.nodes.watch import GraphStatus

SETTLE: Final = 1.0
"""How long `status` goes on once all is there that a task needs: for the other nodes, and to count states [s]."""


def answer(reply: "Reply") -> None:
    """Print what the graph said; a refusal ends the command."""
    if reply.accepted:
        out.print(escape(reply.message) or "done")
        return
    err.print(f"[bold red]refused:[/] {escape(reply.message)}", soft_wrap=True)
    raise typer.Exit(int(ExitCode.FAILED))


def estop(
    reason: Annotated[str, typer.Option(help="For the record.")] = "asked on the command line",
    namespace: Namespace = "",
) -> None:
    """Emergency stop: brake now and latch, from any state. `reins reset` clears it."""
    with needs_ros():
        from reins.nodes.client import GraphClient
    with GraphClient(namespace) as client:
        answer(client.estop(asker(), reason))


def reset(namespace: Namespace = "") -> None:
    """Clear a stop or an emergency stop. The robot then waits for a new task; the old one never resumes."""
    with needs_ros():
        from reins.nodes.client import GraphClient
    with GraphClient(namespace) as client:
        answer(client.reset(asker()))


def arm(
    off: Annotated[bool, typer.Option("--off", help="Disarm instead: the robot stops and takes no command.")] = False,
    namespace: Namespace = "",
) -> None:
    """Let safe commands reach the robot. A simulated one is armed by itself; a real one only by a person."""
    with needs_ros():
        from reins.nodes.client import GraphClient
    with GraphClient(namespace) as client:
        answer(client.arm(asker(), not off))


def handback(namespace: Namespace = "") -> None:
    """Hand control back to the skills after somebody drove by hand."""
    with needs_ros():
        from reins.nodes.client import GraphClient
    with GraphClient(namespace) as client:
        answer(client.hand_back(asker()))


def status(
    namespace: Namespace = "",
    listen: Annotated[float, typer.Option(min=1.0, max=60.0, help="Longest time to listen, in seconds.")] = 5.0,
) -> None:
    """Who is up, the safety mode, what the robot and the cameras say. Exit status 2 when no graph is heard."""
    with needs_ros():
        from reins.nodes.client import GraphClient
        from reins.nodes.watch import GraphWatch
    with GraphClient(namespace) as client:
        watch = GraphWatch(client)
        watch.wait_until_ready(listen - SETTLE, lambda _: None)
        client.spin(SETTLE)
        heard = watch.status
    if not heard.nodes and heard.robot_time is None:
        where = f" in namespace '{namespace}'" if namespace else ""
        err.print(f"no graph is heard{where}; start one with `reins up sim`")
        raise typer.Exit(int(ExitCode.ERROR))
    _show(heard)


def _show(heard: "GraphStatus") -> None:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for name, node in sorted(heard.nodes.items()):
        mark = "[green]●[/]" if heard.up(name) else "[red]●[/]"
        table.add_row(f"{mark} {name}", node.state if heard.up(name) or node.state != "active" else "silent")
    out.print(table)
    if safety := heard.safety:
        out.print(
            f"safety   {safety.mode} · {escape(safety.reason)} · {safety.speed_scale:.0%} of the limits · "
            f"{safety.clipped} commands changed, {safety.rejected} refused",
            soft_wrap=True,
        )
    if heard.robot_time is None:
        out.print("robot    [red]no robot_state is heard[/]")
    else:
        armed = "armed" if heard.armed else "not armed"
        stage = f" · stage {escape(heard.stage)}" if heard.stage is not None else ""
        fault = f" · [red]{escape(heard.fault)}[/]" if heard.fault else ""
        out.print(
            f"robot    {armed}{stage} · time {heard.robot_time:.1f} s · {heard.state_rate():.0f} states/s{fault}",
            soft_wrap=True,
        )
    if heard.scene is not None:
        stale = f"[red]stale: {escape(heard.scene.stale)}[/] · " if heard.scene.stale else ""
        out.print(f"scene    {stale}{escape(heard.scene.caption)}", soft_wrap=True)
    if heard.waiting is not None:
        question = (
            f"plan {heard.waiting.number} for “{heard.waiting.instruction}” waits for an answer: `reins plan show`"
        )
        out.print(f"asks     [yellow]{escape(question)}[/]", soft_wrap=True)
    if heard.plan is not None and heard.plan.steps:
        out.print(f"plan     {escape(' → '.join(map(str, heard.plan.steps)))}", soft_wrap=True)
