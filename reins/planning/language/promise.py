"""Whether a plan does what was asked for, where every word of the instruction is known: before anything moves."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from reins.contracts.plan import ArgumentValue, SkillCall
from reins.contracts.scene import Scene
from reins.planning.goals import Stage, Task
from reins.planning.simulation import SymbolicState
from reins.planning.words import call_text, fact_text
from reins.skills.registry import SkillSpec

ABOUT: Final = 0.011
"""Numbers of an act that differ by no more than this are the same: a centimetre, and what rounding adds."""


def falls_short(steps: Sequence[SkillCall], task: Task, scene: Scene, registry: Mapping[str, SkillSpec]) -> list[str]:
    """What is left undone of a task when the steps do what they declare, one clause each.

    Args:
        steps: that can all be carried out.
        task: what is asked for.
        scene: that the steps begin in, and that the task was given in.
        registry: the skills' declarations.
    """
    work = _Work(task.stages, SymbolicState.of(scene), scene, registry)
    for step in steps:
        work.do(step)
    return work.left()


class _Work:
    """How far a task is while steps are done in thought."""

    def __init__(
        self, stages: Sequence[Stage], state: SymbolicState, scene: Scene, registry: Mapping[str, SkillSpec]
    ) -> None:
        self._stages, self._state = stages, state
        self._scene, self._registry = scene, registry
        self._reached = 0
        self._advance(None)

    def do(self, step: SkillCall) -> None:
        """The step does what it declares."""
        spec = self._registry[step.skill]
        self._state = self._state.after(spec, spec.complete(step, self._scene))
        self._advance(step)

    def left(self) -> list[str]:
        """What is undone, or done no more."""
        is_over = self._reached == len(self._stages)
        stage = self._stages[-1 if is_over else self._reached]
        if stage.act is not None:
            return [] if is_over else [f"{call_text(stage.act)} is not done"]
        goals = [goal.fact for goal in stage.goals if goal.lasting or not is_over]
        return [fact_text(fact, negated=True) for fact in goals if fact not in self._state.facts]

    def _advance(self, step: SkillCall | None) -> None:
        """Count the stages that are reached. One step does one act, and what moved in one stage has not in the next."""
        while self._reached < len(self._stages):
            stage = self._stages[self._reached]
            if stage.act is not None:
                if step is None or not self._is_same(step, stage.act):
                    break
                step = None
            elif any(goal.fact not in self._state.facts for goal in stage.goals):
                break
            self._reached += 1
            still = frozenset(fact for fact in self._state.facts if fact[0] != "moved")
            self._state = replace(self._state, facts=still)

    def _is_same(self, one: SkillCall, other: SkillCall) -> bool:
        if one.skill != other.skill:
            return False
        first, second = (self._registry[call.skill].complete(call, self._scene) for call in (one, other))
        return all(_about(first[name], value) for name, value in second.items())


def _about(one: ArgumentValue, other: ArgumentValue) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return abs(one - other) <= ABOUT
