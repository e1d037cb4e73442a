"""The tabletop suite: randomised tasks in words, success measured from physics, limits audited independently."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from typing import Any, Protocol

import numpy as np

from reins.bench.audit import LimitAudit
from reins.bench.report import Report, success_interval
from reins.hardware.profile import load_profile
from reins.rig import Rig, RigSettings, Tick
from reins.sim.tasks import TabletopTask, evaluate_task, generate_task
from reins.sim.world_state import WorldState

SETTLE = 0.5
"""How long things may come to rest before success is measured [s]."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One task and how it went.

    Attributes:
        seed: seed of the task and of its world.
        instruction: what was asked.
        success: the goal holds by physics, nothing forbidden was touched, and the task itself reported success.
        goal_met: the goal holds by physics.
        outcome, reason: what the task itself said.
        unmet: goal predicates that do not hold.
        forbidden_touches: forbidden objects that were touched.
        limit_violations: control periods in which a limit was broken, by kind.
        replans: how often it planned again.
        duration: robot time [s].
        steps: skills that ran; through the graph, the steps of every plan.
    """

    seed: int
    instruction: str
    success: bool
    goal_met: bool
    outcome: str
    reason: str
    unmet: Sequence[str]
    forbidden_touches: Sequence[str]
    limit_violations: dict[str, int]
    replans: int
    duration: float
    steps: Sequence[str]


def task_seeds(seed: int, episodes: int) -> list[int]:
    """Seeds of the suite's tasks: the same `seed` always gives the same tasks, and more episodes only add to them."""
    return [int(value) for value in np.random.default_rng(seed).integers(0, 2**31 - 1, size=episodes)]


def run_episode(settings: RigSettings, seed: int) -> Episode:
    """Run one task through the rig."""
    task = generate_task(seed)
    settings = replace(settings, world=task.world)
    audit = LimitAudit(load_profile(settings.robot))

    def audit_tick(tick: Tick) -> None:
        audit.on_state(tick.state)
        if tick.command is not None:
            audit.on_command(tick.command)

    with Rig(settings, task.seed, on_tick=audit_tick) as rig:
        result = rig.run(task.instruction)
        rig.wait(SETTLE)
        steps = [f"{call}{'' if success else ' (failed)'}" for call, success in result.skills]
        return judge(task, rig.world_state, result, audit.counts, steps)


class TaskResult(Protocol):
    """What a task says of itself, from the rig or from the graph."""

    @property
    def outcome(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def replans(self) -> int: ...
    @property
    def duration(self) -> float: ...


def judge(
    task: TabletopTask, after: WorldState, result: TaskResult, violations: Mapping[str, int], steps: Sequence[str]
) -> Episode:
    """Hold what the task said against physics."""
    outcome = evaluate_task(task, after)
    return Episode(
        seed=task.seed,
        instruction=task.instruction,
        success=outcome.success and result.outcome == "succeeded",
        goal_met=not outcome.unmet,
        outcome=result.outcome,
        reason=result.reason,
        unmet=[" ".join(predicate) for predicate in outcome.unmet],
        forbidden_touches=list(outcome.forbidden_touches),
        limit_violations=dict(violations),
        replans=result.replans,
        duration=result.duration,
        steps=steps,
    )


def run_tabletop(
    settings: RigSettings,
    episodes: int,
    seed: int,
    jobs: int,
    on_episode: Callable[[Episode], None] = lambda _: None,
) -> Report:
    """Run the suite through the rig.

    Args:
        settings: backends; the world comes from each task.
        episodes: how many tasks.
        seed: seed of the suite.
        jobs: how many processes run episodes side by side; results do not depend on it.
        on_episode: called as each one ends, in any order.
    """
    done = []
    for episode in _run_all(settings, task_seeds(seed, episodes), jobs):
        on_episode(episode)
        done.append(episode)
    order = {task_seed: index for index, task_seed in enumerate(task_seeds(seed, episodes))}
    done.sort(key=lambda episode: order[episode.seed])
    asked = {
        "planner": settings.planner,
        "skills": settings.skills,
        "perception": settings.perception,
    }
    where = {"robot": settings.robot, "backend": settings.backend}
    return report(done, {**asked, **where, "seed": seed, "through": "rig"})


def _run_all(settings: RigSettings, seeds: Sequence[int], jobs: int) -> Iterator[Episode]:
    if jobs == 1:
        for seed in seeds:
            yield run_episode(settings, seed)
        return
    with ProcessPoolExecutor(max_workers=jobs, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(run_episode, settings, seed) for seed in seeds]):
            yield future.result()


def report(episodes: Sequence[Episode], settings: dict[str, Any]) -> Report:
    """Summarise episodes in the common form."""
    count = len(episodes)
    successes = sum(episode.success for episode in episodes)
    summary = {
        "episodes": count,
        "success_rate": successes / count,
        "success_ci95": list(success_interval(successes, count)),
        "forbidden_touches": sum(len(episode.forbidden_touches) for episode in episodes),
        "limit_violations": sum(sum(episode.limit_violations.values()) for episode in episodes),
        "replans": sum(episode.replans for episode in episodes),
        "claimed_but_unmet": sum(e.outcome == "succeeded" and not e.goal_met for e in episodes),
        "duration_s": {
            "mean": float(np.mean([episode.duration for episode in episodes])),
            "max": float(np.max([episode.duration for episode in episodes])),
        },
    }
    return Report("tabletop", settings, summary, [asdict(episode) for episode in episodes])
