"""From an instruction to its first skill call, beside llama.cpp alone on as many tokens, in the same run."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, Final

import numpy as np

from reins.bench.bare_llama import BareLlama, Spent
from reins.bench.planner_figures import KeptTrace, percentiles
from reins.bench.report import Report
from reins.contracts.errors import ReinsError
from reins.planning.actions import Action, Done, RunSkill
from reins.planning.executor import TaskExecutor
from reins.planning.factory import make_planner
from reins.planning.language.planner import LanguagePlanner
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History
from reins.skills.library import SKILLS
from reins.training.planner.example import Example
from reins.training.planner.examples import Examples
from reins.training.planner.phrases_file import LANGUAGES

BACKEND: Final = "llama_cpp"

SUITES: Final = ("single", "multi", "spatial", "references", "constraints")
"""Planning suites that the instructions are drawn from: those that are answered with steps."""

WARM: Final = 3
"""Instructions at the beginning that are not counted: memory is touched for the first time."""


def run_first_call(
    settings: LanguageSettings, episodes: int, seed: int, advance: Callable[[], None] = lambda: None
) -> Report:
    """Time the way from instructions to their first skill calls: prompt, reply, checks, and whatever else there is.

    Args:
        settings: of the language model.
        episodes: how many instructions.
        seed: of the instructions and scenes.
        advance: called after each.

    Raises:
        ModelError: the model does not load.
        ReinsError: no instruction was planned by the model alone, so there is nothing to compare.
    """
    settings = settings.model_copy(update={"cache": 0})
    trace = KeptTrace()
    planner = make_planner(BACKEND, SKILLS, settings, lambda _why: None, trace)
    assert isinstance(planner, LanguagePlanner)
    planner.load()
    bare = BareLlama(settings)
    examples = Examples(Random(f"first-call/{seed}"), SKILLS)
    records: list[dict[str, Any]] = []
    for index in range(WARM + episodes):
        example = _fresh(examples, LANGUAGES[index % len(LANGUAGES)])
        record = _one(planner, bare, trace, example)
        if index >= WARM:
            records.append(record)
            advance()
    bare.close()
    planner.close()
    return _report(records, {"planner": planner.name, "model": settings.model or "shipped", "seed": seed})


def _fresh(examples: Examples, language: str) -> Example:
    """A task with something to do, from its beginning."""
    while True:
        example = examples.draw(examples.pick(SUITES), language)
        if example.plan.steps and not example.untricked:
            return replace(example, scene=example.history.initial, history=History(example.history.initial))


def _one(planner: LanguagePlanner, bare: BareLlama, trace: KeptTrace, example: Example) -> dict[str, Any]:
    """Time one instruction, and the bare thing right after it."""
    scene = replace(example.scene, stamp=1.0)
    executor = TaskExecutor(planner, SKILLS, example.instruction, trace=trace)
    executor.next(None, 0.0)  # it wants a scene that is newer than the instruction
    begun = Spent.so_far()
    action: Action = executor.next(scene, 1.0)
    spent = Spent.so_far().since(begun)
    entries = trace.take()
    calls = [entry for entry in entries if entry["kind"] == "call"]
    bare_spent = bare.work(calls)
    is_alone = not any(entry["kind"] == "trouble" for entry in entries)
    return {
        "instruction": example.instruction,
        "language": example.language,
        "called": str(action.call) if isinstance(action, RunSkill) else "",
        "outcome": action.outcome if isinstance(action, Done) else "",
        "by_model": is_alone and bool(calls),
        "first_call_s": spent.wall,
        "bare_s": bare_spent.wall,
        "first_call_processor_s": spent.processor,
        "bare_processor_s": bare_spent.processor,
        "model_s": sum(float(call["seconds"]) for call in calls),
        "prompt_tokens": sum(int(call["prompt_tokens"]) for call in calls),
        "reply_tokens": sum(int(call["reply_tokens"]) for call in calls),
    }


def _report(records: list[dict[str, Any]], settings: dict[str, Any]) -> Report:
    counted = [record for record in records if record["by_model"] and record["called"]]
    if not counted:
        raise ReinsError("the model made no plan that passes, so no skill call of its own can be timed")
    ratios = [record["first_call_s"] / record["bare_s"] for record in counted]
    processor = [record["first_call_processor_s"] / record["bare_processor_s"] for record in counted]
    summary = {
        "episodes": len(records),
        "counted": len(counted),
        "first_call_s": percentiles([record["first_call_s"] for record in counted]),
        "bare_s": percentiles([record["bare_s"] for record in counted]),
        "model_s": percentiles([record["model_s"] for record in counted]),
        "ratio": float(np.median(ratios)),
        "ratio_processor": float(np.median(processor)),
        "tokens": float(np.mean([record["prompt_tokens"] + record["reply_tokens"] for record in counted])),
    }
    return Report("first-call", settings, summary, records)
