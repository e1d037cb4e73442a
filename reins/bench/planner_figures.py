"""What a task cost its planner, from the trace of the task: plans, model calls, tokens, times."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reins.bench.report import success_interval
from reins.planning.tracing.reading import PLANS, Entry, Story, remembered_share


class KeptTrace:
    """A trace in memory.

    Attributes:
        entries: in order; `at` counts them, for nobody here asks what time it was.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def write(self, kind: str, **entry: Any) -> None:
        """One entry."""
        self.entries.append({"at": float(len(self.entries)), "kind": kind, **entry})

    def take(self) -> list[Entry]:
        """All since last time."""
        entries, self.entries = self.entries, []
        return entries


@dataclass(frozen=True, slots=True)
class PlannerFigures:
    """One task's.

    Attributes:
        plans: that were made.
        valid: those of them that the verifier accepted.
        without_model: made by the stand-in, because the language model failed or nothing of it passed.
        model_calls: replies of the language model.
        turned_down: those of them that did not pass.
        cache_hits, cache_misses: plans that were remembered, and those that were not.
        prompt_tokens, reply_tokens: of the calls.
        plan_s: time of the language model for each plan, attempts together [s].
        dropped: plans with steps that leave out a rule of the instruction.
    """

    plans: int
    valid: int
    without_model: int
    model_calls: int
    turned_down: int
    cache_hits: int
    cache_misses: int
    prompt_tokens: int
    reply_tokens: int
    plan_s: Sequence[float]
    dropped: int


def planner_figures(story: Story, forbidden: Sequence[str]) -> PlannerFigures:
    """Count what a trace tells.

    Args:
        story: of the task.
        forbidden: objects that its instruction says must not be touched.
    """
    plans = [entry for entry in story.entries if entry["kind"] in PLANS]
    told = story.figures()
    return PlannerFigures(
        plans=len(plans),
        valid=sum(not entry.get("problems") for entry in plans),
        without_model=sum(entry["kind"] == "trouble" for entry in story.entries),
        model_calls=int(told["model_calls"]),
        turned_down=int(told["turned_down"]),
        cache_hits=int(told["cache_hits"]),
        cache_misses=int(told["cache_misses"]),
        prompt_tokens=int(told["prompt_tokens"]),
        reply_tokens=int(told["reply_tokens"]),
        plan_s=_plan_seconds(story),
        dropped=sum(_drops(entry["plan"], forbidden) for entry in plans),
    )


def summary_of(figures: Sequence[PlannerFigures]) -> dict[str, Any]:
    """The figures of many tasks in a report's form."""
    plans, valid = sum(one.plans for one in figures), sum(one.valid for one in figures)
    seconds = [value for one in figures for value in one.plan_s]
    hits, misses = sum(one.cache_hits for one in figures), sum(one.cache_misses for one in figures)
    return {
        "plans": plans,
        "valid_rate": valid / max(1, plans),
        "valid_ci95": list(success_interval(valid, plans)),
        "without_model": sum(one.without_model for one in figures),
        "model_calls": sum(one.model_calls for one in figures),
        "turned_down": sum(one.turned_down for one in figures),
        "cache_hits": hits,
        "cache_rate": remembered_share(hits, misses),
        "prompt_tokens": sum(one.prompt_tokens for one in figures),
        "reply_tokens": sum(one.reply_tokens for one in figures),
        **({"plan_s": percentiles(seconds)} if seconds else {}),
        "constraints_dropped": sum(one.dropped for one in figures),
    }


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Median and 99th percentile."""
    return {name: float(np.percentile(values, share)) for name, share in (("p50", 50), ("p99", 99))}


def _plan_seconds(story: Story) -> list[float]:
    """What the model took for each plan that it was asked for."""
    found, pending = [], 0.0
    for entry in story.entries:
        if entry["kind"] == "call":
            pending += float(entry.get("seconds", 0.0))
        elif entry["kind"] in PLANS and pending:
            found.append(round(pending, 4))
            pending = 0.0
    return found


def _drops(plan: Any, forbidden: Sequence[str]) -> bool:
    """Whether a plan moves something and does not keep off what must not be touched."""
    kept = {rule.get("object") for rule in plan.get("constraints") or () if rule.get("kind") == "avoid"}
    return bool(plan.get("steps")) and not set(forbidden) <= kept
