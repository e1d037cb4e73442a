"""Whether a plan is right: it can be carried out, leads where it should, keeps the rules, and does no more."""

from collections.abc import Mapping
from dataclasses import dataclass

from reins.contracts.errors import ReinsError
from reins.contracts.facts import facts_of
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.language.excess import goes_beyond
from reins.planning.language.reply import read_reply
from reins.planning.planner import History, StepRecord
from reins.planning.pursuit import left_of, missing
from reins.planning.simulation import expected_facts
from reins.planning.verifier import verify
from reins.skills.registry import SkillSpec
from reins.training.planner.example import Example
from reins.training.planner.meanings import EFFORT
from reins.training.planner.table import Table


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said of a plan.

    Attributes:
        kind: what it answers with: steps, question or refusal; "" for no plan at all.
        valid: the verifier accepts it, what others have forbidden included.
        correct: it is what the instruction asks for.
        reason: why it is not, one sentence; empty if it is.
    """

    kind: str
    valid: bool
    correct: bool
    reason: str = ""


def judge(plan: Plan | None, example: Example, registry: Mapping[str, SkillSpec], trouble: str = "") -> Verdict:
    """Judge a plan.

    Args:
        plan: what was answered; None for nothing that could be read.
        example: what was asked.
        registry: the skills' declarations.
        trouble: why there is no plan.
    """
    if plan is None:
        return Verdict("", False, False, trouble or "no plan")
    kind = kind_of(plan)
    if kind != "steps":
        right = kind == kind_of(example.plan)
        return Verdict(kind, True, right, "" if right else f"answered with a {kind}, not with {kind_of(example.plan)}")
    rules = tuple(Constraint(kind="avoid", object=name) for name in sorted(example.history.forbidden))
    bound = plan.model_copy(update={"constraints": (*plan.constraints, *rules)})
    problems = verify(bound, example.scene, registry)
    reason = problems[0] if problems else _difference(plan, example, registry)
    return Verdict(kind, not problems, not reason, reason)


def kind_of(plan: Plan) -> str:
    """steps, question or refusal."""
    if plan.question is not None:
        return "question"
    return "refusal" if plan.refusal is not None else "steps"


def _difference(plan: Plan, example: Example, registry: Mapping[str, SkillSpec]) -> str:
    """What a plan that can be carried out does not do, or does beyond what is asked; empty if it is right."""
    if kind_of(example.plan) != "steps":
        return f"answered with steps, not with a {kind_of(example.plan)}"
    if _rules(plan) != _rules(example.plan):
        return f"sets {_listed(plan)}, not {_listed(example.plan)}"
    scene, history = played(plan.steps or (), example, registry)
    tasks = list(example.meaning.tasks())
    unmet = [missing(task, scene, history, registry, EFFORT) for task in tasks]
    if tasks and all(unmet):
        return unmet[0][0]
    if len(plan.steps or ()) > len(example.plan.steps or ()) and not (_moved(plan) <= _moved(example.plan) and tasks):
        return "does more than what is asked"
    met = [task for task, lack in zip(tasks, unmet, strict=True) if not lack]
    beyond = [
        goes_beyond(plan.steps or (), left_of(task, example.scene, example.history), example.scene, registry)
        for task in met
    ]
    return f"does more than what is asked: {beyond[0][0]}" if beyond and all(beyond) else ""


def played(steps: tuple[SkillCall, ...], example: Example, registry: Mapping[str, SkillSpec]) -> tuple[Scene, History]:
    """The scene and the history after these steps, each of which does what it declares."""
    table, history = Table(example.scene), example.history
    for call in steps:
        before = table.scene()
        table.do(call)
        after = table.scene()
        spec = registry[call.skill]
        shown = expected_facts(spec, spec.with_defaults(call.arguments), before.held()) <= facts_of(after, before)
        history = history.then(StepRecord(call, shown, "" if shown else "its effects are not seen", before, after))
    return table.scene(), history


def _rules(plan: Plan) -> set[tuple[str, str, float]]:
    return {(rule.kind, rule.object, rule.scale) for rule in plan.constraints}


def _moved(plan: Plan) -> set[str]:
    """The objects that a plan moves, and the skills that it uses for their own sake."""
    return {
        str(call.arguments.get("object", call.skill)) for call in plan.steps or () if not call.skill.startswith("place")
    }


def _listed(plan: Plan) -> str:
    return ", ".join(sorted(map(str, plan.constraints))) or "no constraints"


def read_or_why(text: str) -> tuple[Plan | None, str]:
    """The plan that a reply says, or why it says none."""
    try:
        return read_reply(text), ""
    except ReinsError as error:
        return None, str(error)
