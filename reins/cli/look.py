"""`reins look`: what the cameras of a running graph see, as a table and as a picture, and answers to questions."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from reins.cli.console import Namespace, err, needs_ros, out
from reins.cli.pictures import save
from reins.cli.still import look_at_file
from reins.cli.vision_options import BaseUrl, Model, Projector, vision_settings
from reins.contracts.errors import ReinsError
from reins.contracts.footprints import yaw_of
from reins.contracts.scene import OCCLUDED, REACHABLE
from reins.perception.vision_language.settings import TINY

if TYPE_CHECKING:
    from reins.contracts.scene import Relation, Scene, SceneObject


def look(
    image: Annotated[
        Path, typer.Option("--image", "-i", help="Where the picture with the scene drawn in goes (PNG, JPEG).")
    ] = Path("look.png"),
    no_image: Annotated[bool, typer.Option("--no-image", help="Only the table.")] = False,
    ask: Annotated[
        str, typer.Option("--ask", help="A question to the vision-language model: is the mug upside down?")
    ] = "",
    file: Annotated[
        Path | None, typer.Option("--file", help="Look at this picture instead, without a robot: what a model sees.")
    ] = None,
    vlm: Annotated[str, typer.Option(help="The model for --file: tiny, openai, llama_cpp or transformers.")] = TINY,
    model: Model = "",
    projector: Projector = "",
    base_url: BaseUrl = None,
    namespace: Namespace = "",
) -> None:
    """What the cameras see: every object with its pose and its relations, and the picture that it was seen in; with
    --ask only the answer to a question about it. With --file what a model sees in a picture."""
    if not (ask or no_image) and not image.parent.is_dir():
        raise ReinsError(f"no folder '{image.parent}' for the picture; make it, or name another file with --image")
    if file is not None:
        look_at_file(file, vision_settings(vlm, model, projector, base_url), ask, None if no_image else image)
        return
    with needs_ros():
        from reins.nodes.client import GraphClient
        from reins.nodes.look_client import ask_about
        from reins.nodes.look_client import look as see
    if ask:
        with GraphClient(namespace) as client:
            out.print(ask_about(client, ask), soft_wrap=True, markup=False)
        return
    with GraphClient(namespace) as client:
        seen = see(client, with_picture=not no_image)
    show_scene(seen.scene)
    if seen.picture is not None:
        save(seen.picture, image)
        out.print(f"picture  {escape(str(image))}", soft_wrap=True)
    elif not no_image:
        err.print("no picture came: perception has no camera that sees, or does not look through any (backend state)")


def show_scene(scene: "Scene") -> None:
    """Print a scene: why it is stale if it is, a row for each object, the caption."""
    if scene.stale:
        out.print(f"[bold red]stale[/]    {escape(scene.stale)}; this is what was seen last", soft_wrap=True)
    out.print(scene_table(scene))
    out.print(f"scene    {escape(scene.caption)}", soft_wrap=True)
    for doubt in scene.doubted:
        out.print(f"[yellow]doubted[/]  {escape(doubt)}", soft_wrap=True)
    if scene.described:
        age = max(scene.stamp - scene.described, 0.0)
        out.print(f"words    by a vision-language model, of a picture that is {age:.1f} s older")
    out.print(f"source   {escape(scene.source)}, robot time {scene.stamp:.2f} s")


def scene_table(scene: "Scene") -> Table:
    """One row for each object of a scene, in its order."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title, side in (
        ("object", "left"),
        ("x, y, z [m]", "right"),
        ("turn [°]", "right"),
        ("size [mm]", "right"),
        ("sure", "right"),
        ("seen [s ago]", "right"),
        ("is", "left"),
    ):
        table.add_column(title, justify="right" if side == "right" else "left", no_wrap=title != "is")
    for item in scene.objects.values():
        table.add_row(*_row(item, scene))
    return table


def _phrase(relation: "Relation") -> str:
    """A relation of an object, as a phrase; what it is for the robot and for the cameras is one by itself."""
    word = relation.predicate.replace("_", " ")
    return word if relation.predicate in (OCCLUDED, REACHABLE) else f"{word} {relation.object}"


def _row(item: "SceneObject", scene: "Scene") -> list[str]:
    turn = math.degrees(yaw_of(item.orientation))
    relations = sorted(r for r in scene.relations if r.subject == item.id)
    said = [*([f"“{item.name}”"] if item.name else []), *item.attributes]
    return [
        escape(item.id),
        ", ".join(f"{value:.3f}" for value in item.position),
        f"{turn:.0f}",
        " × ".join(f"{value * 1e3:.0f}" for value in item.size),
        f"{item.confidence:.0%}",
        f"{max(scene.stamp - item.last_seen, 0.0):.1f}",
        escape(", ".join([*said, *map(_phrase, relations)])),
    ]
