"""Tasks under way: steps that went well or failed, things that moved meanwhile, plans that were turned down."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Final

from reins.contracts.facts import facts_of
from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.planner import History, StepRecord
from reins.planning.simulation import expected_facts
from reins.planning.verifier import verify
from reins.skills.registry import SkillSpec
from reins.training.planner.meanings import Meaning, plan_of
from reins.training.planner.table import Table

FAILS: Final = 0.25
"""Share of steps that fail."""

STIRRED: Final = 0.15
"""Share of steps after which something else has moved, too."""

REASONS: Final = (
    "the fingers closed on nothing",
    "the object slipped out of the fingers",
    "it took longer than its time limit",
    "the safety monitor stopped it: too near to an obstacle",
    "no way to reach the goal was found",
    "the object is not where it was",
    "the policy did not come nearer to its goal",
)
"""Why skills fail, as they report it."""


def under_way(
    meaning: Meaning, history: History, rng: Random, registry: Mapping[str, SkillSpec], most: int = 4
) -> tuple[Scene, History]:
    """A task after up to `most` steps of the teacher's, not all of which went well.

    Args:
        meaning: of the instruction, in `history.initial`.
        history: how it began.
        rng: of everything random.
        registry: the skills' declarations.
        most: steps.

    Returns:
        What is seen now, and the history.
    """
    table = Table(history.initial)
    for _ in range(rng.randint(1, most)):
        before = table.scene()
        plan = plan_of(meaning, before, history, registry)
        if plan is None or not plan.steps:
            break
        call = plan.steps[0]
        reason = rng.choice(REASONS) if rng.random() < FAILS else ""
        carry_out(call, table, reason, rng)
        if rng.random() < STIRRED:
            stir(table, rng)
        after = table.scene()
        missing = expected(call, before, registry) - facts_of(after, before)
        if missing and not reason:
            reason = "its effects are not seen afterwards"
        history = history.then(StepRecord(call, not reason, reason, before, after))
    return table.scene(), history


def carry_out(call: SkillCall, table: Table, failure: str, rng: Random) -> None:
    """Do a step, or let it fail: what is held may be lost then."""
    if not failure:
        table.do(call)
        return
    table.stamp += 4.0
    if table.held is not None and rng.random() < 0.5:
        name, table.held = table.held, None
        table.to_table(name)


def stir(table: Table, rng: Random) -> None:
    """Somebody else puts a block somewhere else on the table."""
    below = {relation.object for relation in table.scene().relations if relation.predicate in ("on", "in")}
    loose = sorted(
        name for name, item in table.objects.items() if item.label == "block" and name not in {*below, table.held}
    )
    if loose:
        table.to_table(rng.choice(loose))


def expected(call: SkillCall, before: Scene, registry: Mapping[str, SkillSpec]) -> frozenset[tuple[str, ...]]:
    """The facts that a call is to bring about; of a side only what a scene can show."""
    spec = registry[call.skill]
    return expected_facts(spec, spec.with_defaults(call.arguments), before.held())


def turned_down(plan: Plan, scene: Scene, history: History, rng: Random, registry: Mapping[str, SkillSpec]) -> History:
    """The history after a plan like this one, with a mistake in it, was turned down by the verifier."""
    steps = list(plan.steps or ())
    if not steps:
        return history
    at = rng.randrange(len(steps))
    wrong = steps[:at] + steps[at + 1 :] if rng.random() < 0.7 else [*steps[:at], steps[at], *steps[at:]]
    problems = verify(Plan(steps=tuple(wrong)), scene, registry)
    return history.rejected(problems) if problems else history


def forbid(history: History, names: frozenset[str]) -> History:
    """The history in which others have said that these objects must not be touched."""
    return replace(history, forbidden=names)
