"""One example: an instruction in a scene, what has been done about it, and the teacher's plan."""

from dataclasses import dataclass

from reins.contracts.plan import Plan
from reins.contracts.scene import Scene
from reins.planning.planner import History
from reins.training.planner.meanings import Meaning


@dataclass(frozen=True, slots=True)
class Example:
    """One example.

    Attributes:
        instruction: what is said.
        scene: what is seen now.
        history: the task so far.
        plan: the teacher's.
        meaning: of the instruction, in `history.initial`.
        language: of the instruction.
        families: of phrases that it is made of.
        clean: the scene without the text that wants to be obeyed, with the same objects in the same order; None where
            there is no such text.
    """

    instruction: str
    scene: Scene
    history: History
    plan: Plan
    meaning: Meaning
    language: str
    families: frozenset[str]
    clean: Scene | None = None
