"""Names and text from outside, made plain: what a camera read or a person typed cannot look like part of a prompt.

Text is made plain by `plain_text` of the room language_models; here are the names of things.
"""

import re
from collections.abc import Callable
from typing import Final, Protocol

from reins.contracts.plan import Plan
from reins.contracts.scene import TABLE, Scene, SceneObject
from reins.language_models.plain import plain_text

NAME: Final = re.compile(r"[a-z0-9]{1,16}(?:_[a-z0-9]{1,16}){0,3}")
"""An object id, or a label, that is shown as it is: at most four short words. Perception makes no others."""

UNNAMED: Final = "thing"
"""What an object is called whose id or label is no name."""

TAKEN: Final = frozenset({TABLE, "gripper", "held", "gone"})
"""Words that say something else in prompts."""

MOST_SEEN: Final = 40
"""Characters of what an object is called by a vision-language model, and of an attribute."""

_COLOUR: Final = re.compile(r"[a-z]{1,12}(?: [a-z]{1,12})?")


def plain_label(label: str) -> str:
    """A label as a name; UNNAMED if it is more than that."""
    name = "_".join(label.lower().split())
    return name if NAME.fullmatch(name) else UNNAMED


def plain_colour(colour: str) -> str:
    """A colour of one or two words; empty if it is something else."""
    return colour if _COLOUR.fullmatch(colour) else ""


def kind_of(item: SceneObject) -> str:
    """Colour and label of an object, and what a vision-language model said of it, as data."""
    kind = " ".join(filter(None, (plain_colour(item.colour), plain_label(item.label))))
    told = "; ".join(filter(None, (plain_text(word, MOST_SEEN) for word in (item.name, *item.attributes))))
    return f"{kind} (seen as: {told})" if told else kind


class Naming(Protocol):
    """What objects are called in a prompt and in the reply to it."""

    def shown(self, object_id: str) -> str:
        """What the object is called; of one that is not in the scene, too, and of the table."""

    def restore(self, plan: Plan) -> Plan:
        """The plan with the objects' ids in place of what they are called."""


class Names:
    """What the objects of a scene are called in a prompt and in the reply to it: their ids, if these are names.

    Args:
        scene: the objects.
    """

    def __init__(self, scene: Scene) -> None:
        odd = sorted(name for name in scene.objects if not _is_name(name))
        free = (f"{UNNAMED}_{number}" for number in range(1, len(scene.objects) + len(odd) + 1))
        aliases = (name for name in free if name not in scene.objects)
        self._shown = dict(zip(odd, aliases, strict=False))
        self._real = {alias: name for name, alias in self._shown.items()}

    def shown(self, object_id: str) -> str:
        """What the object is called; of one that is not in the scene, too, and of the table."""
        if object_id in self._shown:
            return self._shown[object_id]
        return object_id if NAME.fullmatch(object_id) else UNNAMED

    def restore(self, plan: Plan) -> Plan:
        """The plan with the objects' ids in place of what they are called."""
        return renamed(plan, lambda shown: self._real.get(shown, shown)) if self._real else plan


def renamed(plan: Plan, name: Callable[[str], str], words: Callable[[str], str] = str) -> Plan:
    """A plan with its objects called otherwise.

    Args:
        plan: any.
        name: gives what is said in place of an argument that is a text, or of the object of a rule.
        words: gives what is said in place of its thought, its question or its refusal.
    """
    steps = plan.steps and tuple(
        step.model_copy(
            update={
                "arguments": {
                    key: name(value) if isinstance(value, str) else value for key, value in step.arguments.items()
                }
            }
        )
        for step in plan.steps
    )
    rules = tuple(
        rule.model_copy(update={"object": name(rule.object)}) if rule.object else rule for rule in plan.constraints
    )
    said = {"thought": plan.thought, "question": plan.question, "refusal": plan.refusal}
    told = {key: words(text) for key, text in said.items() if text is not None}
    return plan.model_copy(update={"steps": steps, "constraints": rules, **told})


def _is_name(object_id: str) -> bool:
    return NAME.fullmatch(object_id) is not None and object_id not in TAKEN
