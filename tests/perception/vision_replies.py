"""Descriptions as a model would give them, and a model that gives them."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from reins.contracts.scene import Scene
from reins.language_models.model import Bounds, Cancel, Completion, LanguageModel, ModelError, Prompt, Schema, unheard
from reins.perception.image import CameraImage
from reins.perception.vision_language.place import place_of


class Seer:
    """Says its lines one after the other, and the last one for ever.

    Args:
        lines: replies; an error is raised, None waits until it is cancelled or out of time.

    Attributes:
        prompts: what it was asked.
        asked: set whenever it is asked something.
    """

    name = "seer"
    takes = "chat"

    def __init__(self, *lines: str | Exception | None) -> None:
        self.prompts: list[Prompt] = []
        self.schemas: list[Schema] = []
        self.asked = threading.Event()
        self.closed = False
        self.lines = lines

    def complete(
        self,
        prompt: Prompt,
        schema: Schema,
        bounds: Bounds,
        cancel: Cancel,
        _on_text: Callable[[str], None] = unheard,
    ) -> Completion:
        line = self.lines[min(len(self.prompts), len(self.lines) - 1)]
        self.prompts.append(prompt)
        self.schemas.append(schema)
        self.asked.set()
        end = time.monotonic() + bounds.seconds
        while line is None:
            cancel.check()
            if time.monotonic() > end:
                raise ModelError("the seer said nothing in time")
            time.sleep(0.005)
        if isinstance(line, Exception):
            raise line
        return Completion(line, 1, 1, 0.0, 0.0, False)

    def close(self) -> None:
        self.closed = True

    def load(self) -> LanguageModel:
        """As a door does it."""
        return self  # type: ignore[return-value]  # `takes` is a constant here


def thing(box: tuple[int, int, int, int] = (100, 100, 300, 300), **said: Any) -> dict[str, Any]:
    """An object of a description."""
    left, top, right, bottom = box
    place = {"left": left, "top": top, "right": right, "bottom": bottom}
    return {"name": "wooden cube", "kind": "block", "colour": "red", "attributes": [], "box": place, **said}


def reply(*things: dict[str, Any], relations: Sequence[tuple[int, str, int]] = (), caption: str = "A table.") -> str:
    """A description as a model writes it."""
    related = [{"subject": one, "relation": word, "object": other} for one, word, other in relations]
    return json.dumps({"objects": list(things), "relations": related, "caption": caption})


def seen(scene: Scene, image: CameraImage, object_id: str, **said: Any) -> dict[str, Any]:
    """What a model that sees well says of an object of a scene; `said` where it says something else."""
    item = scene.objects[object_id]
    place = place_of(item, image)
    assert place is not None
    box = tuple(round(value) for value in (place.left, place.top, place.right, place.bottom))
    return thing(box, **{"kind": item.label, "colour": item.colour, "name": f"toy {item.label}", **said})  # type: ignore[arg-type]


def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait for what another thread does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.005)
