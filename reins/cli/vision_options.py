"""Options that name a vision-language model, for all commands that ask one."""

from typing import Annotated

import typer

from reins.contracts.errors import UnknownName
from reins.perception.vision_language.settings import DOOR_NAMES, NO_MODEL, VisionSettings

Model = Annotated[
    str, typer.Option(help="The model's file, folder or name at the server; for tiny the one that ships by default.")
]
Projector = Annotated[str, typer.Option(help="llama_cpp: the GGUF file that turns pictures into what the model reads.")]
BaseUrl = Annotated[str | None, typer.Option(help="openai: the server's address.")]


def vision_settings(vlm: str, model: str, projector: str, base_url: str | None) -> VisionSettings:
    """The model that these options name.

    Raises:
        UnknownName: nothing of that name runs one.
    """
    if vlm not in (*DOOR_NAMES, NO_MODEL):
        raise UnknownName("vision-language model", vlm, DOOR_NAMES)
    given = {"vlm": vlm, "model": model, "projector": projector, "base_url": base_url}
    return VisionSettings.model_validate({name: value for name, value in given.items() if value is not None})
