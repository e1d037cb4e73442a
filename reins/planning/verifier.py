"""Checks a plan before and while it runs: names, arguments, constraints, workspace, preconditions step by step."""

from collections.abc import Iterable, Mapping
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, Plan
from reins.contracts.scene import Scene
from reins.planning.reach import Reach, out_of_reach
from reins.planning.simulation import Arguments, SymbolicState, condition_text
from reins.planning.words import listed
from reins.skills.registry import Condition, SkillSpec

MAX_STEPS: Final = 64
"""Longest plan that is accepted; no instruction about one table needs more."""


def verify(
    plan: Plan, scene: Scene, registry: Mapping[str, SkillSpec], start: int = 0, reach: Reach | None = None
) -> list[str]:
    """What is wrong with a plan, a sentence each; empty if it can be carried out.

    Every step's skill and arguments are checked against the registry and the scene. No step may touch what the plan's
    own constraints say to avoid, or lead out of the workspace. Preconditions are checked by simulating the effects, up
    to the first step whose preconditions do not hold: what comes after it would only repeat that.

    Args:
        plan: the plan; a question or a refusal has nothing to check.
        scene: the scene that the first checked step starts in.
        registry: the skills' declarations.
        start: index of the first step to check; earlier ones are done.
        reach: the robot's workspace; without it, nothing is checked against one.
    """
    problems = [
        f"the constraint to avoid '{name}' names no object of the scene"
        for name in avoided(plan.constraints)
        if name not in scene.objects
    ]
    steps = plan.steps or ()
    if len(steps) > MAX_STEPS:
        problems.append(f"the plan has {len(steps)} steps; at most {MAX_STEPS} are accepted")
    state: SymbolicState | None = SymbolicState.of(scene)
    for number, call in enumerate(steps[start:], start + 1):
        where = f"step {number}, {call}"
        try:
            spec = registry[call.skill]
            arguments = spec.complete(call, scene)
        except ReinsError as error:
            problems.append(f"{where}: {error}")
            state = None
            continue
        problems.extend(
            f"{where}: touches {name}, which must not be touched"
            for name in touched(spec, arguments, avoided(plan.constraints))
        )
        if state is not None:
            if unmet := state.unmet(spec, arguments):
                problems.append(f"{where}: {needs(unmet)}")
                state = None
            else:
                state = state.after(spec, arguments)
    return problems + (out_of_reach(steps, scene, registry, reach, start) if reach is not None else [])


def avoided(constraints: Iterable[Constraint]) -> frozenset[str]:
    """Ids of the objects that must not be touched."""
    return frozenset(constraint.object for constraint in constraints if constraint.kind == "avoid")


def touched(spec: SkillSpec, arguments: Arguments, objects: Iterable[str]) -> list[str]:
    """Which of `objects` a call touches, sorted."""
    targets = {arguments[parameter.name] for parameter in spec.parameters if parameter.touches}
    return sorted(name for name in objects if name in targets)


def needs(unmet: Iterable[Condition]) -> str:
    """Unmet preconditions as a clause: "needs that red_block is held, which is not so"."""
    return f"needs that {listed(condition_text(condition) for condition in unmet)}, which is not so"
