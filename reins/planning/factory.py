"""Planners by name."""

from collections.abc import Callable, Mapping
from typing import Final

from reins.contracts.errors import look_up
from reins.planning.planner import Planner
from reins.planning.scripted import ScriptedPlanner
from reins.planning.symbolic import SymbolicPlanner
from reins.skills.registry import SkillSpec

PLANNERS: Final[Mapping[str, Callable[[Mapping[str, SkillSpec]], Planner]]] = {
    "symbolic": SymbolicPlanner,
    "scripted": ScriptedPlanner,
}
"""Every planner, by the name that launch files and the command line use."""


def make_planner(name: str, registry: Mapping[str, SkillSpec]) -> Planner:
    """The planner of that name.

    Raises:
        UnknownName: no such planner; lists those that exist.
    """
    return look_up("planner", name, PLANNERS)(registry)
