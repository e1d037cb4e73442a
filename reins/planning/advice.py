"""Advice about a step that runs: the planner is asked beside it, and may have another plan or an objection."""

from dataclasses import dataclass

from reins.contracts.plan import Plan
from reins.contracts.scene import Scene
from reins.planning.planner import History, Planner


@dataclass(frozen=True, slots=True)
class Advice:
    """What a planner says about a step that runs.

    Attributes:
        question: that was put to it.
        plan: what it would do now.
    """

    question: "Consultation"
    plan: Plan


@dataclass(frozen=True, slots=True)
class Consultation:
    """A question about the step that runs. It depends on nothing else, so any thread may put it to a planner.

    Attributes:
        run: which skill of the task it is about, from 1.
        instruction: of the task.
        scene: what was seen in the middle of the step.
        history: the task so far; what is left of its plan begins with the step that runs.
    """

    run: int
    instruction: str
    scene: Scene
    history: History

    def put_to(self, planner: Planner) -> Advice:
        """The planner's answer.

        Raises:
            ReinsError: it has none; says why.
        """
        return Advice(self, planner.plan(self.instruction, self.scene, self.history))
