"""What a task is held to: constraints of its plans, of what its operator said while it ran, and of others."""

from collections.abc import Mapping
from typing import Final

from reins.contracts.plan import Constraint, Plan
from reins.contracts.scene import Scene
from reins.planning.language.domain import domain_of
from reins.planning.reach import Reach
from reins.planning.risk import Circumstances
from reins.planning.verifier import avoided, verify
from reins.skills.registry import SkillSpec


class TaskRules:
    """The constraints of one task.

    Args:
        registry: the skills' declarations.
        reach: the robot's workspace, if plans are to be checked against it.

    Attributes:
        standing: what others hold the robot to; whoever drives the task says so.
        plan: those of the plan that is being followed.
    """

    def __init__(self, registry: Mapping[str, SkillSpec], reach: Reach | None = None) -> None:
        self.standing: tuple[Constraint, ...] = ()
        self.plan: tuple[Constraint, ...] = ()
        self._registry: Final = registry
        self._read: Final = domain_of(registry).said
        self._reach: Final = reach
        self._said: tuple[Constraint, ...] = ()
        self._agreed: dict[Constraint, None] = {}

    @property
    def agreed(self) -> tuple[Constraint, ...]:
        """Those of all plans that were followed so far, in order."""
        return tuple(self._agreed)

    @property
    def own(self) -> tuple[Constraint, ...]:
        """Those that the task itself brings: of its plan, and of what the operator said while it ran."""
        return tuple(dict.fromkeys((*self.plan, *self._said)))

    def follow(self, plan: Plan) -> None:
        """A plan begins."""
        self.plan = plan.constraints
        self._agreed.update(dict.fromkeys(plan.constraints))

    def say(self, words: str, scene: Scene) -> None:
        """The operator said more: whatever it forbids holds for the rest of the task."""
        self._said = tuple(dict.fromkeys((*self._said, *self._read(words, scene, self._registry))))

    def start_over(self) -> None:
        """The instruction is another one; only what others hold the robot to stays."""
        self._said = ()
        self._agreed.clear()

    def forbidden(self, scene: Scene) -> frozenset[str]:
        """Ids of the objects that must not be touched, whatever a plan says of them."""
        return avoided((*self.standing, *self._said)) & set(scene.objects)

    def verify(self, plan: Plan, scene: Scene, start: int = 0) -> list[str]:
        """What is wrong with a plan from its step `start` on, all constraints included that are about this scene."""
        others = (*self.standing, *self._said)
        here = [rule for rule in others if rule.kind != "avoid" or rule.object in scene.objects]
        bound = plan.model_copy(update={"constraints": (*plan.constraints, *here)})
        return verify(bound, scene, self._registry, start, self._reach)

    def circumstances(self, scene: Scene) -> Circumstances:
        """What the risk of a plan is judged in."""
        return Circumstances(scene, self._registry, self.agreed, (*self.standing, *self._said))
