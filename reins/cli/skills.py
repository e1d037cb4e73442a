"""`reins skills`: what the robot can do, one skill in detail, run one."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from reins.cli.console import ExitCode, Namespace, needs_ros, out
from reins.contracts.errors import ReinsError, UnknownName

if TYPE_CHECKING:
    from reins.contracts.plan import ArgumentValue, SkillCall
    from reins.skills.registry import Condition, Parameter, SkillRegistry, SkillSpec

Robot = Annotated[str, typer.Option(help="Robot profile; each kind of robot has skills of its own.")]

app = typer.Typer(no_args_is_help=True, help="What the robot can do; run one skill.")


@app.command("list")
def list_skills(
    live: Annotated[
        bool, typer.Option("--live", help="Ask the running graph, which also names the controllers.")
    ] = False,
    robot: Robot = "franka",
    namespace: Namespace = "",
) -> None:
    """The skills, one line each."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=live)
    table.add_column("skill", style="bold", no_wrap=True)
    table.add_column("what it does")
    if live:
        with needs_ros():
            from reins.nodes.client import GraphClient
        table.add_column("controller", no_wrap=True)
        with GraphClient(namespace) as client:
            for entry in client.skills():
                table.add_row(entry.name, escape(entry.description), entry.controller)
    else:
        for spec in _skills_for(robot).values():
            table.add_row(signature(spec), escape(spec.description))
    out.print(table)


@app.command()
def show(
    skill: Annotated[str, typer.Argument(help="Name of the skill.")],
    robot: Robot = "franka",
) -> None:
    """One skill: parameters, what must hold before, what holds after, its time limit."""
    spec = _skills_for(robot)[skill]
    out.print(f"[bold]{signature(spec)}[/]  {escape(spec.description)}", soft_wrap=True)
    for parameter in spec.parameters:
        out.print(f"  {parameter.name}: {escape(parameter.description)} ({escape(takes(parameter))})", soft_wrap=True)
    _conditions("before", spec.preconditions)
    _conditions("after", spec.effects)
    out.print(f"  takes at most {spec.time_limit:g} s; fits: {', '.join(spec.kinds)}")


@app.command()
def run(
    skill: Annotated[str, typer.Argument(help="Name of the skill.")],
    arguments: Annotated[list[str] | None, typer.Argument(help="name=value …", metavar="NAME=VALUE…")] = None,
    avoid: Annotated[list[str] | None, typer.Option(help="Id of an object that must not be touched.")] = None,
    robot: Robot = "franka",
    namespace: Namespace = "",
) -> None:
    """Run one skill on the robot, e.g. `reins skills run pick object=red_block`. Ctrl-C cancels it."""
    from reins.contracts.plan import Constraint

    spec = _skills_for(robot)[skill]
    call = parse_call(spec, arguments or [])
    constraints = [Constraint(kind="avoid", object=name, set_by="operator") for name in avoid or []]
    with needs_ros():
        from reins.nodes.client import GraphClient
        from reins.nodes.watch import newest_scene
    with GraphClient(namespace) as client, out.status(escape(str(call))) as line:
        if avoid:
            scene = newest_scene(client)
            for name in avoid:
                scene.find(name)  # a name that is mistyped would be touched
        outcome = client.run_skill(
            call,
            constraints,
            spec.time_limit + MARGIN,
            lambda now: line.update(escape(f"{call}  {now.phase} {now.progress:.0%}")),
        )
    if outcome.success:
        out.print(f"[bold green]succeeded[/] after {outcome.duration:.1f} s")
        return
    out.print(f"[bold red]failed[/] after {outcome.duration:.1f} s: {escape(outcome.reason)}", soft_wrap=True)
    raise typer.Exit(int(ExitCode.FAILED))


def _skills_for(robot: str) -> "SkillRegistry":
    """The skills of a robot's kind; raises UnknownName where there is no such robot."""
    from reins.hardware.profile import load_profile
    from reins.hardware.profile_base import Profile
    from reins.skills.catalogue import skills_of

    return skills_of(load_profile(robot, Profile).kind)


MARGIN = 30.0
"""The client waits this much longer [s] than the skill's own limit: simulated time may run slowly."""


def parse_call(spec: "SkillSpec", arguments: list[str]) -> "SkillCall":
    """A call from name=value words.

    Raises:
        ReinsError: no such parameter, not name=value, a number that is none, or one that is missing.
    """
    from reins.contracts.plan import SkillCall

    parameters = {parameter.name: parameter for parameter in spec.parameters}
    values: dict[str, ArgumentValue] = {}
    for word in arguments:
        name, equals, text = word.partition("=")
        if not equals or not text:
            raise ReinsError(f"'{word}' is not NAME=VALUE; {signature(spec)}")
        if name not in parameters:
            raise UnknownName(f"parameter of {spec.name}", name, parameters)
        values[name] = _number(name, text) if parameters[name].kind == "number" else text
    for name, parameter in parameters.items():
        if name not in values and parameter.default is None:
            raise ReinsError(f"{spec.name} needs {name}=…: {parameter.description}")
    return SkillCall(skill=spec.name, arguments=values)


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ReinsError(f"{name} is '{text}'; it must be a number") from None


def signature(spec: "SkillSpec") -> str:
    """E.g. "push(object, direction, distance=0.1)"."""
    inner = ", ".join(p.name if p.default is None else f"{p.name}={p.default}" for p in spec.parameters)
    return f"{spec.name}({inner})"


def takes(parameter: "Parameter") -> str:
    """What a parameter accepts, in words."""
    if parameter.kind == "number":
        return f"number from {parameter.lower:g} to {parameter.upper:g} {parameter.unit}".rstrip()
    if parameter.kind == "word":
        return " | ".join(parameter.words)
    kinds = " or ".join((*parameter.labels, *parameter.also)) or "any object"
    return f"id of: {kinds}"


ANYTHING = "*"


def _conditions(when: str, conditions: "tuple[Condition, ...]") -> None:
    for condition in conditions:
        if condition.negated and ANYTHING in condition.fact[:1]:
            continue  # bookkeeping: whatever related the object to others is unknown afterwards
        name, *arguments = condition.fact
        text = f"{name}({', '.join(arguments)})" if arguments else name
        out.print(f"  {when}: {'not ' if condition.negated else ''}{escape(text)}")
