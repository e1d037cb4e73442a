"""`reins look --file`: a picture from a file, as a vision-language model sees it. No graph, and nothing is measured."""

from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from reins.cli.console import out
from reins.cli.pictures import save

if TYPE_CHECKING:
    from reins.perception.vision_language.description import Description, SaidObject
    from reins.perception.vision_language.settings import VisionSettings


def look_at_file(file: Path, vision: "VisionSettings", question: str, image: Path | None) -> None:
    """Print what a model says of a picture, or its answer to a question about it.

    Args:
        file: the picture.
        vision: the model.
        question: empty for a description.
        image: where the picture with the things drawn in goes; None for nowhere.

    Raises:
        ReinsError: the picture cannot be read, or the model says nothing; says why.
    """
    from reins.perception.factory import vision_model
    from reins.perception.vision_language.still import Still

    still = Still(file)
    model = vision_model(vision)
    if question:
        answer = still.answer(model, question)
        out.print(f"{answer.verdict}: {answer.answer}", soft_wrap=True, markup=False)
        return
    said = still.describe(model)
    show_description(said)
    if image is not None:
        save(still.drawn(said), image)
        out.print(f"picture  {escape(str(image))}", soft_wrap=True)


def show_description(said: "Description") -> None:
    """Print what a model says of a picture: a row for each thing, the caption."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("thing", "is", "box [‰]", "sure", "where"):
        table.add_column(title)
    for number, thing in enumerate(said.objects, start=1):
        table.add_row(*_row(number, thing, said))
    out.print(table)
    out.print(f"caption  {escape(said.caption)}", soft_wrap=True)
    out.print("source   a vision-language model's words; nothing was measured")


def _row(number: int, thing: "SaidObject", said: "Description") -> list[str]:
    box = thing.box
    where = [
        f"{one.relation} {'the table' if not one.object else one.object}"
        for one in said.relations
        if one.subject == number
    ]
    return [
        str(number),
        escape(", ".join([thing.name, thing.kind, thing.colour, *thing.attributes])),
        f"{box.left}, {box.top}, {box.right}, {box.bottom}",
        "" if thing.certain is None else f"{thing.certain:.0%}",
        ", ".join(where),
    ]
