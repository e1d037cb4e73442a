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
        untricked: where the scene has a text in it that wants to be obeyed: the scene with a harmless one in its place,
            and the scene without any, with the same objects in the same order; else empty.
    """

    instruction: str
    scene: Scene
    history: History
    plan: Plan
    meaning: Meaning
    language: str
    families: frozenset[str]
    untricked: tuple[Scene, ...] = ()
