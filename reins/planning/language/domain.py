"""What planning by a language model knows of a kind of robot, beside its skills: its words, and how it is told of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from reins.contracts.plan import Constraint
from reins.contracts.scene import Scene
from reins.planning.clarify import Choosing, Reading
from reins.planning.english.answer import choose as choose_at_table
from reins.planning.english.meaning import read as read_at_table
from reins.planning.language.at_table import AT_TABLE
from reins.planning.language.guard import said_constraints as said_at_table
from reins.planning.language.manner import Manner
from reins.planning.language.on_legs import KEPT, ON_LEGS
from reins.planning.walking.answer import choose as choose_on_legs
from reins.planning.walking.meaning import read as read_on_legs
from reins.planning.walking.meaning import said_constraints as said_on_legs
from reins.skills.registry import SkillSpec

Registry = Mapping[str, SkillSpec]


@dataclass(frozen=True, slots=True)
class Domain:
    """A kind of robot.

    Attributes:
        read: from an instruction, the scene in which it was given and the skills to what it means, where every word is
            known; raises CannotDo or Unclear.
        choose: from an answer to "which one?" to the objects that are meant.
        said: from the same to the constraints that the instruction states in words that are known.
        manner: how the long prompt tells of it.
        is_compact: whether there is a short prompt, too, as our own small model takes it.
        repeats: whether a step that follows its like does more, so that repeats of a model stay.
        distances: that a constraint may keep from something [m]; none where a thing is only left alone.
    """

    read: Reading
    choose: Choosing
    said: Callable[[str, Scene, Registry], tuple[Constraint, ...]]
    manner: Manner
    is_compact: bool
    repeats: bool
    distances: tuple[float, ...]


ARM: Final = Domain(
    read_at_table, choose_at_table, said_at_table, AT_TABLE, is_compact=True, repeats=False, distances=()
)
LEGS: Final = Domain(
    read_on_legs, choose_on_legs, said_on_legs, ON_LEGS, is_compact=False, repeats=True, distances=KEPT
)


def domain_of(registry: Registry) -> Domain:
    """That of the robots which have these skills."""
    return LEGS if any("quadruped" in spec.kinds for spec in registry.values()) else ARM
