"""`reins constraints` and `reins speed`: what an operator tightens and loosens at run time."""

from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.markup import escape

from reins.cli.console import Namespace, asker, needs_ros, out
from reins.cli.graph import answer
from reins.contracts.errors import ReinsError, UnknownName

if TYPE_CHECKING:
    from reins.contracts.plan import Constraint

app = typer.Typer(no_args_is_help=True, help="What holds for every motion: objects to avoid, boxes, speed, payload.")

FORMS: Final = {
    "avoid": ("OBJECT",),
    "keep_out": ("X", "Y", "Z", "LENGTH", "WIDTH", "HEIGHT"),
    "speed": ("SCALE",),
    "payload": ("MASS",),
}
"""The words of each kind: an object's id, a box's centre and extents [m] (base frame of an arm, odometry frame of a
robot that walks), a share of the limits, a mass [kg]."""

NEGATIVE_NUMBERS: Final = {"ignore_unknown_options": True}
"""Otherwise -0.1 is taken for an option."""


@app.command("list")
def list_constraints(namespace: Namespace = "") -> None:
    """The constraints in force, oldest first, and the share of the speed limits that they leave."""
    with needs_ros():
        from reins.nodes.client import GraphClient
        from reins.nodes.rules_client import RulesClient
    with GraphClient(namespace) as client:
        rules = RulesClient(client).list()
    for constraint in rules.constraints:
        out.print(f"[bold]{constraint.id}[/]  {escape(str(constraint))}", soft_wrap=True)
    if not rules.constraints:
        out.print("no constraint is in force")
    out.print(f"speed at most {rules.speed_scale:.0%} of the limits")


@app.command(context_settings=NEGATIVE_NUMBERS)
def add(
    kind: Annotated[str, typer.Argument(help="avoid, keep_out, speed or payload.")],
    words: Annotated[list[str], typer.Argument(help="An object's id; X Y Z and extents; a scale; a mass.")],
    distance: Annotated[
        float | None,
        typer.Option(help="Of `avoid`: free distance from the footprint of a robot that walks, in metres, up to 10."),
    ] = None,
    namespace: Namespace = "",
) -> None:
    """Add one, e.g. `avoid yellow_block`, `keep_out 0.5 -0.2 0.1 0.2 0.2 0.3`, `speed 0.5`, `payload 0.4`.

    A box stands still: it is in the base frame of an arm, and in the odometry frame of a robot that walks.
    """
    constraint = parse_constraint(kind, words, distance)
    with needs_ros():
        from reins.nodes.client import GraphClient
        from reins.nodes.rules_client import RulesClient
    with GraphClient(namespace) as client:
        answer(RulesClient(client).add(constraint, asker()))


@app.command()
def remove(
    constraint_id: Annotated[str, typer.Argument(metavar="ID", help="As `list` shows it.")] = "",
    all_of: Annotated[str, typer.Option(help="Remove all that this one set: operator or planner.")] = "",
    namespace: Namespace = "",
) -> None:
    """Remove one, or all that the operator or the planner set."""
    if bool(constraint_id) == bool(all_of):
        raise ReinsError("say which: the ID of a constraint, or `--all-of operator` or `--all-of planner`")
    with needs_ros():
        from reins.nodes.client import GraphClient
        from reins.nodes.rules_client import RulesClient
    with GraphClient(namespace) as client:
        rules = RulesClient(client)
        answer(rules.remove(constraint_id, asker()) if constraint_id else rules.clear(all_of, asker()))


def speed(
    scale: Annotated[float | None, typer.Argument(help="Share of the speed limits, above 0 and up to 1.")] = None,
    namespace: Namespace = "",
) -> None:
    """Set the operator's share of the robot's speed limits, or show what is allowed now."""
    if scale is not None and not 0.0 < scale <= 1.0:
        raise ReinsError(f"the speed scale is {scale:g}; it must be greater than 0 and at most 1")
    with needs_ros():
        from reins.nodes.client import GraphClient
        from reins.nodes.rules_client import RulesClient
    with GraphClient(namespace) as client:
        rules = RulesClient(client)
        if scale is not None:
            answer(rules.set_speed(scale))
        out.print(f"speed at most {rules.list().speed_scale:.0%} of the limits")


def parse_constraint(kind: str, words: list[str], distance: float | None = None) -> "Constraint":
    """A constraint of the operator's from the words of the command line.

    Args:
        kind: one of FORMS.
        words: as that form has them.
        distance: how far to keep from what is avoided [m]; None if nobody says.

    Raises:
        ReinsError: no such kind, the wrong number of words, or a value that is out of range.
    """
    from pydantic import ValidationError

    from reins.contracts.plan import Constraint

    if kind not in FORMS:
        raise UnknownName("kind of constraint", kind, FORMS)
    form = FORMS[kind]
    if len(words) != len(form):
        raise ReinsError(f"`{kind}` takes {len(form)} words: {' '.join((kind, *form))}")
    values: dict[str, object] = {"kind": kind, "set_by": "operator"}
    if distance is not None:
        if kind != "avoid":
            raise ReinsError(f"`--distance` goes with `avoid OBJECT`, not with `{kind}`")
        if not distance > 0.0:
            raise ReinsError(
                f"the distance is {distance:g} m; it must be greater than 0, or left out for the usual one"
            )
        values["distance"] = distance
    if kind == "avoid":
        values["object"] = words[0]
    else:
        numbers = [_number(name, word) for name, word in zip(form, words, strict=True)]
        fields: dict[str, dict[str, object]] = {
            "keep_out": {"centre": numbers[:3], "size": numbers[3:]},
            "speed": {"scale": numbers[0]},
            "payload": {"mass": numbers[0]},
        }
        values |= fields[kind]
    try:
        return Constraint.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = " ".join(str(part) for part in first["loc"])
        raise ReinsError(f"`{' '.join((kind, *words))}`: {where} {first['msg']}".replace(":  ", ": ")) from None


def _number(name: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ReinsError(f"{name} is '{word}'; it must be a number") from None
