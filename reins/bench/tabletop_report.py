"""The figures of the tabletop suite, from its episodes."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from reins.bench.planner_figures import summary_of
from reins.bench.report import Report, success_interval
from reins.bench.tabletop_episode import Episode
from reins.bench.tabletop_tasks import TaskStyle
from reins.rig import RigSettings


def asked_for(settings: RigSettings, style: TaskStyle) -> dict[str, Any]:
    """What is needed to run the suite again, in a report's form."""
    said = {"planner": settings.planner}
    if settings.language.model:
        said["model"] = settings.language.model
    said |= {"mode": settings.cadence.mode, "skills": settings.skills, "perception": settings.perception}
    where = {"robot": settings.robot, "backend": settings.backend}
    return {**said, **where, "words": style.words, "declined": style.declined, "disturb": style.disturb}


def report(episodes: Sequence[Episode], settings: dict[str, Any]) -> Report:
    """Summarise episodes in the common form."""
    summary = {
        "episodes": len(episodes),
        **_success(episodes),
        **_disturbances(episodes),
        "forbidden_touches": sum(len(episode.forbidden_touches) for episode in episodes),
        "limit_violations": sum(sum(episode.limit_violations.values()) for episode in episodes),
        "claimed_but_unmet": sum(e.outcome == "succeeded" and not e.goal_met for e in episodes),
        "questions": _answers(episodes, "question"),
        "refusals": _answers(episodes, "refusal"),
        "replans": sum(episode.replans for episode in episodes),
        "length": _length(episodes),
        **summary_of([episode.planner for episode in episodes]),
        "duration_s": {
            "mean": float(np.mean([episode.duration for episode in episodes])),
            "max": float(np.max([episode.duration for episode in episodes])),
        },
    }
    return Report("tabletop", settings, summary, [asdict(episode) for episode in episodes])


def _success(episodes: Sequence[Episode]) -> dict[str, Any]:
    right = sum(episode.success for episode in episodes)
    return {
        "success_rate": right / len(episodes),
        "success_ci95": list(success_interval(right, len(episodes))),
    }


def _disturbances(episodes: Sequence[Episode]) -> dict[str, Any]:
    """Success by kind of disturbance, of the tasks that were struck; nothing where none was to be."""
    kinds = sorted({episode.disturbance for episode in episodes} - {""})
    if not kinds:
        return {}
    groups = {
        "undisturbed": [e for e in episodes if not e.struck],
        "disturbed": [e for e in episodes if e.struck],
        **{kind: [e for e in episodes if e.struck and e.disturbance == kind] for kind in kinds},
    }
    return {"disturbances": {name: {"episodes": len(some), **_success(some)} for name, some in groups.items() if some}}


def _length(episodes: Iterable[Episode]) -> float:
    """Skills that ran in tasks that succeeded undisturbed, as a multiple of the fewest that there are."""
    lengths = [len(e.steps) / e.least for e in episodes if e.success and e.least and not e.struck]
    return float(np.mean(lengths)) if lengths else 1.0


def _answers(episodes: Iterable[Episode], kind: str) -> dict[str, int]:
    """How often it was answered so, rightly and wrongly, and how often it was not though it should have been."""
    given = list(episodes)
    return {
        "right": sum(episode.answered == kind == episode.wanted for episode in given),
        "wrong": sum(episode.answered == kind != episode.wanted for episode in given),
        "missed": sum(episode.wanted == kind != episode.answered for episode in given),
    }
