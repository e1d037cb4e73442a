"""The `scripted` planner: the instruction is itself a list of skill calls. For tests, and for trying skills by hand."""

import re
from collections.abc import Mapping
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.plan import ArgumentValue, Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.planner import History, unmet_effects
from reins.planning.words import call_text
from reins.skills.registry import SkillSpec

_CALL: Final = re.compile(r"\s*(\w+)\s*\(([^()]*)\)\s*")


class ScriptedPlanner:
    """Plans the calls of an instruction such as "pick(object=red_block); place_in(container=blue_bowl)", in order.

    A step that failed is tried again; one that succeeded is done for good.

    Args:
        registry: the skills' declarations.
    """

    name: Final = "scripted"
    quick: Final = False

    def __init__(self, registry: Mapping[str, SkillSpec]) -> None:
        self._registry = registry

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        """The calls that have not succeeded yet; a refusal when the text cannot be read."""
        try:
            return Plan(thought="as written", steps=self._left(instruction, history))
        except ReinsError as error:
            return Plan(refusal=str(error))

    def unmet(self, instruction: str, scene: Scene, history: History) -> list[str]:
        """Calls that have not succeeded, then lasting effects that are not seen."""
        left = [f"{call_text(call)} is not done" for call in self._left(instruction, history)]
        return left + unmet_effects(scene, history, self._registry)

    def _left(self, instruction: str, history: History) -> tuple[SkillCall, ...]:
        calls = parse_calls(instruction)
        return calls[sum(record.success for record in history.steps) :]


def parse_calls(text: str) -> tuple[SkillCall, ...]:
    """Read "skill(name=value, …); skill(…)".

    Raises:
        ReinsError: a part is not a call; quotes it.
    """
    calls = []
    for part in filter(str.strip, text.split(";")):
        found = _CALL.fullmatch(part)
        if found is None:
            raise ReinsError(f"'{part.strip()}' is not a skill call; write e.g. pick(object=red_block)")
        arguments: dict[str, ArgumentValue] = {}
        for pair in filter(str.strip, found[2].split(",")):
            name, equals, value = (piece.strip() for piece in pair.partition("="))
            if not (name and equals and value):
                raise ReinsError(f"'{pair.strip()}' in '{part.strip()}' is not an argument; write name=value")
            arguments[name] = _value(value)
        calls.append(SkillCall(skill=found[1], arguments=arguments))
    return tuple(calls)


def _value(text: str) -> ArgumentValue:
    try:
        return float(text)
    except ValueError:
        return text
