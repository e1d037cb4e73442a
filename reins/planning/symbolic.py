"""The `symbolic` planner: controlled English to goals, goals to skills by search.

It is the baseline and the fallback beside a language model: it understands little, but what it understands it does in
the fewest steps, and what it does not understand it names.
"""

from collections.abc import Mapping
from typing import Final

from reins.contracts.plan import Plan
from reins.contracts.scene import Scene
from reins.planning.answers import CannotDo, Unclear
from reins.planning.clarify import Choosing, Clear, Reading, clarified
from reins.planning.english.answer import choose
from reins.planning.english.meaning import read
from reins.planning.planner import History
from reins.planning.pursuit import missing, pursue
from reins.planning.reach import Reach, out_of_reach
from reins.skills.registry import SkillSpec


class SymbolicPlanner:
    """Plans by search over the registry's preconditions and effects.

    Args:
        registry: the skills' declarations.
        reach: the robot's workspace; without it, plans are not held to one.
        understand: reads instructions; those to an arm by default.
        hear: reads answers to "which one?".
    """

    name: Final = "symbolic"
    quick: Final = True

    def __init__(
        self,
        registry: Mapping[str, SkillSpec],
        reach: Reach | None = None,
        understand: Reading = read,
        hear: Choosing = choose,
    ) -> None:
        self._registry, self._reach, self._read, self._choose = registry, reach, understand, hear

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        """The shortest plan from `scene`; a question if the instruction is ambiguous, a refusal if it is impossible."""
        said = self._clarified(instruction, history)
        try:
            task = self._read(said.text, history.initial, self._registry)
            steps = pursue(task, scene, history, self._registry)
        except Unclear as unclear:
            return Plan(question=f"I cannot make out “{said.lost}”. {unclear}" if said.lost else str(unclear))
        except CannotDo as refusal:
            return Plan(refusal=str(refusal))
        if self._reach and (beyond := out_of_reach(steps, scene, self._registry, self._reach)):
            return Plan(refusal=f"the arm does not reach that: {beyond[0]}")
        return Plan(thought=task.summary, steps=tuple(steps), constraints=task.constraints)

    def unmet(self, instruction: str, scene: Scene, history: History) -> list[str]:
        """What is asked for and not so. An instruction that is not understood is never met."""
        try:
            task = self._read(self._clarified(instruction, history).text, history.initial, self._registry)
        except (Unclear, CannotDo) as error:
            return [str(error)]
        return missing(task, scene, history, self._registry)

    def _clarified(self, instruction: str, history: History) -> Clear:
        return clarified(instruction, history, self._registry, self._read, self._choose)
