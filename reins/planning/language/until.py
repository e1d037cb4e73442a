"""A planner as one task has it: whoever has the task can end its plans at any time."""

from collections.abc import Callable
from dataclasses import dataclass

from reins.contracts.plan import Plan
from reins.contracts.scene import Scene
from reins.language_models.model import Cancel
from reins.planning.planner import History, Planner, memory_of

PlanUntil = Callable[[Cancel, str, Scene, History], Plan]


@dataclass(frozen=True, slots=True)
class PlannerUntil:
    """A planner whose plans end with `cancel`, whenever that is given.

    Attributes:
        planner: everything else is as it says.
        make: a plan, until it is cancelled; raises Cancelled then.
        cancel: of whoever has the task.
    """

    planner: Planner
    make: PlanUntil
    cancel: Cancel

    @property
    def name(self) -> str:
        """The planner's."""
        return self.planner.name

    @property
    def quick(self) -> bool:
        """The planner's."""
        return self.planner.quick

    @property
    def memory(self) -> tuple[int, int]:
        """The planner's; see `memory_of`."""
        return memory_of(self.planner)

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        """The planner's; raises Cancelled soon after `cancel` was given, and at once if it was given before."""
        return self.make(self.cancel, instruction, scene, history)

    def unmet(self, instruction: str, scene: Scene, history: History) -> list[str]:
        """The planner's."""
        return self.planner.unmet(instruction, scene, history)
