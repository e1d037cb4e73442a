"""When a plan is risky: the rules, all of them here, by which a person is asked before it runs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Final

from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene, SceneObject
from reins.planning.verifier import avoided
from reins.planning.words import call_text
from reins.skills.registry import SkillSpec

CLOSE: Final = 0.08
"""Work at something that is nearer than this to what must not be touched is risky [m]: about the width of a hand."""

UNSURE: Final = 0.5
"""An object that is seen with less confidence than this may be another one, or elsewhere."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a plan is judged in.

    Attributes:
        scene: what is seen now.
        registry: the skills' declarations.
        agreed: the constraints of the plans of the task that were followed so far.
        held_to: constraints that hold beside the plan's own.
    """

    scene: Scene
    registry: Mapping[str, SkillSpec]
    agreed: Sequence[Constraint] = ()
    held_to: Sequence[Constraint] = ()


Rule = Callable[[Plan, Circumstances], Iterator[str]]


def risks_of(plan: Plan, circumstances: Circumstances) -> tuple[str, ...]:
    """Why a person should look at a plan that passed the verifier, a sentence each, in the order of RULES."""
    return tuple(dict.fromkeys(risk for rule in RULES for risk in rule(plan, circumstances)))


def _is_looser(plan: Plan, circumstances: Circumstances) -> Iterator[str]:
    """It leaves out, or lets go faster than, what the task was held to before."""
    for rule in circumstances.agreed:
        if rule.kind == "speed":
            now = min((other.scale for other in plan.constraints if other.kind == "speed"), default=1.0)
            if now > rule.scale:
                yield f"it goes at up to {now:.0%} of the speed limits; before it was {rule.scale:.0%}"
        elif not any(_same(rule, other) for other in plan.constraints) and _is_here(rule, circumstances.scene):
            yield f"it no longer keeps to “{rule}”"


def _comes_close(plan: Plan, circumstances: Circumstances) -> Iterator[str]:
    """It works beside what must not be touched."""
    scene = circumstances.scene
    forbidden = avoided((*plan.constraints, *circumstances.held_to))
    for number, call, item in _handled(plan, circumstances):
        for name in sorted(forbidden & scene.objects.keys() - {item.id}):
            if (gap := _gap(item, scene.objects[name])) < CLOSE:
                where = f"step {number}, {call_text(call)}, works {max(gap, 0.0) * 100:.0f} cm from {name}"
                yield f"{where}, which must not be touched"


def _is_hard_to_undo(plan: Plan, circumstances: Circumstances) -> Iterator[str]:
    """A skill of it says so of itself."""
    for number, call in enumerate(plan.steps or (), 1):
        if risk := circumstances.registry[call.skill].risk:
            yield f"step {number}, {call_text(call)}, {risk}"


def _is_unsure(plan: Plan, circumstances: Circumstances) -> Iterator[str]:
    """What it handles is hardly seen."""
    for number, call, item in _handled(plan, circumstances):
        if item.confidence < UNSURE:
            yield f"step {number}, {call_text(call)}: {item.id} is seen with a confidence of {item.confidence:.0%} only"


def _is_doubtful(plan: Plan, circumstances: Circumstances) -> Iterator[str]:
    """Whoever made it says so: few of a model's replies agree, or the model was done without."""
    yield from plan.doubts


RULES: Final[Sequence[Rule]] = (_is_looser, _comes_close, _is_hard_to_undo, _is_unsure, _is_doubtful)
"""Every rule. A skill is hard to undo where the registry says so: `SkillSpec.risk`."""


def _handled(plan: Plan, circumstances: Circumstances) -> Iterator[tuple[int, SkillCall, SceneObject]]:
    """Number and call of every step, with each object of the scene that it names."""
    for number, call in enumerate(plan.steps or (), 1):
        for parameter in circumstances.registry[call.skill].parameters:
            name = str(call.arguments.get(parameter.name, ""))
            if parameter.kind == "object" and name in circumstances.scene.objects:
                yield number, call, circumstances.scene.objects[name]


def _gap(one: SceneObject, other: SceneObject) -> float:
    """Distance between the outlines of two objects as seen from above, both taken for discs [m]; negative inside."""
    between = hypot(one.position[0] - other.position[0], one.position[1] - other.position[1])
    return between - max(one.size[:2]) / 2 - max(other.size[:2]) / 2


def _is_here(rule: Constraint, scene: Scene) -> bool:
    return rule.kind != "avoid" or rule.object in scene.objects


def _same(one: Constraint, other: Constraint) -> bool:
    free = {"set_by": "planner", "id": ""}
    return one.model_copy(update=free) == other.model_copy(update=free)
