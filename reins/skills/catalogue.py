"""Which skills a robot is offered: those of its kind, and no others.

Each kind has a registry of its own, so that what a planner is told of an arm does not change when legs learn something.
"""

from collections.abc import Mapping
from typing import Final

from reins.contracts.errors import look_up
from reins.skills.legged.library import LEGGED_SKILLS
from reins.skills.library import SKILLS
from reins.skills.registry import SkillRegistry, SkillSpec

REGISTRIES: Final[Mapping[str, SkillRegistry]] = {"arm": SKILLS, "quadruped": LEGGED_SKILLS}
"""Kind of robot → its skills."""

EVERY_SKILL: Final[Mapping[str, SkillSpec]] = {**SKILLS, **LEGGED_SKILLS}
"""The skills of all robots, for who reads of tasks and is not told of which robot: no two kinds share a name."""


def skills_of(kind: str) -> SkillRegistry:
    """The skills of robots of a kind.

    Raises:
        UnknownName: no such kind; lists those that exist.
    """
    return look_up("kind of robot", kind, REGISTRIES)
